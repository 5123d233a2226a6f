// Practical Byzantine fault tolerance (Castro and Liskov, OSDI '99) as a system under test, with
// the mistakes that implementations of it have made as switches. docs/systems/pbft.md.
#pragma once

#include "dissensus/system.h"

namespace dissensus::pbft {

SystemEntry pbft_entry();

}  // namespace dissensus::pbft
