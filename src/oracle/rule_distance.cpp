// Branch distances over the expressions of rules (Tracey and others 1998; McMinn 2004).
#include <algorithm>

#include "oracle/rule.h"

namespace dissensus::oracle {

namespace {
double gap(std::int64_t larger, std::int64_t smaller) {
  return static_cast<double>(larger) - static_cast<double>(smaller);
}

/// Of left < right.
Expression::Distance less(std::int64_t left, std::int64_t right) {
  return left < right ? Expression::Distance{0, gap(right, left)}
                      : Expression::Distance{gap(left, right) + 1, 0};
}
Expression::Distance equal(std::int64_t left, std::int64_t right) {
  const double apart = left < right ? gap(right, left) : gap(left, right);
  return {apart, left == right ? 1.0 : 0.0};
}
Expression::Distance negated(const Expression::Distance& distance) {
  return {distance.to_false, distance.to_true};
}
}  // namespace

Expression::Graded Expression::graded(std::int64_t value) {
  return {value, negated(equal(value, 0))};
}

void Expression::apply(const Step& step, std::vector<Graded>& stack) {
  const bool is_unary =
      step.operation == Operation::logical_not || step.operation == Operation::negate;
  const bool is_constant = step.operation == Operation::constant;
  const Graded right = is_constant ? Graded{} : stack.back();
  if (!is_constant) stack.pop_back();
  Graded left;
  std::vector<std::int64_t> values;
  if (!is_constant && !is_unary) {
    left = stack.back();
    stack.pop_back();
    values.push_back(left.value);
  }
  if (!is_constant) values.push_back(right.value);
  apply(step, values);
  Graded result = graded(values.back());
  switch (step.operation) {
    case Operation::logical_or:
      result.distance = {std::min(left.distance.to_true, right.distance.to_true),
                         left.distance.to_false + right.distance.to_false};
      break;
    case Operation::logical_and:
      result.distance = {left.distance.to_true + right.distance.to_true,
                         std::min(left.distance.to_false, right.distance.to_false)};
      break;
    case Operation::logical_not:
      result.distance = negated(right.distance);
      break;
    case Operation::less:
      result.distance = less(left.value, right.value);
      break;
    case Operation::less_equal:
      result.distance = negated(less(right.value, left.value));
      break;
    case Operation::greater:
      result.distance = less(right.value, left.value);
      break;
    case Operation::greater_equal:
      result.distance = negated(less(left.value, right.value));
      break;
    case Operation::equal:
      result.distance = equal(left.value, right.value);
      break;
    case Operation::not_equal:
      result.distance = negated(equal(left.value, right.value));
      break;
    default:
      break;  // a number: what graded() says
  }
  stack.push_back(result);
}

}  // namespace dissensus::oracle
