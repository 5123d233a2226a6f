// Reads the faults of a schedule document, and what its other parts share with them.
#pragma once

#include <string>

#include "dissensus/options.h"
#include "dissensus/schedule.h"

namespace dissensus::faults {

/// What the document must be written for.
struct Target {
  const SystemDescription& description;
  GeneSpace genes;
};

[[noreturn]] void fail_unknown_kind(const OptionValue& place, const std::string& word,
                                    const SystemDescription& description);
NodeId read_node(const OptionValue& value, const Target& target);
/// Bounded, so that sums of a few durations cannot overflow.
Duration read_duration(const OptionValue& value);
Window read_window(const Options& fault);
/// A window that may count from something that happens ("after").
Window read_anchored_window(const Options& fault, const Target& target);
/// The groups of a partition, which separate some nodes from others.
std::vector<NodeSet> read_groups(const Options& fault, const Target& target);

Fault read_fault(const Options& fault, const Target& target);

}  // namespace dissensus::faults
