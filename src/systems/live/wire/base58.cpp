#include "systems/live/wire/base58.h"

#include <algorithm>

#include "systems/live/wire/hash.h"

namespace dissensus::live {

namespace {
constexpr std::string_view kAlphabet = "rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz";
constexpr std::size_t kChecksumBytes = 4;
// Work grows with the square of the length; nothing that has a Base58 form is longer.
constexpr std::size_t kTextMax = 256;

Bytes checksum(ByteView payload) {
  const auto once = sha256(payload);
  const auto twice = sha256(once);
  return {twice.begin(), twice.begin() + kChecksumBytes};
}

/// Rewrites a big-endian number in another base: multiply by `from`, add the digit, carry.
Bytes change_base(ByteView digits, std::uint32_t from, std::uint32_t to) {
  Bytes little_endian;
  for (const std::uint8_t digit : digits) {
    std::uint32_t carry = digit;
    for (std::uint8_t& place : little_endian) {
      carry += place * from;
      place = static_cast<std::uint8_t>(carry % to);
      carry /= to;
    }
    while (carry != 0) {
      little_endian.push_back(static_cast<std::uint8_t>(carry % to));
      carry /= to;
    }
  }
  // A leading zero stands for itself in either base.
  const auto zeros = std::find_if(digits.begin(), digits.end(), [](auto d) { return d != 0; });
  little_endian.resize(little_endian.size() + static_cast<std::size_t>(zeros - digits.begin()));
  return {little_endian.rbegin(), little_endian.rend()};
}
}  // namespace

std::string encode_base58(std::uint8_t type, ByteView data) {
  Bytes payload{type};
  append(payload, data);
  append(payload, checksum(payload));
  std::string text;
  for (const std::uint8_t digit : change_base(payload, 256, 58)) text.push_back(kAlphabet[digit]);
  return text;
}

std::optional<Bytes> decode_base58(std::uint8_t type, std::string_view text) {
  if (text.size() > kTextMax) return std::nullopt;
  Bytes digits;
  for (const char c : text) {
    const std::size_t digit = kAlphabet.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    digits.push_back(static_cast<std::uint8_t>(digit));
  }
  Bytes payload = change_base(digits, 58, 256);
  if (payload.size() < 1 + kChecksumBytes || payload.front() != type) return std::nullopt;
  const Bytes found(payload.end() - kChecksumBytes, payload.end());
  payload.erase(payload.end() - kChecksumBytes, payload.end());
  if (checksum(payload) != found) return std::nullopt;
  payload.erase(payload.begin());
  return payload;
}

}  // namespace dissensus::live
