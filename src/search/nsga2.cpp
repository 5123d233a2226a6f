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
