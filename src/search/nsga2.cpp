// NSGA-II (Deb, Pratap, Agarwal and Meyarivan 2002).
#include "search/algorithms.h"
#include "search/ranked.h"

namespace dissensus::search {

namespace {
class Nsga2 final : public Ranked {
 public:
  Nsga2(const SearchContext& context, std::size_t population, const Options& options,
        const VariationDefaults& defaults)
      : Ranked(context, "nsga2", population, options, defaults) {}

 private:
  std::vector<double> scores(const Points& points, const std::vector<Front>& fronts,
                             std::size_t last) override {
    std::vector<double> result(points.size(), 0);
    for (std::size_t rank = 0; rank <= last; ++rank) {
      const std::vector<double> distances = crowding_distances(points, fronts[rank]);
      for (std::size_t i = 0; i < distances.size(); ++i) result[fronts[rank][i]] = distances[i];
    }
    return result;
  }
};
}  // namespace

std::unique_ptr<Search> make_nsga2(const SearchContext& context, const Options& options,
                                   const VariationDefaults& defaults) {
  const auto population = static_cast<std::size_t>(options.integer("population", 10, 2, 10'000));
  auto search = std::make_unique<Nsga2>(context, population, options, defaults);
  options.finish();
  return search;
}

}  // namespace dissensus::search
