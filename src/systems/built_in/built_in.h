// All systems that come with the program: the simulated ones, and real servers. A target of its
// own, so that who runs simulated systems only need not build what talks to servers.
#pragma once

#include "dissensus/system.h"

namespace dissensus {

const SystemRegistry& built_in_systems();

}  // namespace dissensus
