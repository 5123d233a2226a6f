#include "systems/live/wire/bytes.h"

#include <algorithm>

#include <openssl/evp.h>

namespace dissensus::live {

namespace {
constexpr std::string_view kDigits = "0123456789ABCDEF";

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}
}  // namespace

std::string Hash256::text() const {
  return to_hex(*this);
}

std::optional<Hash256> Hash256::from_bytes(ByteView bytes) {
  Hash256 hash;
  if (bytes.size() != hash.size()) return std::nullopt;
  std::copy(bytes.begin(), bytes.end(), hash.begin());
  return hash;
}

std::optional<Hash256> Hash256::from_text(std::string_view digits) {
  const auto bytes = from_hex(digits);
  return bytes ? from_bytes(*bytes) : std::nullopt;
}

std::string to_hex(ByteView bytes) {
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const std::uint8_t byte : bytes) {
    text.push_back(kDigits[byte >> 4]);
    text.push_back(kDigits[byte & 15]);
  }
  return text;
}

std::optional<Bytes> from_hex(std::string_view digits) {
  if (digits.size() % 2 != 0) return std::nullopt;
  Bytes bytes;
  bytes.reserve(digits.size() / 2);
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const int high = digit_value(digits[i]);
    const int low = digit_value(digits[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes.push_back(static_cast<std::uint8_t>(high * 16 + low));
  }
  return bytes;
}

std::string encode_base64(ByteView bytes) {
  // OpenSSL writes a terminating zero, too.
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
  const int written = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), bytes.data(),
                                      static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(written));
  return text;
}

std::optional<Bytes> decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  Bytes bytes(text.size() / 4 * 3);
  const ByteView input = view_of(text);
  const int written = EVP_DecodeBlock(bytes.data(), input.data(), static_cast<int>(input.size()));
  if (written < 0) return std::nullopt;
  // OpenSSL counts padding as zero bytes and forgives spaces around the text.
  const auto padding = static_cast<std::size_t>(std::count(text.begin(), text.end(), '='));
  const auto size = static_cast<std::size_t>(written);
  if (padding > 2 || padding > size) return std::nullopt;
  bytes.resize(size - padding);
  if (encode_base64(bytes) != text) return std::nullopt;
  return bytes;
}

}  // namespace dissensus::live
