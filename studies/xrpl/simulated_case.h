// One test case of the thesis in the simulator, measured like the recorded ones.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dissensus/random.h"

#include "case_metrics.h"
#include "faults/schedule.h"
#include "recorded_cases.h"
#include "run/runner.h"
#include "run/scenario.h"

namespace dissensus::studies {

/// What distinguishes the networks of the studies.
struct CaseSetup {
  std::string profile = "1.7.2";
  std::vector<std::string> bugs;
  bool same_sequence = true;
  std::uint32_t reserve_xrp = 200;
  std::array<std::uint64_t, 3> balance_drops{290'000'100, 210'000'100, 210'000'100};
  std::array<double, kPayments> submitted_ms{2000, 2000, 2000, 2000};
  /// Distinguish the payments' ids. The order of ids decides which of several conflicting payments
  /// a node takes up again after a round that left all of them out.
  std::array<std::uint32_t, kPayments> tags{1, 2, 3, 4};
  /// Known start of a recorded network; otherwise drawn from the run's seed.
  std::vector<std::int64_t> heartbeat_ms;
  std::optional<std::int64_t> network_time;
  /// Processing times as scenario texts; empty: the system's defaults.
  std::string heartbeat_lateness;
  std::string accept_delay;
  std::string schedule_type = "delay";  ///< the space of random schedules: delay or priority
  unsigned priority_target = 10;        ///< wished size of the priority scheduler's inbox
};

/// The scenario file of such a case, which `dissensus run` accepts too.
std::string scenario_text(const CaseSetup& setup);
run::Scenario make_scenario(const CaseSetup& setup);
/// Payment ids in a new random order.
void draw_tags(CaseSetup& setup, Random& random);

/// How far a case is followed and what is kept of it.
struct CaseOptions {
  /// The network runs so long without delays before the schedule is switched on.
  Duration warm_up = std::chrono::seconds(6);
  bool messages = true;   ///< measure messages, not only reports
  bool recovery = false;  ///< also measure the time to recover after the case
};

struct SimulatedCase {
  CaseMetrics metrics;
  oracle::Verdict verdict;      ///< of the run up to its limit, which lies after the window
  Duration warm_up{};           ///< violations have times since the start of the run
  std::size_t unsupported = 0;  ///< see supported_consensus.h; only with messages
  double recovery_s = 0;        ///< to two new validated ledgers everywhere; at most 300
  bool recovered = false;
};

/// The network starts warm, runs for `warm_up` without delays, then the schedule acts until the
/// case ends. Pure function of its arguments.
SimulatedCase simulate_case(run::Runner& runner, const run::Scenario& scenario,
                            const faults::Schedule& schedule, std::uint64_t seed,
                            const CaseOptions& options);

/// A recorded case as the simulator repeats it: the same accounts, schedule, wall clock, heartbeat
/// phases and place in the round.
struct RepeatedCase {
  CaseSetup setup;
  Duration warm_up{};
};
RepeatedCase repeat(const RecordedCase& recorded);

}  // namespace dissensus::studies
