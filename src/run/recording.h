// How much of a run is kept, for runs that are looked at afterwards instead of being counted.
#pragma once

#include "run/runner.h"

namespace dissensus::run {

/// Every event, with the fields of its message.
RunOptions with_trace();
/// Everything that a run folder holds: beside the events the nodes' log lines, and metrics.
RunOptions with_everything();

}  // namespace dissensus::run
