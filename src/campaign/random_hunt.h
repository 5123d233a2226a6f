// Random search for a violation: the baseline that every other search is measured against.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "faults/schedule.h"
#include "run/runner.h"
#include "run/scenario.h"

namespace dissensus::campaign {

struct HuntOptions {
  std::uint64_t seed = 1;
  std::size_t runs = 1000;  ///< budget
  std::size_t jobs = 1;
};

/// What has happened so far; handed to the progress callback after each run.
struct HuntProgress {
  std::size_t runs = 0;
  Duration virtual_time{};
  std::uint64_t events = 0;
  std::size_t repeated = 0;  ///< runs made twice to compare their hashes
};

struct Finding {
  std::size_t item = 0;  ///< which run of the hunt
  faults::Schedule schedule;
  std::uint64_t seed = 0;
  std::uint64_t hash = 0;
  oracle::Verdict verdict;
};

struct HuntResult {
  HuntProgress progress;
  std::optional<Finding> finding;
  std::size_t unknown = 0;  ///< runs whose verdict was unknown
};

/// The schedule and the seed of one run of a hunt, from the hunt's seed alone.
struct HuntItem {
  faults::Schedule schedule;
  std::uint64_t seed = 0;
};
HuntItem hunt_item(const run::Scenario& scenario, std::uint64_t hunt_seed, std::size_t index);

/// Runs random schedules until one fails or the budget is spent. The same seed gives the same
/// result with any number of jobs. One run in sixteen is made twice; a differing hash is a broken
/// law and ends the program. `keep_going` is asked after each run.
HuntResult random_hunt(const run::Scenario& scenario, const HuntOptions& options,
                       const std::function<bool(const HuntProgress&)>& keep_going);

}  // namespace dissensus::campaign
