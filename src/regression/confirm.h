// Is it fixed? How often a schedule and its neighbours fail, before and after a change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/proportion.h"
#include "run/runner.h"

namespace dissensus::regression {

/// How often runs of a schedule and of its neighbours showed one signature.
struct Rate {
  std::size_t runs = 0;
  std::size_t failing = 0;    ///< with the signature
  std::size_t otherwise = 0;  ///< with another one
  std::size_t unknown = 0;    ///< without a verdict
  std::size_t judged() const { return runs - unknown; }
  double share() const;
  Interval interval() const { return wilson_interval(failing, judged()); }
};

struct RateOptions {
  std::size_t jobs = 1;
  std::uint64_t seed = 1;  ///< of the variations
  /// Delays and times of faults are shortened by up to this share, each by itself, so that the
  /// neighbours stay in the space of the scenario; the seed of the run is another one each time.
  double variation = 0.1;
  std::size_t runs_max = 1'000;
  std::size_t failing_max = SIZE_MAX;  ///< enough
  /// Asked after each run; false ends the measurement. May be empty.
  std::function<bool(const Rate&)> keep_going;
};

/// A neighbour of a schedule; number 0 is the schedule itself.
faults::Schedule vary_schedule(const faults::Schedule& schedule, std::uint64_t seed,
                               std::size_t number, double variation);

/// The same with any number of jobs.
Rate measure_rate(const run::Recipe& recipe, const std::string& signature,
                  const RateOptions& options);

/// Clean runs after which a failure as frequent as before would have shown itself, with 95 %
/// confidence; nothing where it did not fail before.
std::optional<std::size_t> clean_runs_needed(const Rate& before);

enum class Confirmation : std::uint8_t {
  fixed,
  not_fixed,
  cannot_tell,  ///< too few runs, or it did not fail before either
};
std::string_view to_string(Confirmation confirmation);

/// `needed` as clean_runs_needed says.
Confirmation judge_rates(const Rate& before, const Rate& after, std::size_t needed);

}  // namespace dissensus::regression
