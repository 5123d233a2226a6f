// What the nodes of one run share: transactions, transaction sets and ledgers, each stored once
// under its content's identity. Sharing saves work, not knowledge: a node may use only what it
// has built, received or acquired.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "dissensus/digest.h"

#include "systems/xrpl/apply.h"
#include "systems/xrpl/digest_map.h"
#include "systems/xrpl/ledger.h"

namespace dissensus::xrpl {

/// Transactions asked for or delivered by id in tx-set acquisition.
using TxList = std::vector<TxIndex>;

struct BuildResult {
  const Ledger* ledger = nullptr;
  const std::vector<TxIndex>* retries = nullptr;  ///< ter transactions that may succeed later
};

class Store {
 public:
  explicit Store(const Fees& fees);
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  AccountIndex account(const Digest& id);
  const Digest& account_id(AccountIndex account) const { return accounts_[account]; }

  TxIndex add(const Payment& payment);
  const Transaction& transaction(TxIndex tx) const { return transactions_[tx]; }
  std::size_t transaction_count() const { return transactions_.size(); }

  /// The set of these transactions; `transactions` must be ascending and without duplicates.
  const TxSet* set_of(std::vector<TxIndex> transactions);
  const TxSet* empty_set() const { return &sets_.front(); }
  /// Null when nobody has made such a set.
  const TxSet* find_set(const Digest& id) const;

  /// A ledger without known ancestors, for the start of a run.
  const Ledger* add_root(State state, std::uint32_t seq, NetTime close_time);
  /// Builds the next ledger (10.1, 10.2): `close_time` 0 means that no time was agreed on.
  BuildResult build(const Ledger& parent, const TxSet& set, NetTime close_time,
                    std::uint8_t resolution);
  const Ledger* find_ledger(const Digest& id) const;
  const Ledger& ledger(std::uint32_t index) const { return ledgers_[index]; }

  /// A dense number for a flooded message with this content, from 1.
  std::uint32_t message_number(const Digest& content);

  /// Keeps a list for messages that carry it by pointer.
  const TxList* keep(TxList list);

  const Fees& fees() const { return fees_; }

 private:
  struct Build {
    const Ledger* ledger;
    std::vector<TxIndex> retries;
  };

  const Ledger* add_ledger(Ledger ledger);

  Fees fees_;
  std::vector<Digest> accounts_;
  DigestMap account_numbers_;
  std::deque<Transaction> transactions_;
  DigestMap transaction_numbers_;
  std::deque<TxSet> sets_;
  DigestMap set_numbers_;
  std::deque<State> states_;
  std::deque<Ledger> ledgers_;
  DigestMap ledger_numbers_;
  std::deque<Build> builds_;
  DigestMap build_numbers_;
  DigestMap message_numbers_;
  std::uint32_t messages_ = 0;
  std::deque<TxList> lists_;
};

}  // namespace dissensus::xrpl
