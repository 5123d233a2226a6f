#include "fidelity/permutation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "dissensus/random.h"

#include "core/assert.h"

namespace dissensus::fidelity {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Mid-ranks of a group: equal values share the mean of their places.
std::vector<double> ranks_of(std::span<const double> values, std::span<const std::size_t> group) {
  std::vector<double> ranks;
  for (const std::size_t run : group) {
    double below = 0;
    double equal = 0;
    for (const std::size_t other : group) {
      below += values[other] < values[run] ? 1 : 0;
      equal += values[other] == values[run] ? 1 : 0;
    }
    ranks.push_back(below + (equal + 1) / 2);
  }
  return ranks;
}

}  // namespace

SidePermutations::SidePermutations(std::vector<SidedRun> runs, const PermutationOptions& options)
    : runs_(std::move(runs)), options_(options) {
  std::map<std::size_t, std::vector<std::size_t>> by_schedule;
  for (std::size_t i = 0; i < runs_.size(); ++i) by_schedule[runs_[i].schedule].push_back(i);
  for (auto& [schedule, group] : by_schedule) groups_.push_back(std::move(group));
}

double SidePermutations::p_value(const std::function<double(Sides)>& statistic) const {
  std::vector<char> sides;
  for (const SidedRun& run : runs_) sides.push_back(run.is_first ? 1 : 0);
  const auto first = static_cast<std::size_t>(std::count(sides.begin(), sides.end(), 1));
  if (first == 0 || first == sides.size()) return kNan;
  // Sums in another order may differ in their last digits.
  const double observed = statistic(sides);
  const double least = observed - 1e-9 * std::max(1.0, std::abs(observed));
  std::size_t as_large = 1;
  Random random(options_.seed, "permutation");
  for (std::size_t i = 0; i < options_.permutations; ++i) {
    for (const std::vector<std::size_t>& group : groups_) {
      for (std::size_t k = group.size(); k > 1; --k) {
        std::swap(sides[group[k - 1]], sides[group[random.below(k)]]);
      }
    }
    as_large += statistic(sides) >= least ? 1 : 0;
  }
  return static_cast<double>(as_large) / static_cast<double>(options_.permutations + 1);
}

double SidePermutations::distribution_p_value(std::span<const std::vector<double>> values) const {
  DISSENSUS_ASSERT(values.size() == runs_.size(), "one list of values per run");
  struct Place {
    double value;
    std::size_t run;
  };
  std::vector<Place> places;
  for (std::size_t run = 0; run < values.size(); ++run) {
    for (const double value : values[run]) places.push_back({value, run});
  }
  std::sort(places.begin(), places.end(),
            [](const Place& a, const Place& b) { return a.value < b.value; });
  const auto count_of = [&](Sides sides) {
    double count = 0;
    for (std::size_t run = 0; run < values.size(); ++run) {
      if (sides[run] != 0) count += static_cast<double>(values[run].size());
    }
    return count;
  };
  const auto all = static_cast<double>(places.size());
  const auto distance = [&](Sides sides) {
    const double first = count_of(sides);
    const double second = all - first;
    if (first == 0 || second == 0) return 1.0;
    double difference = 0;
    double largest = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
      difference += sides[places[i].run] != 0 ? 1 / first : -1 / second;
      if (i + 1 < places.size() && places[i + 1].value == places[i].value) continue;
      largest = std::max(largest, std::abs(difference));
    }
    return largest;
  };
  std::vector<char> own;
  for (const SidedRun& run : runs_) own.push_back(run.is_first ? 1 : 0);
  if (const double first = count_of(own); first == 0 || first == all) return kNan;
  return p_value(distance);
}

double SidePermutations::rank_p_value(std::span<const double> values) const {
  DISSENSUS_ASSERT(values.size() == runs_.size(), "one value per run");
  std::vector<double> scores(runs_.size());
  for (const std::vector<std::size_t>& group : groups_) {
    const std::vector<double> ranks = ranks_of(values, group);
    const auto size = static_cast<double>(group.size());
    for (std::size_t i = 0; i < group.size(); ++i) {
      scores[group[i]] = (ranks[i] - (size + 1) / 2) / (size + 1);
    }
  }
  return p_value([&scores](Sides sides) {
    double sum = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) sum += sides[i] != 0 ? scores[i] : 0;
    return std::abs(sum);
  });
}

double SidePermutations::smallest_p_value() const {
  double log_arrangements = 0;
  for (const std::vector<std::size_t>& group : groups_) {
    const auto size = static_cast<double>(group.size());
    const auto first = static_cast<double>(std::count_if(
        group.begin(), group.end(), [this](std::size_t run) { return runs_[run].is_first; }));
    log_arrangements +=
        std::lgamma(size + 1) - std::lgamma(first + 1) - std::lgamma(size - first + 1);
  }
  return std::max(std::exp(-log_arrangements), 1 / static_cast<double>(options_.permutations + 1));
}

}  // namespace dissensus::fidelity
