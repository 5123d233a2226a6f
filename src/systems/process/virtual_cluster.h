// Unmodified programs, with clocks, threads and sleeps of their own, under the supervisor of
// virtual time: the world's time is theirs, and waiting means running them.
#pragma once

#include <cstdint>
#include <memory>

#include "dissensus/system.h"

#include "systems/process/book.h"

namespace dissensus::process {

/// `book` outlives it. Throws OutsideError where programs cannot be supervised.
std::unique_ptr<Cluster> make_virtual_cluster(const Book& book, std::uint64_t seed);

}  // namespace dissensus::process
