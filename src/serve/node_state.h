// A node before and after an event: what it reported, and, where its system can say it, its own
// state, which running the prefix again brings to light.
#pragma once

#include <cstddef>

#include "serve/json_text.h"
#include "serve/loaded_run.h"

namespace dissensus::serve {

/// {"before": {...}, "after": {...}} with texts by name; null for events of no node.
Json node_state_json(const LoadedRun& run, std::size_t record);

}  // namespace dissensus::serve
