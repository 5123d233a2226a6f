// Checkers for the workloads that Maelstrom made popular. Each says what it promises and no more:
// most of these systems may be late, and none may forget.
#pragma once

#include <vector>

#include "dissensus/history.h"

#include "history/verdict.h"

namespace dissensus::history {

/// g-set and broadcast: what was added (function add or broadcast) is in reads sooner or later, and
/// stays. Lost, unexpected and duplicated elements are violations; lateness is measured.
Verdict check_set(const History& history, const std::vector<Operation>& operations);

enum class CounterKind : std::uint8_t {
  eventual_growing,  ///< g-counter: final reads show the sum of what was added, which is never
                     ///< negative
  eventual,          ///< pn-counter: the same with negative additions
  bounded,           ///< every read lies between what must and what may have been added by then
};
Verdict check_counter(const History& history, const std::vector<Operation>& operations,
                      CounterKind kind, const CheckLimits& limits);

/// What was generated is unique.
Verdict check_unique_ids(const History& history, const std::vector<Operation>& operations);

/// Every answer repeats its question.
Verdict check_echo(const History& history, const std::vector<Operation>& operations);

/// Logs that are sent to and polled by offset.
Verdict check_kafka(const History& history, const std::vector<Operation>& operations);

}  // namespace dissensus::history
