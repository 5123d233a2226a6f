// The systems that live in the simulator and come with the program.
#pragma once

#include "dissensus/system.h"

namespace dissensus {

const SystemRegistry& simulated_systems();

}  // namespace dissensus
