// Transactions: payments made here, and what can be said of any transaction of the wire
// (xrpl/peer-protocol.md 7.6).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "systems/live/wire/bytes.h"
#include "systems/live/wire/error.h"
#include "systems/live/wire/keys.h"

namespace dissensus::live {

/// Of XRP, from one account to another.
struct Payment {
  KeyPair keys;             ///< of the paying account
  std::string destination;  ///< "r..."
  std::uint64_t drops = 0;
  std::uint64_t fee = 10;
  std::uint32_t sequence = 0;
  std::uint32_t last_ledger = 0;              ///< 0: none
  std::optional<std::uint32_t> network_id{};  ///< needed exactly where the network's is above 1024
  std::optional<std::uint32_t> destination_tag{};
};

struct SignedTransaction {
  Bytes blob;
  Hash256 id{};
};

/// Throws WireError if the destination is no address or drops or fee exceed what XRP there is.
SignedTransaction sign_payment(const Payment& payment);

Hash256 transaction_id(ByteView blob);

/// What was found; fields that a transaction of its type lacks, or that this reader does not
/// understand, are absent. Only the id is always there.
struct ParsedTransaction {
  Hash256 id{};
  std::optional<std::uint16_t> type{};
  std::string type_name;  ///< "Payment"; "type 99" for types without a name here, "" without type
  std::optional<std::string> account{};
  std::optional<std::string> destination{};
  std::optional<std::uint32_t> flags{};
  std::optional<std::uint32_t> sequence{};
  std::optional<std::uint32_t> ticket_sequence{};
  std::optional<std::uint32_t> last_ledger{};
  std::optional<std::uint32_t> network_id{};
  std::optional<std::uint32_t> destination_tag{};
  std::optional<std::uint64_t> drops{};  ///< of an amount in XRP
  std::optional<std::uint64_t> fee{};
  std::optional<PublicKey> signing_key{};
};

/// Never fails: an unreadable transaction has an id and nothing else.
ParsedTransaction parse_transaction(ByteView blob);

/// True if its one signature is by the key it names and that key is secp256k1.
bool verify_transaction(ByteView blob);

}  // namespace dissensus::live
