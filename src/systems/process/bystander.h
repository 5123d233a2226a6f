// Nodes that are not what is tested: clients and services.
#pragma once

#include <memory>

#include "systems/process/book.h"
#include "systems/process/workload.h"

namespace dissensus::process {

/// The client or service with this number, which counts from the first program.
std::unique_ptr<Node> make_bystander(const Book& book, NodeId id, SharedNumbers& numbers);

}  // namespace dissensus::process
