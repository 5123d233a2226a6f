// One function per type of node; the table is in evaluate.cpp.
#pragma once

#include "tla/evaluation/evaluator.h"

namespace dissensus::tla::evaluating {

#define DISSENSUS_TLA_NODES(EACH) \
  EACH(immediate)                 \
  EACH(literal)                   \
  EACH(constant)                  \
  EACH(remembered)                \
  EACH(local)                     \
  EACH(parameter)                 \
  EACH(variable)                  \
  EACH(substituted)               \
  EACH(primed_variable)           \
  EACH(call)                      \
  EACH(call_argument)             \
  EACH(operator_value)            \
  EACH(native)                    \
  EACH(let)                       \
  EACH(let_value)                 \
  EACH(conjunction)               \
  EACH(disjunction)               \
  EACH(implies)                   \
  EACH(equivalent)                \
  EACH(negation)                  \
  EACH(equal)                     \
  EACH(unequal)                   \
  EACH(member)                    \
  EACH(not_member)                \
  EACH(if_else)                   \
  EACH(case_of)                   \
  EACH(for_all)                   \
  EACH(exists)                    \
  EACH(choose)                    \
  EACH(choose_unbounded)          \
  EACH(set_of)                    \
  EACH(set_filter)                \
  EACH(set_map)                   \
  EACH(function)                  \
  EACH(function_set)              \
  EACH(application)               \
  EACH(apply_definition)          \
  EACH(record)                    \
  EACH(record_set)                \
  EACH(field)                     \
  EACH(except)                    \
  EACH(tuple)                     \
  EACH(product)                   \
  EACH(subset_of)                 \
  EACH(set_union)                 \
  EACH(intersection)              \
  EACH(difference)                \
  EACH(powerset)                  \
  EACH(union_of)                  \
  EACH(domain)                    \
  EACH(domain_of_definition)      \
  EACH(prime)                     \
  EACH(unchanged)                 \
  EACH(enabled)                   \
  EACH(action_box)                \
  EACH(action_angle)              \
  EACH(compose)                   \
  EACH(add)                       \
  EACH(subtract)                  \
  EACH(multiply)                  \
  EACH(divide)                    \
  EACH(modulo)                    \
  EACH(negate)                    \
  EACH(less)                      \
  EACH(less_equal)                \
  EACH(greater)                   \
  EACH(greater_equal)             \
  EACH(interval)                  \
  EACH(cardinality)               \
  EACH(length)                    \
  EACH(append)                    \
  EACH(head)                      \
  EACH(tail)                      \
  EACH(concatenate)               \
  EACH(always)                    \
  EACH(eventually)                \
  EACH(leads_to)                  \
  EACH(weak_fairness)             \
  EACH(strong_fairness)           \
  EACH(temporal)

#define DISSENSUS_TLA_DECLARE(name) Value name(Evaluator&, const Node&, Frame&);
DISSENSUS_TLA_NODES(DISSENSUS_TLA_DECLARE)
#undef DISSENSUS_TLA_DECLARE

/// Goes through all combinations of elements of bindings; `each` returns false to stop.
bool for_each_binding(Evaluator& evaluator, const Node& node, Frame& frame,
                      FunctionRef<bool()> each);
/// A set, or an error that says what was found instead.
Value set_value(Evaluator& evaluator, const Node& node, Frame& frame);
/// Better not listed: infinite, or beyond Evaluator::kListedMax.
bool is_large(Evaluator& evaluator, Value set);
/// f[argument], or an error.
Value apply_value(Evaluator& evaluator, Value function, Value argument, const Node& at);

/// Whether the subject of UNCHANGED, or of a subscript, is the same in both states.
bool is_unchanged(Evaluator& evaluator, const Node& node, const Node& subject, Frame& frame);
/// f[argument] where f is defined as a function: the argument, and the frame for f's body with the
/// names bound. Inside an Activation.
Value point_argument(Evaluator& evaluator, const Node& node, Frame& frame);
Frame point_frame(Evaluator& evaluator, const Node& node, Frame& frame, Value argument);

}  // namespace dissensus::tla::evaluating
