// Calls, parameters, LET, natives.
#include <array>
#include <new>

#include "tla/evaluation/evaluate_nodes.h"

namespace dissensus::tla {

namespace {

/// Evaluated at once: it cannot fail and costs nothing, or nothing is gained by waiting.
bool is_at_hand(const Evaluator& evaluator, const Node& node, bool by_name, Frame& frame,
                Value& value) {
  switch (node.type) {
    case NodeType::immediate:
      value = node.value;
      return true;
    case NodeType::literal:
      value = evaluator.literals[node.index];
      return true;
    case NodeType::constant:
      value = evaluator.constants[node.index];
      return !value.is_null();
    case NodeType::local:
    case NodeType::parameter:  // an unevaluated argument is handed on as such
      value = outward(frame, node.hops).slots[node.index];
      return true;
    case NodeType::variable:
      if (by_name || evaluator.current == nullptr) return false;
      value = evaluator.current[node.index];
      return !value.is_null();
    default:
      return false;
  }
}

template <class Object>
Object* push_object(Evaluator& evaluator, const Object& object, const Node& at) {
  constexpr std::size_t kSlots = sizeof(Object) / sizeof(Value);
  static_assert(sizeof(Object) % sizeof(Value) == 0);
  return new (evaluator.push_slots(kSlots, at)) Object(object);
}

}  // namespace

void bind_arguments(Evaluator& evaluator, const Operator& operation, const Node& node,
                    std::size_t first_kid, std::size_t count, Frame& caller, Value* slots) {
  for (std::size_t i = 0; i < count; ++i) {
    const Node& argument = *node.kids[first_kid + i];
    const OperatorParameter& parameter = operation.parameters[i];
    if (argument.type == NodeType::operator_value) {
      slots[i] = tagged(push_object(evaluator, evaluator.closure_of(argument, caller), node));
      continue;
    }
    if (is_at_hand(evaluator, argument, parameter.by_name, caller, slots[i])) continue;
    slots[i] = tagged(push_object(evaluator, Thunk{&argument, &caller, Value(), 0}, node));
  }
}

Value Evaluator::force_thunk(Thunk& thunk, const Node&) {
  if (!thunk.value.is_null() && thunk.context == context) return thunk.value;
  const Node& node = *thunk.node;
  const Value value = evaluate(node, *thunk.frame);
  if (node.level <= cacheable) {
    thunk.value = value;
    thunk.context = context;
  }
  return value;
}

Closure Evaluator::closure_of(const Node& node, Frame& frame) {
  if (node.callee == nullptr) {
    return *untagged<Closure>(outward(frame, node.hops).slots[node.index]);
  }
  const Operator& operation = *node.callee;
  return {&operation, operation.depth == 1 ? nullptr : &outward(frame, node.hops)};
}

Value Evaluator::call(const Closure& closure, std::span<const Value> arguments) {
  const Operator& operation = *closure.operation;
  const Activation activation(*this, operation, *operation.body);
  if (arguments.size() != operation.parameters.size()) {
    fail(*operation.body, operation.name + " is called with " + std::to_string(arguments.size()) +
                              " arguments, it takes " +
                              std::to_string(operation.parameters.size()));
  }
  Frame frame = new_frame(operation.frame_size, closure.outer, *operation.body);
  std::copy(arguments.begin(), arguments.end(), frame.slots);
  count_step(*operation.body);
  return evaluate(*operation.body, frame);
}

namespace evaluating {

namespace {

Value call_here(Evaluator& evaluator, const Operator& operation, const Node& node, Frame& frame,
                Frame* outer) {
  const Activation activation(evaluator, operation, node);
  Frame inner = evaluator.new_frame(operation.frame_size, outer, node);
  bind_arguments(evaluator, operation, node, 0, node.kids.size(), frame, inner.slots);
  evaluator.count_step(node);
  return evaluator.evaluate(*operation.body, inner);
}

/// The result for these arguments, computed once. Arguments that cannot be evaluated are passed
/// on as they are: perhaps they are not needed.
Value call_memoised(Evaluator& evaluator, const Operator& operation, const Node& node,
                    Frame& frame) {
  constexpr std::size_t kMax = 8;
  const std::size_t count = node.kids.size();
  if (count > kMax) return call_here(evaluator, operation, node, frame, nullptr);
  std::array<Value, kMax> values;
  try {
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = evaluator.store.canonical(evaluator.evaluate(*node.kids[i], frame));
    }
  } catch (const SpecError&) {
    return call_here(evaluator, operation, node, frame, nullptr);
  } catch (const ValueError&) {
    return call_here(evaluator, operation, node, frame, nullptr);
  }
  const std::span<const Value> arguments(values.data(), count);
  if (const Value known = evaluator.memo.find(operation.id, arguments); !known.is_null()) {
    return known;
  }
  Value result;
  {
    const Activation activation(evaluator, operation, node);
    Frame inner = evaluator.new_frame(operation.frame_size, nullptr, node);
    std::copy(arguments.begin(), arguments.end(), inner.slots);
    evaluator.count_step(node);
    result = evaluator.evaluate(*operation.body, inner);
  }
  evaluator.memo.insert(operation.id, arguments, result);
  return result;
}

Frame* outer_of(const Operator& operation, const Node& node, Frame& frame) {
  return operation.depth == 1 ? nullptr : &outward(frame, node.hops);
}

}  // namespace

Value call(Evaluator& evaluator, const Node& node, Frame& frame) {
  const Operator& operation = *node.callee;
  if (evaluator.is_stack_low()) {
    Value result;
    evaluator.on_new_stack([&] { result = call(evaluator, node, frame); }, node);
    return result;
  }
  if (operation.is_memoised && evaluator.options.memoise) {
    return call_memoised(evaluator, operation, node, frame);
  }
  return call_here(evaluator, operation, node, frame, outer_of(operation, node, frame));
}

Value call_argument(Evaluator& evaluator, const Node& node, Frame& frame) {
  if (evaluator.is_stack_low()) {
    Value result;
    evaluator.on_new_stack([&] { result = call_argument(evaluator, node, frame); }, node);
    return result;
  }
  const Closure closure = *untagged<Closure>(outward(frame, node.hops).slots[node.index]);
  return call_here(evaluator, *closure.operation, node, frame, closure.outer);
}

Value let(Evaluator& evaluator, const Node& node, Frame& frame) {
  const LetScope scope(node, frame);
  return evaluator.evaluate(*node.first, frame);
}

Value let_value(Evaluator& evaluator, const Node& node, Frame& frame) {
  Frame& home = outward(frame, node.hops);
  const Value known = home.slots[node.index];
  const Value context = Value::integer(static_cast<std::int64_t>(evaluator.context));
  const Node& body = *node.first;
  if (!known.is_null() && home.slots[node.index + 1] == context) return known;
  const Value value = evaluator.evaluate(body, home);
  if (body.level <= evaluator.cacheable) {
    home.slots[node.index] = value;
    home.slots[node.index + 1] = context;
  }
  return value;
}

Frame point_frame(Evaluator& evaluator, const Node& node, Frame& frame, Value argument) {
  const Operator& operation = *node.callee;
  Frame inner = evaluator.new_frame(operation.frame_size, outer_of(operation, node, frame), node);
  bind_arguments(evaluator, operation, node, 0, node.index, frame, inner.slots);
  evaluator.count_step(node);
  const std::vector<Binding>& bindings = operation.body->detail->bindings;
  const bool is_single = bindings.size() == 1;
  if (!is_single && (!argument.is_cell() || argument.type() != Type::tuple ||
                     argument.cell()->size != bindings.size())) {
    evaluator.fail(node, operation.name + " takes " + std::to_string(bindings.size()) +
                             " arguments, it is applied to " + shown(argument));
  }
  for (std::size_t i = 0; i < bindings.size(); ++i) {
    const Value element = is_single ? argument : argument.cell()->items()[i];
    const Value set = set_value(evaluator, *bindings[i].set, inner);
    if (!evaluator.guarded(node, [&] { return evaluator.store.is_member(element, set); })) {
      evaluator.fail(node, operation.name + " is applied to " + shown(element) +
                               ", outside its domain " + shown(set));
    }
    bind_element(evaluator, bindings[i], element, inner, node);
  }
  return inner;
}

Value point_argument(Evaluator& evaluator, const Node& node, Frame& frame) {
  Value argument;
  if (node.kids.size() == node.index + 1) {
    argument = evaluator.evaluate(*node.kids[node.index], frame);
  } else {
    Scratch items(evaluator);
    for (std::size_t i = node.index; i < node.kids.size(); ++i) {
      items.push(evaluator.evaluate(*node.kids[i], frame));
    }
    argument = evaluator.guarded(node, [&] { return evaluator.store.tuple(items.values()); });
  }
  return evaluator.guarded(node, [&] { return evaluator.store.canonical(argument); });
}

namespace {

Value evaluate_point(Evaluator& evaluator, const Node& node, Frame& frame, Value argument) {
  const Activation activation(evaluator, *node.callee, node);
  Frame inner = point_frame(evaluator, node, frame, argument);
  return evaluator.evaluate(*node.callee->body->first, inner);
}

Value apply_in_let(Evaluator& evaluator, const Node& node, Frame& frame, Value argument) {
  const Operator& operation = *node.callee;
  FunctionMemo& memo =
      *untagged<FunctionMemo>(outward(frame, node.hops).slots[operation.memo_slot]);
  if (memo.context != evaluator.context) {
    memo.values.clear();
    memo.context = evaluator.context;
  }
  if (const auto known = memo.values.find(argument.word()); known != memo.values.end()) {
    return known->second;
  }
  const Value result = evaluate_point(evaluator, node, frame, argument);
  if (memo.context == evaluator.context) memo.values[argument.word()] = result;
  return result;
}

}  // namespace

Value apply_definition(Evaluator& evaluator, const Node& node, Frame& frame) {
  if (evaluator.is_stack_low()) {
    Value result;
    evaluator.on_new_stack([&] { result = apply_definition(evaluator, node, frame); }, node);
    return result;
  }
  const Operator& operation = *node.callee;
  const Value argument = point_argument(evaluator, node, frame);
  if (operation.level > evaluator.cacheable || !operation.is_pure) {
    return evaluate_point(evaluator, node, frame, argument);
  }
  if (operation.memo_slot != Operator::kNoSlot) {
    return apply_in_let(evaluator, node, frame, argument);
  }
  // A function of the state: remembered only where recursion would repeat it.
  const bool is_kept = node.index == 0 && (operation.level == kConstantLevel);
  if (!is_kept && !(operation.is_recursive && node.index == 0)) {
    return evaluate_point(evaluator, node, frame, argument);
  }
  const Value context = Value::integer(
      operation.level == kConstantLevel ? 0 : static_cast<std::int64_t>(evaluator.context));
  const std::array<Value, 2> key = {argument, context};
  if (const Value known = evaluator.memo.find(operation.id, key); !known.is_null()) return known;
  const Value result = evaluate_point(evaluator, node, frame, argument);
  evaluator.memo.insert(operation.id, key, result);
  return result;
}

Value domain_of_definition(Evaluator& evaluator, const Node& node, Frame& frame) {
  const Operator& operation = *node.callee;
  const Activation activation(evaluator, operation, node);
  Frame inner = evaluator.new_frame(operation.frame_size, outer_of(operation, node, frame), node);
  bind_arguments(evaluator, operation, node, 0, node.kids.size(), frame, inner.slots);
  const std::vector<Binding>& bindings = operation.body->detail->bindings;
  if (bindings.size() == 1) return set_value(evaluator, *bindings[0].set, inner);
  std::vector<Value> factors;
  for (const Binding& binding : bindings) {
    factors.push_back(set_value(evaluator, *binding.set, inner));
  }
  return evaluator.guarded(node, [&] { return evaluator.store.product(factors); });
}

namespace {

class NodeCall final : public NativeCall {
 public:
  NodeCall(Evaluator& evaluator, const Node& node, Frame& frame)
      : evaluator_(evaluator), node_(node), frame_(frame) {}
  Store& store() override { return evaluator_.store; }
  Environment& environment() override { return evaluator_.environment; }
  std::size_t arguments() const override { return node_.kids.size(); }
  Value argument(std::size_t index) override {
    if (index >= values_.size()) return evaluator_.evaluate(*node_.kids[index], frame_);
    Value& value = values_[index];
    if (value.is_null()) value = evaluator_.evaluate(*node_.kids[index], frame_);
    return value;
  }
  Value apply(std::size_t index, std::span<const Value> arguments) override {
    return evaluator_.call(evaluator_.closure_of(*node_.kids[index], frame_), arguments);
  }

 private:
  Evaluator& evaluator_;
  const Node& node_;
  Frame& frame_;
  std::array<Value, 6> values_;
};

}  // namespace

Value native(Evaluator& evaluator, const Node& node, Frame& frame) {
  NodeCall call(evaluator, node, frame);
  return evaluator.guarded(node, [&] { return node.callee->native->compute(call); });
}

}  // namespace evaluating
}  // namespace dissensus::tla
