// CMA-ES (Hansen, tutorial of 2016), with the diagonal variant of Ros and Hansen (2008) for many
// genes and restarts with growing populations (Auger and Hansen 2005).
//
// Works on the unit cube: delays are stretched to their bounds, priorities are the ranks of keys.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "search/algorithms.h"
#include "search/covariance.h"
#include "search/generational.h"
#include "search/genotype.h"
#include "search/portable_math.h"

namespace dissensus::search {

namespace {
struct CmaParameters {
  std::size_t population = 0;
  double sigma = 0.3;  ///< first step length, as a share of the ranges
  bool full = false;
  double growth = 2;
};

/// What follows from the number of genes and of samples: the tutorial's default strategy.
struct Strategy {
  Strategy(std::size_t genes, std::size_t samples, bool full) {
    const auto n = static_cast<double>(genes);
    const std::size_t parents = std::max<std::size_t>(samples / 2, 1);
    double sum = 0;
    for (std::size_t i = 0; i < parents; ++i) {
      weights.push_back(portable_log(static_cast<double>(parents) + 0.5) -
                        portable_log(static_cast<double>(i + 1)));
      sum += weights.back();
    }
    double squares = 0;
    for (double& weight : weights) {
      weight /= sum;
      squares += weight * weight;
    }
    mass = 1 / squares;
    path_rate = (4 + mass / n) / (n + 4 + 2 * mass / n);
    step_rate = (mass + 2) / (n + mass + 5);
    const double boost = full ? 1 : (n + 2) / 3;
    one_rate = std::min(1.0, boost * 2 / ((n + 1.3) * (n + 1.3) + mass));
    mass_rate =
        std::min(1 - one_rate, boost * 2 * (mass - 2 + 1 / mass) / ((n + 2) * (n + 2) + mass));
    damping = 1 + 2 * std::max(0.0, std::sqrt((mass - 1) / (n + 1)) - 1) + step_rate;
    expected_length = std::sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n));
    refresh_every = full ? std::max(1.0, 0.5 / (n * (one_rate + mass_rate))) : 1;
    patience = 10 + 30 * n / static_cast<double>(samples);
  }
  std::vector<double> weights;
  double mass = 0;  ///< effective number of parents
  double path_rate = 0;
  double step_rate = 0;
  double one_rate = 0;
  double mass_rate = 0;
  double damping = 0;
  double expected_length = 0;  ///< of a standard normal vector
  double refresh_every = 1;    ///< generations
  double patience = 0;         ///< generations without a better best one
};

class CmaEs final : public Generational {
 public:
  CmaEs(const SearchContext& context, const CmaParameters& parameters)
      : Generational(context, "cma-es", 0),
        parameters_(parameters),
        size_(space().size()),
        samples_(parameters.population),
        strategy_(size_, samples_, parameters.full),
        covariance_(size_, parameters.full),
        mean_(size_),
        step_path_(size_),
        path_(size_),
        normal_(size_),
        best_plan_(random_genotype(space(), random()).faults) {
    double range_max = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      range_max = std::max(range_max, space().high[i] - space().low[i]);
    }
    constexpr double kSmallestStep = 0.2;  // of a whole number: rounding hides anything less
    length_min_ = space().integral ? kSmallestStep / std::max(range_max, 1.0) : 1e-10;
    place();
    begin(sample());
  }

 private:
  std::vector<Genotype> next_generation(std::vector<Individual> told) override {
    std::vector<std::size_t> order(told.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return better(told[a], told[b]); });
    note_best(told[order.front()]);
    const bool flat = !better(told[order.front()], told[order.back()]);
    learn(order, flat);
    if (static_cast<double>(since_better_) > strategy_.patience ||
        sigma_ * covariance_.deviation_max() < length_min_) {
      restart();
    }
    return sample();
  }
  std::string_view origin() const override { return "cma-es"; }

  void note_best(const Individual& individual) {
    ++since_better_;
    if (!best_.empty() && !(individual.objectives < best_)) return;
    best_ = individual.objectives;
    best_plan_ = individual.genotype.faults;
    since_better_ = 0;
  }

  void place() {
    for (double& coordinate : mean_) coordinate = random().unit();
    sigma_ = parameters_.sigma;
    std::fill(step_path_.begin(), step_path_.end(), 0);
    std::fill(path_.begin(), path_.end(), 0);
    generation_ = 0;
    since_better_ = 0;
    best_.clear();
  }

  void restart() {
    constexpr double kPopulationMax = 1000;
    samples_ = static_cast<std::size_t>(
        std::min(std::max(kPopulationMax, static_cast<double>(parameters_.population)),
                 static_cast<double>(samples_) * parameters_.growth));
    strategy_ = Strategy(size_, samples_, parameters_.full);
    covariance_ = Covariance(size_, parameters_.full);
    place();
  }

  /// Steps are what is left of them within the cube, so that the mean never leaves it.
  std::vector<Genotype> sample() {
    std::vector<Genotype> result;
    steps_.resize(samples_, std::vector<double>(size_));
    for (std::vector<double>& step : steps_) {
      fill_normal(normal_, random());
      covariance_.shape(normal_, step);
      Genotype genotype;
      genotype.genes.resize(size_);
      for (std::size_t i = 0; i < size_; ++i) {
        genotype.genes[i] = std::clamp(mean_[i] + sigma_ * step[i], 0.0, 1.0);
        step[i] = (genotype.genes[i] - mean_[i]) / sigma_;
      }
      from_unit_cube(genotype.genes, space());
      genotype.faults = best_plan_;
      if (space().fault_strategy && random().chance(0.5))
        mutate_plan(genotype.faults, space(), random());
      result.push_back(std::move(genotype));
    }
    return result;
  }

  void learn(const std::vector<std::size_t>& order, bool flat) {
    const Strategy& s = strategy_;
    ++generation_;
    std::vector<std::vector<double>> best;
    std::vector<double> shift(size_, 0);
    for (std::size_t i = 0; i < s.weights.size(); ++i) {
      best.push_back(steps_[order[i]]);
      for (std::size_t k = 0; k < size_; ++k) shift[k] += s.weights[i] * best.back()[k];
    }
    for (std::size_t k = 0; k < size_; ++k) mean_[k] += sigma_ * shift[k];

    covariance_.whiten(shift, normal_);
    const double step_gain = std::sqrt(s.step_rate * (2 - s.step_rate) * s.mass);
    double square = 0;
    for (std::size_t k = 0; k < size_; ++k) {
      step_path_[k] = (1 - s.step_rate) * step_path_[k] + step_gain * normal_[k];
      square += step_path_[k] * step_path_[k];
    }
    const double length = std::sqrt(square) / s.expected_length;
    const double kept = portable_pow(1 - s.step_rate, 2 * static_cast<double>(generation_));
    const bool long_path =
        length / std::sqrt(1 - kept) >= 1.4 + 2 / (static_cast<double>(size_) + 1);
    const double path_gain = long_path ? 0 : std::sqrt(s.path_rate * (2 - s.path_rate) * s.mass);
    for (std::size_t k = 0; k < size_; ++k) {
      path_[k] = (1 - s.path_rate) * path_[k] + path_gain * shift[k];
    }

    const double missed = long_path ? s.one_rate * s.path_rate * (2 - s.path_rate) : 0;
    std::vector<double> rates;
    for (const double weight : s.weights) rates.push_back(s.mass_rate * weight);
    covariance_.update(1 - s.one_rate - s.mass_rate + missed, s.one_rate, path_, rates, best);
    if (static_cast<double>(++since_refresh_) >= s.refresh_every) {
      covariance_.refresh();
      since_refresh_ = 0;
    }
    // A plateau says nothing about directions; look farther.
    const double change =
        flat ? 0.2 + s.step_rate / s.damping : s.step_rate / s.damping * (length - 1);
    sigma_ = std::min(sigma_ * portable_exp(std::min(change, 1.0)), 1.0);
  }

  CmaParameters parameters_;
  std::size_t size_;
  std::size_t samples_;
  Strategy strategy_;
  Covariance covariance_;
  std::vector<double> mean_;
  std::vector<double> step_path_;  ///< evolution path for the step length, whitened
  std::vector<double> path_;       ///< evolution path for the covariance
  std::vector<double> normal_;     ///< scratch
  std::vector<std::vector<double>> steps_;
  std::vector<faults::Fault> best_plan_;
  Point best_;  ///< since the last restart
  double sigma_ = 0;
  double length_min_ = 0;
  std::size_t generation_ = 0;
  std::size_t since_better_ = 0;
  std::size_t since_refresh_ = 0;
};
}  // namespace

std::unique_ptr<Search> make_cma_es(const SearchContext& context, const Options& options) {
  constexpr std::size_t kFullMax = 20;  // beyond that the matrix costs more than a run
  const std::size_t genes = context.space.size();
  if (genes == 0) options.fail("cma-es needs genes, but only faults vary here");
  CmaParameters parameters;
  const double usual = 4 + 3 * portable_log(static_cast<double>(genes));
  parameters.population = static_cast<std::size_t>(
      options.integer("population", static_cast<std::int64_t>(usual), 4, 10'000));
  parameters.sigma = options.number("initial_sigma", parameters.sigma, 1e-6, 1);
  static constexpr std::array<std::string_view, 3> kCovarianceKinds{"auto", "full", "diagonal"};
  const std::size_t shape = options.choice("covariance", kCovarianceKinds, 0);
  parameters.full = shape == 1 || (shape == 0 && genes <= kFullMax);
  parameters.growth = options.number("restart_growth", parameters.growth, 1, 10);
  auto search = std::make_unique<CmaEs>(context, parameters);
  options.finish();
  return search;
}

}  // namespace dissensus::search
