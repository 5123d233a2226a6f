// Searches whose candidates decide message by message while the run goes on, and the schedulers
// behind them.
#pragma once

#include <vector>

#include "dissensus/plugin.h"
#include "dissensus/search.h"

namespace dissensus::search {

/// pct, tapct, pos, rapos, q-learning.
const std::vector<SearchEntry>& online_searches();
/// Schedulers that need no search around them: random-walk.
const std::vector<SchedulerEntry>& online_schedulers();

}  // namespace dissensus::search
