// Every number of the protocol that a version, a scenario or a seeded bug may change.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "dissensus/options.h"
#include "dissensus/time.h"

namespace dissensus::xrpl {

/// Whole seconds of the network clock (consensus.md 2).
using NetTime = std::int64_t;
/// XRP in millionths.
using Drops = std::uint64_t;
inline constexpr Drops kDropsPerXrp = 1'000'000;

/// Names as in consensus.md 3; defaults are version 1.7.2.
struct Parameters {
  // Consensus engine, 3.1.
  std::int64_t granularity_ms = 1000;
  std::int64_t min_close_ms = 2000;
  std::int64_t idle_interval_ms = 15000;
  std::int64_t min_consensus_ms = 1950;
  std::int64_t max_consensus_ms = 10000;
  std::int64_t min_consensus_percent = 80;
  std::int64_t av_min_consensus_ms = 5000;
  std::int64_t av_init_percent = 50;
  std::int64_t av_mid_time = 50;  ///< in percent of convergence, like the two below
  std::int64_t av_mid_percent = 65;
  std::int64_t av_late_time = 85;
  std::int64_t av_late_percent = 70;
  std::int64_t av_stuck_time = 200;
  std::int64_t av_stuck_percent = 95;
  std::int64_t av_close_time_percent = 75;
  std::int64_t propose_freshness_s = 20;
  std::int64_t propose_interval_s = 12;
  std::int64_t av_min_rounds = 2;
  std::int64_t av_stalled_rounds = 4;
  std::int64_t abandon_consensus_ms = 120000;
  std::int64_t abandon_factor = 10;
  std::int64_t expired_ticks_min = 8;
  std::int64_t recent_proposals = 10;

  // Validations, 3.2.
  std::int64_t current_early_s = 180;
  std::int64_t current_wall_s = 300;
  std::int64_t current_local_s = 180;
  std::int64_t set_expires_s = 600;
  std::int64_t validation_freshness_s = 20;
  double quorum = 0.8;        ///< share of the effective UNL
  double quorum_floor = 0.6;  ///< share of the UNL; 0 = no floor

  // Acquisition and relay, 3.3.
  std::int64_t set_acquire_tick_ms = 250;
  std::int64_t set_acquire_normal_timeouts = 4;
  std::int64_t set_acquire_max_timeouts = 20;
  std::int64_t set_acquire_start_peers = 2;
  std::int64_t set_acquire_added_peers = 1;
  std::int64_t set_retention = 3;
  std::int64_t ledger_acquire_tick_ms = 2500;
  std::int64_t ledger_acquire_max_timeouts = 10;
  std::int64_t ledger_acquire_start_peers = 4;
  std::int64_t ledger_acquire_added_peers = 2;
  std::int64_t ledger_failure_memory_ms = 300000;
  std::int64_t relay_interval_ms = 300000;
  std::int64_t transaction_interval_ms = 10000;
  std::int64_t local_transaction_ledgers = 5;
  std::int64_t open_ledger_capacity = 5;

  // What versions do differently, 15.
  bool lone_node_waits = false;        ///< 2.2.0: no peer position: wait ledgerMAX_CONSENSUS
  bool count_by_sequence = false;      ///< 1.10.0: validations counted by (hash, seq)
  bool conflicting_sign_time = false;  ///< 1.10.0: same seq and hash, other time: conflicting
  bool revive_acquisition = false;     ///< 2.4.0: stillNeed clears `failed`
  bool restart_acquisition = false;    ///< no release: stillNeed starts a failed one again
  bool avalanche_states = false;       ///< 2.5.0: per-dispute states, stalled, expired
  /// 2.5.0 calls a round without any dispute stalled as well (all of none); 2.5.1 does not.
  bool stalled_without_disputes = false;

  // Seeded bugs, 16.
  bool ignore_propose_sequence = false;  ///< B1
};

/// Fees live in the ledger and are therefore those of the network, not of a node.
struct Fees {
  Drops base = 10;
  Drops reserve = 200 * kDropsPerXrp;
};

enum class Profile : std::uint8_t { v1_7_2, v2_4_0, v2_5_0 };
inline constexpr std::string_view kProfileNames[] = {"1.7.2", "2.4.0", "2.5.0"};

Parameters parameters_of(Profile profile);
Fees fees_of(Profile profile);

/// Applies one of the switches of consensus.md 16; false when there is no such bug. B3-fixed is the
/// partial fix of 2.4.0, B3-cured also asks again after a failure.
bool apply_bug(std::string_view name, Parameters& parameters);
inline constexpr std::string_view kBugNames[] = {"B1",
                                                 "B2",
                                                 "B2-40",
                                                 "B3",
                                                 "B3-fixed",
                                                 "B3-cured",
                                                 "incompatible-ledger",
                                                 "consensus-threshold-40"};

/// Reads a table such as { ledgerMIN_CLOSE = "2s", minCONSENSUS_PCT = 80 }.
void read_parameters(const Options& options, Parameters& parameters);

}  // namespace dissensus::xrpl
