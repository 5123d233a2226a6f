// Accounts with money, paid from the genesis account of a fresh network.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "systems/live/servers/server_network.h"
#include "systems/live/wire/keys.h"

namespace dissensus::live {

struct AccountRequest {
  std::string name;
  std::uint64_t drops = 0;  ///< at least the network's reserve
};

struct FundedAccount {
  std::string name;
  KeyPair keys;
  std::uint32_t sequence = 0;  ///< of its first transaction

  std::string address() const { return keys.public_key.account_address(); }
};

/// The account that owns everything on a fresh network.
KeyPair genesis_keys();

/// Pays each account from genesis and runs the io_context until all are validated on all nodes.
/// Keys are new on each call. Payments that get lost are made again. Throws LiveError at the
/// deadline.
std::vector<FundedAccount> fund_accounts(ServerNetwork& network,
                                         const std::vector<AccountRequest>& requests,
                                         LoopTime deadline);

}  // namespace dissensus::live
