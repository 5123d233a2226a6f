// Values as bytes: a tag, then a number, a length with bytes, or a length with items.
//
// Items of a canonical value are written in their order, which is that of every store: reading
// needs no sorting.
#include "core/bytes.h"
#include "tla/values/store_memory.h"

namespace dissensus::tla {
namespace {

constexpr std::uint8_t kFalse = 0xF0, kTrue = 0xF1, kSmallNumber = 0x40;
constexpr std::int64_t kSmallNumbers = 0x80;  // 0..127 take one byte

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
    append_signed_number(bytes, number);
    return;
  }
  const Cell* cell = value.cell();
  bytes += static_cast<char>(cell->type);
  append_number(bytes, cell->size);
  if (cell->type == Type::text || cell->type == Type::model_value) {
    bytes += cell->bytes();
    return;
  }
  for (const Value item : items_of(value)) serialize(item, bytes);
}

Value deserialize(Store& store, ByteReader& reader) {
  const std::uint8_t tag = reader.byte();
  if (tag == kTrue || tag == kFalse) return Value::boolean(tag == kTrue);
  if (tag >= kSmallNumber) return Value::integer(tag - kSmallNumber);
  const auto type = static_cast<Type>(tag);
  if (type == Type::integer) return Value::integer(reader.signed_number());
  CellMemory& memory = store.implementation_->memory;
  if (type == Type::text || type == Type::model_value) {
    return memory.text(type, reader.counted_text());
  }
  const std::size_t number = reader.count();
  // Most values are short: no allocation for those.
  constexpr std::size_t kShort = 16;
  Value short_items[kShort];
  std::vector<Value> long_items;
  Value* items = short_items;
  if (number > kShort) {
    long_items.resize(number);
    items = long_items.data();
  }
  for (std::size_t i = 0; i < number; ++i) items[i] = deserialize(store, reader);
  return memory.make(type, {items, number});
}

Value copied(Store& to, Value value) {
  if (!value.is_cell()) return value;
  std::string bytes;
  serialize(value, bytes);
  ByteReader reader(bytes, "a value");
  return deserialize(to, reader);
}

}  // namespace dissensus::tla
