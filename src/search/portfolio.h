// The portfolio: several searches that share one budget by what each has yielded. The default of a
// hunt, because no single search is best for every bug.
#pragma once

#include <memory>

#include "dissensus/search.h"

namespace dissensus::search {

/// Parameters: members, a list of search names; floor, the share of the runs that is dealt out
/// evenly whatever the yields are.
std::unique_ptr<Search> make_portfolio(const SearchContext& context, const Options& options);

}  // namespace dissensus::search
