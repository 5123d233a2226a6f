#include "dissensus/digest.h"

#include <array>
#include <charconv>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace dissensus {

Digest digest_of_bytes(std::span<const std::byte> bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.high64 == 0 ? 1 : hash.high64, hash.low64};
}

Digest digest_of_text(std::string_view text) {
  return digest_of_bytes(std::as_bytes(std::span(text.data(), text.size())));
}

std::string to_string(const Digest& digest) {
  if (digest.high == 0) return std::to_string(digest.low);
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text(32, '0');
  for (std::size_t i = 0; i < 16; ++i) {
    text[15 - i] = kDigits[(digest.high >> (4 * i)) & 15];
    text[31 - i] = kDigits[(digest.low >> (4 * i)) & 15];
  }
  return text;
}

bool parse_digest(std::string_view text, Digest& digest) {
  const auto parse = [](std::string_view part, std::uint64_t& number, int base) {
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number, base);
    return error == std::errc() && end == part.data() + part.size();
  };
  if (text.empty() || text.front() == '-') return false;
  if (text.size() == 32) {
    return parse(text.substr(0, 16), digest.high, 16) && parse(text.substr(16), digest.low, 16);
  }
  digest.high = 0;
  return parse(text, digest.low, 10);
}

}  // namespace dissensus
