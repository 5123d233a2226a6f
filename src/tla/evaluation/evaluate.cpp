// Names, logic, arithmetic and primes.
#include "tla/evaluation/evaluate_nodes.h"

namespace dissensus::tla {

EvaluateFunction evaluate_function(NodeType type) {
  switch (type) {
#define DISSENSUS_TLA_CASE(name) \
  case NodeType::name:           \
    return &evaluating::name;
    DISSENSUS_TLA_NODES(DISSENSUS_TLA_CASE)
#undef DISSENSUS_TLA_CASE
  }
  return nullptr;
}

namespace evaluating {

Value immediate(Evaluator&, const Node& node, Frame&) {
  return node.value;
}

Value literal(Evaluator& evaluator, const Node& node, Frame&) {
  return evaluator.literals[node.index];
}

Value constant(Evaluator& evaluator, const Node& node, Frame& frame) {
  Value& known = evaluator.constants[node.index];
  if (!known.is_null()) return known;
  // A constant that is drawn follows from the seed alone: it has the same value on every machine,
  // whoever needs it first.
  const Saved random(evaluator.environment.random,
                     Random(evaluator.environment.seed, "tla constant", node.index));
  const Value value = evaluator.evaluate(*node.first, frame);
  // Small sets are listed once so that going through them is fast.
  const bool is_listed =
      value.is_cell() && is_lazy_set(value.type()) && !is_large(evaluator, value);
  const Value kept =
      is_listed ? evaluator.guarded(node, [&] { return evaluator.store.canonical(value); }) : value;
  evaluator.constants[node.index] = kept;
  return kept;
}

Value remembered(Evaluator& evaluator, const Node& node, Frame& frame) {
  const std::vector<std::uint32_t>& reads = node.detail->variables;
  const Value* const state = evaluator.current;
  if (evaluator.is_initial || evaluator.freed != nullptr || state == nullptr) {
    return evaluator.evaluate(*node.first, frame);
  }
  std::uint64_t hash = 0;
  for (const std::uint32_t variable : reads) {
    if (state[variable].is_null()) return evaluator.evaluate(*node.first, frame);
    hash = mix64(hash + 0x9E3779B97F4A7C15ULL, state[variable].word());
  }
  std::vector<Value>& table = evaluator.remembered[node.index];
  const std::size_t width = reads.size() + 1;
  if (table.empty()) table.resize(width * Evaluator::kRememberedRows);
  const std::size_t row = (hash % Evaluator::kRememberedRows) * width;
  bool is_known = !table[row].is_null();
  for (std::size_t i = 0; is_known && i + 1 < width; ++i) {
    is_known = table[row + 1 + i] == state[reads[i]];
  }
  if (is_known) return table[row];
  const Value value = evaluator.evaluate(*node.first, frame);
  // Evaluation may have gone through here with another state.
  std::vector<Value>& after = evaluator.remembered[node.index];
  after[row] = value;
  for (std::size_t i = 0; i + 1 < width; ++i) after[row + 1 + i] = state[reads[i]];
  return value;
}

Value local(Evaluator&, const Node& node, Frame& frame) {
  return outward(frame, node.hops).slots[node.index];
}

Value parameter(Evaluator& evaluator, const Node& node, Frame& frame) {
  return evaluator.force(outward(frame, node.hops).slots[node.index], node);
}

Value variable(Evaluator& evaluator, const Node& node, Frame&) {
  return evaluator.read_variable(node);
}

Value primed_variable(Evaluator& evaluator, const Node& node, Frame&) {
  const Value value = evaluator.next == nullptr ? Value() : evaluator.next[node.index];
  if (value.is_null()) evaluator.no_value(node);
  return value;
}

Value operator_value(Evaluator& evaluator, const Node& node, Frame&) {
  evaluator.fail(node, "an operator stands where a value is expected");
}

/// Goes on behind the first conjunct that is false, to see whether it is the only one.
Value conjunction_in_full(Evaluator& evaluator, const Node& node, Frame& frame) {
  const Node* failed = nullptr;
  for (const Node* kid : node.kids) {
    if (failed == nullptr) {
      if (!evaluator.truth(*kid, frame)) failed = kid;
      continue;
    }
    try {
      if (!evaluator.truth(*kid, frame)) return Value::boolean(false);
    } catch (const SpecError&) {
      return Value::boolean(false);  // it is guarded by the one that failed
    }
  }
  if (failed == nullptr) return Value::boolean(true);
  if (failed->type != NodeType::conjunction) evaluator.pardoner->alone(*failed);
  return Value::boolean(false);
}

Value conjunction(Evaluator& evaluator, const Node& node, Frame& frame) {
  if (evaluator.pardoner != nullptr) return conjunction_in_full(evaluator, node, frame);
  for (const Node* kid : node.kids) {
    if (!evaluator.truth(*kid, frame)) return Value::boolean(false);
  }
  return Value::boolean(true);
}

Value disjunction(Evaluator& evaluator, const Node& node, Frame& frame) {
  for (const Node* kid : node.kids) {
    if (evaluator.truth(*kid, frame)) return Value::boolean(true);
  }
  return Value::boolean(false);
}

Value implies(Evaluator& evaluator, const Node& node, Frame& frame) {
  return Value::boolean(!evaluator.truth(*node.first, frame) ||
                        evaluator.truth(*node.second, frame));
}

Value equivalent(Evaluator& evaluator, const Node& node, Frame& frame) {
  const bool left = evaluator.truth(*node.first, frame);
  return Value::boolean(left == evaluator.truth(*node.second, frame));
}

Value negation(Evaluator& evaluator, const Node& node, Frame& frame) {
  return Value::boolean(!evaluator.truth(*node.first, frame));
}

namespace {

bool are_equal(Evaluator& evaluator, const Node& node, Frame& frame) {
  const Value left = evaluator.evaluate(*node.first, frame);
  const Value right = evaluator.evaluate(*node.second, frame);
  return evaluator.guarded(node, [&] { return evaluator.store.equal(left, right); });
}

}  // namespace

Value equal(Evaluator& evaluator, const Node& node, Frame& frame) {
  return Value::boolean(are_equal(evaluator, node, frame));
}

Value unequal(Evaluator& evaluator, const Node& node, Frame& frame) {
  return Value::boolean(!are_equal(evaluator, node, frame));
}

Value if_else(Evaluator& evaluator, const Node& node, Frame& frame) {
  return evaluator.evaluate(evaluator.truth(*node.first, frame) ? *node.second : *node.third,
                            frame);
}

Value case_of(Evaluator& evaluator, const Node& node, Frame& frame) {
  const std::size_t size = node.kids.size();
  for (std::size_t i = 0; i + 1 < size; i += 2) {
    if (evaluator.truth(*node.kids[i], frame)) return evaluator.evaluate(*node.kids[i + 1], frame);
  }
  if (size % 2 == 1) return evaluator.evaluate(*node.kids.back(), frame);
  evaluator.fail(node, "no guard of this CASE is true, and it has no OTHER");
}

Value substituted(Evaluator& evaluator, const Node& node, Frame& frame) {
  if (evaluator.freed == nullptr || evaluator.freed != evaluator.current) {
    return evaluator.evaluate(*node.first, frame);
  }
  const Value value = evaluator.freed[evaluator.program.variables.size() + node.index];
  if (value.is_null()) {
    evaluator.fail(node, node.at.excerpt() + " is used before it has a value: expected " +
                             node.at.excerpt() + "' = ... before it");
  }
  return value;
}

Value prime(Evaluator& evaluator, const Node& node, Frame& frame) {
  if (evaluator.next == nullptr) {
    evaluator.fail(node, "a primed expression where there is no next state");
  }
  const Saved current(evaluator.current, evaluator.next);
  const Saved next(evaluator.next, static_cast<Value*>(nullptr));
  const Saved context(evaluator.context, evaluator.fresh_context());
  const Saved cacheable(evaluator.cacheable, kStateLevel);
  return evaluator.evaluate(*node.first, frame);
}

bool is_unchanged(Evaluator& evaluator, const Node& node, const Node& subject, Frame& frame) {
  if (evaluator.next == nullptr) evaluator.fail(node, "UNCHANGED where there is no next state");
  if (node.only_variables) {
    for (const std::uint32_t index : node.detail->variables) {
      const Value before = evaluator.current[index];
      const Value after = evaluator.next[index];
      if (before.is_null() || after.is_null()) evaluator.no_value(node);
      if (!evaluator.guarded(node, [&] { return evaluator.store.equal(before, after); })) {
        return false;
      }
    }
    return true;
  }
  const Value before = evaluator.evaluate(subject, frame);
  const Saved current(evaluator.current, evaluator.next);
  const Saved next(evaluator.next, static_cast<Value*>(nullptr));
  const Saved context(evaluator.context, evaluator.fresh_context());
  const Value after = evaluator.evaluate(subject, frame);
  return evaluator.guarded(node, [&] { return evaluator.store.equal(before, after); });
}

Value unchanged(Evaluator& evaluator, const Node& node, Frame& frame) {
  return Value::boolean(is_unchanged(evaluator, node, *node.first, frame));
}

Value action_box(Evaluator& evaluator, const Node& node, Frame& frame) {
  return Value::boolean(is_unchanged(evaluator, node, *node.second, frame) ||
                        evaluator.truth(*node.first, frame));
}

Value action_angle(Evaluator& evaluator, const Node& node, Frame& frame) {
  return Value::boolean(!is_unchanged(evaluator, node, *node.second, frame) &&
                        evaluator.truth(*node.first, frame));
}

namespace {

class FirstFound final : public Sink {
 public:
  bool found() override {
    is_found = true;
    return false;
  }
  bool is_found = false;
};

class SameState final : public Sink {
 public:
  SameState(const Evaluator& evaluator, const Value* wanted)
      : evaluator_(evaluator), wanted_(wanted) {}
  bool found() override {
    for (std::size_t i = 0; i < evaluator_.program.variables.size(); ++i) {
      if (!(evaluator_.next[i] == wanted_[i])) return true;
    }
    is_found = true;
    return false;
  }
  bool is_found = false;

 private:
  const Evaluator& evaluator_;
  const Value* wanted_;
};

/// Searches for a next state of its own.
template <class Finder>
bool search(Evaluator& evaluator, const Node& action, Frame& frame, Finder& finder,
            bool frees_instance = false) {
  const Program& program = evaluator.program;
  std::vector<Value> next(program.variables.size() + program.substituted);
  const Saved freed(evaluator.freed, frees_instance ? next.data() : nullptr);
  const Saved saved_next(evaluator.next, next.data());
  const Saved sink(evaluator.sink, static_cast<Sink*>(&finder));
  const Saved recorder(evaluator.recorder, static_cast<Recorder*>(nullptr));
  const Saved pardoner(evaluator.pardoner, static_cast<Pardoner*>(nullptr));
  const Saved shuffle(evaluator.shuffle, static_cast<Random*>(nullptr));
  const Saved initial(evaluator.is_initial, false);
  const Saved assigned(evaluator.assigned, std::uint32_t{0});
  const Saved cacheable(evaluator.cacheable, std::min(evaluator.cacheable, kStateLevel));
  evaluator.step(action, frame, nullptr, false);
  return finder.is_found;
}

}  // namespace

Value enabled(Evaluator& evaluator, const Node& node, Frame& frame) {
  FirstFound finder;
  return Value::boolean(search(evaluator, *node.first, frame, finder, node.index == 1));
}

Value compose(Evaluator& evaluator, const Node& node, Frame& frame) {
  if (evaluator.next == nullptr) evaluator.fail(node, "\\cdot where there is no next state");
  SameState finder(evaluator, evaluator.next);
  return Value::boolean(search(evaluator, node, frame, finder));
}

namespace {

std::int64_t number(Evaluator& evaluator, const Node& node, Frame& frame) {
  const Value value = evaluator.evaluate(node, frame);
  if (!value.is_integer()) evaluator.expected("a number", value, node);
  return value.number();
}

Value checked(Evaluator& evaluator, const Node& node, bool overflows, std::int64_t result) {
  if (overflows || !Value::fits(result)) {
    evaluator.fail(node, "the result does not fit into 62 bits");
  }
  return Value::integer(result);
}

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  const std::int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

}  // namespace

Value add(Evaluator& evaluator, const Node& node, Frame& frame) {
  const std::int64_t a = number(evaluator, *node.first, frame);
  const std::int64_t b = number(evaluator, *node.second, frame);
  return checked(evaluator, node, false, a + b);
}

Value subtract(Evaluator& evaluator, const Node& node, Frame& frame) {
  const std::int64_t a = number(evaluator, *node.first, frame);
  const std::int64_t b = number(evaluator, *node.second, frame);
  return checked(evaluator, node, false, a - b);
}

Value multiply(Evaluator& evaluator, const Node& node, Frame& frame) {
  const std::int64_t a = number(evaluator, *node.first, frame);
  const std::int64_t b = number(evaluator, *node.second, frame);
  std::int64_t result = 0;
  const bool overflows = __builtin_mul_overflow(a, b, &result);
  return checked(evaluator, node, overflows, result);
}

Value divide(Evaluator& evaluator, const Node& node, Frame& frame) {
  const std::int64_t a = number(evaluator, *node.first, frame);
  const std::int64_t b = number(evaluator, *node.second, frame);
  if (b == 0) evaluator.fail(node, "division of " + std::to_string(a) + " by 0");
  return checked(evaluator, node, false, floor_divide(a, b));
}

Value modulo(Evaluator& evaluator, const Node& node, Frame& frame) {
  const std::int64_t a = number(evaluator, *node.first, frame);
  const std::int64_t b = number(evaluator, *node.second, frame);
  if (b <= 0) {
    evaluator.fail(node, "the right side of % must be positive, found " + std::to_string(b));
  }
  return Value::integer(a - floor_divide(a, b) * b);
}

Value negate(Evaluator& evaluator, const Node& node, Frame& frame) {
  return checked(evaluator, node, false, -number(evaluator, *node.first, frame));
}

Value less(Evaluator& evaluator, const Node& node, Frame& frame) {
  const std::int64_t a = number(evaluator, *node.first, frame);
  return Value::boolean(a < number(evaluator, *node.second, frame));
}

Value less_equal(Evaluator& evaluator, const Node& node, Frame& frame) {
  const std::int64_t a = number(evaluator, *node.first, frame);
  return Value::boolean(a <= number(evaluator, *node.second, frame));
}

Value greater(Evaluator& evaluator, const Node& node, Frame& frame) {
  const std::int64_t a = number(evaluator, *node.first, frame);
  return Value::boolean(a > number(evaluator, *node.second, frame));
}

Value greater_equal(Evaluator& evaluator, const Node& node, Frame& frame) {
  const std::int64_t a = number(evaluator, *node.first, frame);
  return Value::boolean(a >= number(evaluator, *node.second, frame));
}

Value interval(Evaluator& evaluator, const Node& node, Frame& frame) {
  const std::int64_t low = number(evaluator, *node.first, frame);
  const std::int64_t high = number(evaluator, *node.second, frame);
  return evaluator.guarded(node, [&] { return evaluator.store.interval(low, high); });
}

Value always(Evaluator& evaluator, const Node& node, Frame&) {
  evaluator.fail(node, "a temporal formula cannot be evaluated: " + node.at.excerpt());
}

Value eventually(Evaluator& evaluator, const Node& node, Frame& frame) {
  return always(evaluator, node, frame);
}

Value leads_to(Evaluator& evaluator, const Node& node, Frame& frame) {
  return always(evaluator, node, frame);
}

Value weak_fairness(Evaluator& evaluator, const Node& node, Frame& frame) {
  return always(evaluator, node, frame);
}

Value strong_fairness(Evaluator& evaluator, const Node& node, Frame& frame) {
  return always(evaluator, node, frame);
}

Value temporal(Evaluator& evaluator, const Node& node, Frame& frame) {
  return always(evaluator, node, frame);
}

}  // namespace evaluating
}  // namespace dissensus::tla
