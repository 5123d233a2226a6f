// A failing run as a reduction problem: its units, and the run that belongs to given levels.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "dissensus/schedule.h"

#include "faults/reduction.h"
#include "run/scenario.h"
#include "shrink/reduce.h"
#include "shrink/scenario_edit.h"

namespace dissensus::shrink {

using faults::LevelSource;
using faults::Scale;
using faults::whole_milliseconds;

/// What is left of a run, in numbers.
struct Size {
  std::size_t genes = 0;     ///< with a delay, or out of the natural order of priorities
  std::size_t messages = 0;  ///< single ones that are delayed
  std::size_t faults = 0;
  std::size_t requests = 0;
  Duration delay_total{};  ///< sum over genes and single messages
  friend bool operator==(const Size&, const Size&) = default;
};

struct FailingRun {
  Duration end{};  ///< when it ended
  /// Only some dozens of runs can be made: few levels are tried, and the limit of time stays.
  bool is_costly = false;
  /// By gene: whether there was any message of it. Empty: not known.
  std::vector<bool> used;
  /// Delays may grow beyond those that the scenario draws.
  bool beyond_bounds = false;
};

/// How late the scenario has messages of each gene at most, in milliseconds: what its searches draw
/// from. Where it draws no delays, no later than the schedule has any.
std::vector<std::int64_t> delay_bounds(const run::Scenario& scenario,
                                       const faults::Schedule& schedule);
/// Whether the schedule has a later message than that: no search of the scenario draws it.
bool leaves_bounds(const run::Scenario& scenario, const faults::Schedule& schedule);

struct Candidate {
  std::shared_ptr<const run::Scenario> scenario;
  faults::Schedule schedule;
};

/// Constant after construction except for a cache of scenarios behind a lock: threads may share it.
class Candidates {
 public:
  /// `failing` is what is known of the failing run. `systems` must outlive this.
  Candidates(const run::Scenario& scenario, const faults::Schedule& schedule,
             const FailingRun& failing, const SystemRegistry& systems);

  Problem problem() const;
  Candidate make(const Levels& levels) const;
  Size size(const Levels& levels) const;
  const Levels& start() const { return start_; }

 private:
  enum class UnitType : std::uint8_t {
    gene,          ///< milliseconds of delay, or 1 for a priority that keeps its place
    message,       ///< milliseconds of delay of a single message
    scheduler,     ///< of priorities: used at all
    fault,         ///< there
    part,          ///< of the fault before it
    request,       ///< there
    faults_until,  ///< milliseconds until the fault phase ends
    virtual_time,  ///< milliseconds of the limit
  };
  struct Unit {
    UnitType type = UnitType::gene;
    Scale scale = Scale::whole;
    std::uint32_t index = 0;  ///< of the gene, single message, fault or request
  };
  class Collector;
  class Reader;

  void add(UnitType type, Scale scale, std::size_t index, std::int64_t level);
  void add_scheduler_units();
  void add_fault_units();
  void add_scenario_units();
  std::size_t gene_of(const Unit& unit) const;
  Units unused() const;
  std::vector<Units> groups() const;
  std::vector<Units> stories(const std::vector<Units>& groups) const;
  void normalise(Levels& levels) const;
  faults::Schedule schedule_of(const Levels& levels) const;
  std::vector<faults::Fault> faults_of(const Levels& levels) const;
  ScenarioEdit edit_of(const Levels& levels) const;
  std::shared_ptr<const run::Scenario> scenario_of(const ScenarioEdit& edit) const;

  std::shared_ptr<const run::Scenario> scenario_;
  faults::Schedule schedule_;
  faults::GeneSpace genes_;
  FailingRun failing_;
  ScenarioText text_;
  const SystemRegistry& systems_;
  std::vector<Unit> units_;
  Levels start_;
  mutable std::mutex mutex_;
  mutable std::map<ScenarioEdit, std::shared_ptr<const run::Scenario>> scenarios_;
};

/// Genes in the order of their numbers, the first with the highest priority: where priorities
/// return to. The genes of `kept` stay in their places; the others share the places that are left.
std::vector<std::uint32_t> towards_natural_order(const std::vector<std::uint32_t>& priority,
                                                 const std::vector<bool>& kept);

}  // namespace dissensus::shrink
