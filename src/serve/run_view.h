// A run as JSON: what it is, its events in columns, single events in full (docs/formats/api.md).
#pragma once

#include <span>
#include <string>

#include "serve/loaded_run.h"

namespace dissensus::serve {

/// Header, verdict, schedule in words, and the figures of a page's head.
std::string run_json(const LoadedRun& run);
/// All events, a list per property: about 25 bytes an event, where one object each takes 200.
std::string columns_json(const LoadedRun& run);
/// One line of text for each of these records; numbers beyond the end are left out.
std::string lines_json(const LoadedRun& run, std::span<const std::size_t> records);
/// One event: the fields of its message, what it came from, what came of it, and its node before
/// and after.
std::string event_json(const LoadedRun& run, std::size_t record);

}  // namespace dissensus::serve
