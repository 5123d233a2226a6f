// Ledgers and transaction sets: immutable, content-addressed, owned by the Store of a run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "dissensus/digest.h"

#include "systems/xrpl/transaction.h"

namespace dissensus::xrpl {

/// A set of transactions; the empty set has the zero id.
struct TxSet {
  Digest id;
  std::vector<TxIndex> transactions;  ///< ascending

  bool contains(TxIndex tx) const {
    return std::binary_search(transactions.begin(), transactions.end(), tx);
  }
};

struct AccountRoot {
  Drops balance = 0;
  std::uint32_t sequence = 0;
  bool exists = false;
};

/// Balances and sequences after a ledger. Accounts beyond the vector do not exist.
struct State {
  std::vector<AccountRoot> accounts;
  Drops total = 0;  ///< drops in existence
  Digest digest;
};
Digest digest_of_state(const State& state);

struct AppliedTransaction {
  TxIndex tx = 0;
  TxResult result = TxResult::tes_success;
};

struct Ledger {
  Digest id;
  const Ledger* parent = nullptr;  ///< null: ancestors are unknown to everybody
  const State* state = nullptr;
  std::vector<AppliedTransaction> applied;  ///< in the order of application
  NetTime close_time = 0;
  NetTime parent_close_time = 0;
  std::uint32_t seq = 0;
  std::uint32_t index = 0;  ///< dense number within the Store
  std::uint8_t resolution = 10;
  bool agree = true;  ///< false: close flag "no close-time consensus"
};

/// A ledger knows the ids of this many ancestors (consensus.md 11.7).
inline constexpr std::uint32_t kKnownAncestors = 256;

/// The ancestor with this sequence, or the ledger itself; null where it is unknown.
inline const Ledger* ancestor_at(const Ledger& ledger, std::uint32_t seq) {
  if (seq > ledger.seq || ledger.seq - seq > kKnownAncestors) return nullptr;
  const Ledger* current = &ledger;
  while (current != nullptr && current->seq > seq) current = current->parent;
  return current;
}

/// True when `descendant` has `ancestor` on its chain or is it.
inline bool descends_from(const Ledger& descendant, const Ledger& ancestor) {
  return ancestor_at(descendant, ancestor.seq) == &ancestor;
}

}  // namespace dissensus::xrpl
