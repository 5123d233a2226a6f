// Making values; tuples, records and functions.
#include <algorithm>

#include <fmt/format.h>

#include "tla/values/store_memory.h"

namespace dissensus::tla {
namespace {

void require_function(Value value) {
  if (!is_function(value.type())) {
    throw ValueError(fmt::format("expected a function, found {}", described(value)));
  }
}

void require_tuple(Value value) {
  if (!value.is(Type::tuple)) {
    throw ValueError(fmt::format("expected a sequence, found {}", described(value)));
  }
}

/// Sorts without the heap; most sets come nearly sorted.
void sort_elements(std::span<Value> elements) {
  constexpr std::size_t kInsertionMax = 24;
  const auto before = [](Value a, Value b) { return compare_values(a, b) < 0; };
  if (std::is_sorted(elements.begin(), elements.end(), before)) return;
  if (elements.size() > kInsertionMax) {
    std::sort(elements.begin(), elements.end(), before);
    return;
  }
  for (std::size_t i = 1; i < elements.size(); ++i) {
    const Value element = elements[i];
    std::size_t place = i;
    for (; place > 0 && before(element, elements[place - 1]); --place) {
      elements[place] = elements[place - 1];
    }
    elements[place] = element;
  }
}

/// The values made canonical; in the buffer only when one is lazy.
std::span<const Value> listed(Store& store, std::span<const Value> values,
                              std::vector<Value>& buffer) {
  const bool any_lazy = std::any_of(values.begin(), values.end(), [](Value value) {
    return value.is_cell() && is_lazy_set(value.cell()->type);
  });
  if (!any_lazy) return values;
  buffer.assign(values.begin(), values.end());
  for (Value& value : buffer) value = store.canonical(value);
  return buffer;
}

constexpr std::size_t kNowhere = ~std::size_t{0};

std::size_t position_in_domain(std::span<const Value> domain, Value argument) {
  if (argument.is_integer() && domain.front().is_integer() && domain.back().is_integer()) {
    const std::int64_t low = domain.front().number(), high = domain.back().number();
    if (argument.number() < low || argument.number() > high) return kNowhere;
    const auto offset = static_cast<std::size_t>(argument.number() - low);
    if (static_cast<std::uint64_t>(high - low) + 1 == domain.size()) return offset;
  }
  const std::size_t place = find_element(domain, argument);
  return place < domain.size() && domain[place] == argument ? place : kNowhere;
}

/// Index of the value among the cell's items; kNowhere when outside the domain.
std::size_t item_index(Value function, Value argument) {
  const Cell* cell = function.cell();
  if (cell->type == Type::tuple) {
    if (!argument.is_integer()) return kNowhere;
    const std::int64_t number = argument.number();
    return number >= 1 && static_cast<std::uint64_t>(number) <= cell->size
               ? static_cast<std::size_t>(number - 1)
               : kNowhere;
  }
  const std::size_t position = position_in_domain(items_of(cell->items()[0]), argument);
  return position == kNowhere ? kNowhere : position + 1;
}

bool is_one_to_n(std::span<const Value> domain) {
  const auto size = static_cast<std::int64_t>(domain.size());
  return domain.front() == Value::integer(1) && domain.back() == Value::integer(size);
}

}  // namespace

Store::Store(const StoreLimits& limits)
    : implementation_(std::make_unique<Implementation>(limits)) {
  CellMemory& memory = implementation_->memory;
  implementation_->empty_set = memory.make(Type::set, {});
  implementation_->empty_tuple = memory.make(Type::tuple, {});
  implementation_->naturals = memory.make(Type::naturals, {});
  implementation_->integers = memory.make(Type::integers, {});
  implementation_->strings = memory.make(Type::strings, {});
  implementation_->any = memory.make(Type::any, {});
}

Store::~Store() = default;

Value Store::text(std::string_view text) {
  return implementation_->memory.text(Type::text, text);
}

Value Store::model_value(std::string_view name) {
  return implementation_->memory.text(Type::model_value, name);
}

Value Store::empty_set() {
  return implementation_->empty_set;
}

Value Store::set(std::span<const Value> elements) {
  if (elements.empty()) return implementation_->empty_set;
  std::vector<Value> buffer;
  elements = listed(*this, elements, buffer);
  CellMemory& memory = implementation_->memory;
  Value* place = memory.begin(elements.size());
  std::copy(elements.begin(), elements.end(), place);
  sort_elements({place, elements.size()});
  const auto size = static_cast<std::size_t>(std::unique(place, place + elements.size()) - place);
  require_neighbours_comparable({place, size});
  return memory.finish(Type::set, size);
}

Value Store::tuple(std::span<const Value> items) {
  std::vector<Value> buffer;
  return implementation_->memory.make(Type::tuple, listed(*this, items, buffer));
}

Value Store::record(std::span<const Value> names, std::span<const Value> values) {
  if (names.empty()) return implementation_->empty_tuple;
  bool in_order = true;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!names[i].is(Type::text)) {
      throw ValueError("a field's name is a string, found " + described(names[i]));
    }
    in_order = in_order && (i == 0 || compare_values(names[i - 1], names[i]) < 0);
  }
  CellMemory& memory = implementation_->memory;
  if (in_order) return record_in_order(memory.make(Type::tuple, names), values);
  std::vector<std::pair<Value, Value>> fields;
  fields.reserve(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) fields.emplace_back(names[i], values[i]);
  std::sort(fields.begin(), fields.end(),
            [](const auto& a, const auto& b) { return compare_values(a.first, b.first) < 0; });
  std::vector<Value> sorted_names, sorted_values;
  for (const auto& [name, value] : fields) {
    if (!sorted_names.empty() && sorted_names.back() == name) {
      throw ValueError(fmt::format("the field {} is given twice", shown(name)));
    }
    sorted_names.push_back(name);
    sorted_values.push_back(value);
  }
  return record_in_order(memory.make(Type::tuple, sorted_names), sorted_values);
}

Value Store::record_in_order(Value names, std::span<const Value> values) {
  std::vector<Value> buffer;
  values = listed(*this, values, buffer);
  CellMemory& memory = implementation_->memory;
  Value* place = memory.begin(values.size() + 1);
  *place++ = names;
  std::copy(values.begin(), values.end(), place);
  return memory.finish(Type::record, values.size() + 1);
}

Value Store::function(Value domain, std::span<const Value> values) {
  domain = canonical(domain);
  if (!domain.is(Type::set)) {
    throw ValueError("the domain of a function is a finite set, found " + described(domain));
  }
  const std::span<const Value> arguments = items_of(domain);
  if (arguments.empty()) return implementation_->empty_tuple;
  if (is_one_to_n(arguments)) return tuple(values);
  CellMemory& memory = implementation_->memory;
  std::vector<Value> buffer;
  values = listed(*this, values, buffer);
  const bool is_record = std::all_of(arguments.begin(), arguments.end(),
                                     [](Value name) { return name.is(Type::text); });
  const Value first = is_record ? memory.make(Type::tuple, arguments) : domain;
  Value* place = memory.begin(values.size() + 1);
  place[0] = first;
  std::copy(values.begin(), values.end(), place + 1);
  return memory.finish(is_record ? Type::record : Type::function, values.size() + 1);
}

Value Store::singleton_function(Value argument, Value value) {
  const Value domain = set({&argument, 1});
  return function(domain, {&value, 1});
}

Value Store::merge_functions(Value first, Value second) {
  require_function(first);
  require_function(second);
  const Value joined = set_union(canonical(domain(first)), canonical(domain(second)));
  const std::span<const Value> arguments = items_of(canonical(joined));
  std::vector<Value> values;
  values.reserve(arguments.size());
  for (const Value argument : arguments) {
    const Value value = apply(first, argument);
    values.push_back(value.is_null() ? apply(second, argument) : value);
  }
  return function(canonical(joined), values);
}

Value Store::domain(Value function) {
  require_function(function);
  switch (function.cell()->type) {
    case Type::tuple:
      return interval(1, function.cell()->size);
    case Type::record: {
      const Value names = function.cell()->items()[0];
      return implementation_->memory.make(Type::set, items_of(names));
    }
    default:
      return function.cell()->items()[0];
  }
}

std::uint64_t Store::domain_size(Value function) {
  require_function(function);
  return values_of(function).size();
}

Value Store::apply(Value function, Value argument) {
  require_function(function);
  const std::size_t index = item_index(function, canonical(argument));
  return index == kNowhere ? Value() : function.cell()->items()[index];
}

Value Store::field(Value record, Value name) {
  return apply(record, name);
}

Value Store::with(Value function, Value argument, Value value) {
  require_function(function);
  const std::size_t index = item_index(function, canonical(argument));
  if (index == kNowhere) return {};
  value = canonical(value);
  const std::span<const Value> items = items_of(function);
  if (items[index] == value) return function;
  CellMemory& memory = implementation_->memory;
  Value* place = memory.begin(items.size());
  std::copy(items.begin(), items.end(), place);
  place[index] = value;
  return memory.finish(function.cell()->type, items.size());
}

Value Store::append(Value tuple, Value item) {
  require_tuple(tuple);
  item = canonical(item);
  return implementation_->memory.append(tuple, item);
}

Value Store::concatenate(Value a, Value b) {
  require_tuple(a);
  require_tuple(b);
  if (a.cell()->size == 0) return b;
  if (b.cell()->size == 0) return a;
  const std::span<const Value> front = items_of(a), back = items_of(b);
  CellMemory& memory = implementation_->memory;
  Value* place = memory.begin(front.size() + back.size());
  std::copy(back.begin(), back.end(), std::copy(front.begin(), front.end(), place));
  return memory.finish(Type::tuple, front.size() + back.size());
}

Value Store::subsequence(Value tuple, std::int64_t first, std::int64_t last) {
  require_tuple(tuple);
  if (last < first) return implementation_->empty_tuple;
  const std::span<const Value> items = items_of(tuple);
  if (first < 1 || static_cast<std::uint64_t>(last) > items.size()) {
    throw ValueError(fmt::format("SubSeq({}, {}, {}): the bounds must lie in 1..{}", shown(tuple),
                                 first, last, items.size()));
  }
  return implementation_->memory.make(Type::tuple,
                                      items.subspan(static_cast<std::size_t>(first - 1),
                                                    static_cast<std::size_t>(last - first + 1)));
}

Store::Mark Store::mark() {
  return implementation_->memory.mark();
}

void Store::release(const Mark& mark) {
  implementation_->listed.fill({});
  implementation_->memory.release(mark);
}

std::uint64_t Store::generation() const {
  return implementation_->memory.generation();
}

std::size_t Store::bytes() const {
  return implementation_->memory.bytes();
}

std::size_t Store::cells() const {
  return implementation_->memory.cells();
}

const StoreLimits& Store::limits() const {
  return implementation_->memory.limits();
}

}  // namespace dissensus::tla
