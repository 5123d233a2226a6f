// The population-based and local searches, each behind dissensus::Search. docs/search-methods.md
// describes them with their sources and parameters.
#pragma once

#include <memory>
#include <vector>

#include "dissensus/options.h"
#include "dissensus/search.h"

#include "search/variation.h"

namespace dissensus::search {

/// All of this file, and the configurations of the papers under their own names.
const std::vector<SearchEntry>& evolutionary_searches();

// Several objectives.
std::unique_ptr<Search> make_nsga2(const SearchContext& context, const Options& options,
                                   const VariationDefaults& defaults = {});
std::unique_ptr<Search> make_spea2(const SearchContext& context, const Options& options,
                                   const VariationDefaults& defaults = {});
std::unique_ptr<Search> make_moead(const SearchContext& context, const Options& options,
                                   const VariationDefaults& defaults = {});
std::unique_ptr<Search> make_age_moea(const SearchContext& context, const Options& options,
                                      const VariationDefaults& defaults = {});
std::unique_ptr<Search> make_mosa(const SearchContext& context, const Options& options,
                                  const VariationDefaults& defaults = {});
std::unique_ptr<Search> make_uhv_gomea(const SearchContext& context, const Options& options);

// One objective; where there are more, the later ones break ties.
std::unique_ptr<Search> make_mu_plus_lambda(const SearchContext& context, const Options& options,
                                            const VariationDefaults& defaults = {});
std::unique_ptr<Search> make_discotest(const SearchContext& context, const Options& options,
                                       const VariationDefaults& defaults = {});
std::unique_ptr<Search> make_discotest_random(const SearchContext& context, const Options& options);
std::unique_ptr<Search> make_cma_es(const SearchContext& context, const Options& options);
std::unique_ptr<Search> make_hill_climbing(const SearchContext& context, const Options& options);
std::unique_ptr<Search> make_simulated_annealing(const SearchContext& context,
                                                 const Options& options);

/// Every candidate is a fresh draw from the space.
std::unique_ptr<Search> make_random(const SearchContext& context, const Options& options);

}  // namespace dissensus::search
