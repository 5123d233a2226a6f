// The messages of consensus.md 14 and their description.
//
// Proposals, validations and transactions are flooded: whoever accepts one passes the same object
// on. `number` is the dense identity by which duplicates are recognised; 0 means that the content
// was changed on the way and its identity has to be computed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dissensus/description.h"
#include "dissensus/digest.h"
#include "dissensus/ids.h"

#include "systems/xrpl/ledger.h"
#include "systems/xrpl/store.h"

namespace dissensus::xrpl {

/// How messages are divided into kinds: thesis Table 3.1, or one kind per type.
enum class KindScheme : std::uint8_t { thirteen, seven };

/// The kinds of the thesis, in its order.
enum class Kind : std::uint8_t {
  propose_set_0,
  propose_set_5 = 5,
  propose_set_bow_out,
  status_change,
  validation,
  transaction,
  have_transaction_set,
  get_ledger,
  ledger_data,
};

/// The number of a kind that is not a proposal; the seven-kind scheme has one proposal kind only.
constexpr MessageKind kind_number(Kind kind, KindScheme scheme) {
  constexpr int kProposalKindsSaved = 6;
  return static_cast<MessageKind>(static_cast<int>(kind) -
                                  (scheme == KindScheme::seven ? kProposalKindsSaved : 0));
}

inline constexpr std::uint32_t kBowOut = 0xFFFFFFFF;

struct ProposeSet {
  Digest position;
  Digest previous_ledger;
  std::uint32_t close_time = 0;  ///< network clock, like all times in messages
  std::uint32_t propose_seq = 0;
  std::uint32_t number = 0;
  NodeId origin = 0;
  KindScheme scheme = KindScheme::thirteen;

  MessageKind kind() const;
  Digest digest() const;
  static constexpr std::uint32_t wire_bytes() { return 187; }
};

enum class StatusEvent : std::uint8_t {
  closing_ledger = 1,
  accepted_ledger,
  switched_ledger,
  lost_sync
};

struct StatusChange {
  Digest ledger;
  Digest previous;
  std::uint32_t network_time = 0;
  std::uint32_t ledger_seq = 0;
  std::uint32_t first_seq = 0;
  std::uint32_t last_seq = 0;
  StatusEvent event = StatusEvent::closing_ledger;
  KindScheme scheme = KindScheme::thirteen;

  MessageKind kind() const { return kind_number(Kind::status_change, scheme); }
  Digest digest() const;
  static constexpr std::uint32_t wire_bytes() { return 100; }
};

struct Validation {
  Digest ledger;
  Digest consensus_set;  ///< the set the ledger was built from
  std::uint32_t sign_time = 0;
  std::uint64_t cookie = 0;  ///< tells two servers with one key apart
  std::uint32_t ledger_seq = 0;
  std::uint32_t number = 0;
  NodeId origin = 0;
  bool full = false;
  KindScheme scheme = KindScheme::thirteen;

  MessageKind kind() const { return kind_number(Kind::validation, scheme); }
  Digest digest() const;
  static constexpr std::uint32_t wire_bytes() { return 230; }
};

enum class TransactionStatus : std::uint8_t { fresh = 1, current = 2 };

struct TransactionMessage {
  const Transaction* transaction = nullptr;
  TransactionStatus status = TransactionStatus::current;
  bool deferred = false;
  KindScheme scheme = KindScheme::thirteen;

  MessageKind kind() const { return kind_number(Kind::transaction, scheme); }
  Digest digest() const;
  static constexpr std::uint32_t wire_bytes() { return 190; }
};

struct HaveTransactionSet {
  Digest set;
  KindScheme scheme = KindScheme::thirteen;

  MessageKind kind() const { return kind_number(Kind::have_transaction_set, scheme); }
  Digest digest() const;
  static constexpr std::uint32_t wire_bytes() { return 42; }
};

enum class ItemType : std::uint8_t { base, transactions, state, candidate };

struct GetLedger {
  Digest hash;
  /// Candidate sets: leaves asked for by id; null asks for the root and the tree below it.
  const TxList* wanted = nullptr;
  std::uint32_t ledger_seq = 0;
  NodeId cookie = kNoNode;  ///< on whose behalf a request was passed on
  ItemType item = ItemType::base;
  bool indirect = false;  ///< the receiver may pass the request on
  KindScheme scheme = KindScheme::thirteen;

  MessageKind kind() const { return kind_number(Kind::get_ledger, scheme); }
  Digest digest() const;
  std::uint32_t wire_bytes() const {
    return 50 + (wanted == nullptr ? 0 : 35 * static_cast<std::uint32_t>(wanted->size()));
  }
};

struct LedgerData {
  Digest hash;
  const TxSet* tree = nullptr;     ///< candidate set: its inner nodes, which name the leaves
  const TxList* leaves = nullptr;  ///< candidate set: leaves asked for
  const Ledger* ledger = nullptr;  ///< the part `item` of this ledger
  std::uint32_t ledger_seq = 0;
  NodeId cookie = kNoNode;
  ItemType item = ItemType::base;
  KindScheme scheme = KindScheme::thirteen;

  MessageKind kind() const { return kind_number(Kind::ledger_data, scheme); }
  Digest digest() const;
  std::uint32_t wire_bytes() const;
};

/// Declares kinds, fields and their setters.
void describe_messages(SystemDescription& description, KindScheme scheme);

// What real servers share.

MessageKind proposal_kind(std::uint32_t propose_seq, KindScheme scheme);
std::vector<std::string> proposal_kind_names(KindScheme scheme);
/// Declares which step of a protocol round each kind belongs to; the kinds have been declared.
void describe_kind_steps(SystemDescription& description, KindScheme scheme);

}  // namespace dissensus::xrpl
