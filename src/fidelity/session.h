// Runs the same schedules on two scenarios, real servers and their simulation for example, and
// keeps what a comparison needs of each run.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "faults/schedule.h"
#include "fidelity/comparison.h"
#include "run/scenario.h"

namespace dissensus::fidelity {

struct FidelitySchedule {
  std::string name;
  faults::Schedule schedule;
};

/// Schedule "none", without any delay or fault, then random ones from the scenario's space. Throws
/// InputError where there is no space to draw from.
std::vector<FidelitySchedule> draw_schedules(const run::Scenario& scenario, std::size_t count,
                                             std::uint64_t seed);

struct FidelitySidePlan {
  std::string name;
  const run::Scenario* scenario = nullptr;
  std::size_t repeats = 1;  ///< of each schedule
  std::size_t jobs = 1;     ///< runs at a time
};

struct FidelityPlan {
  std::string scenario;  ///< name
  Both<FidelitySidePlan> sides;
  std::vector<FidelitySchedule> schedules;
  std::uint64_t seed = 1;
};

/// A run that broke off: a server died, for example. It says nothing about the schedule.
struct FailedRun {
  std::size_t side = 0;
  RunPlace place;
  std::string reason;
};

/// Called between runs on the calling thread.
class FidelityObserver {
 public:
  virtual ~FidelityObserver() = default;
  virtual void on_run(std::size_t side, const RunObservation& observation) = 0;
  virtual void on_failed_run(const FailedRun& failed) = 0;
  /// Asked from all threads; true: no more runs are begun.
  virtual bool is_stopped() const = 0;
};

struct FidelityRuns {
  FidelityInput input;
  std::vector<FailedRun> failed;
  bool complete = false;  ///< every run of the plan was made
};

/// Runs the second side whole, then the first, which may be slow, repetition by repetition: what
/// is there after an interruption covers all schedules evenly. What the very first run of a
/// side throws reaches the caller; later failures are noted, and kFailuresMax in a row end the
/// side.
inline constexpr std::size_t kFailuresMax = 3;
FidelityRuns run_fidelity(const FidelityPlan& plan, FidelityObserver& observer);

/// Throws InputError, naming the difference, where schedules or measurements of one scenario mean
/// nothing to the other.
void require_comparable(const run::Scenario& first, const run::Scenario& second);

/// The first line of observations.jsonl (docs/formats/fidelity.md), without its end.
std::string header_json_line(const FidelityPlan& plan, const FidelityMeasures& measures);
std::string to_json_line(const FailedRun& failed, std::string_view side);

}  // namespace dissensus::fidelity
