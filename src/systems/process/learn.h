// Kinds of messages that nobody declared, learned from what programs say: a few runs without
// faults, over plain links, when a scenario is read. The same scenario gives the same list.
#pragma once

#include <vector>

#include "dissensus/system.h"

#include "systems/process/settings.h"

namespace dissensus::process {

/// Types that are no kinds of the system yet, by name, with the fields that were seen. A program
/// that misbehaves or cannot be started ends it: the first real run tells of that.
std::vector<DeclaredMessage> learn_messages(const System& system, const Settings& settings);

}  // namespace dissensus::process
