// Base58Check with the ledger's alphabet and type bytes (xrpl/peer-protocol.md 4.1).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "systems/live/wire/bytes.h"

namespace dissensus::live {

inline constexpr std::uint8_t kAccountIdType = 0;
inline constexpr std::uint8_t kNodePublicType = 28;
inline constexpr std::uint8_t kSeedType = 33;

std::string encode_base58(std::uint8_t type, ByteView data);

/// The data without type and checksum; nothing if characters, checksum or type are not as expected.
std::optional<Bytes> decode_base58(std::uint8_t type, std::string_view text);

}  // namespace dissensus::live
