// The fitness functions that come with the program. Smaller is better for all of them, so what the
// papers maximise is negated here.
#pragma once

#include <vector>

#include "dissensus/fitness.h"

namespace dissensus::search {

const std::vector<FitnessEntry>& fitness_functions();

}  // namespace dissensus::search
