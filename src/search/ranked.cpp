#include "search/ranked.h"

#include <algorithm>
#include <utility>

namespace dissensus::search {

std::vector<Genotype> Ranked::next_generation(std::vector<Individual> told) {
  for (Survivor& survivor : population_) told.push_back(std::move(survivor.individual));
  select_survivors(std::move(told));
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

std::vector<Front> Ranked::fronts_of(const std::vector<Individual>& /*all*/, const Points& points) {
  return non_dominated_fronts(points);
}

std::vector<double> Ranked::scores(const Points& points, const std::vector<Front>& fronts,
                                   std::size_t last) {
  std::vector<double> result(points.size(), 0);
  for (std::size_t rank = 0; rank <= last; ++rank) {
    const std::vector<double> distances = crowding_distances(points, fronts[rank]);
    for (std::size_t i = 0; i < distances.size(); ++i) result[fronts[rank][i]] = distances[i];
  }
  return result;
}

void Ranked::select_survivors(std::vector<Individual> all) {
  const Points points = objectives_of(all);
  std::vector<Front> fronts = fronts_of(all, points);
  std::size_t last = 0;
  for (std::size_t count = fronts[0].size(); count < population_size_ && last + 1 < fronts.size();
       count += fronts[last].size()) {
    ++last;
  }
  const std::vector<double> score = scores(points, fronts, last);
  std::stable_sort(fronts[last].begin(), fronts[last].end(),
                   [&](std::size_t a, std::size_t b) { return score[a] > score[b]; });
  population_.clear();
  for (std::size_t rank = 0; rank <= last; ++rank) {
    for (const std::size_t i : fronts[rank]) {
      if (population_.size() == population_size_) return;
      population_.push_back({std::move(all[i]), rank, score[i]});
    }
  }
}

const Genotype& Ranked::tournament() {
  const Survivor& a = population_[random().below(population_.size())];
  const Survivor& b = population_[random().below(population_.size())];
  if (a.front != b.front) return (a.front < b.front ? a : b).individual.genotype;
  return (a.score >= b.score ? a : b).individual.genotype;
}

}  // namespace dissensus::search
