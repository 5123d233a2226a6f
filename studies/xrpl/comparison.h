// Recorded against simulated: the same quantity of the same cases, side by side.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "case_metrics.h"
#include "recorded_cases.h"

namespace dissensus::studies {

/// A recorded case and its repetitions in the simulator, one per seed.
struct ComparedCase {
  RecordedCase recorded;
  std::vector<CaseMetrics> simulated;
  std::vector<double> recovery_s;  ///< of those that recovered
};
using ComparedCases = std::vector<ComparedCase>;

/// A quantity with one value per case.
using CaseValue = std::function<double(const CaseMetrics&)>;
/// A quantity with many values per case, e.g. one per round.
using CaseValues = std::function<const std::vector<double>&(const CaseMetrics&)>;
/// Which cases a comparison is about; recorded and simulated ones alike.
using CaseFilter = std::function<bool(const CaseMetrics&)>;

struct Sample {
  std::vector<double> recorded;
  std::vector<double> simulated;
};
Sample collect(const std::vector<const ComparedCase*>& cases, const CaseValue& value,
               const CaseFilter& filter = nullptr);
Sample collect_all(const std::vector<const ComparedCase*>& cases, const CaseValues& values);

/// Where each recorded value stands among the simulated ones of its own case, in [0, 1]: uniform
/// if recorded and simulated values come from one distribution. Ties are broken by `seed`.
std::vector<double> ranks(const std::vector<const ComparedCase*>& cases, const CaseValue& value,
                          std::uint64_t seed, const CaseFilter& filter = nullptr);

struct Rate {
  std::uint64_t yes = 0;
  std::uint64_t all = 0;
};
struct RatePair {
  Rate recorded;
  Rate simulated;
};
RatePair rates(const std::vector<const ComparedCase*>& cases, const CaseFilter& event);

}  // namespace dissensus::studies
