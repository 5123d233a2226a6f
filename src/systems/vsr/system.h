// Viewstamped Replication as a system: docs/systems/vsr.md.
#pragma once

#include "dissensus/system.h"

namespace dissensus::vsr {

SystemEntry vsr_entry();

}  // namespace dissensus::vsr
