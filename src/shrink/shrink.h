// The smallest run that still fails in the same way: delta debugging over the schedule's genes,
// single messages and faults, and over the workload and times of the scenario
// (docs/results/shrinking.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "oracle/verdict.h"
#include "run/runner.h"
#include "shrink/candidates.h"

namespace dissensus::shrink {

enum class ShrinkStage : std::uint8_t { reducing, other_seeds, bystanders };

struct ShrinkProgress {
  ShrinkStage stage = ShrinkStage::reducing;
  std::size_t runs = 0;      ///< of this stage
  std::uint64_t events = 0;  ///< of those runs
  Size size;                 ///< of the smallest failing run so far
};

struct ShrinkOptions {
  std::size_t jobs = 1;
  /// Preserve every signature of the run, not only the first: several rules may name one cause.
  bool all_violations = false;
  /// Delays may grow to twice the longest of the schedule; otherwise only to the latest that the
  /// scenario draws, so that the minimal schedule is one that a search of it could have found.
  bool beyond_bounds = false;
  std::size_t runs_max = 1'000'000;
  /// Events that the runs of the reduction may have, and each of the stages after it: a limit of
  /// work that gives the same result on every machine, with short runs and with long ones.
  std::uint64_t events_max = UINT64_MAX;
  /// The trace hash of the failing run, where it is known: throws run::NotDeterministic where the
  /// run is another one now.
  std::string hash;
  /// Asked after each run; false ends all that is left with what was reached. May be empty. Limits
  /// of wall time go here: this room knows no real clock.
  std::function<bool(const ShrinkProgress&)> keep_going;
  /// Other seeds to try the minimal run with; none given: 100, or 10 where runs are costly.
  std::optional<std::size_t> seeds;
  /// Above 0: what is left must fail with at least this share of the seeds with which the whole run
  /// fails, of `rate_seeds`, which are the same for every candidate. For schedules that go to real
  /// servers, where every run is another seed.
  double rate = 0;
  std::size_t rate_seeds = 40;
};

/// How often a run fails with seeds that are not its own.
struct KeptRate {
  double share = 1;                ///< that was asked for
  std::size_t seeds = 0;           ///< by which candidates were judged
  std::size_t failing_before = 0;  ///< of these, with the whole run
  std::size_t failing_after = 0;   ///< with the minimal one
  /// Of ShrinkResult::seeds, which judged no candidate, with the whole run.
  std::size_t others_before = 0;
};

struct ShrinkResult {
  /// The minimal run. Its scenario has a text of its own where something was taken out of it.
  run::Recipe recipe;
  oracle::Violation violation;  ///< the first one of that run
  /// No single further reduction fails: each was tried. False when a limit ended the shrinking.
  bool minimal = false;
  /// Runs were too costly to try smaller delays as well: `minimal` says that nothing can be
  /// removed.
  bool only_removed = false;
  bool beyond_bounds = false;  ///< ShrinkOptions::beyond_bounds
  std::size_t runs = 0;
  std::size_t known = 0;  ///< candidates that had been tried before
  std::size_t genes = 0;  ///< of the schedule's space
  Size before;
  Size after;
  /// Of so many other seeds the minimal run fails in the same way with so many.
  std::size_t seeds = 0;
  std::size_t failing_seeds = 0;
  std::optional<KeptRate> rate;  ///< where one was to be kept
  std::size_t nodes_tried = 0;   ///< as bystanders
  /// Nodes that may be down from the start: the minimal run still fails in the same way, and it is
  /// not their absence that fails, for without the schedule all is well.
  std::vector<NodeId> bystanders;
};

/// The signature of a run's first violation; empty when it did not fail.
std::string failure_of(const run::RunResult& result);

/// Runs the failing run and shrinks it. The result does not depend on the number of jobs. Throws
/// InputError where the run does not fail.
ShrinkResult shrink(const run::Scenario& scenario, const faults::Schedule& schedule,
                    std::uint64_t seed, const ShrinkOptions& options,
                    const SystemRegistry& systems);

/// Goes on from what an earlier shrinking of the same run reached, and never returns a larger run.
/// Starts again where that no longer fails as it did: the system is another one now. So it does
/// where a rate is to be kept, of which an earlier shrinking may have known nothing, and where that
/// left the bounds of the scenario and this one may not.
ShrinkResult shrink_further(const run::Recipe& failing, const ShrinkResult& earlier,
                            const ShrinkOptions& options, const SystemRegistry& systems);

/// The content of shrink.json, `dissensus-shrink/1` (docs/results/shrinking.md).
std::string to_json(const ShrinkResult& result);
/// What such a text says; recipe and violation are in the minimal run's own folder. `path` is for
/// errors (InputError).
ShrinkResult parse_result(const std::string& text, const std::string& path);

}  // namespace dissensus::shrink
