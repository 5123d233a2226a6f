// The same loop between two implementations, or between two models: each takes the other's steps
// and must look alike afterwards.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dissensus/system.h"

#include "tla/logs/matcher.h"

namespace dissensus::conform {

struct Disagreement {
  std::size_t step = 0;           ///< from 1
  std::string what;               ///< the step: "deliver vertex 2 -> 0", "Receive(1, 2, 1)"
  std::string message;            ///< one line
  std::vector<std::string> path;  ///< the steps before, in order
};

struct CompareOptions {
  std::uint64_t seed = 1;
  std::size_t walks = 10;
  std::size_t depth = 1'000;
  double crash_chance = 0.001;  ///< per step; a node that is down restarts ten times as likely
  tla::MatchLimits limits;      ///< of the model that follows
};

struct Comparison {
  std::optional<Disagreement> disagreement;
  std::uint64_t walks = 0;
  std::uint64_t steps = 0;
  std::uint64_t unknown_walks = 0;  ///< that went on until a limit was hit
  /// What no disagreement does not speak for; empty: both agree.
  std::vector<std::string> gaps() const;
};

/// Drives two systems of one description through the same deliveries, timers and crashes, chosen
/// at random from what waits in the first, and compares the steps and states that nodes report.
/// Call it with the systems exchanged for what only the second does. Throws InputError for systems
/// of different sizes, steps or messages.
Comparison compare_implementations(const System& first, const System& second,
                                   const CompareOptions& options);

/// Walks through the first model and asks the second to follow by actions of the same names; after
/// each step the expressions must have equal values in both (empty: all variables that both have).
/// Call it with the models exchanged for the other direction.
Comparison compare_models(tla::Machine& first, tla::Machine& second,
                          const std::vector<std::string>& expressions,
                          const CompareOptions& options);

}  // namespace dissensus::conform
