// The system "rippled": real servers of the XRP Ledger behind an interceptor.
#pragma once

#include <string>
#include <vector>

#include "dissensus/system.h"

#include "systems/live/servers/binary.h"

namespace dissensus::live {

/// `rippled` is the servers' program; empty: the scenario's, or `rippled` on PATH.
SystemEntry rippled_entry(std::string rippled = {});

/// Which programs the servers of a system are; none where it has no servers. Throws InputError
/// where what was named is no program.
std::vector<ServerBinary> binaries_of(const System& system);

}  // namespace dissensus::live
