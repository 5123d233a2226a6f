// Compact bytes for the store (docs/formats/store.md): numbers take as many bytes as they need.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dissensus/options.h"

namespace dissensus::hunt {

/// Writes.
class ByteWriter {
 public:
  /// Seven bits per byte, low ones first; the highest bit says that more follow.
  void number(std::uint64_t value) {
    while (value >= 0x80) {
      bytes_.push_back(static_cast<char>(value | 0x80));
      value >>= 7;
    }
    bytes_.push_back(static_cast<char>(value));
  }
  void real(double value) { fixed(std::bit_cast<std::uint64_t>(value)); }
  void numbers(const std::vector<std::uint32_t>& values) {
    bytes_.reserve(bytes_.size() + values.size() * 2 + 16);
    number(values.size());
    for (const std::uint32_t value : values) number(value);
  }
  void text(std::string_view text) { bytes_ += text; }
  /// With its length before it.
  void counted_text(std::string_view text) {
    number(text.size());
    bytes_ += text;
  }
  void fixed(std::uint64_t bits) {
    for (int i = 0; i < 8; ++i, bits >>= 8) bytes_.push_back(static_cast<char>(bits & 0xFF));
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Reads; throws InputError that begins with `name` where the bytes are none that were written.
class ByteReader {
 public:
  ByteReader(std::string_view bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {}
  [[noreturn]] void fail() const { throw InputError(name_ + ": the bytes are damaged"); }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const std::uint64_t byte = next();
      value |= (byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    fail();
  }
  std::uint32_t small_number() {
    const std::uint64_t value = number();
    if (value > UINT32_MAX) fail();
    return static_cast<std::uint32_t>(value);
  }
  std::uint64_t fixed() {
    std::uint64_t bits = 0;
    for (int i = 0; i < 8; ++i) bits |= std::uint64_t{next()} << (8 * i);
    return bits;
  }
  double real() { return std::bit_cast<double>(fixed()); }
  std::string_view counted_text() {
    const std::string_view text = bytes_.substr(0, count());
    bytes_.remove_prefix(text.size());
    return text;
  }
  bool is_at_end() const { return bytes_.empty(); }
  std::size_t count() {
    const std::uint64_t value = number();
    if (value > bytes_.size()) fail();  // every element takes a byte at least
    return static_cast<std::size_t>(value);
  }
  std::vector<std::uint32_t> numbers() {
    std::vector<std::uint32_t> values(count());
    for (std::uint32_t& value : values) value = small_number();
    return values;
  }
  std::string_view rest() const { return bytes_; }

 private:
  std::uint8_t next() {
    if (bytes_.empty()) fail();
    const auto byte = static_cast<std::uint8_t>(bytes_.front());
    bytes_.remove_prefix(1);
    return byte;
  }
  std::string_view bytes_;
  std::string name_;
};

}  // namespace dissensus::hunt
