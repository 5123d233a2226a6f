// How close a history that may be fine came to an anomaly: a number that guides searches, cheap,
// and no verdict.
//
// By model. Registers: reads of a value that another change was about to replace, measured by how
// much of that change lay behind when the read began; and changes that nobody answered but that
// took effect after all, by how late. Transactions: those that have a concurrent transaction on
// both sides whose writes, or whose own writes, the reader did not see, as every anomaly of
// snapshot isolation needs one. Sets, broadcasts, logs: how long something acknowledged was not to
// be seen. Counters: how much that was acknowledged a read lacked. Others: nothing is known, 0.
#pragma once

#include <string_view>
#include <vector>

#include "dissensus/history.h"

namespace dissensus::history {

/// From 0 to below 1. Histories without times have 0.
double closeness(const History& history, const std::vector<Operation>& operations,
                 std::string_view model);

}  // namespace dissensus::history
