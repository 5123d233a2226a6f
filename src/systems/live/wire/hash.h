// The hash functions of the XRP Ledger.
#pragma once

#include <array>
#include <cstdint>

#include "systems/live/wire/bytes.h"

namespace dissensus::live {

/// The first half of SHA-512.
Hash256 sha512_half(ByteView bytes);
std::array<std::uint8_t, 64> sha512(ByteView bytes);
std::array<std::uint8_t, 32> sha256(ByteView bytes);
std::array<std::uint8_t, 20> ripemd160(ByteView bytes);

/// What is hashed begins with what it is (xrpl/peer-protocol.md 7.4): three letters and a zero.
enum class HashPrefix : std::uint32_t {
  proposal = 0x50525000,          // PRP
  validation = 0x56414C00,        // VAL
  transaction_sign = 0x53545800,  // STX
  transaction_id = 0x54584E00,    // TXN
  inner_node = 0x4D494E00,        // MIN
  ledger = 0x4C575200,            // LWR
};

/// sha512_half of the prefix and the bytes.
Hash256 prefixed_hash(HashPrefix prefix, ByteView bytes);

}  // namespace dissensus::live
