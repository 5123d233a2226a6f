// Set algebra and membership.
#include <algorithm>

#include <fmt/format.h>

#include "tla/values/store_memory.h"

namespace dissensus::tla {
namespace {

void require_set(Value value) {
  if (!is_set(value.type())) {
    throw ValueError(fmt::format("expected a set, found {}", described(value)));
  }
}

[[noreturn]] void fail_membership(Value element, Value set) {
  throw ValueError(
      fmt::format("{} cannot be tested for membership in {}", described(element), shown(set)));
}

/// False for an untyped model value, which is in no set of numbers, functions...; an error for
/// anything else.
bool refuse_member(Value element, Value set) {
  if (element.is(Type::model_value)) {
    const std::string_view name = element.cell()->bytes();
    if (name.size() <= 2 || name[1] != '_') return false;
  }
  fail_membership(element, set);
}

bool is_in_list(Value element, Value set) {
  const std::span<const Value> elements = items_of(set);
  if (elements.empty()) return false;
  // A scan of words beats comparing contents. What is not found must be comparable with the ends.
  constexpr std::size_t kScanMax = 64;
  if (elements.size() <= kScanMax) {
    if (std::find(elements.begin(), elements.end(), element) != elements.end()) return true;
    require_comparable(elements.front(), element);
    if (elements.size() > 1) require_comparable(elements.back(), element);
    return false;
  }
  const std::size_t place = find_element(elements, element);
  if (place < elements.size() && elements[place] == element) return true;
  // As if it were added: its neighbours must be comparable.
  if (place > 0) require_comparable(elements[place - 1], element);
  if (place < elements.size()) require_comparable(elements[place], element);
  return false;
}

bool same_shape(Value a, Value b) {
  return a.cell()->shape != 0 && a.cell()->shape == b.cell()->shape;
}

}  // namespace

bool Store::is_member(Value element, Value set) {
  if (!set.is_cell()) require_set(set);
  const Cell* cell = set.cell();
  const Value* items = cell->items();
  const auto all_in = [&](std::span<const Value> values, Value in) {
    return std::all_of(values.begin(), values.end(),
                       [&](Value value) { return is_member(value, in); });
  };
  switch (cell->type) {
    case Type::set:
      return is_in_list(canonical(element), set);
    case Type::interval: {
      const std::int64_t low = items[0].number(), high = items[1].number();
      if (element.is_integer()) return low <= element.number() && element.number() <= high;
      return low <= high && refuse_member(element, set);
    }
    case Type::naturals:
      return element.is_integer() ? element.number() >= 0 : refuse_member(element, set);
    case Type::integers:
      return element.is_integer() || refuse_member(element, set);
    case Type::strings:
      return element.is(Type::text) || refuse_member(element, set);
    case Type::any:
      return true;
    case Type::powerset:
      if (!is_set(element.type())) fail_membership(element, set);
      return is_subset(element, items[0]);
    case Type::function_set:
      if (!is_function(element.type())) return refuse_member(element, set);
      return equal(domain(element), items[0]) && all_in(values_of(element), items[1]);
    case Type::record_set: {
      const bool is_empty = element.is(Type::tuple) && element.cell()->size == 0;
      if (!element.is(Type::record)) return !is_empty && refuse_member(element, set);
      if (element.cell()->items()[0] != items[0]) return false;
      for (std::uint32_t i = 1; i < cell->size; ++i) {
        if (!is_member(element.cell()->items()[i], items[i])) return false;
      }
      return true;
    }
    case Type::product:
      if (!element.is(Type::tuple)) {
        const bool has_numbers = element.is(Type::function) &&
                                 element.cell()->items()[0].cell()->items()[0].is_integer();
        return !has_numbers && refuse_member(element, set);
      }
      if (element.cell()->size != cell->size) return false;
      for (std::uint32_t i = 0; i < cell->size; ++i) {
        if (!is_member(element.cell()->items()[i], items[i])) return false;
      }
      return true;
    case Type::sequences:
      if (!element.is(Type::tuple)) return refuse_member(element, set);
      return all_in(items_of(element), items[0]);
    case Type::set_union:
      return is_member(element, items[0]) || is_member(element, items[1]);
    case Type::set_intersection:
      return is_member(element, items[0]) && is_member(element, items[1]);
    case Type::set_difference:
      return is_member(element, items[0]) && !is_member(element, items[1]);
    default:
      require_set(set);
      return false;
  }
}

bool Store::is_subset(Value a, Value b) {
  require_set(a);
  require_set(b);
  if (a == b) return true;
  const Type type = a.type(), other = b.type();
  if (type == Type::powerset && other == Type::powerset) {
    return is_subset(a.cell()->items()[0], b.cell()->items()[0]);
  }
  if (type == Type::naturals && other == Type::integers) return true;
  if (type == Type::interval && other == Type::interval) {
    const Value* inner = a.cell()->items();
    const Value* outer = b.cell()->items();
    return inner[0].number() > inner[1].number() ||
           (outer[0].number() <= inner[0].number() && inner[1].number() <= outer[1].number());
  }
  if (type == Type::set && other == Type::set && same_shape(a, b)) {
    if (a.cell()->size > b.cell()->size) return false;
    std::span<const Value> rest = items_of(b);
    for (const Value element : items_of(a)) {
      const std::size_t place = find_element(rest, element);
      if (place == rest.size() || rest[place] != element) return false;
      rest = rest.subspan(place + 1);
    }
    return true;
  }
  SetCursor cursor(*this, a);
  Value element;
  while (cursor.next(element)) {
    if (!is_member(element, b)) return false;
  }
  return true;
}

Value Store::set_union(Value a, Value b) {
  require_set(a);
  require_set(b);
  if (a == b) return a;
  const auto stays_lazy = [](Value set) {
    return is_lazy_set(set.type()) && !set.is(Type::interval);
  };
  CellMemory& memory = implementation_->memory;
  if (stays_lazy(a) || stays_lazy(b)) return memory.make(Type::set_union, std::array{a, b});
  a = canonical(a);
  b = canonical(b);
  if (a.cell()->size < b.cell()->size) std::swap(a, b);
  if (b.cell()->size == 0) return a;
  const std::span<const Value> large = items_of(a), small = items_of(b);
  if (small.size() == 1) {
    const std::size_t place = find_element(large, small[0]);
    if (place < large.size() && large[place] == small[0]) return a;
    if (place > 0) require_comparable(large[place - 1], small[0]);
    if (place < large.size()) require_comparable(large[place], small[0]);
    Value* target = memory.begin(large.size() + 1);
    const auto split = large.begin() + static_cast<std::ptrdiff_t>(place);
    target = std::copy(large.begin(), split, target);
    *target++ = small[0];
    std::copy(split, large.end(), target);
    return memory.finish(Type::set, large.size() + 1);
  }
  Value* const start = memory.begin(large.size() + small.size());
  Value* target = start;
  std::size_t i = 0, j = 0;
  while (i < large.size() && j < small.size()) {
    const int order = compare_values(large[i], small[j]);
    *target++ = order <= 0 ? large[i] : small[j];
    i += order <= 0;
    j += order >= 0;
  }
  target = std::copy(large.begin() + static_cast<std::ptrdiff_t>(i), large.end(), target);
  target = std::copy(small.begin() + static_cast<std::ptrdiff_t>(j), small.end(), target);
  const auto size = static_cast<std::size_t>(target - start);
  if (!same_shape(a, b)) require_neighbours_comparable({start, size});
  return memory.finish(Type::set, size);
}

Value Store::intersection(Value a, Value b) {
  require_set(a);
  require_set(b);
  if (a == b) return a;
  if (!is_finite(a)) {
    if (!is_finite(b))
      return implementation_->memory.make(Type::set_intersection, std::array{a, b});
    std::swap(a, b);
  }
  // The listed one, or the smaller, is filtered by membership in the other.
  if (is_lazy_set(a.type()) && b.is(Type::set)) std::swap(a, b);
  if (a.is(Type::set) && b.is(Type::set) && a.cell()->size > b.cell()->size) std::swap(a, b);
  a = canonical(a);
  std::vector<Value> kept;
  for (const Value element : items_of(a)) {
    if (is_member(element, b)) kept.push_back(element);
  }
  return kept.size() == a.cell()->size ? a : implementation_->memory.make(Type::set, kept);
}

Value Store::difference(Value a, Value b) {
  require_set(a);
  require_set(b);
  if (a == b) return implementation_->empty_set;
  if (!is_finite(a)) return implementation_->memory.make(Type::set_difference, std::array{a, b});
  a = canonical(a);
  const std::span<const Value> elements = items_of(a);
  CellMemory& memory = implementation_->memory;
  if (b.is(Type::set)) {
    // Membership in a list makes no cells: the result can be built in place.
    Value* const start = memory.begin(elements.size());
    Value* target = start;
    for (const Value element : elements) {
      if (!is_in_list(element, b)) *target++ = element;
    }
    const auto size = static_cast<std::size_t>(target - start);
    return size == elements.size() ? a : memory.finish(Type::set, size);
  }
  std::vector<Value> kept;
  for (const Value element : elements) {
    if (!is_member(element, b)) kept.push_back(element);
  }
  return memory.make(Type::set, kept);
}

Value Store::union_of(Value set_of_sets) {
  require_set(set_of_sets);
  if (set_of_sets.is(Type::powerset)) return set_of_sets.cell()->items()[0];
  const Value sets = canonical(set_of_sets);
  if (!sets.is(Type::set)) {
    throw ValueError(fmt::format("UNION {}: the set is infinite", shown(set_of_sets)));
  }
  std::vector<Value> elements;
  bool all_listed = true;
  for (const Value set : items_of(sets)) {
    require_set(set);
    all_listed = all_listed && set.is(Type::set);
    if (!all_listed) break;
    const std::span<const Value> items = items_of(set);
    elements.insert(elements.end(), items.begin(), items.end());
  }
  if (all_listed) return sets.cell()->size == 1 ? sets.cell()->items()[0] : set(elements);
  Value result = implementation_->empty_set;
  for (const Value set : items_of(sets)) result = set_union(result, set);
  return result;
}

}  // namespace dissensus::tla
