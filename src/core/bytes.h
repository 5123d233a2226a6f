// The codec of all bytes that programs of ours write for each other: rows of the store, work for
// other machines, orders to worker processes, journals, values of models, disks of simulated nodes.
// Numbers take as many bytes as they need. Described records (core/describe.h) are written by
// put(), and read by take().
#pragma once

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "dissensus/digest.h"
#include "dissensus/options.h"

#include "core/describe.h"

namespace dissensus {

static_assert(std::endian::native == std::endian::little);

/// Seven bits per byte, low ones first; the highest bit says that more follow.
inline void append_number(std::string& bytes, std::uint64_t value) {
  char buffer[10];
  std::size_t size = 0;
  for (; value >= 0x80; value >>= 7) buffer[size++] = static_cast<char>(value | 0x80);
  buffer[size++] = static_cast<char>(value);
  bytes.append(buffer, size);
}
/// Small ones of either sign take few bytes.
inline void append_signed_number(std::string& bytes, std::int64_t value) {
  append_number(bytes,
                static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63));
}

/// Writes.
class ByteWriter {
 public:
  void number(std::uint64_t value) { append_number(bytes_, value); }
  void signed_number(std::int64_t value) { append_signed_number(bytes_, value); }
  /// As many bytes as the type has, the low one first.
  template <class Whole>
  requires(std::is_integral_v<Whole> || std::is_enum_v<Whole>) void fixed(Whole value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void real(double value) { fixed(std::bit_cast<std::uint64_t>(value)); }
  void text(std::string_view text) { bytes_ += text; }
  /// With its length before it.
  void counted_text(std::string_view text) {
    number(text.size());
    bytes_ += text;
  }
  void reserve(std::size_t more) { bytes_.reserve(bytes_.size() + more); }
  const std::string& bytes() const { return bytes_; }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Reads; throws InputError that begins with `name` where the bytes are none that were written.
class ByteReader {
 public:
  ByteReader(std::string_view bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {}
  [[noreturn]] void fail() const { throw InputError(name_ + ": the bytes are damaged"); }
  std::uint8_t byte() {
    if (bytes_.empty()) fail();
    const auto byte = static_cast<std::uint8_t>(bytes_.front());
    bytes_.remove_prefix(1);
    return byte;
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    const std::size_t most = std::min<std::size_t>(bytes_.size(), 10);
    for (std::size_t i = 0; i < most; ++i) {
      const auto next = static_cast<std::uint8_t>(bytes_[i]);
      value |= std::uint64_t{next & 0x7Fu} << (7 * i);
      if (next >= 0x80) continue;
      bytes_.remove_prefix(i + 1);
      return value;
    }
    fail();
  }
  std::int64_t signed_number() {
    const std::uint64_t value = number();
    return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
  }
  /// A number that the type can hold.
  template <class Whole>
  Whole number_as() {
    const std::uint64_t value = number();
    if (value > static_cast<std::uint64_t>(std::numeric_limits<Whole>::max())) fail();
    return static_cast<Whole>(value);
  }
  template <class Whole>
  requires(std::is_integral_v<Whole> || std::is_enum_v<Whole>) Whole fixed() {
    const std::string_view bytes = text(sizeof(Whole));
    Whole value{};
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  double real() { return std::bit_cast<double>(fixed<std::uint64_t>()); }
  std::string_view counted_text() { return text(number()); }
  std::string_view text(std::uint64_t size) {
    if (size > bytes_.size()) fail();
    const std::string_view text = bytes_.substr(0, static_cast<std::size_t>(size));
    bytes_.remove_prefix(text.size());
    return text;
  }
  /// What the next bytes hold.
  ByteReader part(std::uint64_t size) { return {text(size), name_}; }
  /// A number of things to come, each of at least one byte.
  std::size_t count() {
    const std::uint64_t value = number();
    if (value > bytes_.size()) fail();
    return static_cast<std::size_t>(value);
  }
  bool is_at_end() const { return bytes_.empty(); }
  std::string_view rest() const { return bytes_; }

 private:
  std::string_view bytes_;
  std::string name_;
};

template <class Visit>
constexpr void fields_of(const Digest*, const Visit& visit) {
  visit("high", &Digest::high, Form::fixed);
  visit("low", &Digest::low, Form::fixed);
}

namespace internal {

template <class>
inline constexpr bool kIsDuration = false;
template <class Rep, class Period>
inline constexpr bool kIsDuration<std::chrono::duration<Rep, Period>> = true;
template <class>
inline constexpr bool kIsTime = false;
template <class Clock, class Length>
inline constexpr bool kIsTime<std::chrono::time_point<Clock, Length>> = true;
template <class>
inline constexpr bool kIsVector = false;
template <class Item>
inline constexpr bool kIsVector<std::vector<Item>> = true;
template <class>
inline constexpr bool kIsMap = false;
template <class Key, class Value>
inline constexpr bool kIsMap<std::map<Key, Value>> = true;
template <class>
inline constexpr bool kIsPair = false;
template <class First, class Second>
inline constexpr bool kIsPair<std::pair<First, Second>> = true;
template <class>
inline constexpr bool kIsOptional = false;
template <class Value>
inline constexpr bool kIsOptional<std::optional<Value>> = true;
template <class>
inline constexpr bool kIsVariant = false;
template <class... Values>
inline constexpr bool kIsVariant<std::variant<Values...>> = true;
template <class>
inline constexpr bool kNever = false;

}  // namespace internal

template <class Value>
void put(ByteWriter& writer, const Value& value, Form form = Form::usual) {
  using namespace internal;
  if constexpr (Described<Value>) {
    for_each_field(value,
                   [&](const auto& member, const auto& field) { put(writer, member, field.form); });
  } else if constexpr (std::is_same_v<Value, std::monostate>) {
  } else if constexpr (std::is_same_v<Value, bool> || Counted<Value>) {
    writer.number(static_cast<std::uint64_t>(value));
  } else if constexpr (std::is_integral_v<Value>) {
    if (form == Form::fixed) {
      writer.fixed(value);
    } else {
      writer.number(static_cast<std::uint64_t>(value));
    }
  } else if constexpr (std::is_same_v<Value, double>) {
    writer.real(value);
  } else if constexpr (std::is_same_v<Value, std::string>) {
    writer.counted_text(value);
  } else if constexpr (kIsDuration<Value>) {
    put(writer, value.count(), form);
  } else if constexpr (kIsTime<Value>) {
    put(writer, value.time_since_epoch(), form);
  } else if constexpr (kIsVector<Value> || kIsMap<Value>) {
    writer.number(value.size());
    for (const auto& item : value) put(writer, item, form);
  } else if constexpr (kIsPair<Value>) {
    put(writer, value.first, form);
    put(writer, value.second, form);
  } else if constexpr (kIsOptional<Value>) {
    put(writer, value.has_value());
    if (value) put(writer, *value, form);
  } else if constexpr (kIsVariant<Value>) {
    writer.number(value.index());
    std::visit([&](const auto& held) { put(writer, held, form); }, value);
  } else {
    static_assert(kNever<Value>, "put : no way to write this as bytes");
  }
}

template <class Value>
void take(ByteReader& reader, Value& value, Form form = Form::usual);

namespace internal {

template <class Map>
void take_map(ByteReader& reader, Map& map, Form form) {
  map.clear();
  for (std::size_t left = reader.count(); left > 0; --left) {
    typename Map::key_type key{};
    take(reader, key, form);
    take(reader, map[std::move(key)], form);
  }
}

template <class Variant, std::size_t Index = 0>
void take_alternative(ByteReader& reader, Variant& variant, std::uint64_t index, Form form) {
  if constexpr (Index == std::variant_size_v<Variant>) {
    reader.fail();
  } else if (index == Index) {
    take(reader, variant.template emplace<Index>(), form);
  } else {
    take_alternative<Variant, Index + 1>(reader, variant, index, form);
  }
}

}  // namespace internal

/// The inverse of put.
template <class Value>
void take(ByteReader& reader, Value& value, Form form) {
  using namespace internal;
  if constexpr (Described<Value>) {
    for_each_field(value,
                   [&](auto& member, const auto& field) { take(reader, member, field.form); });
  } else if constexpr (std::is_same_v<Value, std::monostate>) {
  } else if constexpr (std::is_same_v<Value, bool>) {
    const std::uint64_t number = reader.number();
    if (number > 1) reader.fail();
    value = number != 0;
  } else if constexpr (Counted<Value>) {
    const std::uint64_t number = reader.number();
    if (number > static_cast<std::uint64_t>(last_of(Value{}))) reader.fail();
    value = static_cast<Value>(number);
  } else if constexpr (std::is_integral_v<Value>) {
    if (form == Form::fixed) {
      value = reader.fixed<Value>();
    } else if constexpr (std::is_signed_v<Value>) {
      const auto number = static_cast<std::int64_t>(reader.number());
      value = static_cast<Value>(number);
      if (value != number) reader.fail();
    } else {
      value = reader.number_as<Value>();
    }
  } else if constexpr (std::is_same_v<Value, double>) {
    value = reader.real();
  } else if constexpr (std::is_same_v<Value, std::string>) {
    value = reader.counted_text();
  } else if constexpr (kIsDuration<Value>) {
    typename Value::rep count{};
    take(reader, count, form);
    value = Value(count);
  } else if constexpr (kIsTime<Value>) {
    typename Value::duration since{};
    take(reader, since, form);
    value = Value(since);
  } else if constexpr (kIsVector<Value>) {
    value.resize(reader.count());
    for (auto& item : value) take(reader, item, form);
  } else if constexpr (kIsMap<Value>) {
    take_map(reader, value, form);
  } else if constexpr (kIsPair<Value>) {
    take(reader, value.first, form);
    take(reader, value.second, form);
  } else if constexpr (kIsOptional<Value>) {
    bool has_value = false;
    take(reader, has_value);
    value.reset();
    if (has_value) take(reader, value.emplace(), form);
  } else if constexpr (kIsVariant<Value>) {
    take_alternative(reader, value, reader.number(), form);
  } else {
    static_assert(kNever<Value>, "take : no way to read this from bytes");
  }
}

template <class Value>
std::string to_bytes(const Value& value) {
  ByteWriter writer;
  put(writer, value);
  return writer.take();
}

/// Throws InputError that begins with `name` where the bytes are anything else than one value.
template <class Value>
Value from_bytes(std::string_view bytes, std::string name) {
  ByteReader reader(bytes, std::move(name));
  Value value{};
  take(reader, value);
  if (!reader.is_at_end()) reader.fail();
  return value;
}

}  // namespace dissensus
