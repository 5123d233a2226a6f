// An online scheduler (dissensus/scheduler.h) that decides in the parent about a run in a worker
// process: it may learn from run to run, and the code under test may not take it along.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "dissensus/scheduler.h"

#include "core/bytes.h"

namespace dissensus::run {

/// In the worker: asks the parent. What needs no answer waits for the next question.
class RemoteScheduler final : public Scheduler {
 public:
  RemoteScheduler(int channel, bool picks, Duration hold)
      : channel_(channel), picks_(picks), hold_(hold) {}
  bool picks() const override { return picks_; }
  Duration hold() const override { return hold_; }
  void start(std::size_t nodes, std::size_t kinds) override;
  void arrived(const PendingMessage& message) override;
  std::size_t pick(std::span<const PendingMessage> inbox) override;
  Duration delay(const PendingMessage& message) override;
  void state_changed(NodeId node, std::uint64_t state) override;
  /// What has not been told yet, with the answer of the run.
  std::string rest();

 private:
  std::uint64_t ask();

  int channel_;
  bool picks_;
  Duration hold_;
  ByteWriter waiting_;
};

/// In the parent: what the worker tells, one thing after another; the answer to the last if it is a
/// question. Throws InputError where these are no such bytes.
std::optional<std::uint64_t> answer_worker(std::string_view bytes, Scheduler& scheduler);

/// The first byte of what a worker says.
inline constexpr char kQuestion = 'S';
inline constexpr char kAnswer = 'A';

}  // namespace dissensus::run
