// Functions, records, tuples, sequences.
#include "tla/evaluation/evaluate_nodes.h"

namespace dissensus::tla::evaluating {

Value apply_value(Evaluator& evaluator, Value function, Value argument, const Node& at) {
  if (function.is_cell() && function.cell()->type == Type::tuple && argument.is_integer()) {
    const std::int64_t index = argument.number();
    if (index >= 1 && index <= static_cast<std::int64_t>(function.cell()->size)) {
      return function.cell()->items()[index - 1];
    }
  } else if (!function.is_cell() || !is_function(function.type())) {
    evaluator.expected("a function", function, at);
  } else {
    const Value result =
        evaluator.guarded(at, [&] { return evaluator.store.apply(function, argument); });
    if (!result.is_null()) return result;
  }
  const Value domain = evaluator.guarded(at, [&] { return evaluator.store.domain(function); });
  evaluator.fail(at, at.at.excerpt(60) + ": applied to " + shown(argument) +
                         ", outside its domain " + shown(domain));
}

Value function(Evaluator& evaluator, const Node& node, Frame& frame) {
  const std::vector<Binding>& bindings = node.detail->bindings;
  Store& store = evaluator.store;
  Scratch values(evaluator);
  if (bindings.size() == 1) {
    const Value given = set_value(evaluator, *bindings[0].set, frame);
    const Value set = evaluator.guarded(node, [&] {
      if (is_lazy_set(given.type()) && !store.is_finite(given)) {
        throw ValueError("a function over the infinite set " + shown(given) +
                         " can only be applied, not used as a value");
      }
      return store.canonical(given);
    });
    const Value* elements = set.cell()->items();
    const std::uint32_t size = set.cell()->size;
    for (std::uint32_t i = 0; i < size; ++i) {
      bind_element(evaluator, bindings[0], elements[i], frame, node);
      evaluator.count_step(node);
      values.push(evaluator.evaluate(*node.first, frame));
    }
    return evaluator.guarded(node, [&] { return store.function(set, values.values()); });
  }
  std::vector<Value> factors;
  for (const Binding& binding : bindings) {
    factors.push_back(set_value(evaluator, *binding.set, frame));
  }
  const Value domain =
      evaluator.guarded(node, [&] { return store.canonical(store.product(factors)); });
  std::vector<Value> results;
  for (std::uint32_t i = 0; i < domain.cell()->size; ++i) {
    const Value* items = domain.cell()->items()[i].cell()->items();
    for (std::size_t part = 0; part < bindings.size(); ++part) {
      bind_element(evaluator, bindings[part], items[part], frame, node);
    }
    evaluator.count_step(node);
    results.push_back(evaluator.evaluate(*node.first, frame));
  }
  return evaluator.guarded(node, [&] { return store.function(domain, results); });
}

Value function_set(Evaluator& evaluator, const Node& node, Frame& frame) {
  const Value domain = set_value(evaluator, *node.first, frame);
  const Value range = set_value(evaluator, *node.second, frame);
  return evaluator.guarded(node, [&] { return evaluator.store.function_set(domain, range); });
}

namespace {

/// [x \in S |-> e][a]: e is evaluated at this point alone.
Value apply_literal(Evaluator& evaluator, const Node& literal, const Node& node, Frame& frame) {
  const std::vector<Binding>& bindings = literal.detail->bindings;
  const Value given = evaluator.evaluate(*node.second, frame);
  const Value argument = evaluator.guarded(node, [&] { return evaluator.store.canonical(given); });
  const bool is_single = bindings.size() == 1;
  const bool fits = is_single || (argument.is_cell() && argument.type() == Type::tuple &&
                                  argument.cell()->size == bindings.size());
  for (std::size_t i = 0; i < bindings.size(); ++i) {
    const Value set = set_value(evaluator, *bindings[i].set, frame);
    const Value element = is_single || !fits ? argument : argument.cell()->items()[i];
    if (!fits ||
        !evaluator.guarded(node, [&] { return evaluator.store.is_member(element, set); })) {
      evaluator.fail(node, node.at.excerpt(60) + ": applied to " + shown(argument) +
                               ", outside its domain " + shown(set));
    }
    bind_element(evaluator, bindings[i], element, frame, node);
  }
  return evaluator.evaluate(*literal.first, frame);
}

}  // namespace

Value application(Evaluator& evaluator, const Node& node, Frame& frame) {
  const Node& called = *node.first;
  if (called.type == NodeType::function) return apply_literal(evaluator, called, node, frame);
  if (called.type == NodeType::constant && called.first->type == NodeType::function &&
      evaluator.constants[called.index].is_null()) {
    const Binding& binding = called.first->detail->bindings[0];
    if (is_large(evaluator, set_value(evaluator, *binding.set, frame))) {
      return apply_literal(evaluator, *called.first, node, frame);
    }
  }
  const Value function = evaluator.evaluate(*node.first, frame);
  const Value argument = evaluator.evaluate(*node.second, frame);
  return apply_value(evaluator, function, argument, node);
}

Value tuple(Evaluator& evaluator, const Node& node, Frame& frame) {
  Scratch items(evaluator);
  for (const Node* kid : node.kids) items.push(evaluator.evaluate(*kid, frame));
  return evaluator.guarded(node, [&] { return evaluator.store.tuple(items.values()); });
}

namespace {

template <class Make>
Value make_record(Evaluator& evaluator, const Node& node, Frame& frame, Make make) {
  const std::size_t count = node.kids.size();
  Scratch parts(evaluator);
  for (std::size_t i = 0; i < count; ++i) {
    parts.push(evaluator.literals[node.detail->literals[i]]);
  }
  for (const Node* kid : node.kids) parts.push(evaluator.evaluate(*kid, frame));
  const std::span<const Value> all = parts.values();
  return evaluator.guarded(node, [&] { return make(all.first(count), all.last(count)); });
}

}  // namespace

Value record(Evaluator& evaluator, const Node& node, Frame& frame) {
  return make_record(evaluator, node, frame, [&](auto names, auto values) {
    return evaluator.store.record(names, values);
  });
}

Value record_set(Evaluator& evaluator, const Node& node, Frame& frame) {
  return make_record(evaluator, node, frame, [&](auto names, auto values) {
    return evaluator.store.record_set(names, values);
  });
}

Value field(Evaluator& evaluator, const Node& node, Frame& frame) {
  const Value record = evaluator.evaluate(*node.first, frame);
  if (!record.is_cell() || record.type() != Type::record) {
    evaluator.expected("a record", record, node);
  }
  const Value* items = record.cell()->items();
  Evaluator::FieldCache& cache = evaluator.fields[node.index];
  if (cache.names == items[0]) return items[1 + cache.position];
  const Value name = evaluator.literals[node.detail->literals[0]];
  const Value* names = items[0].cell()->items();
  for (std::uint32_t i = 0; i < items[0].cell()->size; ++i) {
    if (!(names[i] == name)) continue;
    cache = {items[0], i};
    return items[1 + i];
  }
  evaluator.fail(
      node, "the record " + shown(record) + " has no field " + std::string(name.cell()->bytes()));
}

namespace {

Value update_at(Evaluator& evaluator, const Node& node, const Update& update, std::size_t depth,
                Value old, Frame& frame) {
  if (depth == update.path.size()) {
    frame.slots[update.old_slot] = old;
    return evaluator.evaluate(*update.value, frame);
  }
  const Update::Step& step = update.path[depth];
  if (!old.is_cell() || !is_function(old.type())) {
    evaluator.expected("a function or record to change by EXCEPT", old, node);
  }
  const Value argument = step.field != Update::kNoField
                             ? evaluator.literals[step.field]
                             : evaluator.evaluate(*step.indexes[0], frame);
  Store& store = evaluator.store;
  const Value part = evaluator.guarded(node, [&] { return store.apply(old, argument); });
  if (part.is_null()) return old;  // as TLC: a point outside the domain changes nothing
  const Value value = update_at(evaluator, node, update, depth + 1, part, frame);
  return evaluator.guarded(node, [&] { return store.with(old, argument, value); });
}

}  // namespace

Value except(Evaluator& evaluator, const Node& node, Frame& frame) {
  Value result = evaluator.evaluate(*node.first, frame);
  for (const Update& update : node.detail->updates) {
    result = update_at(evaluator, node, update, 0, result, frame);
  }
  return result;
}

Value domain(Evaluator& evaluator, const Node& node, Frame& frame) {
  const Value function = evaluator.evaluate(*node.first, frame);
  if (!function.is_cell() || !is_function(function.type())) {
    evaluator.expected("a function", function, node);
  }
  return evaluator.guarded(node, [&] { return evaluator.store.domain(function); });
}

namespace {

// Strings are sequences, too: the module's own operators know them.
bool is_tuple(Value value) {
  return value.is_cell() && value.type() == Type::tuple;
}

}  // namespace

Value length(Evaluator& evaluator, const Node& node, Frame& frame) {
  const Value sequence = evaluator.evaluate(*node.first, frame);
  if (is_tuple(sequence)) return Value::integer(sequence.cell()->size);
  return native(evaluator, node, frame);
}

Value append(Evaluator& evaluator, const Node& node, Frame& frame) {
  const Value sequence = evaluator.evaluate(*node.first, frame);
  const Value item = evaluator.evaluate(*node.second, frame);
  if (!is_tuple(sequence)) return native(evaluator, node, frame);
  return evaluator.guarded(node, [&] { return evaluator.store.append(sequence, item); });
}

Value head(Evaluator& evaluator, const Node& node, Frame& frame) {
  const Value sequence = evaluator.evaluate(*node.first, frame);
  if (!is_tuple(sequence)) return native(evaluator, node, frame);
  if (sequence.cell()->size == 0) evaluator.fail(node, "Head of the empty sequence");
  return sequence.cell()->items()[0];
}

Value tail(Evaluator& evaluator, const Node& node, Frame& frame) {
  const Value sequence = evaluator.evaluate(*node.first, frame);
  if (!is_tuple(sequence)) return native(evaluator, node, frame);
  if (sequence.cell()->size == 0) evaluator.fail(node, "Tail of the empty sequence");
  return evaluator.guarded(
      node, [&] { return evaluator.store.subsequence(sequence, 2, sequence.cell()->size); });
}

Value concatenate(Evaluator& evaluator, const Node& node, Frame& frame) {
  const Value a = evaluator.evaluate(*node.first, frame);
  const Value b = evaluator.evaluate(*node.second, frame);
  if (!is_tuple(a) || !is_tuple(b)) return native(evaluator, node, frame);
  return evaluator.guarded(node, [&] { return evaluator.store.concatenate(a, b); });
}

}  // namespace dissensus::tla::evaluating
