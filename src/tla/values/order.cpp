// Order and equality of canonical values.
#include <algorithm>

#include <fmt/format.h>

#include "tla/values/store_memory.h"

namespace dissensus::tla {
namespace {

int rank_of(Value value) {
  switch (value.type()) {
    case Type::model_value:
      return 0;
    case Type::boolean:
      return 1;
    case Type::integer:
      return 2;
    case Type::text:
      return 3;
    case Type::set:
      return 4;
    case Type::tuple:
    case Type::record:
    case Type::function:
      return 5;
    default:
      return 6 + static_cast<int>(value.type());
  }
}

int sign(std::int64_t number) {
  return number < 0 ? -1 : number > 0 ? 1 : 0;
}

bool is_typed(Value model_value) {
  const std::string_view name = model_value.cell()->bytes();
  return name.size() > 2 && name[1] == '_';
}

Relation decide(bool comparable, Value a, Value b, Value& left, Value& right) {
  if (comparable) return Relation::different;
  left = a;
  right = b;
  return Relation::incomparable;
}

/// A typed model value can be compared with those of its type and with untyped ones alone.
Relation relate_model_values(Value a, Value b, Value& left, Value& right) {
  const bool a_is = a.is(Type::model_value), b_is = b.is(Type::model_value);
  const bool a_typed = a_is && is_typed(a), b_typed = b_is && is_typed(b);
  bool comparable = true;
  if (a_is && b_is) {
    comparable = !a_typed || !b_typed || a.cell()->bytes().front() == b.cell()->bytes().front();
  } else {
    comparable = !a_typed && !b_typed;
  }
  return decide(comparable, a, b, left, right);
}

/// Lists of one length: the first pair that differs decides, as in TLC.
Relation relate_first(std::span<const Value> a, std::span<const Value> b, Value& left,
                      Value& right) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i]) return relation(a[i], b[i], left, right);
  }
  return Relation::equal;
}

/// Values of one domain whose order is ours and not TLC's: one pair that surely differs is enough,
/// whatever the others are.
Relation relate_any(std::span<const Value> a, std::span<const Value> b, Value& left, Value& right) {
  Relation result = Relation::equal;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    Value x, y;
    if (relation(a[i], b[i], x, y) == Relation::different) return Relation::different;
    if (result == Relation::equal) left = x, right = y;
    result = Relation::incomparable;
  }
  return result;
}

std::size_t argument_count(Value function) {
  return values_of(function).size();
}

Relation relate_functions(Value a, Value b, Value& left, Value& right) {
  const Type type = a.type(), other = b.type();
  if (type == Type::tuple && other == Type::tuple) {
    if (a.cell()->size != b.cell()->size) return Relation::different;
    return relate_first(items_of(a), items_of(b), left, right);
  }
  if (argument_count(a) != argument_count(b)) {
    const bool record_on_the_left =
        type == Type::record && other != Type::record && argument_count(b) != 0;
    return decide(!record_on_the_left, a, b, left, right);
  }
  if (type == other) {
    const Value domain = a.cell()->items()[0], other_domain = b.cell()->items()[0];
    if (domain != other_domain) {
      if (type == Type::record) return Relation::different;
      return relate_first(items_of(domain), items_of(other_domain), left, right);
    }
    return relate_any(values_of(a), values_of(b), left, right);
  }
  // Domains of different kinds: 1..n, strings, anything else.
  if (type == Type::record || type == Type::tuple) {
    if (other == Type::function && type == Type::tuple) {
      const Value first = b.cell()->items()[0].cell()->items()[0];
      return decide(first.is_integer() || first.is(Type::model_value), a, b, left, right);
    }
    return decide(false, a, b, left, right);
  }
  const Value first = a.cell()->items()[0].cell()->items()[0];
  const bool comparable =
      first.is(Type::model_value) || (other == Type::tuple && first.is_integer());
  return decide(comparable, a, b, left, right);
}

int compare_lists(std::span<const Value> a, std::span<const Value> b) {
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    if (const int order = compare_values(a[i], b[i]); order != 0) return order;
  }
  return 0;
}

/// By size, domain and values, whichever way they are kept.
int compare_functions(Value a, Value b) {
  const std::span<const Value> values = values_of(a), others = values_of(b);
  if (values.size() != others.size()) return values.size() < others.size() ? -1 : 1;
  const auto argument = [](Value function, std::size_t index) {
    return function.is(Type::tuple) ? Value::integer(static_cast<std::int64_t>(index) + 1)
                                    : function.cell()->items()[0].cell()->items()[index];
  };
  const bool same_domain = a.is(Type::tuple)
                               ? b.is(Type::tuple)
                               : !b.is(Type::tuple) && a.cell()->items()[0] == b.cell()->items()[0];
  for (std::size_t i = 0; i < values.size() && !same_domain; ++i) {
    if (const int order = compare_values(argument(a, i), argument(b, i)); order != 0) return order;
  }
  return compare_lists(values, others);
}

}  // namespace

int compare_values(Value a, Value b) {
  if (a == b) return 0;
  if (a.is_integer() && b.is_integer()) return a.number() < b.number() ? -1 : 1;
  const int rank = rank_of(a), other = rank_of(b);
  if (rank != other) return rank < other ? -1 : 1;
  switch (a.type()) {
    case Type::boolean:
      return a.truth() ? 1 : -1;
    case Type::integer:
      return sign(a.number() - b.number());
    case Type::text:
    case Type::model_value:
      return sign(a.cell()->bytes().compare(b.cell()->bytes()));
    case Type::tuple:
    case Type::record:
    case Type::function:
      return compare_functions(a, b);
    default:
      return compare_lists(items_of(a), items_of(b));
  }
}

Relation relation(Value a, Value b, Value& left, Value& right) {
  if (a == b) return Relation::equal;
  const std::uint32_t shape = shape_of(a);
  if (shape != 0 && shape == shape_of(b)) return Relation::different;
  const Type type = a.type(), other = b.type();
  if (type == Type::model_value || other == Type::model_value) {
    return relate_model_values(a, b, left, right);
  }
  if (type == Type::set && other == Type::set) {
    if (a.cell()->size != b.cell()->size) return Relation::different;
    return relate_first(items_of(a), items_of(b), left, right);
  }
  if (is_function(type) && is_function(other)) return relate_functions(a, b, left, right);
  const bool is_atom = type == Type::boolean || type == Type::integer || type == Type::text;
  return decide(is_atom && type == other, a, b, left, right);
}

void require_comparable(Value a, Value b) {
  Value left, right;
  if (relation(a, b, left, right) == Relation::incomparable) fail_incomparable(left, right);
}

void require_neighbours_comparable(std::span<const Value> sorted) {
  if (sorted.empty()) return;
  const std::uint32_t shape = shape_of(sorted.front());
  const bool is_uniform = shape != 0 && std::all_of(sorted.begin(), sorted.end(), [&](Value value) {
                            return shape_of(value) == shape;
                          });
  if (is_uniform) return;
  for (std::size_t i = 1; i < sorted.size(); ++i) require_comparable(sorted[i - 1], sorted[i]);
}

std::size_t find_element(std::span<const Value> sorted, Value element) {
  constexpr std::size_t kScanMax = 24;  // up to here a scan for the word beats a binary search
  if (sorted.size() <= kScanMax) {
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      if (sorted[i] == element) return i;
    }
  }
  const auto before = [](Value a, Value b) { return compare_values(a, b) < 0; };
  return static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), element, before) -
                                  sorted.begin());
}

std::string shown(Value value) {
  constexpr std::size_t kShownMax = 100;
  std::string text = to_string(value);
  if (text.size() > kShownMax) {
    text.resize(kShownMax);
    text += "...";
  }
  return text;
}

std::string described(Value value) {
  switch (value.type()) {
    case Type::boolean:
      return "the boolean " + shown(value);
    case Type::integer:
      return "the number " + shown(value);
    case Type::text:
      return "the string " + shown(value);
    case Type::model_value:
      return "the model value " + shown(value);
    case Type::tuple:
      return "the tuple " + shown(value);
    case Type::record:
      return "the record " + shown(value);
    case Type::function:
      return "the function " + shown(value);
    default:
      return "the set " + shown(value);
  }
}

void fail_incomparable(Value left, Value right) {
  throw ValueError(fmt::format("{} cannot be compared with {}", described(left), described(right)));
}

int Store::compare(Value a, Value b) const {
  return compare_values(a, b);
}

bool Store::equal_walk(Value a, Value b) {
  a = canonical(a);
  b = canonical(b);
  Value left, right;
  switch (relation(a, b, left, right)) {
    case Relation::equal:
      return true;
    case Relation::different:
      return false;
    case Relation::incomparable:
      break;
  }
  fail_incomparable(left, right);
}

}  // namespace dissensus::tla
