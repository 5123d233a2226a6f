// How the hunts of a store are doing: what a panel shows, in a few quick queries.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hunt/queue.h"
#include "hunt/store.h"

namespace dissensus::hunt {

struct HuntSummary {
  HuntRecord record;
  HuntTotals totals;
  QueueState queue;  ///< of a database; a file has none
  std::vector<FindingRecord> findings;
};

/// Hunts that are not finished, or all. Waits for a server that is not there. Throws InputError.
std::vector<HuntSummary> summarize_store(const std::string& location, bool all, Patience& patience);

}  // namespace dissensus::hunt
