// A hunt of islands, for campaigns that last: each worker has a search of its own and a seed of its
// own; states, corpora and findings are shared through the store at intervals. What the hunt finds
// depends on who came when; every finding is a run that can be repeated.
#pragma once

#include "hunt/hunt.h"
#include "hunt/queue.h"
#include "hunt/store.h"

namespace dissensus::hunt {

/// Failing runs of one signature that are kept; more of them are counted.
inline constexpr std::uint64_t kFailuresKept = 100;

/// Collects what the islands send, until the budget is spent or a violation is found. `parts` says
/// how many objectives there are; its search is not asked.
HuntResult gather_islands(const run::Scenario& scenario, const HuntParts& parts,
                          const HuntOptions& options, HuntObserver* observer, Store& store,
                          WorkQueue& queue);

}  // namespace dissensus::hunt
