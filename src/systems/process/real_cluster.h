// Unmodified programs in real time: a second of a run is a second of ours, and no two runs are
// equal. The world passes messages on as its schedule says, between programs that do not wait.
#pragma once

#include <functional>
#include <memory>

#include "dissensus/system.h"

#include "systems/process/book.h"

namespace dissensus::process {

/// `book` outlives it. `is_interrupted` may be empty.
std::unique_ptr<Cluster> make_real_cluster(const Book& book, std::function<bool()> is_interrupted);

}  // namespace dissensus::process
