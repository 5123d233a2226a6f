// libraft, the C Raft library under dqlite, as a system: Debian's package as it is, its I/O in the
// simulated world (docs/libraft.md).
#pragma once

#include "dissensus/system.h"

namespace dissensus::libraft {

SystemEntry libraft_entry();

}  // namespace dissensus::libraft
