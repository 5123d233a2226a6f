// Schedules as compact bytes, for the store (docs/formats/store.md): a thesis schedule takes some
// 500 bytes and two microseconds.
#pragma once

#include <string>
#include <string_view>

#include "dissensus/description.h"
#include "dissensus/schedule.h"

namespace dissensus::hunt {

/// Equal schedules give equal bytes.
std::string encode_schedule(const faults::Schedule& schedule, const SystemDescription& description,
                            std::size_t nodes);

/// The inverse. Throws InputError that begins with `name` for bytes that are no schedule of a
/// system with this description.
faults::Schedule decode_schedule(std::string_view bytes, const std::string& name,
                                 const SystemDescription& description, std::size_t nodes);

}  // namespace dissensus::hunt
