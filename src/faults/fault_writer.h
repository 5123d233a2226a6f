// One fault as one line of JSON.
#pragma once

#include <cstddef>
#include <string>

#include "dissensus/schedule.h"

namespace dissensus::faults {

/// As it stands in a schedule document: docs/formats/schedule.md.
std::string to_json(const Fault& fault, const SystemDescription& description, std::size_t nodes);

}  // namespace dissensus::faults
