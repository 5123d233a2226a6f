// Schedules as compact bytes, for the store (docs/formats/store.md) and for worker processes: a
// thesis schedule takes some 500 bytes and two microseconds.
#pragma once

#include <string>
#include <string_view>

#include "dissensus/description.h"
#include "dissensus/schedule.h"

#include "core/bytes.h"

namespace dissensus::faults {

/// For the store. Equal schedules give equal bytes.
std::string encode_schedule(const Schedule& schedule);
/// The inverse. Anybody may have written them: throws InputError that begins with `name` for bytes
/// that are no schedule of a system with this description. Reads what earlier versions wrote.
Schedule decode_schedule(std::string_view bytes, const std::string& name,
                         const SystemDescription& description, std::size_t nodes);

/// As a part of other records, between processes of one program.
void put(ByteWriter& writer, const Schedule& schedule, Form form = Form::usual);
/// Throws InputError where the bytes are none that were written.
void take(ByteReader& reader, Schedule& schedule, Form form = Form::usual);

}  // namespace dissensus::faults
