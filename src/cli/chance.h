// What is said of a hunt whose runs do not repeat: nothing that it found can be relied on.
#pragma once

#include <cstdint>

#include "hunt/hunt.h"
#include "run/scenario.h"

namespace dissensus::cli {

/// Says on standard error that runs were other ones when they were made again, here or by
/// `mismatches` workers, and where the first of them parts from itself. False: there is nothing to
/// say.
bool tell_chance(const run::Scenario& scenario, const hunt::HuntProgress& progress,
                 std::uint64_t mismatches);

}  // namespace dissensus::cli
