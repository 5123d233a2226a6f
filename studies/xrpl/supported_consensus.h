// An oracle for bug B1 that the correct server always satisfies.
//
// A node that declares consensus on a set must have it in at least 80 % of the newest positions
// that reached it, its own included. A correct server counts the newest position of each peer, so
// delays cannot break this: they only make the newest position that arrived an old one. A server
// without the sequence check counts the position that arrived last.
#pragma once

#include <cstddef>
#include <span>

#include "dissensus/description.h"

#include "trace/trace.h"

namespace dissensus::studies {

/// How many declarations of a run (recorded with all messages) lacked that support. Positions about
/// to go stale, and peers that left the round, count in favour of the node.
std::size_t unsupported_declarations(std::span<const trace::Record> records,
                                     const SystemDescription& description);

}  // namespace dissensus::studies
