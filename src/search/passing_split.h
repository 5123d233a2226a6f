// Shapes in time: what crosses between two sides is late for a while, then nothing is, then other
// sides part. A gene delays a link for the whole run; here the network gets well again, and trouble
// that follows trouble finds the system half-way through getting over the first.
#pragma once

#include <memory>

#include "dissensus/search.h"

namespace dissensus::search {

/// Splits by the clock. Trouble and calm last an eighth of a round of the system to four, drawn for
/// each run. Decides while the run goes on; where no delays vary, every gene for itself.
std::unique_ptr<Search> make_passing_split(const SearchContext& context, const Options& options);

}  // namespace dissensus::search
