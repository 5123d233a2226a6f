// MOSA, the many-objective sorting algorithm (Panichella, Kifetew and Tonella 2015): each objective
// is a target of its own, and the test nearest to it survives before all others. Without that, with
// many objectives, nearly everybody is on the first front. Targets that were hit leave MOSA's
// archive of tests; here a hunt's store keeps what failed.
#include <algorithm>
#include <numeric>

#include "search/algorithms.h"
#include "search/ranked.h"

namespace dissensus::search {

namespace {
class Mosa final : public Ranked {
 public:
  Mosa(const SearchContext& context, std::size_t population, const Options& options,
       const VariationDefaults& defaults)
      : Ranked(context, "mosa", population, options, defaults) {}

 private:
  /// The preference sorting: the nearest to each target, then fronts of what is left.
  std::vector<Front> fronts_of(const std::vector<Individual>& all, const Points& points) override {
    std::vector<bool> preferred(all.size(), false);
    for (std::size_t target = 0; target < points[0].size(); ++target) {
      preferred[nearest(all, target)] = true;
    }
    Front rest;
    Front first;
    for (std::size_t i = 0; i < all.size(); ++i) (preferred[i] ? first : rest).push_back(i);
    std::vector<Front> fronts{std::move(first)};
    Points others;
    for (const std::size_t i : rest) others.push_back(points[i]);
    if (others.empty()) return fronts;
    for (Front& front : non_dominated_fronts(others)) {
      for (std::size_t& index : front) index = rest[index];
      fronts.push_back(std::move(front));
    }
    return fronts;
  }

  /// Of equally near ones the shorter test, which is the schedule with fewer delays.
  std::size_t nearest(const std::vector<Individual>& all, std::size_t target) const {
    const auto length = [](const Individual& individual) {
      return std::accumulate(individual.genotype.genes.begin(), individual.genotype.genes.end(),
                             0.0);
    };
    std::size_t best = 0;
    for (std::size_t i = 1; i < all.size(); ++i) {
      const double value = all[i].objectives[target];
      const double least = all[best].objectives[target];
      if (value < least || (!(least < value) && length(all[i]) < length(all[best]))) best = i;
    }
    return best;
  }
};
}  // namespace

std::unique_ptr<Search> make_mosa(const SearchContext& context, const Options& options,
                                  const VariationDefaults& defaults) {
  const auto population = static_cast<std::size_t>(options.integer("population", 10, 2, 10'000));
  auto search = std::make_unique<Mosa>(context, population, options, defaults);
  options.finish();
  return search;
}

}  // namespace dissensus::search
