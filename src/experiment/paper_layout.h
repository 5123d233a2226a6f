// Results of an experiment in the layout in which the paper prints them, the paper's numbers beside
// ours: what a reader holds against the page in his hand. The tables of an experiment (tables.h)
// say more.
#pragma once

#include <string>
#include <vector>

#include "experiment/tables.h"

namespace dissensus::experiment {

/// What the file repeats follows from what it has of the paper ([published]): counts, a contingency
/// table, tests as a matrix, or an evolution; for a representation study the shares of messages.
/// Throws InputError where it has none of them.
StudyTable paper_table(const ArrangedResults& results,
                       const std::vector<RepresentationResult>& representation);

}  // namespace dissensus::experiment
