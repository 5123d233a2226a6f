#include "systems/live/wire/hash.h"

#include <algorithm>

#include <openssl/evp.h>
#include <openssl/sha.h>

#include "systems/live/wire/error.h"

namespace dissensus::live {

std::array<std::uint8_t, 64> sha512(ByteView bytes) {
  std::array<std::uint8_t, 64> result{};
  SHA512(bytes.data(), bytes.size(), result.data());
  return result;
}

Hash256 sha512_half(ByteView bytes) {
  const auto whole = sha512(bytes);
  Hash256 half;
  std::copy_n(whole.begin(), half.size(), half.begin());
  return half;
}

std::array<std::uint8_t, 32> sha256(ByteView bytes) {
  std::array<std::uint8_t, 32> result{};
  SHA256(bytes.data(), bytes.size(), result.data());
  return result;
}

std::array<std::uint8_t, 20> ripemd160(ByteView bytes) {
  std::array<std::uint8_t, 20> result{};
  // Some distributions leave this algorithm out of OpenSSL's default provider.
  if (EVP_Digest(bytes.data(), bytes.size(), result.data(), nullptr, EVP_ripemd160(), nullptr) !=
      1) {
    throw LiveError("OpenSSL offers no RIPEMD-160: enable its legacy provider");
  }
  return result;
}

Hash256 prefixed_hash(HashPrefix prefix, ByteView bytes) {
  Bytes whole;
  whole.reserve(bytes.size() + 4);
  append_number(whole, static_cast<std::uint32_t>(prefix));
  append(whole, bytes);
  return sha512_half(whole);
}

}  // namespace dissensus::live
