// Conformance testing in both directions: Workflow I runs the implementation and asks the model,
// Workflow II walks through the model and asks the implementation; conform() alternates both.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dissensus/random.h"

#include "conform/pairing.h"
#include "run/runner.h"

namespace dissensus::conform {

/// Configuration k/m of Workflow I: m random values for each of k inputs, all combinations.
struct WorkflowOne {
  std::size_t inputs = 3;
  std::size_t values = 1;
  bool guided = true;  ///< values that showed new views of the model are varied
  std::size_t rounds = 1;
};

/// Workflow II: so many walks of so many steps.
struct WorkflowTwo {
  std::size_t walks = 10;
  std::size_t depth = 1'000;
};

struct WorkflowLimits {
  std::size_t trace_events = 100'000;  ///< of one run; what comes after is not judged, but counted
  double seconds = 0;                  ///< of wall time; 0: none
  JudgeOptions judge;
};

/// A violation and all that is needed to see it again.
struct ConformanceFinding {
  Violation violation;
  int workflow = 1;
  InputValues values;
  std::uint64_t seed = 0;
  std::size_t trace_length = 0;     ///< as far as it was kept
  std::vector<std::string> labels;  ///< the model's steps up to the violation
  bool is_script = false;       ///< the labels alone show it (no run of the simulator is needed)
  std::size_t shrunk_from = 0;  ///< labels before shrinking; 0: not shrunk
  std::vector<std::string> ignored = {};  ///< properties that were broken before, in the same trace
};

struct WorkflowCounters {
  std::uint64_t traces = 0;  ///< of both workflows
  std::uint64_t steps = 0;
  std::uint64_t same_sequence = 0;  ///< traces not judged: the same one passed before
  std::uint64_t cached_steps = 0;   ///< transitions known from before
  std::uint64_t new_views = 0;
  std::uint64_t cut_traces = 0;      ///< longer than the limit: judged in part, no violation in it
  std::uint64_t unknown_traces = 0;  ///< a limit of the judge was hit, no violation until then
  std::uint64_t walks = 0;           ///< of the traces: those of Workflow II
  std::uint64_t run_steps = 0;       ///< of the steps: those of Workflow I
  std::uint64_t walk_steps = 0;      ///< of the others: those after which both sides were compared
  std::uint64_t stopped_walks = 0;   ///< walks that ended before their depth: the model had no step
  std::uint64_t left_out = 0;        ///< traces that time did not allow
  double generate_seconds = 0;
  double verify_seconds = 0;

  void add(const WorkflowCounters& other);
};

/// What was asked for and not checked, one line each. Empty: "no violation" means that model and
/// implementation agree; otherwise nobody knows.
std::vector<std::string> gaps(const WorkflowCounters& counters, const WorkflowLimits& limits);

class Conformance {
 public:
  /// The mapping must outlive it.
  Conformance(const Mapping& mapping, Variant variant, std::uint64_t seed,
              const SystemRegistry& systems);

  /// Nullopt: no violation; gaps() says whether that means anything. Further calls go on with other
  /// traces.
  std::optional<ConformanceFinding> workflow_one(const WorkflowOne& config,
                                                 const WorkflowLimits& limits = {});
  std::optional<ConformanceFinding> workflow_two(const WorkflowTwo& config,
                                                 const WorkflowLimits& limits = {});
  /// Algorithm 1 of the paper: one trace of each in turn, until something is found or the rounds or
  /// the time are over.
  std::optional<ConformanceFinding> conform(std::size_t rounds, std::size_t depth,
                                            const WorkflowLimits& limits = {});

  /// One more run of the implementation with random inputs, for others to judge.
  struct Run {
    Pairing& pairing;  ///< to which the trace's values belong
    InputValues values;
    ObservedTrace trace;
  };
  Run next_run(const WorkflowLimits& limits = {});

  /// Fewer steps with a violation of the same kind.
  void shrink(ConformanceFinding& finding);
  /// Runs what a finding says; nullopt: it no longer fails (see gaps()).
  std::optional<Violation> repeat(const ConformanceFinding& finding,
                                  const WorkflowLimits& limits = {});

  const WorkflowCounters& counters() const { return counters_; }
  BoundMapping::Coverage coverage();
  /// From now on also notes there which guards of the model decide. It must outlive this.
  void watch_guards(GuardCoverage& guards) { guards_ = &guards; }

 private:
  using Deadline = std::optional<std::chrono::steady_clock::time_point>;

  Pairing& pairing(const InputValues& values, const WorkflowLimits& limits = {});
  InputValues draw_values(bool guided);
  std::optional<ConformanceFinding> traces_of(const WorkflowOne& config,
                                              const WorkflowLimits& limits, const Deadline& end);
  std::optional<ConformanceFinding> walks_of(const WorkflowTwo& config,
                                             const WorkflowLimits& limits, const Deadline& end);
  std::optional<ConformanceFinding> one_trace(const InputValues& values, std::uint64_t seed,
                                              const WorkflowLimits& limits);
  std::optional<ConformanceFinding> one_walk(const InputValues& values, std::uint64_t walk,
                                             std::size_t depth, const WorkflowLimits& limits);
  void shrink_inputs(ConformanceFinding& finding);
  void shrink_script(ConformanceFinding& finding);

  const Mapping& mapping_;
  Variant variant_;
  std::uint64_t seed_;
  const SystemRegistry& systems_;
  run::Runner runner_;
  std::map<InputValues, std::unique_ptr<Pairing>> pairings_;
  std::vector<InputValues> interesting_;
  std::set<std::pair<std::string, std::uint64_t>> passed_;  ///< constants of the model, sequence
  std::uint64_t traces_ = 0;
  std::uint64_t walks_ = 0;
  WorkflowCounters counters_;
  BoundMapping::Coverage coverage_;
  bool has_coverage_ = false;
  GuardCoverage* guards_ = nullptr;
};

}  // namespace dissensus::conform
