// Values as bytes: a tag, then a number, a length with bytes, or a length with items.
//
// Items of a canonical value are written in their order, which is that of every store: reading
// needs no sorting.
#include <cstring>

#include "tla/values/store_memory.h"

namespace dissensus::tla {
namespace {

constexpr std::uint8_t kFalse = 0xF0, kTrue = 0xF1, kSmallNumber = 0x40;
constexpr std::int64_t kSmallNumbers = 0x80;  // 0..127 take one byte

void write_number(std::uint64_t number, std::string& bytes) {
  while (number >= 0x80) {
    bytes += static_cast<char>(number | 0x80);
    number >>= 7;
  }
  bytes += static_cast<char>(number);
}

std::uint64_t read_number(const char*& position) {
  std::uint64_t number = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = static_cast<std::uint8_t>(*position++);
    number |= std::uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) return number;
  }
}

}  // namespace

void serialize(Value value, std::string& bytes) {
  if (value.is_boolean()) {
    bytes += static_cast<char>(value.truth() ? kTrue : kFalse);
    return;
  }
  if (value.is_integer()) {
    const std::int64_t number = value.number();
    if (number >= 0 && number < kSmallNumbers) {
      bytes += static_cast<char>(kSmallNumber + number);
      return;
    }
    bytes += static_cast<char>(Type::integer);
    write_number(static_cast<std::uint64_t>(number) << 1 ^ static_cast<std::uint64_t>(number >> 63),
                 bytes);
    return;
  }
  const Cell* cell = value.cell();
  bytes += static_cast<char>(cell->type);
  write_number(cell->size, bytes);
  if (cell->type == Type::text || cell->type == Type::model_value) {
    bytes += cell->bytes();
    return;
  }
  for (const Value item : items_of(value)) serialize(item, bytes);
}

Value deserialize(Store& store, const char*& position) {
  const auto tag = static_cast<std::uint8_t>(*position++);
  if (tag == kTrue || tag == kFalse) return Value::boolean(tag == kTrue);
  if (tag >= kSmallNumber) return Value::integer(tag - kSmallNumber);
  const auto type = static_cast<Type>(tag);
  const std::uint64_t number = read_number(position);
  if (type == Type::integer) {
    return Value::integer(static_cast<std::int64_t>(number >> 1) ^
                          -static_cast<std::int64_t>(number & 1));
  }
  CellMemory& memory = store.implementation_->memory;
  if (type == Type::text || type == Type::model_value) {
    const std::string_view text(position, number);
    position += number;
    return memory.text(type, text);
  }
  // Most values are short: no allocation for those.
  constexpr std::size_t kShort = 16;
  Value short_items[kShort];
  std::vector<Value> long_items;
  Value* items = short_items;
  if (number > kShort) {
    long_items.resize(number);
    items = long_items.data();
  }
  for (std::uint64_t i = 0; i < number; ++i) items[i] = deserialize(store, position);
  return memory.make(type, {items, number});
}

}  // namespace dissensus::tla
