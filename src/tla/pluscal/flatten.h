// Loops, calls, jumps and labels inside of statements become assignments to pc and stack.
#pragma once

#include <vector>

#include "tla/pluscal/algorithm.h"

namespace dissensus::tla::pluscal {

/// The steps of a body, all on one level, in the order in which the translation shows them.
/// `after_last` is where pc goes at its end. Blocks that are no longer needed are changed in place.
std::vector<Step> flatten(const std::vector<Step>& steps, const Algorithm& algorithm, bool needs_pc,
                          const std::string& after_last);

}  // namespace dissensus::tla::pluscal
