// FiniteSets, FiniteSetsExt, Functions, Folds, Graphs, TransitiveClosure.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "tla/library/native_call.h"

namespace dissensus::tla {
namespace {

std::span<const Value> elements_of(NativeCall& call, std::size_t index, std::string_view name) {
  return items_of(listed_argument(call, index, name));
}

Value is_finite_set(NativeCall& call) {
  return Value::boolean(call.store().is_finite(set_argument(call, 0, "IsFiniteSet")));
}

Value cardinality(NativeCall& call) {
  const std::uint64_t count = call.store().cardinality(set_argument(call, 0, "Cardinality"));
  if (!Value::fits(static_cast<std::int64_t>(count))) {
    throw ValueError("Cardinality: the set has more elements than a number of 62 bits can count");
  }
  return Value::integer(static_cast<std::int64_t>(count));
}

// FiniteSetsExt. Sets are folded in their order, each element being the first operand.

Value fold(NativeCall& call, std::span<const Value> elements, Value base) {
  for (const Value element : elements) base = apply2(call, 0, element, base);
  return base;
}
Value fold_set(NativeCall& call) {
  const std::span<const Value> elements = elements_of(call, 2, "FoldSet");
  return fold(call, elements, call.argument(1));
}
Value reduce_set(NativeCall& call) {
  const std::span<const Value> elements = elements_of(call, 1, "ReduceSet");
  return fold(call, elements, call.argument(2));
}

std::int64_t number_of(Value value, std::string_view name) {
  if (!value.is_integer()) {
    throw ValueError(fmt::format("{}: expected numbers, found {}", name, described(value)));
  }
  return value.number();
}

Value sum_set(NativeCall& call) {
  std::int64_t sum = 0;
  for (const Value element : elements_of(call, 0, "SumSet")) {
    sum = checked_add(sum, number_of(element, "SumSet"));
  }
  return Value::integer(sum);
}

Value product_set(NativeCall& call) {
  std::int64_t product = 1;
  for (const Value element : elements_of(call, 0, "ProductSet")) {
    product = checked_multiply(product, number_of(element, "ProductSet"));
  }
  return Value::integer(product);
}

Value map_then_sum_set(NativeCall& call) {
  std::int64_t sum = 0;
  for (const Value element : elements_of(call, 1, "MapThenSumSet")) {
    sum = checked_add(sum, number_of(apply1(call, 0, element), "MapThenSumSet"));
  }
  return Value::integer(sum);
}

Value quantify(NativeCall& call) {
  std::int64_t count = 0;
  for (const Value element : elements_of(call, 0, "Quantify")) {
    count += holds(call, 1, {&element, 1}, "Quantify");
  }
  return Value::integer(count);
}

Value k_subset(NativeCall& call) {
  const std::int64_t wanted = integer_argument(call, 0, "kSubset");
  const std::span<const Value> elements = elements_of(call, 1, "kSubset");
  if (wanted < 0 || static_cast<std::uint64_t>(wanted) > elements.size()) {
    return call.store().empty_set();
  }
  const auto size = static_cast<std::size_t>(wanted);
  std::vector<std::size_t> chosen(size);
  std::iota(chosen.begin(), chosen.end(), 0);
  std::vector<Value> result, members(size);
  for (;;) {
    for (std::size_t i = 0; i < size; ++i) members[i] = elements[chosen[i]];
    result.push_back(call.store().set(members));
    if (result.size() > call.store().limits().set_elements) {
      throw ValueError("kSubset: more subsets than the limit of listed elements");
    }
    std::size_t place = size;
    while (place > 0 && chosen[place - 1] == elements.size() - size + place - 1) --place;
    if (place == 0) break;
    ++chosen[place - 1];
    for (std::size_t i = place; i < size; ++i) chosen[i] = chosen[i - 1] + 1;
  }
  return call.store().set(result);
}

/// The largest (smallest) number; sets are sorted and intervals need no listing.
Value extreme(NativeCall& call, bool largest, std::string_view name) {
  const Value set = set_argument(call, 0, name);
  if (set.is(Type::interval)) return set.cell()->items()[largest ? 1 : 0];
  const std::span<const Value> elements = elements_of(call, 0, name);
  if (elements.empty()) throw ValueError(fmt::format("{}({{}}): the set is empty", name));
  for (const Value element : elements) number_of(element, name);
  return largest ? elements.back() : elements.front();
}
Value max(NativeCall& call) {
  return extreme(call, true, "Max");
}
Value min(NativeCall& call) {
  return extreme(call, false, "Min");
}

// Functions.

Value range(NativeCall& call) {
  return call.store().set(values_of(function_argument(call, 0, "Range")));
}

Value value_at(NativeCall& call, Value function, Value argument, std::string_view name) {
  const Value value = call.store().apply(function, argument);
  if (value.is_null()) {
    throw ValueError(
        fmt::format("{}: {} is not in the domain of {}", name, shown(argument), shown(function)));
  }
  return value;
}

Value restrict(NativeCall& call) {
  const Value function = function_argument(call, 0, "Restrict");
  const Value domain = listed_argument(call, 1, "Restrict");
  std::vector<Value> values;
  for (const Value argument : items_of(domain)) {
    values.push_back(value_at(call, function, argument, "Restrict"));
  }
  return call.store().function(domain, values);
}

Value is_injective(NativeCall& call) {
  const std::span<const Value> values = values_of(function_argument(call, 0, "IsInjective"));
  return Value::boolean(call.store().cardinality(call.store().set(values)) == values.size());
}

Value fold_function_on(NativeCall& call, Value function, std::span<const Value> arguments,
                       std::string_view name) {
  Value result = call.argument(1);
  for (const Value argument : arguments) {
    result = apply2(call, 0, value_at(call, function, argument, name), result);
  }
  return result;
}

Value fold_function(NativeCall& call) {
  return fold(call, values_of(function_argument(call, 2, "FoldFunction")), call.argument(1));
}
Value fold_function_on_set(NativeCall& call) {
  const Value function = function_argument(call, 2, "FoldFunctionOnSet");
  return fold_function_on(call, function, elements_of(call, 3, "FoldFunctionOnSet"),
                          "FoldFunctionOnSet");
}
Value fold_seq(NativeCall& call) {
  return fold(call, values_of(function_argument(call, 2, "FoldSeq")), call.argument(1));
}

Value sum_function(NativeCall& call) {
  std::int64_t sum = 0;
  for (const Value value : values_of(function_argument(call, 0, "SumFunction"))) {
    sum = checked_add(sum, number_of(value, "SumFunction"));
  }
  return Value::integer(sum);
}
Value sum_function_on_set(NativeCall& call) {
  const Value function = function_argument(call, 0, "SumFunctionOnSet");
  std::int64_t sum = 0;
  for (const Value argument : elements_of(call, 1, "SumFunctionOnSet")) {
    const Value value = value_at(call, function, argument, "SumFunctionOnSet");
    sum = checked_add(sum, number_of(value, "SumFunctionOnSet"));
  }
  return Value::integer(sum);
}

/// op(f(x1), op(f(x2), ... base)), where x1 = choose(S), x2 = choose(S \ {x1})...
Value map_then_fold_set(NativeCall& call) {
  Store& store = call.store();
  Value rest = listed_argument(call, 4, "MapThenFoldSet");
  std::vector<Value> order;
  while (rest.cell()->size != 0) {
    const Value chosen = store.canonical(apply1(call, 3, rest));
    const Value smaller = store.difference(rest, store.set({&chosen, 1}));
    if (smaller == rest) {
      throw ValueError(fmt::format("MapThenFoldSet: {} was chosen, which is not in {}",
                                   shown(chosen), shown(rest)));
    }
    order.push_back(chosen);
    rest = smaller;
  }
  Value result = call.argument(1);
  for (std::size_t i = order.size(); i-- > 0;) {
    result = apply2(call, 0, apply1(call, 2, order[i]), result);
  }
  return result;
}

// Graphs: [node |-> S, edge |-> pairs].

/// The smallest transitive relation, a set of pairs, that contains the argument.
Value warshall(NativeCall& call) {
  Store& store = call.store();
  const std::span<const Value> pairs = elements_of(call, 0, "Warshall");
  std::vector<Value> nodes;
  for (const Value pair : pairs) {
    if (!pair.is(Type::tuple) || pair.cell()->size != 2) {
      fail_argument("Warshall", 0, "a set of pairs", pair);
    }
    nodes.insert(nodes.end(), items_of(pair).begin(), items_of(pair).end());
  }
  const std::span<const Value> sorted = items_of(store.set(nodes));
  const std::size_t size = sorted.size();
  std::vector<bool> reached(size * size);
  for (const Value pair : pairs) {
    const std::span<const Value> ends = items_of(pair);
    reached[find_element(sorted, ends[0]) * size + find_element(sorted, ends[1])] = true;
  }
  for (std::size_t via = 0; via < size; ++via) {
    for (std::size_t from = 0; from < size; ++from) {
      if (!reached[from * size + via]) continue;
      for (std::size_t to = 0; to < size; ++to) {
        if (reached[via * size + to]) reached[from * size + to] = true;
      }
    }
  }
  std::vector<Value> result;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const Value pair[] = {sorted[i / size], sorted[i % size]};
    if (reached[i]) result.push_back(store.tuple(pair));
  }
  return store.set(result);
}

constexpr NativeOperator kSetsNatives[] = {
    {"FiniteSets", "IsFiniteSet", is_finite_set},
    {"FiniteSets", "Cardinality", cardinality},
    {"FiniteSetsExt", "FoldSet", fold_set},
    {"FiniteSetsExt", "ReduceSet", reduce_set},
    {"FiniteSetsExt", "SumSet", sum_set},
    {"FiniteSetsExt", "ProductSet", product_set},
    {"FiniteSetsExt", "MapThenSumSet", map_then_sum_set},
    {"FiniteSetsExt", "Quantify", quantify},
    {"FiniteSetsExt", "kSubset", k_subset},
    {"FiniteSetsExt", "Max", max},
    {"FiniteSetsExt", "Min", min},
    {"Functions", "Range", range},
    {"Functions", "Restrict", restrict},
    {"Functions", "IsInjective", is_injective},
    {"Functions", "FoldFunction", fold_function},
    {"Functions", "FoldFunctionOnSet", fold_function_on_set},
    {"Functions", "SumFunction", sum_function},
    {"Functions", "SumFunctionOnSet", sum_function_on_set},
    {"Folds", "MapThenFoldSet", map_then_fold_set},
    {"SequencesExt", "FoldSeq", fold_seq},
    {"TransitiveClosure", "Warshall", warshall},
};

}  // namespace

std::span<const NativeOperator> set_natives() {
  return kSetsNatives;
}

}  // namespace dissensus::tla
