// What the [system] table of a scenario says, and what the nodes of one run share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dissensus/ids.h"
#include "dissensus/options.h"
#include "dissensus/time.h"

#include "systems/xrpl/messages.h"
#include "systems/xrpl/parameters.h"
#include "systems/xrpl/store.h"

namespace dissensus::xrpl {

/// Decision levels, in the order of their description.
enum class Report : std::uint8_t {
  transaction_set,
  round_transaction,
  built,
  validation,
  switched,
  ledger
};

/// Observables, in the order of their description.
enum class Observable : std::uint8_t {
  validated,
  failed,
  cancelled,
  settled,
  validated_seq,
  max_propose_seq,
  bow_outs,
  incompatible,
  insufficient_support,
  failed_set_acquisitions,
  moved_on,
  switched,
  regressions
};
inline constexpr std::size_t kObservables = 13;

struct NetworkConfig {
  struct Account {
    std::string name;
    Digest id;
    Drops balance = 0;
  };
  enum class Start : std::uint8_t { genesis, warm };

  std::size_t nodes = 5;
  std::vector<Parameters> parameters;      ///< per node
  std::vector<std::vector<bool>> trusted;  ///< per node: whom it trusts, itself included
  std::vector<std::vector<NodeId>> links;  ///< per node, ascending
  std::vector<Account> accounts;
  Fees fees;
  KindScheme scheme = KindScheme::thirteen;
  Start start = Start::warm;
  bool relay = true;
  std::uint32_t ledger = 5;  ///< warm start: sequence of the last validated ledger
  // Processing times, drawn as kFixedShare of the mean plus an exponential rest. Recorded servers
  // (docs/results/xrpl-fidelity.md) re-arm the heartbeat 1.3 ms late and start the next round 2 ms
  // after the accept; both decide whether an open phase of two heartbeats reaches ledgerMIN_CLOSE.
  Duration heartbeat_lateness = std::chrono::microseconds(1300);
  Duration accept_delay = std::chrono::microseconds(2000);
  std::vector<Duration> heartbeat_phases;  ///< first heartbeat per node; empty = random
  /// Warm start: when the first round closes, plus each node's heartbeat phase; none = random.
  std::optional<Duration> first_close;
  std::optional<NetTime> network_time;    ///< network clock at the start; none = random
  std::uint32_t account_sequence = 1;     ///< of every funded account
  std::vector<std::string> final_levels;  ///< levels on which a difference counts as a violation
};

NetworkConfig read_network(const Options& options);

/// One run's shared objects.
struct Network {
  Network(const NetworkConfig& settings, std::uint64_t seed);

  const NetworkConfig& config;
  Store store;
  const Ledger* first_ledger = nullptr;  ///< where every node begins
  NetTime network_time = 0;              ///< network clock at virtual time 0
  Duration first_close{};                ///< see NetworkConfig
  std::vector<TxIndex> submitted;        ///< client transactions in the order of submission
};

/// The instance numbers of Report::transaction_set and round_transaction.
inline constexpr std::uint8_t kRoundScopeBits = 24;
constexpr std::uint64_t round_instance(std::uint32_t seq, const Digest& parent) {
  return (std::uint64_t{seq} << kRoundScopeBits) | (parent.low & ((1u << kRoundScopeBits) - 1));
}

}  // namespace dissensus::xrpl
