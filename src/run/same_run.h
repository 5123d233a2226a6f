// Whoever takes a failing run apart makes it again, and again. All that is said of it is about one
// run: where it comes out otherwise, that is what is said.
#pragma once

#include <string>

#include "run/remake.h"
#include "run/runner.h"

namespace dissensus::run {

/// A run of the recipe has this hash now. Throws NotDeterministic where the recipe has another one,
/// with the first event that differs; a recipe without a hash may have any. `name` is for messages.
void demand_same(const Recipe& recipe, const std::string& now, const std::string& name);

/// Makes the run a few times, one after the other: "run 17 parts from itself at event 12 at ..."
/// where two of them differ. Empty: they do not.
std::string parting_from_itself(const Recipe& recipe, const std::string& name);

}  // namespace dissensus::run
