// Fitness: what makes one run more interesting than another.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dissensus/description.h"
#include "dissensus/schedule.h"
#include "dissensus/time.h"

namespace dissensus {

/// What was measured in a run, whatever the system.
struct RunSummary {
  bool failed = false;
  bool unknown = false;
  std::size_t violations = 0;
  bool capped = false;  ///< ended by limits.deliveries
  Duration duration{};  ///< virtual time from start to end
  std::size_t nodes = 0;

  struct Report {
    Time time{};
    NodeId node = kNoNode;
    std::uint64_t instance = 0;
    Digest value{};
  };
  /// By level: what nodes decided and proposed, in order of time.
  std::vector<std::vector<Report>> decisions;
  std::vector<std::vector<Report>> proposals;
  /// By observable: the largest value that any node reported; 0 where none did.
  std::vector<std::int64_t> observed_max;
  std::vector<std::uint64_t> sent;  ///< messages by kind
  /// How often a node entered a phase that does not follow the one it was in, where the system
  /// describes a cycle of phases: rounds that were given up.
  std::uint64_t failed_rounds = 0;
  /// The time that correct nodes were behind the most advanced one on the level of progress, summed
  /// over nodes.
  Duration behind{};
  /// Abstract states that were reached, each once, ascending (dissensus list fitness says of what
  /// they are made).
  std::vector<std::uint64_t> states;
  /// How close two nodes came to deciding differently: 0 when all reports of every instance were
  /// equal, 1 when two decided differently.
  double disagreement_margin = 0;
  /// The longest wait for a decision on the level of the termination demand, as a share of its
  /// bound; 0 where the scenario demands no progress.
  double termination_margin = 0;
  /// How close what clients saw came to an anomaly, 0 far from it to below 1; 0 where nobody judges
  /// histories (docs/history.md).
  double history_margin = 0;
  /// How close the rules of the scenario came to being broken, by rule: 0 far from it, 1 broken.
  /// Empty where no objective asks for it (Signal::rules).
  std::vector<double> rule_margins;
  /// How many waypoints of the scenario were reached, in their order, and how many there are.
  std::size_t waypoints_reached = 0;
  std::size_t waypoints = 0;
};

/// What costs time to measure and is measured only where an objective needs it.
enum class Signal : std::uint8_t { none, rules };

/// One objective. Constant, shared by threads.
class Fitness {
 public:
  virtual ~Fitness() = default;
  /// Smaller is better: the goal is a failing run.
  virtual double score(const RunSummary& run, const faults::Schedule& schedule) const = 0;
  /// The score again, once it is known how many states of the run no earlier run of the hunt had
  /// reached. For a fitness that asks for news; the others keep their score.
  virtual double with_new_states(double score, std::size_t new_states) const {
    static_cast<void>(new_states);
    return score;
  }
};

struct FitnessEntry {
  std::string name;
  std::string summary;
  /// `description` outlives the fitness.
  std::unique_ptr<Fitness> (*make)(const SystemDescription& description);
  Signal needs = Signal::none;
};

}  // namespace dissensus
