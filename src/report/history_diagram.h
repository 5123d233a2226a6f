// A counterexample of a history as a picture: operations as bars from invocation to answer, one
// lane per process; those that conflict are marked, and what must come before what is an arrow.
#pragma once

#include <string>
#include <vector>

#include "dissensus/history.h"

#include "history/verdict.h"

namespace dissensus::report {

/// The first finding of the verdict with operations to show; without one, a picture that says so.
std::string history_diagram(const history::History& history,
                            const std::vector<history::Operation>& operations,
                            const history::Verdict& verdict);

}  // namespace dissensus::report
