// Content of the wire formats for tests: random, or put together from readable parts.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "dissensus/random.h"

#include "systems/live/wire/keys.h"
#include "systems/live/wire/messages.h"

namespace dissensus::live {

/// Hexadecimal digits, one part per field.
inline std::string joined(std::initializer_list<std::string> parts) {
  std::string whole;
  for (const std::string& part : parts) whole += part;
  return whole;
}

inline Bytes random_bytes(Random& random, std::size_t size) {
  Bytes bytes(size);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.next());
  return bytes;
}

inline Hash256 random_hash(Random& random) {
  return *Hash256::from_bytes(random_bytes(random, 32));
}

inline KeyPair random_keys(Random& random) {
  return node_keys(Seed::from_passphrase(std::to_string(random.next())));
}

template <class Make>
auto sometimes(Random& random, Make make) -> std::optional<decltype(make())> {
  return random.chance(0.5) ? std::optional(make()) : std::nullopt;
}

inline std::vector<Bytes> random_list(Random& random, std::size_t size) {
  std::vector<Bytes> list;
  for (std::uint64_t count = random.below(4); count > 0; --count) {
    list.push_back(random_bytes(random, size));
  }
  return list;
}

inline std::uint32_t random32(Random& random) {
  return static_cast<std::uint32_t>(random.next());
}

template <class Enum>
Enum random_enum(Random& random, int first, int last) {
  return static_cast<Enum>(random.between(first, last));
}

}  // namespace dissensus::live
