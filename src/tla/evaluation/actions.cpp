// Stepping through actions: which states satisfy what is required of them.
#include <algorithm>

#include "core/assert.h"
#include "tla/evaluation/evaluate_nodes.h"

namespace dissensus::tla {

using evaluating::set_value;

/// With all variables assigned what is left is a predicate, as TLC sees it, too: there is one way
/// to satisfy it. Null: there is something that must be stepped through, at `rest`.
std::optional<bool> Evaluator::rest_holds(const Pending*& rest) {
  for (; rest != nullptr; rest = rest->rest) {
    switch (rest->type) {
      case Pending::Type::conjuncts:
        for (std::size_t i = rest->index; i < rest->node->kids.size(); ++i) {
          if (!truth(*rest->node->kids[i], *rest->frame)) return false;
        }
        break;
      case Pending::Type::node:
        if (!truth(*rest->node, *rest->frame)) return false;
        break;
      case Pending::Type::initial:
        for (std::size_t i = rest->index; i < program.initial.size(); ++i) {
          const EntryPoint& entry = program.initial[i];
          Frame frame = new_frame(entry.frame_size, nullptr, *entry.node);
          if (!truth(*entry.node, frame)) return false;
        }
        break;
      case Pending::Type::changed:
        if (evaluating::is_unchanged(*this, *rest->node, *rest->node->second, *rest->frame)) {
          return false;
        }
        break;
      case Pending::Type::for_all:
        for (std::size_t i = rest->index; i < rest->elements->size(); ++i) {
          Frame frame = copy_frame(*rest->frame, *rest->node);
          bind_element(*this, rest->node->detail->bindings[0], (*rest->elements)[i], frame,
                       *rest->node);
          if (!truth(*rest->node->first, frame)) return false;
          pop_slots(frame.slots);
        }
        break;
      case Pending::Type::compose:
      case Pending::Type::restore:
        return std::nullopt;
    }
  }
  return true;
}

bool Evaluator::resume(const Pending* rest) {
  if (rest == nullptr) return sink->found();
  // Under ENABLED inside an INSTANCE there are more variables to assign than those of the program.
  const bool is_complete =
      assigned == program.variables.size() && (freed == nullptr || freed != next);
  if (is_complete && recorder == nullptr && pardoner == nullptr) {
    Value* const top = slots_top_;
    const std::optional<bool> holds = rest_holds(rest);
    pop_slots(top);
    if (holds) return *holds ? sink->found() : true;
  }
  const Saved conjuncts(held, held + 1);
  switch (rest->type) {
    case Pending::Type::conjuncts:
      return step_conjuncts(*rest->node, rest->index, *rest->frame, rest->rest);
    case Pending::Type::node:
      return step(*rest->node, *rest->frame, rest->rest, false);
    case Pending::Type::initial:
      return step_initial(rest->index);
    case Pending::Type::for_all:
      return step_for_all_from(*rest);
    case Pending::Type::changed: {
      return evaluating::is_unchanged(*this, *rest->node, *rest->node->second, *rest->frame)
                 ? refuse(*rest->node, *rest->frame)
                 : resume(rest->rest);
    }
    case Pending::Type::compose: {
      // From here on the state between is the present one.
      for (std::size_t i = 0; i < program.variables.size(); ++i) {
        if (next[i].is_null()) {
          fail(*rest->node, "the left side of \\cdot gives " + program.variables[i] + "' no value");
        }
      }
      ++composed;
      const Pending back{Pending::Type::restore, 0,          nullptr, nullptr, rest->rest,
                         rest->current,          rest->next, nullptr};
      const Saved now(current, next);
      const Saved then(next, rest->next);
      const Saved count(assigned, rest->index);
      const Saved new_context(context, fresh_context());
      return step(*rest->node, *rest->frame, &back, false);
    }
    case Pending::Type::restore: {
      const Saved now(current, rest->current);
      const Saved new_context(context, fresh_context());
      return resume(rest->rest);
    }
  }
  return true;
}

bool Evaluator::step_initial(std::uint32_t index) {
  const EntryPoint& entry = program.initial[index];
  Frame frame = new_frame(entry.frame_size, nullptr, *entry.node);
  Value* const top = frame.slots;
  bool result = true;
  if (index + 1 == program.initial.size()) {
    result = step(*entry.node, frame, nullptr, false);
  } else {
    Pending rest;
    rest.type = Pending::Type::initial;
    rest.index = index + 1;
    result = step(*entry.node, frame, &rest, false);
  }
  pop_slots(top);
  return result;
}

bool Evaluator::step(const Node& node, Frame& frame, const Pending* rest, bool is_labelling) {
  if (is_stack_low()) {
    bool result = true;
    on_new_stack([&] { result = step(node, frame, rest, is_labelling); }, node);
    return result;
  }
  count_step(node);
  // Nothing to assign and one way to go on: a predicate. An explanation wants its parts.
  if (node.level < kActionLevel && !node.is_branching && !is_initial && recorder == nullptr &&
      (pardoner == nullptr || node.type != NodeType::conjunction)) {
    return truth(node, frame) ? resume(rest) : refuse(node, frame);
  }
  switch (node.type) {
    case NodeType::conjunction:
      return step_conjuncts(node, 0, frame, rest);
    case NodeType::disjunction:
      return step_disjuncts(node, frame, rest, is_labelling);
    case NodeType::exists:
      return step_exists(node, 0, frame, rest, is_labelling);
    case NodeType::for_all:
      return step_for_all(node, frame, rest);
    case NodeType::call:
      return step_call(node, frame, rest, is_labelling);
    case NodeType::call_argument:
      return step_closure(node, frame, rest, is_labelling);
    case NodeType::parameter: {
      const Value slot = outward(frame, node.hops).slots[node.index];
      if (!is_tagged(slot)) return step_predicate(node, frame, rest);
      const Thunk& thunk = *untagged<Thunk>(slot);
      return step(*thunk.node, *thunk.frame, rest, is_labelling);
    }
    case NodeType::apply_definition: {
      if (node.callee->level == kConstantLevel) return step_predicate(node, frame, rest);
      const Value argument = evaluating::point_argument(*this, node, frame);
      const Activation activation(*this, *node.callee, node);
      Frame inner = evaluating::point_frame(*this, node, frame, argument);
      return step(*node.callee->body->first, inner, rest, false);
    }
    case NodeType::if_else:
      return step(truth(*node.first, frame) ? *node.second : *node.third, frame, rest,
                  is_labelling);
    case NodeType::case_of:
      return step_case(node, frame, rest, is_labelling);
    case NodeType::let: {
      const LetScope scope(node, frame);
      return step(*node.first, frame, rest, is_labelling);
    }
    case NodeType::constant:
      return node.is_branching ? step(*node.first, frame, rest, is_labelling)
                               : step_predicate(node, frame, rest);
    case NodeType::remembered:
      return step(*node.first, frame, rest, is_labelling);
    case NodeType::let_value:
      return step(*node.first, outward(frame, node.hops), rest, is_labelling);
    case NodeType::implies:
      return truth(*node.first, frame) ? step(*node.second, frame, rest, false) : resume(rest);
    case NodeType::equal:
      return step_equal(node, frame, rest);
    case NodeType::member:
      return step_member(node, frame, rest, false);
    case NodeType::subset_of:
      return step_member(node, frame, rest, true);
    case NodeType::unchanged:
      return step_unchanged(node, *node.first, frame, rest);
    case NodeType::action_box:
      return step(*node.first, frame, rest, is_labelling) &&
             step_unchanged(node, *node.second, frame, rest);
    case NodeType::action_angle: {
      const Pending changed{Pending::Type::changed, 0, &node, &frame, rest, current, next, nullptr};
      return step(*node.first, frame, &changed, is_labelling);
    }
    case NodeType::compose:
      return step_compose(node, frame, rest);
    default:
      return step_predicate(node, frame, rest);
  }
}

bool Evaluator::step_predicate(const Node& node, Frame& frame, const Pending* rest) {
  return truth(node, frame) ? resume(rest) : refuse(node, frame);
}

namespace {
bool is_guard(const Node& node) {
  return node.level < kActionLevel && node.type != NodeType::conjunction;
}
}  // namespace

/// The conjunct at `index` is a predicate: where it is false, the way goes on once.
bool Evaluator::step_pardoned(const Node& node, std::uint32_t index, Frame& frame,
                              const Pending* rest) {
  const Node& guard = *node.kids[index];
  if (truth(guard, frame)) return step_conjuncts(node, index + 1, frame, rest);
  if (pardoner->pardoned != nullptr) return true;
  if (pardoner->left == 0) return false;
  --pardoner->left;
  const Saved pardon(pardoner->pardoned, &guard);
  Value* const top = slots_top_;
  try {
    return step_conjuncts(node, index + 1, frame, rest);
  } catch (const EvaluationError&) {
    // What follows needs the guard: without it the step has no meaning, so nothing is known.
    pop_slots(top);
    return true;
  }
}

bool Evaluator::step_conjuncts(const Node& node, std::uint32_t index, Frame& frame,
                               const Pending* rest) {
  if (pardoner != nullptr && index < node.kids.size() && is_guard(*node.kids[index])) {
    return step_pardoned(node, index, frame, rest);
  }
  // Leading conjuncts that are mere predicates need no place in the chain.
  const std::size_t size = node.kids.size();
  const Saved conjuncts(held, held);
  for (; index < size; ++index) {
    const Node& kid = *node.kids[index];
    if (kid.level >= kActionLevel || kid.is_branching || is_initial || recorder != nullptr ||
        pardoner != nullptr) {
      break;
    }
    if (!truth(kid, frame)) return refuse(kid, frame);
    ++held;
  }
  if (index == size) return resume(rest);
  const Node& kid = *node.kids[index];
  if (index + 1 == size) return step(kid, frame, rest, false);
  Pending others;
  others.type = Pending::Type::conjuncts;
  others.index = index + 1;
  others.node = &node;
  others.frame = &frame;
  others.rest = rest;
  return step(kid, frame, &others, false);
}

bool Evaluator::step_disjuncts(const Node& node, Frame& frame, const Pending* rest,
                               bool is_labelling) {
  if (shuffle == nullptr) {
    for (const Node* kid : node.kids) {
      if (!step(*kid, frame, rest, is_labelling)) return false;
    }
    return true;
  }
  // Draws without replacement, by weight.
  std::vector<std::pair<double, const Node*>> left;
  double total = 0;
  const double around = label_operator != nullptr && label_operator->action < weights.size()
                            ? weights[label_operator->action]
                            : 1;
  for (const Node* kid : node.kids) {
    const double weight = is_labelling && !weights.empty() ? weight_of(*kid, around) : 1;
    if (weight <= 0) continue;
    left.emplace_back(weight, kid);
    total += weight;
  }
  while (!left.empty()) {
    double drawn = shuffle->unit() * total;
    std::size_t pick = 0;
    while (pick + 1 < left.size() && drawn >= left[pick].first) drawn -= left[pick++].first;
    const Node* kid = left[pick].second;
    total -= left[pick].first;
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(pick));
    if (!step(*kid, frame, rest, is_labelling)) return false;
  }
  return true;
}

double Evaluator::weight_of(const Node& node, double around) {
  if (const auto known = node_weights_.find(&node); known != node_weights_.end()) {
    return known->second;
  }
  node_weights_[&node] = around;  // recursion ends here
  double result = around;
  switch (node.type) {
    case NodeType::disjunction:
      result = 0;
      for (const Node* kid : node.kids) result += weight_of(*kid, around);
      break;
    case NodeType::exists:
    case NodeType::let:
    case NodeType::let_value:
    case NodeType::action_box:
    case NodeType::action_angle:
      result = weight_of(*node.first, around);
      break;
    case NodeType::if_else:
      result = std::max(weight_of(*node.second, around), weight_of(*node.third, around));
      break;
    case NodeType::call: {
      const Operator& operation = *node.callee;
      const bool is_label = operation.is_action_named && operation.level == kActionLevel &&
                            operation.depth == 1 && operation.action < weights.size();
      const double own = is_label ? weights[operation.action] : around;
      result = own <= 0 || operation.body == nullptr ? own : weight_of(*operation.body, own);
      break;
    }
    default:
      break;
  }
  node_weights_[&node] = result;
  return result;
}

bool Evaluator::step_exists(const Node& node, std::size_t binding, Frame& frame,
                            const Pending* rest, bool is_labelling) {
  const Binding& bound = node.detail->bindings[binding];
  if (bound.set == nullptr) {
    fail(node, "an unbounded quantifier cannot be evaluated: " + node.at.excerpt());
  }
  const Value set = set_value(*this, *bound.set, frame);
  return guarded(node,
                 [&] { return step_elements(node, binding, set, frame, rest, is_labelling); });
}

bool Evaluator::step_element(const Node& node, std::size_t binding, Value element, Frame& frame,
                             const Pending* rest, bool is_labelling) {
  bind_element(*this, node.detail->bindings[binding], element, frame, node);
  return binding + 1 == node.detail->bindings.size()
             ? step(*node.first, frame, rest, is_labelling)
             : step_exists(node, binding + 1, frame, rest, is_labelling);
}

bool Evaluator::step_elements(const Node& node, std::size_t binding, Value set, Frame& frame,
                              const Pending* rest, bool is_labelling) {
  if (shuffle != nullptr) {
    const std::uint64_t size = store.cardinality(set);
    if (size > kShuffledMax) {
      for (int i = 0; i < kDrawsOfLargeSet; ++i) {
        const Value element = store.element(set, shuffle->below(size));
        if (!step_element(node, binding, element, frame, rest, is_labelling)) return false;
      }
    } else {
      std::vector<Value> elements;
      SetCursor cursor(store, set);
      for (Value element; cursor.next(element);) elements.push_back(element);
      for (std::size_t left = elements.size(); left > 0; --left) {
        std::swap(elements[shuffle->below(left)], elements[left - 1]);
        if (!step_element(node, binding, elements[left - 1], frame, rest, is_labelling)) {
          return false;
        }
      }
      return true;
    }
  }
  SetCursor cursor(store, set);
  Value element;
  while (cursor.next(element)) {
    if (!step_element(node, binding, element, frame, rest, is_labelling)) return false;
  }
  return true;
}

/// A conjunction over the elements. Each body has slots of its own, as several are under way at
/// once.
bool Evaluator::step_for_all(const Node& node, Frame& frame, const Pending* rest) {
  const bool may_assign = node.level >= kActionLevel || is_initial || node.first->is_branching;
  if (!may_assign || node.detail->bindings.size() != 1) return step_predicate(node, frame, rest);
  const Value set = set_value(*this, *node.detail->bindings[0].set, frame);
  std::vector<Value> elements;
  guarded(node, [&] {
    SetCursor cursor(store, set);
    for (Value element; cursor.next(element);) elements.push_back(element);
  });
  Pending pending;
  pending.type = Pending::Type::for_all;
  pending.node = &node;
  pending.frame = &frame;
  pending.rest = rest;
  pending.elements = &elements;
  return step_for_all_from(pending);
}

Frame Evaluator::copy_frame(const Frame& frame, const Node& at) {
  Frame copy = new_frame(frame.size, frame.outer, at);
  std::copy(frame.slots, frame.slots + frame.size, copy.slots);
  return copy;
}

bool Evaluator::step_for_all_from(const Pending& pending) {
  if (pending.index == pending.elements->size()) return resume(pending.rest);
  const Node& node = *pending.node;
  Frame frame = copy_frame(*pending.frame, node);
  bind_element(*this, node.detail->bindings[0], (*pending.elements)[pending.index], frame, node);
  Pending others = pending;
  ++others.index;
  const bool result = step(*node.first, frame, &others, false);
  pop_slots(frame.slots);
  return result;
}

bool Evaluator::step_case(const Node& node, Frame& frame, const Pending* rest, bool is_labelling) {
  const std::size_t size = node.kids.size();
  for (std::size_t i = 0; i + 1 < size; i += 2) {
    if (truth(*node.kids[i], frame)) return step(*node.kids[i + 1], frame, rest, is_labelling);
  }
  if (size % 2 == 1) return step(*node.kids.back(), frame, rest, is_labelling);
  fail(node, "no guard of this CASE is true, and it has no OTHER");
}

bool Evaluator::step_body(const Operator& operation, Frame& frame, const Pending* rest,
                          bool is_labelling) {
  if (!is_labelling || !operation.is_action_named || operation.level != kActionLevel ||
      operation.depth != 1) {
    return step(*operation.body, frame, rest, is_labelling);
  }
  if (shuffle != nullptr && operation.action < weights.size() && weights[operation.action] <= 0) {
    return true;
  }
  const Saved label(label_operator, &operation);
  const Saved arguments(label_frame, &frame);
  return step(*operation.body, frame, rest, true);
}

bool Evaluator::step_call(const Node& node, Frame& frame, const Pending* rest, bool is_labelling) {
  const Operator& operation = *node.callee;
  const Activation activation(*this, operation, node);
  Frame inner = new_frame(operation.frame_size,
                          operation.depth == 1 ? nullptr : &outward(frame, node.hops), node);
  bind_arguments(*this, operation, node, 0, node.kids.size(), frame, inner.slots);
  return step_body(operation, inner, rest, is_labelling);
}

bool Evaluator::step_closure(const Node& node, Frame& frame, const Pending* rest,
                             bool is_labelling) {
  const Closure closure = *untagged<Closure>(outward(frame, node.hops).slots[node.index]);
  const Operator& operation = *closure.operation;
  const Activation activation(*this, operation, node);
  Frame inner = new_frame(operation.frame_size, closure.outer, node);
  bind_arguments(*this, operation, node, 0, node.kids.size(), frame, inner.slots);
  return step_body(operation, inner, rest, is_labelling);
}

}  // namespace dissensus::tla
