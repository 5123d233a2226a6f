// The HTTP upgrade that opens a peer link (xrpl/peer-protocol.md 3), as texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "systems/live/wire/bytes.h"
#include "systems/live/wire/error.h"
#include "systems/live/wire/keys.h"

namespace dissensus::live {

inline constexpr std::size_t kUpgradeBytesMax = 16 * 1024;

/// What both ends of a TLS session compute from its Finished messages, and sign. Nothing if a
/// message is shorter than 12 bytes or both are equal.
std::optional<Hash256> shared_value(ByteView own_finished, ByteView peer_finished);

struct HandshakeIdentity {
  const KeyPair* keys = nullptr;  ///< node keys; they outlive the call
  std::string user_agent;         ///< e.g. "rippled-2.4.0"
  std::optional<std::uint32_t> network_id{};
};

/// The proof that this end of the session owns the key, in Base64.
std::string session_signature(const KeyPair& keys, const Hash256& shared);

/// Of the end that dialled. No optional feature is asked for: no compression, no squelching.
std::string upgrade_request(const HandshakeIdentity& identity, const Hash256& shared);
/// Of the end that was dialled: 101 and its own proof.
std::string upgrade_response(const HandshakeIdentity& identity, const Hash256& shared);

struct UpgradeMessage {
  int status = 0;      ///< 0: a request
  std::string reason;  ///< of the status line; of a request its target
  std::map<std::string, std::string>
      headers;            ///< by lower-case name, trimmed; repeated: joined by ", "
  std::size_t bytes = 0;  ///< up to and with the empty line; what follows are a body or frames

  /// "" if there is no such header.
  const std::string& header(const std::string& lower_case_name) const;
};

/// Nothing while the empty line has not come. Throws WireError if the text is no HTTP/1.1 head of a
/// GET request or response, or longer than kUpgradeBytesMax.
std::optional<UpgradeMessage> parse_upgrade(std::string_view so_far);

/// The key that the other end proved to own. Throws WireError with the reason if the message is a
/// refusal (its status line is quoted), no upgrade to exactly one known version (a response) or
/// none at all, or if the proof is missing or wrong.
PublicKey verify_identity(const UpgradeMessage& message, const Hash256& shared);

}  // namespace dissensus::live
