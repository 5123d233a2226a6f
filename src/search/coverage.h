// Coverage-guided search: what AFL does with branches, with abstract states (search/measurement.h).
#pragma once

#include <memory>
#include <vector>

#include "dissensus/search.h"

namespace dissensus::search {

/// Keeps the schedules that reached states which no run had reached before, and alters them. Those
/// that found much and were used little have the most energy, which is how often they are taken.
/// Parameters: `initial`, random schedules before anything is altered; `fresh`, the share of random
/// schedules later; `corpus`, how many schedules are kept.
std::unique_ptr<Search> make_coverage(const SearchContext& context, const Options& options);

/// coverage.
const std::vector<SearchEntry>& coverage_searches();

}  // namespace dissensus::search
