// The tables of the representation study, with the thesis's numbers beside ours.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "experiment/representation.h"

namespace dissensus::experiment {

/// What was sampled, and the figures that are one number each: graph sizes, d_m, distinct traces.
std::string sample_table(std::span<const RepresentationResult> results);
/// Thesis 4.1.1 and 4.1.2: distances of neighbours, without noise and by length of the step.
std::string locality_table(std::span<const RepresentationResult> results);
/// What chance does to the same distances.
std::string noise_table(std::span<const RepresentationResult> results);
/// Thesis Table 4.1, and what a gene of each message type can do.
std::string scaling_table(std::span<const RepresentationResult> results);

/// A cell of thesis Table 4.1; empty for a message type that is not in it.
std::string published_share(std::string_view type, Representation representation);

/// The edit paths of these tables side by side, as SVG: what one step does, what chance does, and
/// how far unrelated genotypes lie apart. Results with the same kinds of noise; at least one.
std::string distance_figure(std::span<const RepresentationResult> results,
                            const std::string& caption);

}  // namespace dissensus::experiment
