// Rules of a scenario: small integer expressions over what nodes report.
//
//   max(validated) <= 1 and min(settled) == 4
//
// min(x), max(x), sum(x) and count(x), how many are not 0, range over the correct nodes, or over
// those of a list: count(x, [0, 1, 4]). x is an observable of the system or decided.<level> (the
// highest instance a node decided). split(<level>, [0, 1, 2], [4, 5, 6]) is how far two groups have
// fallen apart: the largest k such that for some instance k correct nodes of the first group
// decided one value last, and k of the second another one. support(<level>, <message>) is how well
// the worst supported decision was (see SupportQuery). Operators, weakest first: or, and, not,
// < <= > >= == !=, + -, *; integers and parentheses.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dissensus/description.h"
#include "dissensus/options.h"
#include "dissensus/time.h"

namespace dissensus::oracle {

/// A quantity that each node has: an observable, or its highest decided instance of a level.
struct Quantity {
  enum class Source : std::uint8_t { observable, decided };
  Source source = Source::observable;
  std::size_t index = 0;
};

/// Two groups of nodes and the level on which they are compared.
struct SplitQuery {
  std::size_t level = 0;
  std::vector<NodeId> first;
  std::vector<NodeId> second;
};

/// In how many per cent of the newest positions that had reached a node, its own included, the
/// value stood that it decided: the least over all decisions of the level, 100 without any.
/// Positions are messages of one type; which fields matter follows from their semantic types.
struct SupportQuery {
  std::size_t level = 0;
  std::size_t payload = 0;   ///< the messages that carry positions
  std::size_t position = 0;  ///< field: the value
  /// field: the newest position has the highest sequence number; kNoField: it came last
  std::size_t order = kNoField;
  std::size_t scope = 0;         ///< field: the instance, or the low bits that tell scopes apart
  std::vector<NodeId> deciders;  ///< whose decisions are judged; empty: everybody's
  std::vector<NodeId> trusted;   ///< whose positions count; empty: everybody's
  Duration fresh = Duration::max();  ///< a position that came longer ago counts for the node
  /// A sequence number by which an author leaves; then its position counts for the node.
  std::uint64_t left = ~std::uint64_t{0};
};

class Expression {
 public:
  /// Throws InputError at `place` when the text is no expression over this system's quantities, or
  /// names a node that does not exist.
  static Expression parse(std::string_view text, const SystemDescription& description,
                          const OptionValue& place, std::size_t nodes = kMaxNodes);

  /// `value_of(quantity, node)` gives a node's quantity, `answer_of(query)` answers a SplitQuery or
  /// SupportQuery; `nodes` are the correct nodes.
  template <class ValueOf, class AnswerOf>
  std::int64_t evaluate(std::span<const NodeId> nodes, const ValueOf& value_of,
                        const AnswerOf& answer_of) const {
    std::vector<std::int64_t> stack;
    for (const Step& step : steps_) {
      if (step.operation <= Operation::count) {
        stack.push_back(aggregate(step, nodes, value_of));
      } else if (step.operation == Operation::split) {
        stack.push_back(answer_of(splits_[step.index]));
      } else if (step.operation == Operation::support) {
        stack.push_back(answer_of(supports_[step.index]));
      } else {
        apply(step, stack);
      }
    }
    return stack.back();
  }
  template <class ValueOf>
  std::int64_t evaluate(std::span<const NodeId> nodes, const ValueOf& value_of) const {
    return evaluate(nodes, value_of, [](const auto& /*query*/) { return std::int64_t{0}; });
  }
  /// How far the values are from making the expression true and from making it false: branch
  /// distances, in the unit of what is compared. One of them is 0.
  struct Distance {
    double to_true = 0;
    double to_false = 0;
  };
  template <class ValueOf, class AnswerOf>
  Distance distance(std::span<const NodeId> nodes, const ValueOf& value_of,
                    const AnswerOf& answer_of) const {
    std::vector<Graded> stack;
    for (const Step& step : steps_) {
      if (step.operation <= Operation::count) {
        stack.push_back(graded(aggregate(step, nodes, value_of)));
      } else if (step.operation == Operation::split) {
        stack.push_back(graded(answer_of(splits_[step.index])));
      } else if (step.operation == Operation::support) {
        stack.push_back(graded(answer_of(supports_[step.index])));
      } else {
        apply(step, stack);
      }
    }
    return stack.back().distance;
  }
  /// What has to be followed during a run; stays where it is as long as the expression does.
  std::span<const SupportQuery> supports() const { return supports_; }
  const std::string& text() const { return text_; }

 private:
  friend class ExpressionParser;
  enum class Operation : std::uint8_t {
    min,
    max,
    sum,
    count,  // of a quantity over the nodes
    split,
    support,
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
    std::size_t index = kAllNodes;  ///< into groups_, splits_ or supports_
  };
  static constexpr std::size_t kAllNodes = ~std::size_t{0};

  template <class ValueOf>
  std::int64_t aggregate(const Step& step, std::span<const NodeId> nodes,
                         const ValueOf& value_of) const {
    std::int64_t result = 0;
    bool first = true;
    for (const NodeId node : nodes) {
      if (step.index != kAllNodes && !is_in(groups_[step.index], node)) continue;
      const std::int64_t value = value_of(step.quantity, node);
      if (step.operation == Operation::count) {
        result += value != 0 ? 1 : 0;
      } else if (step.operation == Operation::sum) {
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
  /// A value, and how far it is from being another truth.
  struct Graded {
    std::int64_t value = 0;
    Distance distance;
  };
  static Graded graded(std::int64_t value);
  static void apply(const Step& step, std::vector<Graded>& stack);
  static bool is_in(const std::vector<NodeId>& group, NodeId node) {
    return std::find(group.begin(), group.end(), node) != group.end();
  }

  std::string text_;
  std::vector<Step> steps_;  ///< in reverse Polish order
  std::vector<std::vector<NodeId>> groups_;
  std::vector<SplitQuery> splits_;
  std::vector<SupportQuery> supports_;
};

/// A place that a run passes on its way to trouble, for searches: reached when this holds after all
/// earlier ones were reached.
struct Waypoint {
  std::string name;
  Expression reach;
};

struct Rule {
  enum class When : std::uint8_t {
    always,      ///< holds after every report
    end,         ///< holds at the end of a run that nothing cut
    eventually,  ///< holds at some moment of the run
    over,        ///< holds when the run is over, however it ended
  };
  std::string name;
  std::string property = "rule";
  When when = When::always;
  Expression check;
};

}  // namespace dissensus::oracle
