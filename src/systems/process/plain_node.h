// A node whose program speaks the plain protocol and has a time of its own: what it says comes when
// it comes.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "dissensus/node.h"

#include "hosted/cluster.h"
#include "systems/process/book.h"
#include "systems/process/child.h"

namespace dissensus::process {

class PlainNode final : public Node {
 public:
  PlainNode(hosted::Cluster& cluster, const Book& book, NodeId self)
      : cluster_(cluster), book_(book), self_(self) {}

  void start(Context& context) override;
  void restart(Context& context, const Node&) override { start(context); }
  void happened(Context& context) override;
  void receive(Context& context, NodeId from, const Message& message) override;
  void timer(Context& context, TimerId timer, std::uint64_t tag) override;

 private:
  bool carry_out(Context& context, const std::string& line);
  void tell(std::string line, bool is_answer = false);
  void broken(Context& context, Trouble trouble, std::uint64_t number);

  hosted::Cluster& cluster_;
  const Book& book_;
  NodeId self_;
  bool has_answered_init_ = false;
  bool is_dead_ = false;
  std::uint64_t lines_ = 0;
  std::vector<std::string> early_;   ///< for which it is not ready yet
  std::deque<std::string> to_self_;  ///< bodies
};

/// What runs on the machines of a system with clock = "virtual": a program on each.
hosted::Plan plan_of(const Settings& settings);

}  // namespace dissensus::process
