// Operations in words, for messages and pictures.
#pragma once

#include <string>

#include "dissensus/history.h"

namespace dissensus::history {

/// "read 3 -> 5": what was asked and answered, without who and where.
std::string label_of(const History& history, const Operation& operation, std::size_t max = 40);
/// "read 3 -> 5 of process 2 (lines 7 to 9)".
std::string describe(const History& history, const Operation& operation);

}  // namespace dissensus::history
