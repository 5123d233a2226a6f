// SPEA2 (Zitzler, Laumanns and Thiele 2001).
#include <algorithm>
#include <cmath>
#include <utility>

#include "search/algorithms.h"
#include "search/generational.h"

namespace dissensus::search {

namespace {
double square_distance(const Point& a, const Point& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return sum;
}

/// By pair of points.
std::vector<std::vector<double>> square_distances(const Points& points) {
  std::vector<std::vector<double>> result(points.size(), std::vector<double>(points.size(), 0));
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      result[i][j] = result[j][i] = square_distance(points[i], points[j]);
    }
  }
  return result;
}

/// Below 1 for points that nobody dominates: the strengths of the dominating points, and a density
/// below 1 from the distance to the k-th nearest point, k = sqrt(number of points).
std::vector<double> fitness_of(const Points& points,
                               const std::vector<std::vector<double>>& distances) {
  const std::size_t size = points.size();
  std::vector<std::vector<std::size_t>> dominators(size);
  std::vector<std::size_t> strength(size, 0);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) {
      if (i == j || !dominates(points[i], points[j])) continue;
      ++strength[i];
      dominators[j].push_back(i);
    }
  }
  const auto k = std::min(static_cast<std::size_t>(std::sqrt(static_cast<double>(size))), size - 1);
  std::vector<double> result(size, 0);
  for (std::size_t i = 0; i < size; ++i) {
    std::vector<double> row = distances[i];  // the point itself is at position 0
    std::nth_element(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(k), row.end());
    result[i] = 1 / (std::sqrt(row[k]) + 2);
    for (const std::size_t j : dominators[i]) result[i] += static_cast<double>(strength[j]);
  }
  return result;
}

/// Drops the point with the nearest neighbour, ties by the next ones, until `count` are left.
void truncate(Front& front, const std::vector<std::vector<double>>& distances, std::size_t count) {
  std::vector<std::vector<double>> nearest(front.size());  // ascending, by position in the front
  for (std::size_t i = 0; i < front.size(); ++i) {
    for (std::size_t j = 0; j < front.size(); ++j) {
      if (i != j) nearest[i].push_back(distances[front[i]][front[j]]);
    }
    std::sort(nearest[i].begin(), nearest[i].end());
  }
  while (front.size() > count) {
    const auto crowded = std::min_element(nearest.begin(), nearest.end()) - nearest.begin();
    const std::size_t dropped = front[static_cast<std::size_t>(crowded)];
    front.erase(front.begin() + crowded);
    nearest.erase(nearest.begin() + crowded);
    for (std::size_t i = 0; i < front.size(); ++i) {
      const double gone = distances[front[i]][dropped];
      nearest[i].erase(std::lower_bound(nearest[i].begin(), nearest[i].end(), gone));
    }
  }
}

class Spea2 final : public Generational {
 public:
  Spea2(const SearchContext& context, std::size_t population, std::size_t archive,
        const Options& options, const VariationDefaults& defaults)
      : Generational(context, "spea2", population),
        population_size_(population),
        archive_size_(archive),
        variation_(space(), options, defaults) {}

 private:
  std::vector<Genotype> next_generation(std::vector<Individual> told) override {
    std::move(archive_.begin(), archive_.end(), std::back_inserter(told));
    select_archive(std::move(told));
    std::vector<Genotype> offspring;
    while (offspring.size() < population_size_) {
      const Genotype& first = tournament();
      const Genotype& second = tournament();
      auto [child_1, child_2] = variation_.children(first, second, random());
      offspring.push_back(std::move(child_1));
      if (offspring.size() < population_size_) offspring.push_back(std::move(child_2));
    }
    return offspring;
  }
  std::string_view origin() const override { return variation_.origin(); }

  void select_archive(std::vector<Individual> all) {
    const Points points = objectives_of(all);
    const auto distances = square_distances(points);
    const std::vector<double> fitness = fitness_of(points, distances);
    Front order(points.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return fitness[a] < fitness[b]; });
    const auto free =
        std::find_if(order.begin(), order.end(), [&](std::size_t i) { return fitness[i] >= 1; });
    const auto free_count = static_cast<std::size_t>(free - order.begin());
    order.resize(std::max(free_count, std::min(archive_size_, order.size())));
    if (order.size() > archive_size_) truncate(order, distances, archive_size_);
    archive_.clear();
    fitness_.clear();
    for (const std::size_t i : order) {
      archive_.push_back(std::move(all[i]));
      fitness_.push_back(fitness[i]);
    }
  }

  const Genotype& tournament() {
    const std::size_t a = random().below(archive_.size());
    const std::size_t b = random().below(archive_.size());
    return archive_[fitness_[a] <= fitness_[b] ? a : b].genotype;
  }

  std::size_t population_size_;
  std::size_t archive_size_;
  Variation variation_;
  std::vector<Individual> archive_;
  std::vector<double> fitness_;  ///< by member of the archive
};
}  // namespace

std::unique_ptr<Search> make_spea2(const SearchContext& context, const Options& options,
                                   const VariationDefaults& defaults) {
  const std::int64_t population = options.integer("population", 10, 2, 10'000);
  const std::int64_t archive = options.integer("archive", population, 2, 10'000);
  auto search = std::make_unique<Spea2>(context, static_cast<std::size_t>(population),
                                        static_cast<std::size_t>(archive), options, defaults);
  options.finish();
  return search;
}

}  // namespace dissensus::search
