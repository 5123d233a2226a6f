// The system "rippled": real servers of the XRP Ledger behind an interceptor.
#pragma once

#include <vector>

#include "dissensus/system.h"

#include "systems/live/servers/binary.h"
#include "systems/live/settings.h"

namespace dissensus::live {

SystemEntry rippled_entry(LiveSettings settings = {});

/// Which programs the servers of a system are; none where it has no servers. Throws InputError
/// where what was named is no program.
std::vector<ServerBinary> binaries_of(const System& system);

}  // namespace dissensus::live
