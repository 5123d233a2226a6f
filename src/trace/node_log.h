// Logs of nodes, one per node, written while a run goes on: steps, and the messages by which others
// are ordered (docs/formats/node-log.md). `dissensus conform follow` reads them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dissensus/description.h"

#include "core/event.h"

namespace dissensus::trace {

inline constexpr std::string_view kNodeLogFormat = "dissensus-node-log/1";

/// node-N.jsonl of each node, in a folder. Lines are there for readers as soon as they are written.
class NodeLogFiles {
 public:
  /// Makes the folder; files that are there (pipes, for example) are written to. Throws InputError.
  NodeLogFiles(const std::string& folder, std::size_t nodes);
  ~NodeLogFiles();

  std::size_t nodes() const { return logs_.size(); }
  /// What was received and sent belongs to the next line: received before its step, sent after it.
  void receive(NodeId node, std::uint64_t message);
  void send(NodeId node, std::uint64_t message);
  /// `fields` is the inside of a JSON object, or empty; without fields and messages there is no
  /// line.
  void write(NodeId node, double at_seconds, const std::string& fields);
  /// Throws InputError if something could not be written.
  void finish() const;

 private:
  struct Log;
  std::vector<std::unique_ptr<Log>> logs_;
};

/// What nodes report of themselves.
class NodeLogWriter final : public EventSink {
 public:
  /// Both must outlive it.
  NodeLogWriter(NodeLogFiles& files, const SystemDescription& system)
      : files_(files), system_(system) {}

  EventMask wants() const override;
  bool wants_steps() const override { return true; }
  void on_event(const Event& event) override;
  void on_step(const StepReport& step) override;

 private:
  NodeLogFiles& files_;
  const SystemDescription& system_;
  NodeId sending_ = kNoNode;  ///< whose sends wait for a line
  double now_seconds_ = 0;
};

}  // namespace dissensus::trace
