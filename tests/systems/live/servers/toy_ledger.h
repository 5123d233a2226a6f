// Ledgers of the stand-in server: accounts, payments and nothing else.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "systems/live/wire/bytes.h"
#include "systems/live/wire/ledger.h"
#include "systems/live/wire/messages.h"

namespace dissensus::live::toy {

struct Account {
  std::uint64_t balance = 0;
  std::uint32_t sequence = 0;
};
using Accounts = std::map<std::string, Account>;             // by address
using TransactionSet = std::map<Hash256, Bytes>;             // blobs by id
using Applied = std::vector<std::pair<Bytes, std::string>>;  // with results, in order

Hash256 set_id(const TransactionSet& set);

/// Applies one payment for the ledger `sequence`. Codes are the real ones: tes and tec change the
/// accounts, ter may work later, tef and tem never do.
std::string apply(Accounts& accounts, const Bytes& blob, std::uint32_t sequence);
/// Applies a set in rounds until nothing changes any more.
Applied apply_all(Accounts& accounts, const TransactionSet& set, std::uint32_t sequence);

struct Ledger {
  LedgerHeader header;
  Hash256 hash;
  Accounts accounts;
  Applied transactions;

  std::uint32_t sequence() const { return header.sequence; }
};

/// Ledger 2 of every network: genesis owns everything.
Ledger first_ledger();
Ledger next_ledger(const Ledger& parent, const TransactionSet& set);

/// A whole ledger as ledger data, and back; throws WireError if it does not hash to what it says.
LedgerData to_data(const Ledger& ledger);
Ledger from_data(const LedgerData& data);

}  // namespace dissensus::live::toy
