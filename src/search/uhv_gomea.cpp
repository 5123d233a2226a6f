// UHV-GOMEA (Maree, Alderliesten and Bosman 2020): a population of sets of solutions, each set
// judged as a whole by its uncrowded hypervolume. A set changes one member at a time: the members
// of all sets in one position are sampled anew from a normal distribution learned from the better
// sets, and a set keeps the new one where it gained by it. So each change costs one run, not one
// per member.
//
// The genes of a member are one linkage set with a diagonal covariance: with hundreds of genes and
// a handful of sets nothing about pairs of genes could be learned. Works on the unit cube.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "search/algorithms.h"
#include "search/generational.h"
#include "search/genotype.h"
#include "search/operators.h"

namespace dissensus::search {

namespace {
struct UhvParameters {
  std::size_t sets = 10;
  std::size_t solutions = 4;  ///< of a set
  double selected = 0.35;     ///< share of the sets that are learned from
};

class UhvGomea final : public Generational {
 public:
  UhvGomea(const SearchContext& context, const UhvParameters& parameters)
      : Generational(context, "uhv-gomea", 0),
        parameters_(parameters),
        genes_(space().size()),
        stretch_(parameters.solutions, 1),
        mean_(parameters.solutions) {
    double range = 0;
    for (std::size_t i = 0; i < genes_; ++i)
      range = std::max(range, space().high[i] - space().low[i]);
    constexpr double kSmallestStep = 0.2;  // of a whole number: rounding hides anything less
    deviation_min_ = space().integral ? kSmallestStep / std::max(range, 1.0) : 1e-10;
    for (std::size_t i = 0; i < parameters_.sets * parameters_.solutions; ++i) {
      Member member;
      member.place.resize(genes_);
      for (double& coordinate : member.place) coordinate = random().unit();
      member.plan = random_genotype(space(), random()).faults;
      trials_.push_back(std::move(member));
    }
    begin(genotypes());
  }

 private:
  struct Member {
    std::vector<double> place;  ///< in the unit cube
    std::vector<faults::Fault> plan;
    Point objectives;
  };
  using Set = std::vector<Member>;

  std::vector<Genotype> next_generation(std::vector<Individual> told) override {
    for (std::size_t i = 0; i < told.size(); ++i) {
      trials_[i].objectives = std::move(told[i].objectives);
      widen(trials_[i].objectives);
    }
    if (sets_.empty()) {
      deal();
    } else {
      replace();
    }
    if (order_.empty()) start_pass();
    position_ = order_.back();
    order_.pop_back();
    sample();
    return genotypes();
  }
  std::string_view origin() const override { return "uhv-gomea"; }

  std::vector<Genotype> genotypes() const {
    std::vector<Genotype> result;
    for (const Member& trial : trials_) {
      Genotype genotype{trial.place, trial.plan};
      from_unit_cube(genotype.genes, space());
      result.push_back(std::move(genotype));
    }
    return result;
  }

  void widen(const Point& point) {
    if (box_.low.empty()) box_ = {point, point};
    for (std::size_t k = 0; k < point.size(); ++k) {
      box_.low[k] = std::min(box_.low[k], point[k]);
      box_.high[k] = std::max(box_.high[k], point[k]);
    }
  }

  /// Objectives are scaled by what was seen so far, since nobody knows their ranges before.
  double quality(const Set& set) const {
    constexpr double kBeyond = 1.1;
    Points points;
    for (const Member& member : set) {
      Point point = member.objectives;
      for (std::size_t k = 0; k < point.size(); ++k) {
        const double range = box_.high[k] - box_.low[k];
        point[k] = range > 0 ? (point[k] - box_.low[k]) / range : 0;
      }
      points.push_back(std::move(point));
    }
    return uncrowded_hypervolume(points, Point(points[0].size(), kBeyond));
  }

  void deal() {
    for (std::size_t i = 0; i < trials_.size(); i += parameters_.solutions) {
      const auto begin = trials_.begin() + static_cast<std::ptrdiff_t>(i);
      sets_.emplace_back(
          std::make_move_iterator(begin),
          std::make_move_iterator(begin + static_cast<std::ptrdiff_t>(parameters_.solutions)));
    }
  }

  /// Members that are compared across sets lie in the same part of the front. Best sets first.
  void start_pass() {
    for (Set& set : sets_) {
      std::stable_sort(set.begin(), set.end(), [](const Member& a, const Member& b) {
        return a.objectives < b.objectives;
      });
    }
    std::vector<std::pair<double, std::size_t>> ranking;
    for (std::size_t i = 0; i < sets_.size(); ++i) ranking.emplace_back(-quality(sets_[i]), i);
    std::sort(ranking.begin(), ranking.end());
    std::vector<Set> sorted;
    for (const auto& [negative, index] : ranking) sorted.push_back(std::move(sets_[index]));
    sets_ = std::move(sorted);
    order_.resize(parameters_.solutions);
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    for (std::size_t i = order_.size(); i > 1; --i) {
      std::swap(order_[i - 1], order_[random().below(i)]);
    }
  }

  /// A new member in `position_` for every set. Half of them go on in the direction in which the
  /// mean has moved since the last pass (AMaLGaM's anticipated mean shift).
  void sample() {
    const auto selected = std::max<std::size_t>(
        2, static_cast<std::size_t>(parameters_.selected * static_cast<double>(sets_.size())));
    std::vector<double> mean(genes_, 0);
    deviation_.assign(genes_, 0);
    for (std::size_t g = 0; g < genes_; ++g) {
      for (std::size_t i = 0; i < selected; ++i) mean[g] += sets_[i][position_].place[g];
      mean[g] /= static_cast<double>(selected);
      for (std::size_t i = 0; i < selected; ++i) {
        const double off = sets_[i][position_].place[g] - mean[g];
        deviation_[g] += off * off / static_cast<double>(selected);
      }
      deviation_[g] = std::max(deviation_min_, std::sqrt(stretch_[position_] * deviation_[g]));
    }
    std::vector<double>& before = mean_[position_];
    trials_.assign(sets_.size(), {});
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      constexpr double kAhead = 2;
      const bool is_ahead = !before.empty() && i % 2 == 1;
      Member& trial = trials_[i];
      trial.place.resize(genes_);
      for (std::size_t g = 0; g < genes_; ++g) {
        const double shift = is_ahead ? kAhead * (mean[g] - before[g]) : 0;
        trial.place[g] = std::clamp(mean[g] + deviation_[g] * random().normal() + shift, 0.0, 1.0);
      }
      trial.plan = sets_[i][position_].plan;
      if (space().fault_strategy && random().chance(0.5)) {
        mutate_plan(trial.plan, space(), random());
      }
    }
    before = std::move(mean);
  }

  /// Each set keeps its new member where it gains by it; sometimes otherwise, but the best set.
  void replace() {
    constexpr double kForced = 0.05;
    std::vector<std::size_t> gains;
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      Set changed = sets_[i];
      changed[position_] = trials_[i];
      const bool is_gain = quality(changed) > quality(sets_[i]);
      if (is_gain) gains.push_back(i);
      const bool is_forced = i > 0 && random().chance(kForced);
      if (is_gain || is_forced) sets_[i] = std::move(changed);
    }
    adapt(gains);
  }

  /// Gains far from the mean ask for wider samples, no gain for narrower ones.
  void adapt(const std::vector<std::size_t>& gains) {
    constexpr double kFactor = 0.9;
    constexpr double kLeast = 1e-6;
    double& stretch = stretch_[position_];
    if (gains.empty()) {
      stretch = std::max(kLeast, stretch * kFactor);
      return;
    }
    double farthest = 0;
    for (std::size_t g = 0; g < genes_; ++g) {
      double sum = 0;
      for (const std::size_t i : gains) sum += trials_[i].place[g] - mean_[position_][g];
      farthest =
          std::max(farthest, std::abs(sum) / (static_cast<double>(gains.size()) * deviation_[g]));
    }
    stretch = std::max(stretch, 1.0);
    if (farthest > 1) stretch /= kFactor;
  }

  UhvParameters parameters_;
  std::size_t genes_;
  double deviation_min_ = 0;
  std::vector<Set> sets_;                  ///< as of the start of the pass: best first
  std::vector<double> stretch_;            ///< of the variance, by position
  std::vector<std::vector<double>> mean_;  ///< that was sampled from last, by position
  std::vector<double> deviation_;          ///< by gene
  std::vector<Member> trials_;             ///< under way: by set; at first, all members of all sets
  std::vector<std::size_t> order_;         ///< positions that the pass has left
  std::size_t position_ = 0;
  Box box_;  ///< of all objectives seen
};
}  // namespace

std::unique_ptr<Search> make_uhv_gomea(const SearchContext& context, const Options& options) {
  UhvParameters parameters;
  parameters.sets = static_cast<std::size_t>(options.integer("sets", 10, 2, 10'000));
  parameters.solutions = static_cast<std::size_t>(options.integer("solutions", 4, 1, 1000));
  parameters.selected = options.number("selected", parameters.selected, 0.01, 1);
  auto search = std::make_unique<UhvGomea>(context, parameters);
  options.finish();
  return search;
}

}  // namespace dissensus::search
