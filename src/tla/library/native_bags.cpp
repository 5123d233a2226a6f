// Bags and BagsExt: functions from elements to how often they occur.
#include <algorithm>

#include <fmt/format.h>

#include "tla/library/native_call.h"

namespace dissensus::tla {
namespace {

struct Bag {
  Value elements;                 ///< a listed set
  std::span<const Value> counts;  ///< in its order
};

std::int64_t count_of(Value value, std::string_view name) {
  if (!value.is_integer() || value.number() <= 0) {
    throw ValueError(
        fmt::format("{}: a bag's counts are positive numbers, found {}", name, described(value)));
  }
  return value.number();
}

Bag bag_argument(NativeCall& call, std::size_t index, std::string_view name) {
  const Value function = function_argument(call, index, name);
  Store& store = call.store();
  return {store.canonical(store.domain(function)), values_of(function)};
}

Value is_a_bag(NativeCall& call) {
  const Value value = call.argument(0);
  if (!is_function(value.type())) return Value::boolean(false);
  const std::span<const Value> counts = values_of(value);
  return Value::boolean(std::all_of(counts.begin(), counts.end(), [](Value count) {
    return count.is_integer() && count.number() > 0;
  }));
}

Value bag_to_set(NativeCall& call) {
  return call.store().domain(function_argument(call, 0, "BagToSet"));
}

Value set_to_bag(NativeCall& call) {
  const Value set = listed_argument(call, 0, "SetToBag");
  return call.store().function(set, std::vector<Value>(set.cell()->size, Value::integer(1)));
}

Value bag_in(NativeCall& call) {
  Store& store = call.store();
  const Value bag = function_argument(call, 1, "BagIn");
  return Value::boolean(store.is_member(call.argument(0), store.canonical(store.domain(bag))));
}

Value copies_in(NativeCall& call) {
  const Value count = call.store().apply(function_argument(call, 1, "CopiesIn"), call.argument(0));
  return count.is_null() ? Value::integer(0) : count;
}

Value bag_cardinality(NativeCall& call) {
  std::int64_t sum = 0;
  for (const Value count : values_of(function_argument(call, 0, "BagCardinality"))) {
    sum = checked_add(sum, count_of(count, "BagCardinality"));
  }
  return Value::integer(sum);
}

Value bag_add_all(NativeCall& call) {
  Store& store = call.store();
  const Value first = function_argument(call, 0, "(+)"), second = function_argument(call, 1, "(+)");
  const Bag a = bag_argument(call, 0, "(+)"), b = bag_argument(call, 1, "(+)");
  if (a.counts.empty()) return second;
  if (b.counts.empty()) return first;
  const Value elements = store.canonical(store.set_union(a.elements, b.elements));
  std::vector<Value> counts;
  counts.reserve(elements.cell()->size);
  for (const Value element : items_of(elements)) {
    const Value left = store.apply(first, element), right = store.apply(second, element);
    std::int64_t sum = left.is_null() ? 0 : count_of(left, "(+)");
    if (!right.is_null()) sum = checked_add(sum, count_of(right, "(+)"));
    counts.push_back(Value::integer(sum));
  }
  return store.function(elements, counts);
}

/// Those that stay, without the elements whose count falls to 0.
Value bag_subtract(Store& store, Value first, Value second, std::string_view name) {
  std::vector<Value> elements, counts;
  const Value domain = store.canonical(store.domain(first));
  const std::span<const Value> arguments = items_of(domain), values = values_of(first);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Value taken = store.apply(second, arguments[i]);
    const std::int64_t left =
        count_of(values[i], name) - (taken.is_null() ? 0 : count_of(taken, name));
    if (left <= 0) continue;
    elements.push_back(arguments[i]);
    counts.push_back(Value::integer(left));
  }
  return store.function(store.set(elements), counts);
}
Value bag_subtract_all(NativeCall& call) {
  return bag_subtract(call.store(), function_argument(call, 0, "(-)"),
                      function_argument(call, 1, "(-)"), "(-)");
}

Value is_sub_bag(NativeCall& call) {
  Store& store = call.store();
  const Bag small = bag_argument(call, 0, "\\sqsubseteq");
  const Value large = function_argument(call, 1, "\\sqsubseteq");
  for (std::size_t i = 0; i < small.counts.size(); ++i) {
    const Value count = store.apply(large, items_of(small.elements)[i]);
    if (count.is_null() ||
        count_of(small.counts[i], "\\sqsubseteq") > count_of(count, "\\sqsubseteq")) {
      return Value::boolean(false);
    }
  }
  return Value::boolean(true);
}

Value bag_of_all(NativeCall& call) {
  Store& store = call.store();
  const Bag bag = bag_argument(call, 1, "BagOfAll");
  std::vector<Value> images;
  for (const Value element : items_of(bag.elements)) {
    images.push_back(store.canonical(apply1(call, 0, element)));
  }
  const Value elements = store.set(images);
  std::vector<std::int64_t> sums(elements.cell()->size);
  for (std::size_t i = 0; i < images.size(); ++i) {
    std::int64_t& sum = sums[find_element(items_of(elements), images[i])];
    sum = checked_add(sum, count_of(bag.counts[i], "BagOfAll"));
  }
  std::vector<Value> counts;
  for (const std::int64_t sum : sums) counts.push_back(Value::integer(sum));
  return store.function(elements, counts);
}

/// Every bag with at most these counts.
Value sub_bag(NativeCall& call) {
  Store& store = call.store();
  const Bag bag = bag_argument(call, 0, "SubBag");
  const std::span<const Value> elements = items_of(bag.elements);
  std::vector<Value> result;
  std::vector<std::int64_t> taken(elements.size());
  for (;;) {
    std::vector<Value> kept, counts;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (taken[i] == 0) continue;
      kept.push_back(elements[i]);
      counts.push_back(Value::integer(taken[i]));
    }
    result.push_back(store.function(store.set(kept), counts));
    if (result.size() > store.limits().set_elements) {
      throw ValueError("SubBag: more bags than the limit of listed elements");
    }
    std::size_t place = 0;
    while (place < taken.size() && taken[place] == count_of(bag.counts[place], "SubBag")) {
      taken[place++] = 0;
    }
    if (place == taken.size()) break;
    ++taken[place];
  }
  return store.set(result);
}

Value bag_add(NativeCall& call) {
  Store& store = call.store();
  const Value bag = function_argument(call, 0, "BagAdd"), element = call.argument(1);
  const Value count = store.apply(bag, element);
  if (!count.is_null()) {
    const std::int64_t more = checked_add(count_of(count, "BagAdd"), 1);
    return store.with(bag, element, Value::integer(more));
  }
  return store.merge_functions(bag, store.singleton_function(element, Value::integer(1)));
}

Value bag_remove(NativeCall& call) {
  Store& store = call.store();
  const Value bag = function_argument(call, 0, "BagRemove"), element = call.argument(1);
  return bag_subtract(store, bag, store.singleton_function(element, Value::integer(1)),
                      "BagRemove");
}

Value bag_remove_all(NativeCall& call) {
  Store& store = call.store();
  const Value bag = function_argument(call, 0, "BagRemoveAll"), element = call.argument(1);
  const Value count = store.apply(bag, element);
  if (count.is_null()) return bag;
  return bag_subtract(store, bag, store.singleton_function(element, count), "BagRemoveAll");
}

Value fold_bag(NativeCall& call) {
  Value result = call.argument(1);
  const Bag bag = bag_argument(call, 2, "FoldBag");
  for (std::size_t i = 0; i < bag.counts.size(); ++i) {
    const std::int64_t count = count_of(bag.counts[i], "FoldBag");
    for (std::int64_t j = 0; j < count; ++j) {
      result = apply2(call, 0, result, items_of(bag.elements)[i]);
    }
  }
  return result;
}

Value to_bag(NativeCall& call) {
  Store& store = call.store();
  const std::span<const Value> items = items_of(sequence_argument(call, 0, "ToBag"));
  const Value elements = store.set(items);
  std::vector<std::int64_t> sums(elements.cell()->size);
  for (const Value item : items) ++sums[find_element(items_of(elements), item)];
  std::vector<Value> counts;
  for (const std::int64_t sum : sums) counts.push_back(Value::integer(sum));
  return store.function(elements, counts);
}

constexpr NativeOperator kBagsNatives[] = {
    {"Bags", "IsABag", is_a_bag},         {"Bags", "BagToSet", bag_to_set},
    {"Bags", "SetToBag", set_to_bag},     {"Bags", "BagIn", bag_in},
    {"Bags", "CopiesIn", copies_in},      {"Bags", "BagCardinality", bag_cardinality},
    {"Bags", "\\oplus", bag_add_all},     {"Bags", "\\ominus", bag_subtract_all},
    {"Bags", "\\sqsubseteq", is_sub_bag}, {"Bags", "BagOfAll", bag_of_all},
    {"Bags", "SubBag", sub_bag},          {"BagsExt", "BagAdd", bag_add},
    {"BagsExt", "BagRemove", bag_remove}, {"BagsExt", "BagRemoveAll", bag_remove_all},
    {"BagsExt", "FoldBag", fold_bag},     {"SequencesExt", "ToBag", to_bag},
};

}  // namespace

std::span<const NativeOperator> bag_natives() {
  return kBagsNatives;
}

}  // namespace dissensus::tla
