// The system "rippled": real servers of the XRP Ledger behind an interceptor.
#pragma once

#include "dissensus/system.h"

#include "systems/live/settings.h"

namespace dissensus::live {

SystemEntry rippled_entry(LiveSettings settings = {});

}  // namespace dissensus::live
