// Random schedules from a scenario's space: the baseline of every search.
#pragma once

#include "dissensus/random.h"

#include "faults/schedule.h"
#include "run/scenario.h"

namespace dissensus::run {

/// Delay space: each varying gene uniform in 0..max_delay, whole milliseconds. Priority space: a
/// uniform permutation. Beside them, or alone, a fault plan from the Byzantine part of the space.
/// Empty for a space of type none without such a part.
faults::Schedule random_schedule(const Scenario& scenario, Random& random);

}  // namespace dissensus::run
