// How programs and their helpers ended, in words.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "dissensus/outside.h"

#include "host/host.h"

namespace dissensus::host {

/// "SIGSEGV", "exit-1": the same manner is the same finding.
std::string manner_of(const Exit& exit);

/// Of helpers that ended badly, which nobody expected: the first of each node that ended in this
/// manner, and how many more. `origin` is the run's time 0; `node_of` is kNoNode for programs that
/// are not the run's.
std::vector<Outside::Remark> remarks_of(const std::vector<LostProcess>& lost, HostTime origin,
                                        const std::function<NodeId(ProgramId)>& node_of);

}  // namespace dissensus::host
