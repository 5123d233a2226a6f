// Where many runs are made, they are spread by core/parallel.h.
#pragma once

#include "core/parallel.h"

namespace dissensus::campaign {
using dissensus::for_each_in_order;
}  // namespace dissensus::campaign
