// The nearest run that passes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "run/runner.h"

namespace dissensus::diff {

struct Neighbour {
  run::Recipe recipe;
  trace::Trace trace;
  std::string words;  ///< in what it differs: "without: n1 -> n2 Commit is 400ms late"
};

struct NeighbourOptions {
  std::uint64_t events_max = 20'000'000;  ///< of all runs that are tried
  std::size_t seeds = 20;                 ///< tried where no part of the schedule can be left out
  std::function<bool()> keep_going;       ///< may be empty
};

/// Of the runs with one part of the schedule left out, which is what the last step of shrinking
/// tried, then of those without any, then with other seeds: the passing one that has most in common
/// with the failing run. None where each of them fails.
std::optional<Neighbour> nearest_passing(const run::Recipe& failing, const trace::Trace& trace,
                                         const NeighbourOptions& options = {});

}  // namespace dissensus::diff
