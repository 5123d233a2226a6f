#include "search/registry.h"

#include <algorithm>

#include "search/adaptive.h"
#include "search/algorithms.h"
#include "search/coverage.h"
#include "search/fitness.h"
#include "search/online_searches.h"
#include "search/passing_split.h"
#include "search/portfolio.h"
#include "search/sequence.h"
#include "search/structured.h"

namespace dissensus::search {

const SearchEntry* find_search(const std::vector<SearchEntry>& searches, std::string_view name) {
  const auto found = std::find_if(searches.begin(), searches.end(),
                                  [&](const SearchEntry& entry) { return entry.name == name; });
  return found == searches.end() ? nullptr : &*found;
}

const std::vector<SearchEntry>& built_in_searches() {
  static const std::vector<SearchEntry> searches = [] {
    std::vector<SearchEntry> all{
        {"portfolio",
         "Several searches that share the budget by what each has yielded",
         {"disagreement", "termination"},
         make_portfolio},
        {"adaptive",
         "As portfolio, sharing the budget among single shapes, schedulers and stories of faults",
         {"disagreement", "termination", "rules", "waypoints"},
         make_adaptive,
         true},
        {"sequence",
         "Messages of a link are late by their number, so that later ones overtake them",
         {},
         make_sequence},
        {"passing-split",
         "Splits that pass: trouble and calm take turns while the run goes on",
         {},
         make_passing_split,
         true},
        {"structured",
         "Shapes in which networks fail: splits, slow links, slow nodes, late kinds",
         {},
         make_structured},
        {"slow",
         "Networks that are slow as a whole: the total delay is drawn first",
         {},
         make_slow},
        {"overtaking", "Messages that overtake earlier ones of their type", {}, make_overtaking},
    };
    for (const auto* more : {&evolutionary_searches(), &online_searches(), &coverage_searches()}) {
      all.insert(all.end(), more->begin(), more->end());
    }
    return all;
  }();
  return searches;
}

Registry built_in_registry() {
  Registry registry;
  registry.searches = built_in_searches();
  registry.fitness = fitness_functions();
  registry.schedulers = online_schedulers();
  return registry;
}

}  // namespace dissensus::search
