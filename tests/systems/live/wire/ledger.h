// Identities of transaction sets and ledgers, and what ledger data carries (xrpl/peer-protocol.md
// 7.5).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "systems/live/wire/bytes.h"
#include "systems/live/wire/error.h"
#include "systems/live/wire/messages.h"

namespace dissensus::live {

/// The id of the set of these transactions, in any order; an id given twice counts once. The empty
/// set is zero.
Hash256 transaction_set_id(std::vector<Hash256> transaction_ids);
/// From the transactions themselves.
Hash256 transaction_set_id(const std::vector<Bytes>& transactions);

inline constexpr std::size_t kLedgerHeaderBytes = 118;

struct LedgerHeader {
  std::uint32_t sequence = 0;
  std::uint64_t drops = 0;  ///< in existence
  Hash256 parent_hash{};
  Hash256 transactions_hash{};
  Hash256 state_hash{};
  std::uint32_t parent_close_time = 0;  ///< seconds of the network's epoch
  std::uint32_t close_time = 0;
  std::uint8_t close_resolution = 0;  ///< seconds
  std::uint8_t close_flags = 0;
  friend bool operator==(const LedgerHeader&, const LedgerHeader&) = default;
};

/// Throws WireError unless there are exactly kLedgerHeaderBytes.
LedgerHeader decode_ledger_header(ByteView bytes);
Bytes encode_ledger_header(const LedgerHeader& header);
Hash256 ledger_hash(const LedgerHeader& header);

/// The header in ledger data of kind `base`; nothing if the reply has none or is of another kind.
/// Throws WireError if it is malformed.
std::optional<LedgerHeader> ledger_header_of(const LedgerData& data);

/// The transactions among the nodes of a candidate set, as blobs; inner nodes are passed over.
std::vector<Bytes> candidate_transactions(const LedgerData& data);

}  // namespace dissensus::live
