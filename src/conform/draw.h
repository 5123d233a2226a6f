// What is drawn at random for a trace: inputs of the implementation, weights of a walk.
#pragma once

#include <cstdint>
#include <vector>

#include "dissensus/random.h"

#include "conform/pairing.h"

namespace dissensus::conform {

/// All inputs, uniformly within their ranges.
InputValues draw_inputs(const Mapping& mapping, Random& random);
/// For a walk: the same number of steps leads further in a small network. Inputs that have a usual
/// value, which a walk does not depend on, get it.
InputValues smaller_inputs(const Mapping& mapping, InputValues values, Random& random);
/// Every second walk goes without some of the rarer actions, or takes some of them more often.
std::vector<double> walk_weights(const Mapping& mapping, std::vector<double> weights,
                                 std::uint64_t walk, Random& random);

}  // namespace dissensus::conform
