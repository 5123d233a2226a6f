// Content identities: 128-bit values that are equal exactly when contents are equal.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace dissensus {

/// A 128-bit content hash, or a small number (high == 0) where a system decides on plain values.
/// Decisions, message digests and ledger ids are all of this type.
struct Digest {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  constexpr Digest() = default;
  constexpr Digest(std::uint64_t number) : low(number) {}  // NOLINT: a number is a value
  constexpr Digest(std::uint64_t high_part, std::uint64_t low_part)
      : high(high_part), low(low_part) {}

  friend constexpr auto operator<=>(const Digest&, const Digest&) = default;
  constexpr bool is_zero() const { return (high | low) == 0; }
};

/// XXH3-128 of the bytes.
Digest digest_of_bytes(std::span<const std::byte> bytes);
Digest digest_of_text(std::string_view text);

/// Decimal for small numbers (high == 0), 32 hexadecimal digits otherwise.
std::string to_string(const Digest& digest);
/// The inverse of to_string; false when the text is neither form.
bool parse_digest(std::string_view text, Digest& digest);

/// One multiplication that mixes two words thoroughly; the building brick of the fast hashes.
constexpr std::uint64_t mix64(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a ^ 0x9E3779B97F4A7C15ULL) * (b ^ 0xD1B54A32D192ED03ULL);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

/// Builds the digest of a sequence of words, e.g. the fields of a message, without a buffer.
/// The order of the words matters; so does their number.
class DigestBuilder {
 public:
  constexpr DigestBuilder& add(std::uint64_t word) {
    // The running state is added after the multiplication too, so that no single word, not
    // even one that zeroes a factor, can erase what came before it.
    high_ = mix64(high_ ^ word, low_ + count_) + low_;
    low_ = mix64(low_ + word, high_ ^ 0xA0761D6478BD642FULL) ^ high_;
    ++count_;
    return *this;
  }
  constexpr DigestBuilder& add(const Digest& digest) { return add(digest.high).add(digest.low); }
  DigestBuilder& add(std::string_view text) { return add(digest_of_text(text)); }
  constexpr Digest finish() const {
    Digest result{mix64(high_, count_ + 1), mix64(low_, high_ ^ count_)};
    if (result.high == 0) result.high = 1;  // a hash never looks like a small number
    return result;
  }

 private:
  std::uint64_t high_ = 0x2545F4914F6CDD1DULL;
  std::uint64_t low_ = 0x9FB21C651E98DF25ULL;
  std::uint64_t count_ = 0;
};

}  // namespace dissensus
