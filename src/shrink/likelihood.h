// When a failing run became hopeless: the share of continuations from each moment on that still
// fail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "dissensus/time.h"

#include "run/runner.h"

namespace dissensus::shrink {

/// What is different from the moment on.
enum class Continuation : std::uint8_t {
  seed,      ///< another seed, the same schedule
  schedule,  ///< the same seed, a random schedule of the scenario's space; none if it has no space
};

struct LikelihoodOptions {
  Continuation continuation = Continuation::schedule;
  std::size_t points = 15;  ///< moments, evenly spaced from the start to the first violation
  /// Twice, so many further moments are put where the likelihood changes most.
  std::size_t refinement = 5;
  std::size_t runs = 40;   ///< per moment
  std::uint64_t seed = 1;  ///< of the continuations
  std::size_t jobs = 1;
  /// Events that all continuations may have: see ShrinkOptions::events_max.
  std::uint64_t events_max = UINT64_MAX;
  /// Asked after each run; false ends with the points that are complete. May be empty.
  std::function<bool()> keep_going;
};

struct LikelihoodPoint {
  Time time{};
  EventId event = 0;  ///< the run is the same up to this event; 0: different from the start
  std::size_t runs = 0;
  std::size_t failing = 0;  ///< in the same way as the failing run
  double low = 0;           ///< Wilson's 95 % interval of the share
  double high = 1;
  double share() const {
    return runs == 0 ? 0 : static_cast<double>(failing) / static_cast<double>(runs);
  }
};

/// Depends on the run and on options.seed, not on the number of jobs. Throws InputError where the
/// run does not fail or itself continues another one.
std::vector<LikelihoodPoint> failure_likelihood(const run::Recipe& recipe,
                                                const LikelihoodOptions& options);

}  // namespace dissensus::shrink
