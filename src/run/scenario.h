// A scenario: the system, its network and workload, what may go wrong, and what must hold. Read
// from a TOML file (docs/formats/scenario.md); constant afterwards and shared by concurrent runs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dissensus/system.h"

#include "faults/fault_space.h"
#include "faults/schedule.h"
#include "history/checker.h"
#include "oracle/config.h"
#include "run/metric_groups.h"
#include "sim/plan.h"

namespace dissensus::run {

inline constexpr std::string_view kScenarioFormat = "dissensus-scenario/1";

/// The space of schedules that searches draw from ([schedule]).
struct ScheduleSpace {
  enum class Type : std::uint8_t { none, delay, priority, faults };
  Type type = Type::none;
  Duration max_delay = std::chrono::seconds(4);
  std::vector<MessageKind> kinds;  ///< whose genes vary; the others keep delay 0
  faults::PriorityRate rate;
  faults::FaultSpace faults;  ///< drawn beside the delays or priorities, or alone
};

/// When the faults stop ([phases]).
struct FaultPhase {
  std::optional<Duration> until;  ///< at this time, or as soon as
  Level level = 0;
  std::optional<std::uint64_t> all;  ///< every correct node has decided this instance, or
  std::optional<std::uint64_t> any;  ///< some node has decided this one
};

/// What clients must have seen ([oracle.history], docs/history.md).
struct HistoryDemand {
  std::string model;
  history::CheckOptions options;
  std::optional<double> availability;  ///< share of the questions that must succeed
};

/// A run that the servers had before.
struct EarlierRun {
  faults::Schedule schedule;
  std::uint64_t seed = 0;
};

/// How many runs share a start of the servers ([session]).
struct SessionPlan {
  std::size_t runs_per_start = 1;
  std::vector<EarlierRun> earlier;  ///< since their start; a run of this scenario comes after them
};

struct Scenario {
  std::string name;
  std::string description;
  std::string path;  ///< where it was read from
  std::string text;  ///< the file as it was
  std::shared_ptr<const System> system;
  sim::WorldPlan plan;
  ScheduleSpace space;
  std::optional<FaultPhase> fault_phase;
  oracle::OracleConfig oracle;
  std::optional<HistoryDemand> history;
  std::vector<oracle::Waypoint> waypoints;  ///< in their order ([[waypoint]])
  bool stop_on_violation = true;
  /// limits.virtual_time is in the file: the run's end. Else it is a limit, and cuts the run.
  bool has_end = false;
  MetricSelection metrics;
  SessionPlan session;
  std::string hunt_budget;  ///< [hunt] budget, as the file has it; empty: the hunt's own default

  std::size_t nodes() const { return plan.nodes; }
  /// Those that faults of the environment are drawn for: the first ones.
  std::size_t exposed_nodes() const { return plan.nodes - system->traits().bystanders; }
  const SystemDescription& system_description() const { return system->description(); }
  faults::GeneSpace genes() const { return {nodes(), system_description().kinds.size()}; }
};

/// The counterpart of a scenario of real servers in virtual time: the system's twin in its place
/// (SystemTraits::twin), all else as it is, so that schedules of one are schedules of the other.
/// Throws InputError where no system simulates it.
Scenario simulated_twin(const Scenario& scenario, const SystemRegistry& systems);

/// Throw InputError. The text form is for embedded scenarios (traces) and tests.
Scenario load_scenario(const std::string& path, const SystemRegistry& systems);
Scenario parse_scenario(std::string_view text, std::string name, const SystemRegistry& systems);

/// Reads a schedule file for a scenario; throws InputError.
faults::Schedule load_schedule(const std::string& path, const Scenario& scenario);

}  // namespace dissensus::run
