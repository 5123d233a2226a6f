// Where variables get their values: =, \in, \subseteq and UNCHANGED inside actions.
#include <algorithm>

#include "tla/evaluation/evaluate_nodes.h"

namespace dissensus::tla {

using evaluating::set_value;

std::int64_t Evaluator::target_variable(const Node& node, Frame& frame) {
  switch (node.type) {
    case NodeType::variable:
      return node.index;
    case NodeType::substituted:
      if (freed == nullptr || freed != next) return target_variable(*node.first, frame);
      return static_cast<std::int64_t>(program.variables.size() + node.index);
    case NodeType::parameter: {
      const Value slot = outward(frame, node.hops).slots[node.index];
      if (!is_tagged(slot)) return -1;
      const Thunk& thunk = *untagged<Thunk>(slot);
      return target_variable(*thunk.node, *thunk.frame);
    }
    case NodeType::call:
      return node.kids.empty() && node.callee->body != nullptr &&
                     node.callee->body->type == NodeType::variable
                 ? std::int64_t{node.callee->body->index}
                 : -1;
    case NodeType::let_value:
      return node.first->type == NodeType::variable ? std::int64_t{node.first->index} : -1;
    default:
      return -1;
  }
}

/// Whether the left side of = or \in is a variable that may get its value here.
bool Evaluator::is_assignable(const Node& node, Frame& frame, std::uint32_t& variable) {
  if (is_initial) {
    const std::int64_t found = target_variable(node, frame);
    if (found < 0 || !current[found].is_null()) return false;
    variable = static_cast<std::uint32_t>(found);
    return true;
  }
  std::int64_t found = -1;
  if (node.type == NodeType::primed_variable) {
    found = node.index;
  } else if (node.type == NodeType::prime) {
    found = target_variable(*node.first, frame);
  } else if (node.type == NodeType::parameter) {
    const Value slot = outward(frame, node.hops).slots[node.index];
    if (is_tagged(slot)) {
      const Thunk& thunk = *untagged<Thunk>(slot);
      return is_assignable(*thunk.node, *thunk.frame, variable);
    }
  }
  if (found < 0 || next == nullptr || !next[found].is_null()) return false;
  variable = static_cast<std::uint32_t>(found);
  return true;
}

bool Evaluator::assign(std::uint32_t variable, Value value, const Pending* rest) {
  (is_initial ? current : next)[variable] = value;
  const Saved count(assigned, assigned + 1);
  return resume(rest);
}

namespace {

/// Takes the values back also when evaluation fails further on.
class Unassign {
 public:
  Unassign(Value* states, std::uint32_t variable) : states_(states), variable_(variable) {}
  ~Unassign() { states_[variable_] = Value(); }
  Unassign(const Unassign&) = delete;
  Unassign& operator=(const Unassign&) = delete;

 private:
  Value* states_;
  std::uint32_t variable_;
};

}  // namespace

bool Evaluator::step_equal(const Node& node, Frame& frame, const Pending* rest) {
  std::uint32_t variable = 0;
  if (!is_assignable(*node.first, frame, variable)) return step_predicate(node, frame, rest);
  const Value value = evaluate(*node.second, frame);
  const Value canonical = guarded(node, [&] { return store.canonical(value); });
  const Unassign unassign(is_initial ? current : next, variable);
  return assign(variable, canonical, rest);
}

/// A constant set whose elements are taken one by one, in state after state, is listed once: making
/// its elements anew each time costs more than trying them. What only has to know its elements
/// (x \in S) leaves it as it is.
Value Evaluator::listed_constant(const Node& node, Value set) {
  if (node.type != NodeType::constant || !is_lazy_set(set.type())) return set;
  try {
    if (!store.is_finite(set) || store.cardinality(set) > kEnumeratedMax) return set;
  } catch (const ValueError&) {
    return set;  // too many to count
  }
  return constants[node.index] = guarded(node, [&] { return store.canonical(set); });
}

bool Evaluator::step_member(const Node& node, Frame& frame, const Pending* rest, bool is_subset) {
  std::uint32_t variable = 0;
  if (!is_assignable(*node.first, frame, variable)) return step_predicate(node, frame, rest);
  Value set = listed_constant(*node.second, set_value(*this, *node.second, frame));
  const Unassign unassign(is_initial ? current : next, variable);
  return guarded(node, [&] {
    if (is_subset) set = store.powerset(set);
    if (shuffle != nullptr) {
      const std::uint64_t size = store.cardinality(set);
      if (size <= kShuffledMax) {
        std::vector<Value> elements;
        SetCursor cursor(store, set);
        for (Value element; cursor.next(element);) elements.push_back(element);
        for (std::size_t left = elements.size(); left > 0; --left) {
          std::swap(elements[shuffle->below(left)], elements[left - 1]);
          if (!assign(variable, elements[left - 1], rest)) return false;
        }
        return true;
      }
      for (int i = 0; i < kDrawsOfLargeSet; ++i) {
        if (!assign(variable, store.element(set, shuffle->below(size)), rest)) return false;
      }
    }
    SetCursor cursor(store, set);
    Value element;
    while (cursor.next(element)) {
      count_step(node);
      if (!assign(variable, element, rest)) return false;
    }
    return true;
  });
}

bool Evaluator::step_unchanged_variables(const Node& node, Frame& frame, const Pending* rest) {
  const std::vector<std::uint32_t>& variables = node.detail->variables;
  constexpr std::size_t kMax = 64;
  if (variables.size() > kMax) fail(node, "UNCHANGED of more than 64 variables");
  std::uint32_t set[kMax];
  std::uint32_t count = 0;
  struct Undo {
    Value* next;
    const std::uint32_t* set;
    const std::uint32_t& count;
    ~Undo() {
      for (std::uint32_t i = 0; i < count; ++i) next[set[i]] = Value();
    }
  };
  const Undo undo{next, set, count};
  for (const std::uint32_t variable : variables) {
    const Value before = current[variable];
    if (before.is_null()) no_value(node);
    if (next[variable].is_null()) {
      next[variable] = before;
      set[count++] = variable;
    } else if (!guarded(node, [&] { return store.equal(before, next[variable]); })) {
      return refuse(node, frame);
    }
  }
  const Saved total(assigned, assigned + count);
  return resume(rest);
}

bool Evaluator::step_unchanged(const Node& node, const Node& subject, Frame& frame,
                               const Pending* rest) {
  if (next == nullptr) fail(node, "UNCHANGED where there is no next state");
  if (node.only_variables) return step_unchanged_variables(node, frame, rest);
  const std::int64_t variable = target_variable(subject, frame);
  if (variable >= 0 && next[variable].is_null()) {
    const Value before = evaluate(subject, frame);
    const Unassign unassign(next, static_cast<std::uint32_t>(variable));
    return assign(static_cast<std::uint32_t>(variable),
                  guarded(subject, [&] { return store.canonical(before); }), rest);
  }
  switch (subject.type) {
    case NodeType::parameter: {
      const Value slot = outward(frame, subject.hops).slots[subject.index];
      if (!is_tagged(slot)) break;
      const Thunk& thunk = *untagged<Thunk>(slot);
      Node inner = node;
      inner.only_variables = false;
      return step_unchanged(inner, *thunk.node, *thunk.frame, rest);
    }
    case NodeType::tuple: {
      if (subject.kids.empty()) return resume(rest);
      // <<a, b>> as UNCHANGED a /\ UNCHANGED b, built on the way.
      std::vector<Node> parts(subject.kids.size());
      std::vector<Pending> pending(subject.kids.size());
      const Pending* after = rest;
      for (std::size_t i = subject.kids.size(); i-- > 0;) {
        Node& part = parts[i];
        part.type = NodeType::unchanged;
        part.evaluate = evaluate_function(NodeType::unchanged);
        part.level = kActionLevel;
        part.is_branching = true;
        part.first = subject.kids[i];
        part.kids = {subject.kids[i]};
        part.at = subject.kids[i]->at;
        pending[i].node = &part;
        pending[i].frame = &frame;
        pending[i].rest = after;
        after = &pending[i];
      }
      return step(parts[0], frame, pending[0].rest, false);
    }
    case NodeType::call: {
      if (!subject.kids.empty() || subject.callee->body == nullptr) break;
      const Activation activation(*this, *subject.callee, subject);
      Frame inner_frame =
          new_frame(subject.callee->frame_size,
                    subject.callee->depth == 1 ? nullptr : &outward(frame, subject.hops), subject);
      return step_unchanged(node, *subject.callee->body, inner_frame, rest);
    }
    case NodeType::substituted:
    case NodeType::remembered:  // what it is made of may have to be assigned
      return step_unchanged(node, *subject.first, frame, rest);
    case NodeType::let_value:
      return step_unchanged(node, *subject.first, outward(frame, subject.hops), rest);
    default:
      break;
  }
  const Value before = evaluate(subject, frame);
  Value after;
  {
    const Saved now(current, next);
    const Saved then(next, static_cast<Value*>(nullptr));
    const Saved new_context(context, fresh_context());
    after = evaluate(subject, frame);
  }
  const bool is_same = guarded(node, [&] { return store.equal(before, after); });
  return is_same ? resume(rest) : refuse(node, frame);
}

bool Evaluator::step_compose(const Node& node, Frame& frame, const Pending* rest) {
  std::vector<Value> between(program.variables.size());
  const Pending then{
      Pending::Type::compose, assigned, node.second, &frame, rest, current, next, nullptr};
  const Saved saved_next(next, between.data());
  const Saved count(assigned, std::uint32_t{0});
  return step(*node.first, frame, &then, false);
}

}  // namespace dissensus::tla
