#include "systems/xrpl/parameters.h"

#include <chrono>
#include <limits>

namespace dissensus::xrpl {
namespace {

enum class Unit : std::uint8_t { milliseconds, seconds, number };
struct NumberRow {
  std::string_view name;
  std::int64_t Parameters::*member;
  Unit unit;
};
constexpr NumberRow kNumbers[] = {
    {"ledgerGRANULARITY", &Parameters::granularity_ms, Unit::milliseconds},
    {"ledgerMIN_CLOSE", &Parameters::min_close_ms, Unit::milliseconds},
    {"ledgerIDLE_INTERVAL", &Parameters::idle_interval_ms, Unit::milliseconds},
    {"ledgerMIN_CONSENSUS", &Parameters::min_consensus_ms, Unit::milliseconds},
    {"ledgerMAX_CONSENSUS", &Parameters::max_consensus_ms, Unit::milliseconds},
    {"minCONSENSUS_PCT", &Parameters::min_consensus_percent, Unit::number},
    {"avMIN_CONSENSUS_TIME", &Parameters::av_min_consensus_ms, Unit::milliseconds},
    {"avINIT_CONSENSUS_PCT", &Parameters::av_init_percent, Unit::number},
    {"avMID_CONSENSUS_TIME", &Parameters::av_mid_time, Unit::number},
    {"avMID_CONSENSUS_PCT", &Parameters::av_mid_percent, Unit::number},
    {"avLATE_CONSENSUS_TIME", &Parameters::av_late_time, Unit::number},
    {"avLATE_CONSENSUS_PCT", &Parameters::av_late_percent, Unit::number},
    {"avSTUCK_CONSENSUS_TIME", &Parameters::av_stuck_time, Unit::number},
    {"avSTUCK_CONSENSUS_PCT", &Parameters::av_stuck_percent, Unit::number},
    {"avCT_CONSENSUS_PCT", &Parameters::av_close_time_percent, Unit::number},
    {"proposeFRESHNESS", &Parameters::propose_freshness_s, Unit::seconds},
    {"proposeINTERVAL", &Parameters::propose_interval_s, Unit::seconds},
    {"avMIN_ROUNDS", &Parameters::av_min_rounds, Unit::number},
    {"avSTALLED_ROUNDS", &Parameters::av_stalled_rounds, Unit::number},
    {"ledgerABANDON_CONSENSUS", &Parameters::abandon_consensus_ms, Unit::milliseconds},
    {"ledgerABANDON_CONSENSUS_FACTOR", &Parameters::abandon_factor, Unit::number},
    {"recentPROPOSALS", &Parameters::recent_proposals, Unit::number},
    {"validationCURRENT_EARLY", &Parameters::current_early_s, Unit::seconds},
    {"validationCURRENT_WALL", &Parameters::current_wall_s, Unit::seconds},
    {"validationCURRENT_LOCAL", &Parameters::current_local_s, Unit::seconds},
    {"validationSET_EXPIRES", &Parameters::set_expires_s, Unit::seconds},
    {"validationFRESHNESS", &Parameters::validation_freshness_s, Unit::seconds},
    {"txAcquireTICK", &Parameters::set_acquire_tick_ms, Unit::milliseconds},
    {"txAcquireNORMAL_TIMEOUTS", &Parameters::set_acquire_normal_timeouts, Unit::number},
    {"txAcquireMAX_TIMEOUTS", &Parameters::set_acquire_max_timeouts, Unit::number},
    {"txAcquireSTART_PEERS", &Parameters::set_acquire_start_peers, Unit::number},
    {"txAcquireADD_PEERS", &Parameters::set_acquire_added_peers, Unit::number},
    {"txSetRETENTION", &Parameters::set_retention, Unit::number},
    {"ledgerAcquireTICK", &Parameters::ledger_acquire_tick_ms, Unit::milliseconds},
    {"ledgerAcquireMAX_TIMEOUTS", &Parameters::ledger_acquire_max_timeouts, Unit::number},
    {"ledgerAcquireSTART_PEERS", &Parameters::ledger_acquire_start_peers, Unit::number},
    {"ledgerAcquireADD_PEERS", &Parameters::ledger_acquire_added_peers, Unit::number},
    {"ledgerAcquireFAILURE_MEMORY", &Parameters::ledger_failure_memory_ms, Unit::milliseconds},
    {"relayINTERVAL", &Parameters::relay_interval_ms, Unit::milliseconds},
    {"transactionINTERVAL", &Parameters::transaction_interval_ms, Unit::milliseconds},
    {"localTRANSACTION_LEDGERS", &Parameters::local_transaction_ledgers, Unit::number},
    {"openLedgerCAPACITY", &Parameters::open_ledger_capacity, Unit::number},
};

struct SwitchRow {
  std::string_view name;
  bool Parameters::*member;
};
constexpr SwitchRow kSwitches[] = {
    {"loneNodeWAITS", &Parameters::lone_node_waits},
    {"countBySEQUENCE", &Parameters::count_by_sequence},
    {"conflictingSIGN_TIME", &Parameters::conflicting_sign_time},
    {"reviveACQUISITION", &Parameters::revive_acquisition},
    {"restartACQUISITION", &Parameters::restart_acquisition},
    {"avalancheSTATES", &Parameters::avalanche_states},
    {"stalledWithoutDISPUTES", &Parameters::stalled_without_disputes},
    {"ignorePROPOSE_SEQ", &Parameters::ignore_propose_sequence},
};

std::int64_t read_number(const OptionValue& value, Unit unit) {
  using std::chrono::duration_cast;
  // Periods are at least one unit: a zero heartbeat would never let virtual time advance.
  switch (unit) {
    case Unit::milliseconds: {
      const auto count = duration_cast<std::chrono::milliseconds>(value.duration()).count();
      if (count < 1) value.fail("must be at least 1ms");
      return count;
    }
    case Unit::seconds: {
      const auto count = duration_cast<std::chrono::seconds>(value.duration()).count();
      if (count < 1) value.fail("must be at least 1s");
      return count;
    }
    case Unit::number:
      break;
  }
  return value.integer(0, 1'000'000);
}

bool read_one(std::string_view key, const OptionValue& value, Parameters& parameters) {
  for (const NumberRow& row : kNumbers) {
    if (row.name != key) continue;
    parameters.*row.member = read_number(value, row.unit);
    return true;
  }
  for (const SwitchRow& row : kSwitches) {
    if (row.name != key) continue;
    parameters.*row.member = value.boolean();
    return true;
  }
  if (key == "quorum") {
    parameters.quorum = value.number(0, 1);
    return true;
  }
  if (key == "quorumFLOOR") {
    parameters.quorum_floor = value.number(0, 1);
    return true;
  }
  return false;
}

}  // namespace

Parameters parameters_of(Profile profile) {
  Parameters parameters;
  if (profile == Profile::v1_7_2) return parameters;
  parameters.max_consensus_ms = 15000;
  parameters.open_ledger_capacity = 32;
  parameters.lone_node_waits = true;
  parameters.count_by_sequence = true;
  parameters.conflicting_sign_time = true;
  parameters.revive_acquisition = true;
  if (profile == Profile::v2_4_0) return parameters;
  parameters.avalanche_states = true;
  parameters.stalled_without_disputes = true;
  return parameters;
}

Fees fees_of(Profile profile) {
  Fees fees;
  if (profile != Profile::v1_7_2) fees.reserve = 10 * kDropsPerXrp;
  return fees;
}

bool apply_bug(std::string_view name, Parameters& parameters) {
  if (name == "B1") {
    parameters.ignore_propose_sequence = true;
  } else if (name == "B2") {
    parameters.quorum = 0.4;
  } else if (name == "B2-40") {
    parameters.quorum = 0.4;
    parameters.quorum_floor = 0;
  } else if (name == "B3") {
    parameters.revive_acquisition = false;
  } else if (name == "B3-fixed") {
    parameters.revive_acquisition = true;
  } else if (name == "B3-cured") {
    parameters.revive_acquisition = true;
    parameters.restart_acquisition = true;
  } else if (name == "incompatible-ledger") {
    parameters.count_by_sequence = false;
  } else if (name == "consensus-threshold-40") {
    parameters.min_consensus_percent = 40;
  } else {
    return false;
  }
  return true;
}

void read_parameters(const Options& options, Parameters& parameters) {
  for (const std::string& key : options.keys()) {
    const OptionValue value = options.at(key);
    if (!read_one(key, value, parameters)) {
      value.fail("no such parameter, expected a name of consensus.md section 3");
    }
  }
}

}  // namespace dissensus::xrpl
