// Rules of a scenario: small integer expressions over what nodes report.
//
//   max(validated) <= 1 and min(settled) == 4
//
// min(x), max(x) and sum(x) range over the correct nodes; x is an observable of the system or
// decided.<level> (the highest instance a node decided). Operators, weakest first: or, and, not,
// < <= > >= == !=, + -, *; integers and parentheses.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dissensus/description.h"
#include "dissensus/options.h"

namespace dissensus::oracle {

/// A quantity that each node has: an observable, or its highest decided instance of a level.
struct Quantity {
  enum class Source : std::uint8_t { observable, decided };
  Source source = Source::observable;
  std::size_t index = 0;
};

class Expression {
 public:
  /// Throws InputError at `place` when the text is no expression over this system's quantities.
  static Expression parse(std::string_view text, const SystemDescription& description,
                          const OptionValue& place);

  /// `value_of(quantity, node)` gives a node's quantity; `nodes` are the correct nodes.
  template <class ValueOf>
  std::int64_t evaluate(std::span<const NodeId> nodes, const ValueOf& value_of) const {
    std::vector<std::int64_t> stack;
    for (const Step& step : steps_) {
      if (step.operation <= Operation::sum) {
        stack.push_back(aggregate(step, nodes, value_of));
      } else {
        apply(step, stack);
      }
    }
    return stack.back();
  }
  const std::string& text() const { return text_; }

 private:
  friend class ExpressionParser;
  enum class Operation : std::uint8_t {
    min,
    max,
    sum,  // of a quantity over the nodes
    constant,
    logical_or,
    logical_and,
    logical_not,
    less,
    less_equal,
    greater,
    greater_equal,
    equal,
    not_equal,
    add,
    subtract,
    multiply,
    negate,
  };
  struct Step {
    Operation operation = Operation::constant;
    Quantity quantity{};
    std::int64_t constant = 0;
  };

  template <class ValueOf>
  static std::int64_t aggregate(const Step& step, std::span<const NodeId> nodes,
                                const ValueOf& value_of) {
    std::int64_t result = 0;
    bool first = true;
    for (const NodeId node : nodes) {
      const std::int64_t value = value_of(step.quantity, node);
      if (step.operation == Operation::sum) {
        result = static_cast<std::int64_t>(static_cast<std::uint64_t>(result) +
                                           static_cast<std::uint64_t>(value));
      } else if (first || (step.operation == Operation::min ? value < result : value > result)) {
        result = value;
      }
      first = false;
    }
    return result;
  }
  static void apply(const Step& step, std::vector<std::int64_t>& stack);

  std::string text_;
  std::vector<Step> steps_;  ///< in reverse Polish order
};

struct Rule {
  enum class When : std::uint8_t {
    always,      ///< holds after every report
    end,         ///< holds when the run ends
    eventually,  ///< holds at some moment of the run
  };
  std::string name;
  std::string property = "rule";
  When when = When::always;
  Expression check;
};

}  // namespace dissensus::oracle
