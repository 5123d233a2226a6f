// MOEA/D (Zhang and Li 2007) with the Tchebycheff approach: one weighted sub-problem per member,
// each bred from and passed on to its neighbours. Generational: the children of a generation come
// from the same population, so that they can be run in parallel.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "search/algorithms.h"
#include "search/generational.h"

namespace dissensus::search {

namespace {
/// All weights with sum `steps` in whole steps.
void lattice(std::size_t steps, std::size_t dimension, Point prefix, Points& weights) {
  if (prefix.size() + 1 == dimension) {
    prefix.push_back(static_cast<double>(steps));
    weights.push_back(std::move(prefix));
    return;
  }
  for (std::size_t i = 0; i <= steps; ++i) {
    Point longer = prefix;
    longer.push_back(static_cast<double>(i));
    lattice(steps - i, dimension, std::move(longer), weights);
  }
}

/// The finest lattice that fits, filled up with random weights.
Points make_weights(std::size_t count, std::size_t dimension, Random& random) {
  if (dimension == 1) return Points(count, Point{1});
  Points weights;
  for (std::size_t steps = 1;; ++steps) {
    Points finer;
    lattice(steps, dimension, {}, finer);
    if (finer.size() > count) break;
    weights = std::move(finer);
  }
  while (weights.size() < count) {
    Point weight(dimension);
    for (double& part : weight) part = random.exponential();
    weights.push_back(std::move(weight));
  }
  for (Point& weight : weights) {
    const double sum = std::accumulate(weight.begin(), weight.end(), 0.0);
    // Without a weight of exactly 0 a sub-problem has one solution.
    for (double& part : weight) part = std::max(part / sum, 1e-4);
  }
  return weights;
}

/// Per weight the `count` nearest ones, itself first.
std::vector<Front> make_neighbours(const Points& weights, std::size_t count) {
  std::vector<Front> result;
  for (const Point& weight : weights) {
    std::vector<double> distance;
    for (const Point& other : weights) {
      double sum = 0;
      for (std::size_t k = 0; k < weight.size(); ++k) {
        sum += (weight[k] - other[k]) * (weight[k] - other[k]);
      }
      distance.push_back(sum);
    }
    Front order(weights.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return distance[a] < distance[b]; });
    order.resize(std::min(count, order.size()));
    result.push_back(std::move(order));
  }
  return result;
}

struct MoeadParameters {
  std::size_t population = 10;
  std::size_t neighbours = 20;
  std::size_t replacements = 2;
  double local_probability = 0.9;
};

class Moead final : public Generational {
 public:
  Moead(const SearchContext& context, const MoeadParameters& parameters, const Options& options,
        const VariationDefaults& defaults)
      : Generational(context, "moead", parameters.population),
        parameters_(parameters),
        variation_(space(), options, defaults),
        weights_(make_weights(parameters.population, std::max<std::size_t>(context.objectives, 1),
                              random())),
        neighbours_(make_neighbours(weights_, parameters.neighbours)),
        everybody_(parameters.population) {
    std::iota(everybody_.begin(), everybody_.end(), std::size_t{0});
  }

 private:
  std::vector<Genotype> next_generation(std::vector<Individual> told) override {
    if (population_.empty()) {
      population_ = std::move(told);
      pools_.assign(population_.size(), nullptr);
      measure();
    } else {
      for (const Individual& child : told) lower_ideal(child.objectives);
      for (std::size_t i = 0; i < told.size(); ++i) pass_on(told[i], *pools_[i]);
      measure();
    }
    std::vector<Genotype> offspring;
    for (std::size_t i = 0; i < population_.size(); ++i) {
      const bool local = random().chance(parameters_.local_probability);
      pools_[i] = local ? &neighbours_[i] : &everybody_;
      const Front& pool = *pools_[i];
      const std::size_t first = pool[random().below(pool.size())];
      const std::size_t second = pool[random().below(pool.size())];
      offspring.push_back(
          variation_.child(population_[first].genotype, population_[second].genotype, random()));
    }
    return offspring;
  }
  std::string_view origin() const override { return variation_.origin(); }

  /// Objectives may be seconds and counts: they are scaled by what the population spans.
  void measure() {
    const Box box = bounding_box(objectives_of(population_), everybody_);
    lower_ideal(box.low);
    scale_ = box.high;
    for (std::size_t k = 0; k < scale_.size(); ++k) {
      scale_[k] -= ideal_[k];
      if (!(scale_[k] > 0)) scale_[k] = 1;
    }
  }
  void lower_ideal(const Point& point) {
    if (ideal_.empty()) ideal_ = point;
    for (std::size_t k = 0; k < ideal_.size(); ++k) ideal_[k] = std::min(ideal_[k], point[k]);
  }
  double cost(const Point& point, const Point& weight) const {
    double result = 0;
    for (std::size_t k = 0; k < point.size(); ++k) {
      result = std::max(result, weight[k] * (point[k] - ideal_[k]) / scale_[k]);
    }
    return result;
  }
  void pass_on(const Individual& child, const Front& pool) {
    Front order = pool;
    std::size_t replaced = 0;
    while (!order.empty() && replaced < parameters_.replacements) {
      std::swap(order[random().below(order.size())], order.back());
      const std::size_t i = order.back();
      order.pop_back();
      if (cost(child.objectives, weights_[i]) <= cost(population_[i].objectives, weights_[i])) {
        population_[i] = child;
        ++replaced;
      }
    }
  }

  MoeadParameters parameters_;
  Variation variation_;
  Points weights_;
  std::vector<Front> neighbours_;
  Front everybody_;
  std::vector<Individual> population_;  ///< by sub-problem
  std::vector<const Front*> pools_;     ///< by child: who its parents were chosen from
  Point ideal_;
  Point scale_;
};
}  // namespace

std::unique_ptr<Search> make_moead(const SearchContext& context, const Options& options,
                                   const VariationDefaults& defaults) {
  MoeadParameters parameters;
  const auto size = [&](std::string_view key, std::size_t fallback, std::int64_t min) {
    return static_cast<std::size_t>(
        options.integer(key, static_cast<std::int64_t>(fallback), min, 10'000));
  };
  parameters.population = size("population", parameters.population, 2);
  parameters.neighbours =
      size("neighbours", std::min(parameters.neighbours, parameters.population), 2);
  parameters.replacements = size("replacements", parameters.replacements, 1);
  parameters.local_probability =
      options.number("local_probability", parameters.local_probability, 0, 1);
  auto search = std::make_unique<Moead>(context, parameters, options, defaults);
  options.finish();
  return search;
}

}  // namespace dissensus::search
