// A node whose program speaks the plain protocol and has a time of its own: what it says comes when
// it comes, whoever runs it.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "dissensus/node.h"

#include "systems/process/book.h"
#include "systems/process/child.h"

namespace dissensus::process {

/// Something that a node is to hear of its program: a line, or why there will be none any more.
struct ProgramNews {
  Time time{};
  NodeId node = kNoNode;
  std::string line;
  Trouble trouble = Trouble::none;
  int status = 0;  ///< exit code or signal
};

/// Whoever runs the programs of a run.
class Programs {
 public:
  virtual ~Programs() = default;
  virtual const Book& book() const = 0;
  virtual void start_program(NodeId node) = 0;
  virtual void write(NodeId node, const std::string& line) = 0;
  virtual void end_program(NodeId node) = 0;
  /// How often this node's program was started.
  virtual std::uint32_t lives(NodeId node) const = 0;
  /// The news for which the world called Node::happened.
  virtual ProgramNews take_news(NodeId node) = 0;
};

class PlainNode final : public Node {
 public:
  PlainNode(Programs& programs, NodeId self) : programs_(programs), self_(self) {}

  void start(Context& context) override;
  void restart(Context& context, const Node&) override { start(context); }
  void happened(Context& context) override;
  void receive(Context& context, NodeId from, const Message& message) override;
  void timer(Context& context, TimerId timer, std::uint64_t tag) override;

 private:
  bool carry_out(Context& context, const std::string& line);
  void tell(std::string line);
  void broken(Context& context, Trouble trouble, std::uint64_t number);

  Programs& programs_;
  NodeId self_;
  bool has_answered_init_ = false;
  bool is_dead_ = false;
  std::uint64_t lines_ = 0;
  std::vector<std::string> early_;   ///< for which it is not ready yet
  std::deque<std::string> to_self_;  ///< bodies
};

}  // namespace dissensus::process
