// Fault instances of the public ByzzFuzz tools, as their results.txt and the isolation data set's
// runs.jsonl write them:
//
//   {5: ({4, 2, 5}, 3810346196)}        process faults: round, receivers, seed
//   {4: [{0}, {4, 1}, {2}, {5, 3}, {6}]} network faults: round, set partition
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dissensus/options.h"
#include "dissensus/schedule.h"

namespace dissensus::faults {

/// The validator that lies in the public tools, which do not write it down.
inline constexpr NodeId kPublicByzantineNode = 3;

/// True for a JSON object with `process_faults`, e.g. a line of runs.jsonl.
bool is_public_instance(const Options& document);
/// `byzantine_node` (default 3) and `scope` (default "small") may stand beside the two texts; other
/// keys are passed over. A round whose partition separates nobody gives no fault.
Schedule read_public_instance(const Options& document, std::size_t nodes);

/// True for a text that begins like results.txt: "process faults {...}".
bool is_public_result(std::string_view text);
Schedule read_public_result(std::string_view text, const std::string& name, std::size_t nodes);

}  // namespace dissensus::faults
