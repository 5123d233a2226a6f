// A history cut into its objects, each ready to be searched.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dissensus/history.h"

#include "history/linear_search.h"
#include "history/linearizability.h"
#include "history/value_table.h"

namespace dissensus::history {

/// Says a state in the words of the history.
class StateNames {
 public:
  virtual ~StateNames() = default;
  virtual std::string name_of(StateId state) const = 0;
  /// The state after an order of operations. Default: its name.
  virtual std::string name_after(const LinearObject& object,
                                 const std::vector<std::uint32_t>& order, StateId state) const;
};

struct LinearProblem {
  ValueTable names;  ///< of objects
  std::vector<LinearObject> objects;
  std::unique_ptr<StateMachine> machine;  ///< none: registers
  std::unique_ptr<StateNames> states;
  StateId initial = 0;
  std::string open_reason;  ///< why a failed search would prove nothing; empty: it does

  void add(const Value& object, std::uint32_t operation, bool is_answered, const LinearStep& step);
  /// To be called once all operations were added: who overlaps whom.
  void set_moments(const History& history, const std::vector<Operation>& operations);

 private:
  struct Place {
    std::uint32_t operation;
    std::uint32_t object;
    std::uint32_t index;
  };
  std::vector<Place> places_;
};

/// An operation with its invocation and, unless nobody was told, its answer.
struct Asked {
  const History& history;
  const Operation& operation;
  const Event& invoked() const { return history.events()[operation.invoked]; }
  /// The invocation again where there is no answer.
  const Event& answered() const {
    return operation.completed == Operation::kNone ? invoked()
                                                   : history.events()[operation.completed];
  }
  bool is_ok() const { return operation.outcome == EventKind::ok; }
  bool is_failed() const { return operation.outcome == EventKind::fail; }
  /// Throws InputError that points at the invocation.
  [[noreturn]] void fail(std::string_view message) const;
};

LinearProblem register_problem(const History& history, const std::vector<Operation>& operations,
                               bool has_keys, const LinearOptions& options);
LinearProblem queue_problem(const History& history, const std::vector<Operation>& operations,
                            bool is_ordered);
LinearProblem set_problem(const History& history, const std::vector<Operation>& operations);
LinearProblem mutex_problem(const History& history, const std::vector<Operation>& operations);
LinearProblem model_problem(const History& history, const std::vector<Operation>& operations,
                            const Model& model);

}  // namespace dissensus::history
