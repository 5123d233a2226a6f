// Searches that need no feedback: independent draws, and a scheduler that decides by itself.
#pragma once

#include <cstdint>
#include <memory>

#include "dissensus/plugin.h"
#include "dissensus/search.h"

#include "run/scenario.h"

namespace dissensus::hunt {

/// Independent draws from the whole space of a scenario, faults included. Where a scenario has no
/// space, only the seeds of the runs vary. `scenario` must outlive the search.
std::unique_ptr<Search> make_sample_search(const run::Scenario& scenario, std::uint64_t seed);

/// Item n is run by a scheduler made with the seed of n.
std::unique_ptr<Search> make_scheduler_search(const SchedulerEntry& entry, const Options& options,
                                              std::uint64_t seed);

}  // namespace dissensus::hunt
