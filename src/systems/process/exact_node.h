// A node whose program speaks the superset of the protocol: it is told one thing at a time, and
// says when it is done with it.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "dissensus/node.h"

#include "systems/process/book.h"
#include "systems/process/child.h"

namespace dissensus::process {

class ExactNode final : public Node {
 public:
  ExactNode(const Book& book, ChildPool& pool) : book_(book), pool_(pool) {}
  ~ExactNode() override { pool_.give(std::move(child_)); }

  void start(Context& context) override;
  void restart(Context& context, const Node& before) override;
  void receive(Context& context, NodeId from, const Message& message) override;
  void timer(Context& context, TimerId timer, std::uint64_t tag) override;
  StateValue::Record state() const override { return state_; }
  void ended(Context& context) override;

 private:
  using Json = nlohmann::json;
  using Handler = bool (ExactNode::*)(Context&, const Json&);
  struct Timer {
    std::string name;
    TimerId pending = TimerId::none;
  };

  /// Writes an open line, completes it, and carries out what the program answers.
  void tell(Context& context, std::string line);
  bool carry_out(Context& context, std::string_view line);
  void broken(Context& context, Trouble trouble, std::string_view why);
  void pass_on_errors(Context& context);
  /// What a program names must have been declared. False, with what is missing kept for people.
  bool is_declared(bool is_known, const std::string* name, const char* key);

  bool on_message(Context& context, const Json& line);
  bool on_done(Context& context, const Json& line);
  bool on_set_timer(Context& context, const Json& line);
  bool on_cancel_timer(Context& context, const Json& line);
  bool on_store(Context& context, const Json& line);
  bool on_propose(Context& context, const Json& line);
  bool on_decide(Context& context, const Json& line);
  bool on_phase(Context& context, const Json& line);
  bool on_round(Context& context, const Json& line);
  bool on_observe(Context& context, const Json& line);
  bool on_state(Context& context, const Json& line);
  bool on_step(Context& context, const Json& line);
  bool on_broken(Context& context, const Json& line);
  bool on_log(Context& context, const Json& line);

  std::uint64_t timer_number(const std::string& name);

  const Book& book_;
  ChildPool& pool_;
  std::unique_ptr<Child> child_;
  bool is_dead_ = false;
  std::string complaint_;  ///< about the line that is nonsense
  bool is_done_ = true;
  bool has_answered_init_ = false;
  std::uint64_t lines_ = 0;  ///< that the program wrote
  std::map<std::string, Json> stored_;
  std::vector<Timer> timers_;
  std::deque<std::string> to_self_;  ///< bodies on their way
  StateValue::Record state_;
};

}  // namespace dissensus::process
