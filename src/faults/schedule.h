// Reading and writing schedules (docs/formats/schedule.md); the values are in dissensus/schedule.h.
#pragma once

#include <string>
#include <string_view>

#include "dissensus/description.h"
#include "dissensus/options.h"
#include "dissensus/schedule.h"

namespace dissensus::faults {

inline constexpr std::string_view kScheduleFormat = "dissensus-schedule/1";

/// Reads a schedule for a system with this description and number of nodes; throws InputError.
Schedule read_schedule(const Options& document, const SystemDescription& description,
                       std::size_t nodes);
Schedule parse_schedule(std::string_view json, std::string name,
                        const SystemDescription& description, std::size_t nodes);
/// The document; parse_schedule gives back an equal schedule.
std::string to_json(const Schedule& schedule, const SystemDescription& description,
                    std::size_t nodes);

}  // namespace dissensus::faults
