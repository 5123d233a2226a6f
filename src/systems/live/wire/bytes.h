// Byte strings, 256-bit hashes, their text forms, and big-endian numbers.
#pragma once

#include <array>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dissensus::live {

using Bytes = std::vector<std::uint8_t>;
using ByteView = std::span<const std::uint8_t>;

/// Identity of a ledger, transaction, transaction set or tree node.
struct Hash256 : std::array<std::uint8_t, 32> {
  friend auto operator<=>(const Hash256&, const Hash256&) = default;
  bool is_zero() const { return *this == Hash256{}; }
  std::string text() const;  ///< 64 upper-case hexadecimal digits

  /// Nothing unless there are exactly 32 bytes, or 64 digits.
  static std::optional<Hash256> from_bytes(ByteView bytes);
  static std::optional<Hash256> from_text(std::string_view digits);
};

/// Upper case.
std::string to_hex(ByteView bytes);
/// Either case; nothing if a character is no digit or their number is odd.
std::optional<Bytes> from_hex(std::string_view digits);

/// Standard alphabet, padded; decoding accepts exactly what encoding gives.
std::string encode_base64(ByteView bytes);
std::optional<Bytes> decode_base64(std::string_view text);

inline ByteView view_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}
inline std::string_view text_of(ByteView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline void append(Bytes& out, ByteView bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

/// Numbers are big-endian on the wire.
template <std::unsigned_integral Number>
void append_number(Bytes& out, Number value) {
  for (std::size_t i = sizeof(Number); i-- > 0;) {
    out.push_back(static_cast<std::uint8_t>(static_cast<std::uint64_t>(value) >> (8 * i)));
  }
}
/// `bytes` holds at least sizeof(Number) bytes.
template <std::unsigned_integral Number>
Number read_number(ByteView bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(Number); ++i) value = value << 8 | bytes[i];
  return static_cast<Number>(value);
}

}  // namespace dissensus::live
