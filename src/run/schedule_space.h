// Random schedules from a scenario's space: the baseline of every search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dissensus/random.h"

#include "faults/schedule.h"
#include "run/scenario.h"

namespace dissensus::run {

/// The genes that vary, ascending: those of the kinds that the space names.
std::vector<std::size_t> varying_genes(const Scenario& scenario);
/// Priorities from a ranking 1, 2, ... of the varying genes; the others stay below them, in their
/// natural order.
faults::PrioritySchedule to_priorities(const Scenario& scenario,
                                       std::span<const std::uint32_t> ranking);

/// Delay space: each varying gene uniform in 0..max_delay, whole milliseconds. Priority space: a
/// uniform permutation of the varying genes. Beside them, or alone, a fault plan from the Byzantine
/// part of the space. Empty for a space of type none without such a part.
faults::Schedule random_schedule(const Scenario& scenario, Random& random);

}  // namespace dissensus::run
