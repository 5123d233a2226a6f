// Permutation tests for runs of two sides under the same schedules. Values of one run depend on
// each other, and runs of one schedule are alike, so that tests for independent values would find
// differences where there are none. Here the question is: were the runs of each schedule dealt to
// the two sides at random, how often would the sides differ as much as they do?
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace dissensus::fidelity {

/// Which side a run belongs to, and under which schedule it was made.
struct SidedRun {
  std::size_t schedule = 0;
  bool is_first = false;
};

struct PermutationOptions {
  std::size_t permutations = 4999;
  std::uint64_t seed = 1;
};

class SidePermutations {
 public:
  explicit SidePermutations(std::vector<SidedRun> runs, const PermutationOptions& options = {});

  /// For each run whether it is dealt to the first side.
  using Sides = std::span<const char>;
  /// Share of arrangements, that of the runs as they are included, whose statistic is at least as
  /// large. NaN where a side has no run.
  double p_value(const std::function<double(Sides)>& statistic) const;

  /// Values per run, any number of them: compares the distributions of all values of each side by
  /// the largest distance of their distribution functions (Kolmogorov-Smirnov).
  double distribution_p_value(std::span<const std::vector<double>> values) const;
  /// One value per run: compares ranks among the runs of the same schedule (van Elteren 1960).
  double rank_p_value(std::span<const double> values) const;

  /// No p-value can be below: 1 out of all arrangements, or out of those that are tried.
  double smallest_p_value() const;

 private:
  std::vector<SidedRun> runs_;
  std::vector<std::vector<std::size_t>> groups_;  ///< runs by schedule
  PermutationOptions options_;
};

}  // namespace dissensus::fidelity
