// Sets that are described instead of listed: SUBSET S, [S -> T], [a : S], S \X T, a..b.
//
// The order of each is the canonical one (Store::compare): subsets by size and then by their
// elements, functions, records and tuples by their values, the last one changing fastest.
#include <algorithm>

#include <fmt/format.h>

#include "tla/values/store_memory.h"

namespace dissensus::tla {
namespace {

constexpr std::uint64_t kCountMax = std::uint64_t{1} << 62;

[[noreturn]] void fail_count(Value set) {
  throw ValueError(fmt::format("the set {} has more than 2^62 elements", shown(set)));
}

std::uint64_t multiply(std::uint64_t a, std::uint64_t b, Value set) {
  if (b != 0 && a > kCountMax / b) fail_count(set);
  return a * b;
}

/// n over k; the result is known to fit since it is at most 2^n.
std::uint64_t binomial(std::uint64_t n, std::uint64_t k) {
  if (k > n) return 0;
  __extension__ using Wide = unsigned __int128;
  Wide result = 1;
  for (std::uint64_t i = 1; i <= std::min(k, n - k); ++i) result = result * (n - i + 1) / i;
  return static_cast<std::uint64_t>(result);
}

void require_set_argument(Value value, std::string_view where) {
  if (!is_set(value.type())) {
    throw ValueError(fmt::format("{}: expected a set, found {}", where, described(value)));
  }
}

/// How the elements of [S -> T], [a : S] and S \X T are made of their values.
struct Pattern {
  Type type = Type::tuple;
  Value head;  ///< the domain or the names; null: none
};

Pattern pattern_of(Value set, CellMemory& memory) {
  const Value* items = set.cell()->items();
  switch (set.type()) {
    case Type::record_set:
      return {Type::record, items[0]};
    case Type::function_set: {
      const std::span<const Value> domain = items_of(items[0]);
      if (domain.empty()) return {};
      const auto size = static_cast<std::int64_t>(domain.size());
      if (domain.front() == Value::integer(1) && domain.back() == Value::integer(size)) return {};
      const bool is_record =
          std::all_of(domain.begin(), domain.end(), [](Value name) { return name.is(Type::text); });
      if (is_record) return {Type::record, memory.make(Type::tuple, domain)};
      return {Type::function, items[0]};
    }
    default:
      return {};
  }
}

Value make_element(CellMemory& memory, const Pattern& pattern, std::span<const Value> values) {
  if (pattern.head.is_null()) return memory.make(Type::tuple, values);
  Value* place = memory.begin(values.size() + 1);
  *place++ = pattern.head;
  std::copy(values.begin(), values.end(), place);
  return memory.finish(pattern.type, values.size() + 1);
}

/// The set from which position `index` of an element comes, and how many positions there are.
std::size_t position_count(Value set) {
  switch (set.type()) {
    case Type::function_set:
      return set.cell()->items()[0].cell()->size;
    case Type::record_set:
      return set.cell()->size - 1;
    default:
      return set.cell()->size;
  }
}
Value choices_at(Value set, std::size_t index) {
  const Value* items = set.cell()->items();
  switch (set.type()) {
    case Type::function_set:
      return items[1];
    case Type::record_set:
      return items[index + 1];
    default:
      return items[index];
  }
}

}  // namespace

Value Store::interval(std::int64_t low, std::int64_t high) {
  if (low > high) return implementation_->empty_set;
  return implementation_->memory.make(Type::interval,
                                      std::array{Value::integer(low), Value::integer(high)});
}

Value Store::powerset(Value base) {
  require_set_argument(base, "SUBSET");
  return implementation_->memory.make(Type::powerset, {&base, 1});
}

Value Store::function_set(Value domain, Value range) {
  require_set_argument(domain, "[S -> T]");
  require_set_argument(range, "[S -> T]");
  domain = canonical(domain);
  return implementation_->memory.make(Type::function_set, std::array{domain, range});
}

Value Store::record_set(std::span<const Value> names, std::span<const Value> sets) {
  for (const Value set : sets) require_set_argument(set, "[a : S]");
  // A record that maps names to sets puts both in order.
  std::vector<std::pair<Value, Value>> fields;
  for (std::size_t i = 0; i < names.size(); ++i) fields.emplace_back(names[i], sets[i]);
  std::sort(fields.begin(), fields.end(),
            [](const auto& a, const auto& b) { return compare_values(a.first, b.first) < 0; });
  for (std::size_t i = 1; i < fields.size(); ++i) {
    if (fields[i].first == fields[i - 1].first) {
      throw ValueError(fmt::format("the field {} is given twice", shown(fields[i].first)));
    }
  }
  CellMemory& memory = implementation_->memory;
  Value* place = memory.begin(fields.size());
  for (const auto& field : fields) *place++ = field.first;
  const Value head = memory.finish(Type::tuple, fields.size());
  place = memory.begin(fields.size() + 1);
  *place++ = head;
  for (const auto& field : fields) *place++ = field.second;
  return memory.finish(Type::record_set, fields.size() + 1);
}

Value Store::product(std::span<const Value> sets) {
  for (const Value set : sets) require_set_argument(set, "\\X");
  return implementation_->memory.make(Type::product, sets);
}

Value Store::sequences(Value elements) {
  require_set_argument(elements, "Seq");
  return implementation_->memory.make(Type::sequences, {&elements, 1});
}

Value Store::naturals() {
  return implementation_->naturals;
}
Value Store::integers() {
  return implementation_->integers;
}
Value Store::strings() {
  return implementation_->strings;
}
Value Store::any() {
  return implementation_->any;
}

bool Store::is_finite(Value set) {
  require_set_argument(set, "IsFiniteSet");
  const std::span<const Value> items = items_of(set);
  switch (set.type()) {
    case Type::set:
    case Type::interval:
      return true;
    case Type::powerset:
      return is_finite(items[0]);
    case Type::function_set:
      return is_finite(items[0]) && (items[0].cell()->size == 0 || is_finite(items[1]));
    case Type::record_set:
      return std::all_of(items.begin() + 1, items.end(),
                         [&](Value part) { return is_finite(part); });
    case Type::product:
    case Type::set_union:
      return std::all_of(items.begin(), items.end(), [&](Value part) { return is_finite(part); });
    default:
      return false;
  }
}

std::uint64_t Store::cardinality(Value set) {
  require_set_argument(set, "Cardinality");
  const Cell* cell = set.cell();
  switch (cell->type) {
    case Type::set:
      return cell->size;
    case Type::interval:
      return static_cast<std::uint64_t>(cell->items()[1].number() - cell->items()[0].number()) + 1;
    case Type::powerset: {
      const std::uint64_t size = cardinality(cell->items()[0]);
      if (size > 62) fail_count(set);
      return std::uint64_t{1} << size;
    }
    case Type::function_set:
    case Type::record_set:
    case Type::product: {
      if (!is_finite(set)) break;
      std::uint64_t count = 1;
      for (std::size_t i = 0; i < position_count(set) && count != 0; ++i) {
        count = multiply(count, cardinality(choices_at(set, i)), set);
        // The same factor again and again: 0 and 1 stay what they are.
        if (cell->type == Type::function_set && count <= 1) break;
      }
      return count;
    }
    case Type::set_union:
      if (is_finite(set)) return list(set).cell()->size;
      break;
    default:
      break;
  }
  throw ValueError(
      fmt::format("the set {} is infinite: its elements cannot be counted or listed", shown(set)));
}

Value Store::element(Value set, std::uint64_t index) {
  const std::uint64_t count = cardinality(set);
  if (index >= count)
    throw ValueError(fmt::format("the set {} has no element {}", shown(set), index));
  CellMemory& memory = implementation_->memory;
  const Value* items = set.cell()->items();
  switch (set.type()) {
    case Type::set:
      return items[index];
    case Type::interval:
      return Value::integer(items[0].number() + static_cast<std::int64_t>(index));
    case Type::powerset: {
      const Value base = canonical(items[0]);
      const std::span<const Value> elements = items_of(base);
      std::uint64_t size = 0;
      while (index >= binomial(elements.size(), size)) index -= binomial(elements.size(), size++);
      Value* place = memory.begin(size);
      std::uint64_t chosen = 0;
      for (std::size_t next = 0; chosen < size; ++next) {
        const std::uint64_t with_next = binomial(elements.size() - next - 1, size - chosen - 1);
        if (index < with_next) {
          place[chosen++] = elements[next];
        } else {
          index -= with_next;
        }
      }
      return memory.finish(Type::set, size);
    }
    case Type::function_set:
    case Type::record_set:
    case Type::product: {
      std::vector<Value> values(position_count(set));
      for (std::size_t i = values.size(); i-- > 0;) {
        const Value choices = choices_at(set, i);
        const std::uint64_t radix = cardinality(choices);
        values[i] = canonical(element(choices, index % radix));
        index /= radix;
      }
      return make_element(memory, pattern_of(set, memory), values);
    }
    default:
      return items_of(list(set))[index];
  }
}

Value Store::list(Value lazy_set) {
  if (!is_finite(lazy_set)) return lazy_set;
  Implementation::Listed& slot = implementation_->listed_slot(lazy_set);
  if (slot.lazy == lazy_set) return slot.list;
  CellMemory& memory = implementation_->memory;
  Value result;
  if (lazy_set.is(Type::set_union)) {
    std::vector<Value> elements;
    for (const Value part : items_of(lazy_set)) {
      const std::span<const Value> items = items_of(canonical(part));
      elements.insert(elements.end(), items.begin(), items.end());
    }
    result = set(elements);
  } else {
    const std::uint64_t count = cardinality(lazy_set);
    if (count > memory.limits().set_elements) {
      throw ValueError(fmt::format("the set {} has {} elements, more than the limit of {}",
                                   shown(lazy_set), count, memory.limits().set_elements));
    }
    if (lazy_set.is(Type::interval)) {
      const std::int64_t low = lazy_set.cell()->items()[0].number();
      Value* place = memory.begin(count);
      for (std::uint64_t i = 0; i < count; ++i) {
        *place++ = Value::integer(low + static_cast<std::int64_t>(i));
      }
      result = memory.finish(Type::set, count);
    } else {
      std::vector<Value> elements;
      elements.reserve(count);
      SetCursor cursor(*this, lazy_set);
      Value element;
      while (cursor.next(element)) elements.push_back(element);
      result = memory.make(Type::set, elements);
    }
  }
  // Looked up again: listing the parts may have used the slot.
  implementation_->listed_slot(lazy_set) = {lazy_set, result};
  return result;
}

struct SetCursor::Lazy {
  Lazy(CellMemory& cell_memory, Value lazy_set) : memory(cell_memory), set(lazy_set) {}

  CellMemory& memory;
  Value set;
  bool is_first = true;
  bool at_end = false;
  std::vector<std::span<const Value>> choices;  ///< per position; of SUBSET: the base alone
  std::vector<std::size_t> digits;
  std::vector<Value> values;
  Pattern pattern;

  bool next_subset(Value& element);
  bool next_combination(Value& element);
};

SetCursor::SetCursor(Store& store, Value set) {
  require_set_argument(set, "expected a set to go through");
  const Type type = set.type();
  if (type == Type::interval) {
    number_ = set.cell()->items()[0].number();
    number_end_ = set.cell()->items()[1].number();
    return;
  }
  if (type != Type::set && !store.is_finite(set)) {
    throw ValueError(
        fmt::format("the set {} is infinite: its elements cannot be listed", shown(set)));
  }
  if (type == Type::set || type == Type::set_union) {
    const std::span<const Value> elements = items_of(store.canonical(set));
    plain_ = elements.data();
    plain_end_ = plain_ + elements.size();
    return;
  }
  CellMemory& memory = store.implementation_->memory;
  lazy_ = std::make_unique<Lazy>(memory, set);
  if (type == Type::powerset) {
    lazy_->choices.push_back(items_of(store.canonical(set.cell()->items()[0])));
    return;
  }
  const std::size_t positions = position_count(set);
  for (std::size_t i = 0; i < positions; ++i) {
    lazy_->choices.push_back(items_of(store.canonical(choices_at(set, i))));
    if (lazy_->choices.back().empty()) lazy_->at_end = true;
  }
  lazy_->digits.resize(positions);
  lazy_->values.resize(positions);
  lazy_->pattern = pattern_of(set, memory);
}

SetCursor::~SetCursor() = default;

bool SetCursor::next_lazy(Value& element) {
  return lazy_->set.is(Type::powerset) ? lazy_->next_subset(element)
                                       : lazy_->next_combination(element);
}

bool SetCursor::Lazy::next_subset(Value& element) {
  if (at_end) return false;
  const std::span<const Value> base = choices.front();
  const std::size_t size = digits.size();
  if (is_first) {
    is_first = false;
  } else {
    // The next combination of this size in lexicographic order, or the first of the next size.
    std::size_t place = size;
    while (place > 0 && digits[place - 1] == base.size() - size + place - 1) --place;
    if (place > 0) {
      ++digits[place - 1];
      for (std::size_t i = place; i < size; ++i) digits[i] = digits[i - 1] + 1;
    } else if (size == base.size()) {
      at_end = true;
      return false;
    } else {
      digits.resize(size + 1);
      for (std::size_t i = 0; i < digits.size(); ++i) digits[i] = i;
    }
  }
  Value* target = memory.begin(digits.size());
  for (const std::size_t digit : digits) *target++ = base[digit];
  element = memory.finish(Type::set, digits.size());
  return true;
}

bool SetCursor::Lazy::next_combination(Value& element) {
  if (at_end) return false;
  if (is_first) {
    is_first = false;
    for (std::size_t i = 0; i < digits.size(); ++i) values[i] = choices[i].front();
  } else {
    std::size_t place = digits.size();
    while (place > 0 && digits[place - 1] + 1 == choices[place - 1].size()) {
      digits[--place] = 0;
      values[place] = choices[place].front();
    }
    if (place == 0) {
      at_end = true;
      return false;
    }
    values[place - 1] = choices[place - 1][++digits[place - 1]];
  }
  element = make_element(memory, pattern, values);
  return true;
}

}  // namespace dissensus::tla
