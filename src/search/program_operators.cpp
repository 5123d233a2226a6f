// Operators as the published programs have them, where these differ from the papers' text.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "search/operators.h"
#include "search/portable_math.h"

namespace dissensus::search {

namespace {
double bounded_power(double base, double exponent) {
  if (exponent == 0.25) return std::sqrt(std::sqrt(base));  // the papers' eta
  return portable_pow(base, exponent);
}

/// How far apart the children are, in distances of their parents, when `room` is what is left to
/// the bound.
double bounded_beta(double room, double distance, double eta, double unit) {
  const double beta = 1 + 2 * room / distance;
  // A gene beyond its bound has negative room; of an even power that is all the same.
  const double alpha = beta == 0 ? -1e300 : 2 - bounded_power(std::abs(beta), -(eta + 1));
  const double scaled = alpha * unit;
  const bool inward = alpha > 0 && unit <= 1 / alpha;
  return bounded_power(inward ? scaled : 1 / (2 - scaled), 1 / (eta + 1));
}
}  // namespace

void BoundedBinaryCrossover::operator()(std::span<double> first, std::span<double> second,
                                        Random& random) const {
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (!random.chance(gene_probability) || first[i] == second[i]) continue;
    const bool ascending = first[i] < second[i];
    const auto [y1, y2] = std::minmax({first[i], second[i]});
    const double unit = random.unit();
    double below = y1 - low[i];
    double above = high[i] - y2;
    // DEAP bounds each side by itself, DiscoTest both by the nearer bound.
    if (assignment != Assignment::exchange) below = above = std::min(below, above);
    const double reach_1 = bounded_beta(below, y2 - y1, eta, unit) * (y2 - y1);
    const double reach_2 = bounded_beta(above, y2 - y1, eta, unit) * (y2 - y1);
    const double smaller = std::clamp(0.5 * (y1 + y2 - reach_1), low[i], high[i]);
    const double larger = std::clamp(0.5 * (y1 + y2 + reach_2), low[i], high[i]);
    bool exchanged = false;
    if (assignment == Assignment::exchange) exchanged = random.chance(0.5);
    if (assignment == Assignment::keep) exchanged = !ascending;
    first[i] = exchanged ? larger : smaller;
    second[i] = exchanged ? smaller : larger;
  }
}

GenePair draw_pair(std::size_t genes, Random& random) {
  const std::size_t apart_max = genes < 5 ? genes : genes - 3;
  for (;;) {
    const std::size_t a = random.below(genes);
    const std::size_t b = random.below(genes);
    const auto [first, last] = std::minmax({a, b});
    if (first != last && last - first <= apart_max) return {first, last};
  }
}

void OwnCutsCrossover::bring(std::span<double> child, std::span<const double> kept,
                             std::size_t first, std::size_t last) {
  std::vector<std::size_t> where(child.size() + 1);
  for (std::size_t i = 0; i < child.size(); ++i) where[static_cast<std::size_t>(child[i])] = i;
  for (std::size_t i = first; i <= last; ++i) {
    const std::size_t other = where[static_cast<std::size_t>(kept[i])];
    where[static_cast<std::size_t>(child[i])] = other;
    where[static_cast<std::size_t>(kept[i])] = i;
    std::swap(child[i], child[other]);
  }
}

void OwnCutsCrossover::operator()(std::span<double> first, std::span<double> second,
                                  Random& random) const {
  if (first.size() < 2) return;
  const std::vector<double> parent_1(first.begin(), first.end());
  const std::vector<double> parent_2(second.begin(), second.end());
  std::copy(parent_2.begin(), parent_2.end(), first.begin());
  std::copy(parent_1.begin(), parent_1.end(), second.begin());
  const GenePair cut_1 = draw_pair(first.size(), random);
  bring(first, parent_1, cut_1.first, cut_1.last);
  const GenePair cut_2 = draw_pair(first.size(), random);
  bring(second, parent_2, cut_2.first, cut_2.last);
}

void mutate_count(std::span<double> genes, const SearchSpace& space, const Mutation& mutation,
                  double count, Random& random) {
  if (genes.empty()) return;
  const auto times = static_cast<std::size_t>(std::floor(count + random.unit()));
  for (std::size_t i = 0; i < times; ++i) {
    if (std::holds_alternative<SwapMutation>(mutation)) {
      if (genes.size() < 2) return;
      const GenePair pair = draw_pair(genes.size(), random);
      std::swap(genes[pair.first], genes[pair.last]);
      continue;
    }
    const std::size_t index = random.below(genes.size());
    const GeneBounds bounds{space.low[index], space.high[index]};
    double gene = genes[index];
    if (const auto* gaussian = std::get_if<GaussianMutation>(&mutation)) {
      gene = (*gaussian)(gene, bounds, random);
      if (space.integral) gene = std::floor(gene + 0.5);
      genes[index] = std::max(gene, space.low[index]);
    } else {
      mutate_gene(genes, index, space, mutation, random);
    }
  }
}

}  // namespace dissensus::search
