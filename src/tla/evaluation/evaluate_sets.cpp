// Sets, quantifiers, CHOOSE.
#include <algorithm>

#include "tla/evaluation/evaluate_nodes.h"

namespace dissensus::tla {

void bind_element(Evaluator& evaluator, const Binding& binding, Value element, Frame& frame,
                  const Node& at) {
  if (!binding.is_tuple) {
    frame.slots[binding.slots[0]] = element;
    return;
  }
  if (!element.is_cell() || element.type() != Type::tuple ||
      element.cell()->size != binding.slots.size()) {
    evaluator.fail(at, "expected a tuple of " + std::to_string(binding.slots.size()) +
                           " to match the pattern, found " + shown(element));
  }
  for (std::size_t i = 0; i < binding.slots.size(); ++i) {
    frame.slots[binding.slots[i]] = element.cell()->items()[i];
  }
}

namespace evaluating {

Value set_value(Evaluator& evaluator, const Node& node, Frame& frame) {
  const Value value = evaluator.evaluate(node, frame);
  if (!value.is_cell() || !is_set(value.type())) evaluator.expected("a set", value, node);
  return value;
}

namespace {

bool for_each_from(Evaluator& evaluator, const Node& node, std::size_t index,
                   std::span<const Value> sets, Frame& frame, FunctionRef<bool()> each) {
  const Binding& binding = node.detail->bindings[index];
  const bool is_last = index + 1 == sets.size();
  SetCursor cursor(evaluator.store, sets[index]);
  Value element;
  while (cursor.next(element)) {
    bind_element(evaluator, binding, element, frame, node);
    evaluator.count_step(node);
    const bool go_on =
        is_last ? each() : for_each_from(evaluator, node, index + 1, sets, frame, each);
    if (!go_on) return false;
  }
  return true;
}

Value binding_set(Evaluator& evaluator, const Binding& binding, const Node& node, Frame& frame) {
  if (binding.set == nullptr) {
    evaluator.fail(node, "an unbounded quantifier cannot be evaluated: " + node.at.excerpt());
  }
  return set_value(evaluator, *binding.set, frame);
}

}  // namespace

bool for_each_binding(Evaluator& evaluator, const Node& node, Frame& frame,
                      FunctionRef<bool()> each) {
  const std::vector<Binding>& bindings = node.detail->bindings;
  constexpr std::size_t kMax = 16;
  if (bindings.size() > kMax) evaluator.fail(node, "more than 16 bound variables in one place");
  Value sets[kMax];
  for (std::size_t i = 0; i < bindings.size(); ++i) {
    sets[i] = binding_set(evaluator, bindings[i], node, frame);
  }
  return evaluator.guarded(node, [&] {
    return for_each_from(evaluator, node, 0, std::span<const Value>(sets, bindings.size()), frame,
                         each);
  });
}

Value for_all(Evaluator& evaluator, const Node& node, Frame& frame) {
  return Value::boolean(for_each_binding(evaluator, node, frame,
                                         [&] { return evaluator.truth(*node.first, frame); }));
}

Value exists(Evaluator& evaluator, const Node& node, Frame& frame) {
  return Value::boolean(!for_each_binding(evaluator, node, frame,
                                          [&] { return !evaluator.truth(*node.first, frame); }));
}

Value choose(Evaluator& evaluator, const Node& node, Frame& frame) {
  const Binding& binding = node.detail->bindings[0];
  const Value set = binding_set(evaluator, binding, node, frame);
  return evaluator.guarded(node, [&]() -> Value {
    SetCursor cursor(evaluator.store, set);
    Value element;
    while (cursor.next(element)) {
      bind_element(evaluator, binding, element, frame, node);
      evaluator.count_step(node);
      if (evaluator.truth(*node.first, frame)) return element;
    }
    evaluator.fail(node, "no element of " + shown(set) + " satisfies this CHOOSE");
  });
}

Value choose_unbounded(Evaluator& evaluator, const Node& node, Frame&) {
  evaluator.fail(node,
                 "CHOOSE without a set cannot be evaluated: name a model value for the definition "
                 "in the configuration (CONSTANT name = name)");
}

bool is_large(Evaluator& evaluator, Value set) {
  if (!is_lazy_set(set.type())) return false;
  try {
    return !evaluator.store.is_finite(set) ||
           evaluator.store.cardinality(set) > Evaluator::kListedMax;
  } catch (const ValueError&) {
    return true;
  }
}

namespace {

bool is_sequence_set(const Node& node) {
  return node.type == NodeType::native && node.callee->native->name == "Seq";
}

/// Made of {x \in S : p} that had better not be listed.
bool has_large_filter(Evaluator& evaluator, const Node& set, Frame& frame) {
  switch (set.type) {
    case NodeType::constant:
      return evaluator.constants[set.index].is_null() &&
             has_large_filter(evaluator, *set.first, frame);
    case NodeType::set_filter:
      return is_large(evaluator, binding_set(evaluator, set.detail->bindings[0], set, frame));
    case NodeType::function_set:
      return has_large_filter(evaluator, *set.second, frame);
    case NodeType::native:
      if (!is_sequence_set(set)) return false;
      [[fallthrough]];
    case NodeType::powerset:
    case NodeType::product:
    case NodeType::record_set:
      return std::any_of(set.kids.begin(), set.kids.end(),
                         [&](const Node* kid) { return has_large_filter(evaluator, *kid, frame); });
    default:
      return false;
  }
}

bool is_element(Evaluator& evaluator, Value element, const Node& set, Frame& frame, const Node& at);

/// Membership in [S -> T], SUBSET S, Seq(S), S \X T and [a : S] part by part.
bool is_built_of(Evaluator& evaluator, Value element, const Node& set, Frame& frame,
                 const Node& at) {
  const Type type = element.type();
  const auto all_in = [&](std::span<const Value> values, const Node& part) {
    return std::all_of(values.begin(), values.end(),
                       [&](Value value) { return is_element(evaluator, value, part, frame, at); });
  };
  Store& store = evaluator.store;
  if (set.type == NodeType::function_set) {
    const Value domain = set_value(evaluator, *set.first, frame);
    return is_function(type) &&
           evaluator.guarded(at, [&] { return store.equal(store.domain(element), domain); }) &&
           all_in(values_of(element), *set.second);
  }
  if (set.type == NodeType::powerset) {
    return is_set(type) &&
           all_in(items_of(evaluator.guarded(at, [&] { return store.canonical(element); })),
                  *set.first);
  }
  if (set.type == NodeType::native) {
    return type == Type::tuple && all_in(items_of(element), *set.first);
  }
  if (set.type == NodeType::product) {
    if (type != Type::tuple || element.cell()->size != set.kids.size()) return false;
    for (std::size_t i = 0; i < set.kids.size(); ++i) {
      const Value part = element.cell()->items()[i];
      if (!is_element(evaluator, part, *set.kids[i], frame, at)) return false;
    }
    return true;
  }
  if (type != Type::record || values_of(element).size() != set.kids.size()) return false;
  for (std::size_t i = 0; i < set.kids.size(); ++i) {
    const Value name = evaluator.literals[set.detail->literals[i]];
    const Value part = store.field(element, name);
    if (part.is_null() || !is_element(evaluator, part, *set.kids[i], frame, at)) return false;
  }
  return true;
}

/// Whether the element is in the set that a node describes, without listing {x \in S : p}.
bool is_element(Evaluator& evaluator, Value element, const Node& set, Frame& frame,
                const Node& at) {
  switch (set.type) {
    case NodeType::set_filter: {
      const Binding& binding = set.detail->bindings[0];
      const Value base = binding_set(evaluator, binding, set, frame);
      if (!evaluator.guarded(at, [&] { return evaluator.store.is_member(element, base); })) {
        return false;
      }
      const Value canonical =
          evaluator.guarded(at, [&] { return evaluator.store.canonical(element); });
      bind_element(evaluator, binding, canonical, frame, set);
      return evaluator.truth(*set.first, frame);
    }
    case NodeType::constant:
      if (has_large_filter(evaluator, set, frame)) {
        return is_element(evaluator, element, *set.first, frame, at);
      }
      break;
    case NodeType::function_set:
    case NodeType::powerset:
    case NodeType::product:
    case NodeType::record_set:
    case NodeType::native:
      if (has_large_filter(evaluator, set, frame)) {
        return is_built_of(evaluator, element, set, frame, at);
      }
      break;
    case NodeType::remembered:
      return is_element(evaluator, element, *set.first, frame, at);
    case NodeType::if_else:
      return is_element(evaluator, element,
                        evaluator.truth(*set.first, frame) ? *set.second : *set.third, frame, at);
    case NodeType::call: {
      const Operator& operation = *set.callee;
      if (operation.is_memoised || operation.is_recursive || operation.is_function) break;
      const Activation activation(evaluator, operation, set);
      Frame inner = evaluator.new_frame(
          operation.frame_size, operation.depth == 1 ? nullptr : &outward(frame, set.hops), set);
      bind_arguments(evaluator, operation, set, 0, set.kids.size(), frame, inner.slots);
      return is_element(evaluator, element, *operation.body, inner, at);
    }
    default:
      break;
  }
  const Value value = set_value(evaluator, set, frame);
  return evaluator.guarded(at, [&] { return evaluator.store.is_member(element, value); });
}

}  // namespace

Value member(Evaluator& evaluator, const Node& node, Frame& frame) {
  const Value element = evaluator.evaluate(*node.first, frame);
  return Value::boolean(is_element(evaluator, element, *node.second, frame, node));
}

Value not_member(Evaluator& evaluator, const Node& node, Frame& frame) {
  return Value::boolean(!member(evaluator, node, frame).truth());
}

Value set_of(Evaluator& evaluator, const Node& node, Frame& frame) {
  Scratch elements(evaluator);
  for (const Node* kid : node.kids) elements.push(evaluator.evaluate(*kid, frame));
  return evaluator.guarded(node, [&] { return evaluator.store.set(elements.values()); });
}

Value set_filter(Evaluator& evaluator, const Node& node, Frame& frame) {
  const Binding& binding = node.detail->bindings[0];
  const Value set = binding_set(evaluator, binding, node, frame);
  return evaluator.guarded(node, [&] {
    Scratch elements(evaluator);
    SetCursor cursor(evaluator.store, set);
    Value element;
    while (cursor.next(element)) {
      bind_element(evaluator, binding, element, frame, node);
      evaluator.count_step(node);
      if (evaluator.truth(*node.first, frame)) elements.push(element);
    }
    return evaluator.store.set(elements.values());
  });
}

Value set_map(Evaluator& evaluator, const Node& node, Frame& frame) {
  Scratch elements(evaluator);
  for_each_binding(evaluator, node, frame, [&] {
    elements.push(evaluator.evaluate(*node.first, frame));
    return true;
  });
  return evaluator.guarded(node, [&] { return evaluator.store.set(elements.values()); });
}

Value product(Evaluator& evaluator, const Node& node, Frame& frame) {
  Scratch sets(evaluator);
  for (const Node* kid : node.kids) sets.push(set_value(evaluator, *kid, frame));
  return evaluator.guarded(node, [&] { return evaluator.store.product(sets.values()); });
}

Value subset_of(Evaluator& evaluator, const Node& node, Frame& frame) {
  const Value a = set_value(evaluator, *node.first, frame);
  const Value b = set_value(evaluator, *node.second, frame);
  return Value::boolean(evaluator.guarded(node, [&] { return evaluator.store.is_subset(a, b); }));
}

Value set_union(Evaluator& evaluator, const Node& node, Frame& frame) {
  const Value a = set_value(evaluator, *node.first, frame);
  const Value b = set_value(evaluator, *node.second, frame);
  return evaluator.guarded(node, [&] { return evaluator.store.set_union(a, b); });
}

Value intersection(Evaluator& evaluator, const Node& node, Frame& frame) {
  const Value a = set_value(evaluator, *node.first, frame);
  const Value b = set_value(evaluator, *node.second, frame);
  return evaluator.guarded(node, [&] { return evaluator.store.intersection(a, b); });
}

Value difference(Evaluator& evaluator, const Node& node, Frame& frame) {
  const Value a = set_value(evaluator, *node.first, frame);
  const Value b = set_value(evaluator, *node.second, frame);
  return evaluator.guarded(node, [&] { return evaluator.store.difference(a, b); });
}

Value powerset(Evaluator& evaluator, const Node& node, Frame& frame) {
  const Value set = set_value(evaluator, *node.first, frame);
  return evaluator.guarded(node, [&] { return evaluator.store.powerset(set); });
}

Value union_of(Evaluator& evaluator, const Node& node, Frame& frame) {
  const Value set = set_value(evaluator, *node.first, frame);
  return evaluator.guarded(node, [&] { return evaluator.store.union_of(set); });
}

Value cardinality(Evaluator& evaluator, const Node& node, Frame& frame) {
  const Value set = set_value(evaluator, *node.first, frame);
  if (set.type() == Type::set) return Value::integer(set.cell()->size);
  return evaluator.guarded(node, [&] {
    return Value::integer(static_cast<std::int64_t>(evaluator.store.cardinality(set)));
  });
}

}  // namespace evaluating
}  // namespace dissensus::tla
