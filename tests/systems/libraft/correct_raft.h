// A small Raft that is right, by the rules of the paper (Ongaro and Ousterhout, figure 2): what the
// properties and the fault space must leave in peace. It reports as the system libraft does.
#pragma once

#include "dissensus/system.h"

namespace dissensus::libraft {

/// [system] kind = "correct-raft": servers, clients.every, and break_commit_rule, which makes it
/// commit entries of earlier terms by counting, as nobody should: then it must be found out.
SystemEntry correct_raft_entry();

}  // namespace dissensus::libraft
