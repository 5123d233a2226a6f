#include "systems/live/wire/serialized_object.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace dissensus::live {

namespace {
enum FieldType : std::uint8_t {
  kAmountType = 6,
  kVariableType = 7,
  kAccountType = 8,
  kObjectType = 14,
  kArrayType = 15,
  kPathSetType = 18,
  kVectorType = 19,
};
constexpr FieldId kObjectEnd{kObjectType, 1};
constexpr FieldId kArrayEnd{kArrayType, 1};
constexpr int kDepthMax = 16;
constexpr std::size_t kVariableBytesMax = 918744;

/// Bytes of the types whose length is fixed; 0 for all others.
constexpr std::array<std::uint8_t, 27> kFixedBytes = [] {
  std::array<std::uint8_t, 27> sizes{};
  sizes[1] = 2;    // 16-bit number
  sizes[2] = 4;    // 32-bit number
  sizes[3] = 8;    // 64-bit number
  sizes[4] = 16;   // 128-bit hash
  sizes[5] = 32;   // 256-bit hash
  sizes[9] = 12;   // decimal number
  sizes[10] = 4;   // signed 32-bit number
  sizes[16] = 1;   // 8-bit number
  sizes[17] = 20;  // 160-bit hash
  sizes[20] = 12;  // 96, 192, 384 and 512 bits
  sizes[21] = 24;
  sizes[22] = 48;
  sizes[23] = 64;
  sizes[26] = 20;  // currency
  return sizes;
}();

bool has_length(std::uint8_t type) {
  return type == kVariableType || type == kAccountType || type == kVectorType;
}

class Cursor {
 public:
  explicit Cursor(ByteView bytes) : bytes_(bytes) {}

  bool at_end() const { return place_ == bytes_.size(); }
  std::size_t place() const { return place_; }
  std::uint8_t peek() const {
    if (at_end()) throw WireError("serialized object: ends within a field");
    return bytes_[place_];
  }
  std::uint8_t byte() { return take(1)[0]; }
  ByteView take(std::size_t size) {
    if (bytes_.size() - place_ < size) throw WireError("serialized object: ends within a field");
    place_ += size;
    return bytes_.subspan(place_ - size, size);
  }
  ByteView since(std::size_t start) const { return bytes_.subspan(start, place_ - start); }

 private:
  ByteView bytes_;
  std::size_t place_ = 0;
};

std::uint8_t long_code(Cursor& cursor) {
  const std::uint8_t code = cursor.byte();
  if (code < 16) throw WireError("serialized object: field header is not in its shortest form");
  return code;
}

FieldId read_header(Cursor& cursor) {
  const std::uint8_t first = cursor.byte();
  FieldId id{static_cast<std::uint8_t>(first >> 4), static_cast<std::uint8_t>(first & 15)};
  if (id.type == 0) id.type = long_code(cursor);
  if (id.number == 0) id.number = long_code(cursor);
  return id;
}

std::size_t read_length(Cursor& cursor) {
  const std::size_t first = cursor.byte();
  if (first <= 192) return first;
  if (first <= 240) return 193 + (first - 193) * 256 + cursor.byte();
  if (first == 255) throw WireError("serialized object: a length begins with 255");
  const std::size_t second = cursor.byte();
  return 12481 + (first - 241) * 65536 + second * 256 + cursor.byte();
}

void skip_amount(Cursor& cursor) {
  constexpr std::uint8_t kIssued = 0x80;
  constexpr std::uint8_t kMultiPurpose = 0x20;
  const std::uint8_t first = cursor.peek();
  const bool multi_purpose = (first & kMultiPurpose) != 0;
  cursor.take((first & kIssued) != 0 ? 48 : multi_purpose ? 33 : 8);
}

void skip_path_set(Cursor& cursor) {
  constexpr std::uint8_t kNextPath = 0xFF;
  constexpr std::size_t kPartBytes = 20;
  for (std::uint8_t step = cursor.byte(); step != 0; step = cursor.byte()) {
    if (step == kNextPath) continue;
    for (const int part : {0x01, 0x10, 0x20}) {  // account, currency, issuer
      if ((step & part) != 0) cursor.take(kPartBytes);
    }
  }
}

void skip_content(Cursor& cursor, FieldId id, int depth);

/// Fields up to and with the end mark.
void skip_fields(Cursor& cursor, FieldId end, int depth) {
  if (depth > kDepthMax) throw WireError("serialized object: nested too deeply");
  for (FieldId id = read_header(cursor); id != end; id = read_header(cursor)) {
    skip_content(cursor, id, depth);
  }
}

void skip_content(Cursor& cursor, FieldId id, int depth) {
  const std::size_t fixed = id.type < kFixedBytes.size() ? kFixedBytes[id.type] : 0;
  if (fixed != 0) {
    cursor.take(fixed);
  } else if (has_length(id.type)) {
    cursor.take(read_length(cursor));
  } else if (id == kObjectEnd || id == kArrayEnd) {
    throw WireError("serialized object: an end mark without a beginning");
  } else if (id.type == kAmountType) {
    skip_amount(cursor);
  } else if (id.type == kPathSetType) {
    skip_path_set(cursor);
  } else if (id.type == kObjectType) {
    skip_fields(cursor, kObjectEnd, depth + 1);
  } else if (id.type == kArrayType) {
    skip_fields(cursor, kArrayEnd, depth + 1);
  } else {
    throw WireError(
        fmt::format("serialized object: field {} of unknown type {}", id.number, id.type));
  }
}

SerializedObject::Field read_field(Cursor& cursor) {
  SerializedObject::Field result{read_header(cursor), {}};
  ByteView content;
  if (has_length(result.id.type)) {
    content = cursor.take(read_length(cursor));
  } else {
    const std::size_t start = cursor.place();
    skip_content(cursor, result.id, 0);
    content = cursor.since(start);
  }
  result.content.assign(content.begin(), content.end());
  return result;
}

void write_header(Bytes& out, FieldId id) {
  const bool short_type = id.type < 16;
  const bool short_number = id.number < 16;
  const int high = short_type ? id.type : 0;
  out.push_back(static_cast<std::uint8_t>(high << 4 | (short_number ? id.number : 0)));
  if (!short_type) out.push_back(id.type);
  if (!short_number) out.push_back(id.number);
}

void write_length(Bytes& out, std::size_t length) {
  if (length <= 192) {
    out.push_back(static_cast<std::uint8_t>(length));
  } else if (length <= 12480) {
    append_number(out, static_cast<std::uint16_t>((193U << 8) + (length - 193)));
  } else if (length <= kVariableBytesMax) {
    const std::size_t rest = length - 12481;
    out.push_back(static_cast<std::uint8_t>(241 + (rest >> 16)));
    append_number(out, static_cast<std::uint16_t>(rest & 0xFFFF));
  } else {
    throw WireError(fmt::format("serialized object: a field of {} bytes does not fit", length));
  }
}

void write_field(Bytes& out, const SerializedObject::Field& item) {
  write_header(out, item.id);
  if (has_length(item.id.type)) {
    append_with_length(out, item.content);
  } else {
    append(out, item.content);
  }
}

template <std::unsigned_integral Number>
std::optional<Number> number_in(const Bytes* content) {
  if (content == nullptr || content->size() != sizeof(Number)) return std::nullopt;
  return read_number<Number>(*content);
}

template <std::unsigned_integral Number>
Bytes bytes_of(Number value) {
  Bytes bytes;
  append_number(bytes, value);
  return bytes;
}
}  // namespace

void append_with_length(Bytes& out, ByteView content) {
  write_length(out, content.size());
  append(out, content);
}

SerializedObject SerializedObject::parse(ByteView bytes) {
  SerializedObject object;
  Cursor cursor(bytes);
  while (!cursor.at_end()) {
    Field next = read_field(cursor);
    if (object.find(next.id) != nullptr) {
      throw WireError(fmt::format("serialized object: field {} of type {} comes twice",
                                  next.id.number, next.id.type));
    }
    object.fields_.push_back(std::move(next));
  }
  return object;
}

SerializedObject SerializedObject::parse_prefix(ByteView bytes) {
  SerializedObject object;
  Cursor cursor(bytes);
  std::size_t understood = 0;
  try {
    while (!cursor.at_end()) {
      Field next = read_field(cursor);
      if (object.find(next.id) != nullptr) break;
      object.fields_.push_back(std::move(next));
      understood = cursor.place();
    }
  } catch (const WireError&) {
    // The caller wants what came before.
  }
  const ByteView rest = bytes.subspan(understood);
  object.rest_.assign(rest.begin(), rest.end());
  return object;
}

bool SerializedObject::is_canonical() const {
  return std::is_sorted(fields_.begin(), fields_.end(),
                        [](const Field& a, const Field& b) { return a.id < b.id; });
}

const Bytes* SerializedObject::find(FieldId id) const {
  const auto found = std::find_if(fields_.begin(), fields_.end(),
                                  [&](const Field& item) { return item.id == id; });
  return found == fields_.end() ? nullptr : &found->content;
}

std::optional<std::uint16_t> SerializedObject::number16(FieldId id) const {
  return number_in<std::uint16_t>(find(id));
}

std::optional<std::uint32_t> SerializedObject::number32(FieldId id) const {
  return number_in<std::uint32_t>(find(id));
}

std::optional<std::uint64_t> SerializedObject::number64(FieldId id) const {
  return number_in<std::uint64_t>(find(id));
}

std::optional<Hash256> SerializedObject::hash(FieldId id) const {
  const Bytes* content = find(id);
  return content == nullptr ? std::nullopt : Hash256::from_bytes(*content);
}

void SerializedObject::set(FieldId id, ByteView content) {
  const auto same = std::find_if(fields_.begin(), fields_.end(),
                                 [&](const Field& item) { return item.id == id; });
  if (same != fields_.end()) {
    same->content.assign(content.begin(), content.end());
    return;
  }
  const auto after =
      std::find_if(fields_.begin(), fields_.end(), [&](const Field& item) { return item.id > id; });
  fields_.insert(after, Field{id, Bytes(content.begin(), content.end())});
}

void SerializedObject::set_number(FieldId id, std::uint16_t value) {
  set(id, bytes_of(value));
}

void SerializedObject::set_number(FieldId id, std::uint32_t value) {
  set(id, bytes_of(value));
}

void SerializedObject::set_number(FieldId id, std::uint64_t value) {
  set(id, bytes_of(value));
}

void SerializedObject::remove(FieldId id) {
  std::erase_if(fields_, [&](const Field& item) { return item.id == id; });
}

Bytes SerializedObject::serialize() const {
  Bytes out;
  for (const Field& item : fields_) write_field(out, item);
  append(out, rest_);
  return out;
}

Bytes SerializedObject::serialize_without(FieldId left_out) const {
  std::vector<const Field*> sorted;
  for (const Field& item : fields_) {
    if (item.id != left_out) sorted.push_back(&item);
  }
  std::sort(sorted.begin(), sorted.end(),
            [](const Field* a, const Field* b) { return a->id < b->id; });
  Bytes out;
  for (const Field* item : sorted) write_field(out, *item);
  append(out, rest_);
  return out;
}

}  // namespace dissensus::live
