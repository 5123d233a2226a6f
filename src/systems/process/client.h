// A client: asks one thing at a time and reports what it was told.
#pragma once

#include <memory>
#include <optional>

#include "dissensus/node.h"

#include "systems/process/book.h"
#include "systems/process/workload.h"

namespace dissensus::process {

class Client final : public Node {
 public:
  /// `number` is its own among the clients.
  Client(const Book& book, std::size_t number, SharedNumbers& numbers);

  void start(Context& context) override;
  void receive(Context& context, NodeId from, const Message& message) override;
  void timer(Context& context, TimerId timer, std::uint64_t tag) override;

 private:
  void ask(Context& context);
  void ask_last(Context& context);
  void send(Context& context, Question question, NodeId to, bool is_final);
  void tell_topology(Context& context, NodeId to);
  void complete(Context& context, history::EventKind kind, const nlohmann::json& value,
                const nlohmann::json& error);
  void think(Context& context);
  NodeId own_node() const;

  const Book& book_;
  const WorkloadSettings& settings_;
  std::size_t number_;
  std::unique_ptr<Workload> workload_;
  std::optional<Question> asked_;
  bool is_final_ = false;
  bool is_over_ = false;
  std::int64_t last_id_ = 0;  ///< of messages
};

}  // namespace dissensus::process
