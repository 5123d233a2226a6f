// TLC, TLCExt, Randomization.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "core/bytes.h"
#include "tla/library/native_call.h"

namespace dissensus::tla {
namespace {

/// A string is printed as it is, in quotes as TLC does.
void print_line(NativeCall& call, const std::string& line) {
  if (call.environment().print) call.environment().print(line);
}

Value print(NativeCall& call) {
  const Value shown_first = call.argument(0), value = call.argument(1);
  print_line(call, to_string(shown_first) + "  " + to_string(value));
  return value;
}

Value print_t(NativeCall& call) {
  print_line(call, to_string(call.argument(0)));
  return Value::boolean(true);
}

Value assert_true(NativeCall& call) {
  const Value condition = call.argument(0);
  if (!condition.is_boolean()) fail_argument("Assert", 0, "TRUE or FALSE", condition);
  if (condition.truth()) return condition;
  throw ValueError("Assert: " + shown(call.argument(1)));
}

/// No clock is read: a model's behaviour is the same on every run.
Value java_time(NativeCall&) {
  return Value::integer(0);
}

Value statistic(NativeCall& call, std::string_view name) {
  Value value;
  if (call.environment().statistic) value = call.environment().statistic(name);
  return value;
}

/// Null when the register is not set or the name is not known.
Value register_value(NativeCall& call, Value key) {
  if (key.is(Type::text)) return statistic(call, key.cell()->bytes());
  if (!key.is_integer()) fail_argument("TLCGet", 0, "a natural number or a string", key);
  const auto found = call.environment().registers.find(key.number());
  if (found == call.environment().registers.end()) return {};
  ByteReader reader(found->second, "a value");
  return deserialize(call.store(), reader);
}

void set_register(NativeCall& call, Value key, Value value, std::string_view name) {
  if (!key.is_integer() || key.number() < 0) fail_argument(name, 0, "a natural number", key);
  std::string bytes;
  serialize(call.store().canonical(value), bytes);
  call.environment().registers[key.number()] = std::move(bytes);
}

Value tlc_get(NativeCall& call) {
  const Value key = call.argument(0), value = register_value(call, key);
  if (value.is_null()) {
    throw ValueError(key.is_integer()
                         ? fmt::format("TLCGet({0}): no TLCSet({0}, ...) before", key.number())
                         : fmt::format("TLCGet({}): not known here", shown(key)));
  }
  return value;
}

Value tlc_set(NativeCall& call) {
  const Value key = call.argument(0);
  if (!key.is(Type::text)) {
    set_register(call, key, call.argument(1), "TLCSet");
    return Value::boolean(true);
  }
  const std::string_view name = key.cell()->bytes();
  if (name == "exit") {
    const Value wanted = call.argument(1);
    if (!wanted.is_boolean()) fail_argument("TLCSet", 1, "TRUE or FALSE", wanted);
    call.environment().exit_requested = call.environment().exit_requested || wanted.truth();
  } else if (name != "pause" && !name.starts_with("-D")) {
    throw ValueError(fmt::format("TLCSet({}, ...): not known here", shown(key)));
  }
  return Value::boolean(true);
}

Value tlc_get_or_default(NativeCall& call) {
  const Value value = register_value(call, call.argument(0));
  return value.is_null() ? call.argument(1) : value;
}

/// Arguments: key, Op(_, _), value, default. Gives the old value.
Value tlc_get_and_set(NativeCall& call) {
  const Value key = call.argument(0);
  Value old = register_value(call, key);
  if (old.is_null()) old = call.argument(3);
  set_register(call, key, apply2(call, 1, old, call.argument(2)), "TLCGetAndSet");
  return old;
}

Value singleton(NativeCall& call) {
  return call.store().singleton_function(call.argument(0), call.argument(1));
}

Value merge(NativeCall& call) {
  return call.store().merge_functions(function_argument(call, 0, "@@"),
                                      function_argument(call, 1, "@@"));
}

/// All bijections of a set onto itself.
Value permutations(NativeCall& call) {
  const Value set = listed_argument(call, 0, "Permutations");
  const std::span<const Value> elements = items_of(set);
  constexpr std::size_t kPermutedMax = 10;
  if (elements.size() > kPermutedMax) {
    throw ValueError(fmt::format("Permutations: a set of more than {} elements", kPermutedMax));
  }
  std::vector<std::size_t> order(elements.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<Value> result, values(elements.size());
  do {
    for (std::size_t i = 0; i < order.size(); ++i) values[i] = elements[order[i]];
    result.push_back(call.store().function(set, values));
  } while (std::next_permutation(order.begin(), order.end()));
  return call.store().set(result);
}

Value random_element(NativeCall& call) {
  const Value set = set_argument(call, 0, "RandomElement");
  const std::uint64_t count = call.store().cardinality(set);
  if (count == 0) throw ValueError("RandomElement({}): the set is empty");
  return call.store().element(set, call.environment().random.below(count));
}

Value any(NativeCall& call) {
  return call.store().any();
}

Value to_string_of(NativeCall& call) {
  return call.store().text(to_string(call.argument(0)));
}

Value tlc_eval(NativeCall& call) {
  return call.store().canonical(call.argument(0));
}

// TLCExt.

Value assert_error(NativeCall& call) {
  try {
    call.argument(1);
  } catch (const std::exception&) {
    // Wording differs between checkers: that it fails is what is asked.
    return Value::boolean(true);
  }
  throw ValueError("AssertError: the expression has a value where an error was expected: " +
                   shown(call.argument(1)));
}

Value known_statistic(NativeCall& call, std::string_view name) {
  const Value value = statistic(call, name);
  if (value.is_null()) throw ValueError(fmt::format("{}: not available here", name));
  return value;
}
Value trace(NativeCall& call) {
  return known_statistic(call, "Trace");
}
Value counter_example(NativeCall& call) {
  return known_statistic(call, "CounterExample");
}

Value tlc_model_value(NativeCall& call) {
  return call.store().model_value(text_argument(call, 0, "TLCModelValue"));
}

Value evaluate_and_hold(NativeCall& call) {
  call.argument(0);
  return Value::boolean(true);
}

Value first_argument(NativeCall& call) {
  return call.argument(0);
}

Value fingerprint(NativeCall& call) {
  const std::uint64_t hash = call.store().canonical(call.argument(0)).hash();
  return Value::integer(static_cast<std::int64_t>(hash >> 33));
}

Value refuse_definition(NativeCall&) {
  throw ValueError("TLCEvalDefinition: definitions cannot be evaluated by name here");
}

// Randomization.

/// `count` different numbers below `bound`, by Floyd's method.
std::vector<std::uint64_t> sample(Random& random, std::uint64_t count, std::uint64_t bound) {
  std::vector<std::uint64_t> chosen;
  for (std::uint64_t last = bound - count; last < bound; ++last) {
    const std::uint64_t drawn = random.below(last + 1);
    const auto place = std::lower_bound(chosen.begin(), chosen.end(), drawn);
    if (place != chosen.end() && *place == drawn) {
      chosen.push_back(last);  // larger than all before
    } else {
      chosen.insert(place, drawn);
    }
  }
  return chosen;
}

Value random_subset(NativeCall& call) {
  const std::int64_t wanted = natural_argument(call, 0, "RandomSubset");
  const Value set = set_argument(call, 1, "RandomSubset");
  const std::uint64_t size = call.store().cardinality(set);
  const std::uint64_t count = std::min(static_cast<std::uint64_t>(wanted), size);
  std::vector<Value> chosen;
  for (const std::uint64_t index : sample(call.environment().random, count, size)) {
    chosen.push_back(call.store().element(set, index));
  }
  return call.store().set(chosen);
}

/// At most k subsets of S, each element being in one with the probability n / |S|.
std::vector<Value> draw_subsets(NativeCall& call, std::string_view name) {
  const std::int64_t wanted = natural_argument(call, 0, name);
  const std::int64_t mean = natural_argument(call, 1, name);
  const std::span<const Value> elements = items_of(listed_argument(call, 2, name));
  const auto size = static_cast<std::int64_t>(elements.size());
  if (mean > size) {
    fail_argument(name, 1, fmt::format("at most the set's size of {}", size), call.argument(1));
  }
  std::vector<Value> result, members;
  for (std::int64_t i = 0; i < wanted; ++i) {
    members.clear();
    for (const Value element : elements) {
      if (call.environment().random.between(1, size) <= mean) members.push_back(element);
    }
    result.push_back(call.store().set(members));
  }
  return result;
}
Value random_set_of_subsets(NativeCall& call) {
  return call.store().set(draw_subsets(call, "RandomSetOfSubsets"));
}
/// How many different subsets each of five draws gives.
Value test_random_set_of_subsets(NativeCall& call) {
  std::vector<Value> counts;
  for (int i = 0; i < 5; ++i) {
    const Value set = call.store().set(draw_subsets(call, "TestRandomSetOfSubsets"));
    counts.push_back(Value::integer(set.cell()->size));
  }
  return call.store().tuple(counts);
}

constexpr NativeOperator kTlcNatives[] = {
    {"TLC", "Print", print, false},
    {"TLC", "PrintT", print_t, false},
    {"TLC", "Assert", assert_true},
    {"TLC", "JavaTime", java_time},
    {"TLC", "TLCGet", tlc_get, false},
    {"TLC", "TLCSet", tlc_set, false},
    {"TLC", ":>", singleton},
    {"TLC", "@@", merge},
    {"TLC", "Permutations", permutations},
    {"TLC", "RandomElement", random_element, false},
    {"TLC", "Any", any},
    {"TLC", "ToString", to_string_of},
    {"TLC", "TLCEval", tlc_eval},
    {"TLCExt", "AssertError", assert_error},
    {"TLCExt", "TLCGetOrDefault", tlc_get_or_default, false},
    {"TLCExt", "TLCGetAndSet", tlc_get_and_set, false},
    {"TLCExt", "Trace", trace, false},
    {"TLCExt", "CounterExample", counter_example, false},
    {"TLCExt", "TLCModelValue", tlc_model_value},
    {"TLCExt", "TLCDefer", evaluate_and_hold, false},
    {"TLCExt", "TLCNoOp", first_argument},
    {"TLCExt", "TLCCache", first_argument},
    {"TLCExt", "TLCFP", fingerprint},
    {"TLCExt", "TLCEvalDefinition", refuse_definition},
    {"Randomization", "RandomSubset", random_subset, false},
    {"Randomization", "RandomSetOfSubsets", random_set_of_subsets, false},
    {"Randomization", "TestRandomSetOfSubsets", test_random_set_of_subsets, false},
};

}  // namespace

std::span<const NativeOperator> tlc_natives() {
  return kTlcNatives;
}

}  // namespace dissensus::tla
