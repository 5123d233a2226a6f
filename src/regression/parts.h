// A schedule taken apart.
#pragma once

#include <vector>

#include "dissensus/schedule.h"

namespace dissensus::regression {

/// The schedule without each of its parts in turn: a fault, or the delay of a gene or message. Many
/// delays count as one part, and so does an order of priorities.
std::vector<faults::Schedule> without_each_part(const faults::Schedule& schedule);

}  // namespace dissensus::regression
