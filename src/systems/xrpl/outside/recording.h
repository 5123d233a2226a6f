// Recorded executions of real servers as node logs: what a relay between them wrote down, message
// by message (docs/formats/node-log.md).
#pragma once

#include <string>

#include "systems/xrpl/outside/steps.h"

namespace dissensus::xrpl {

/// `messages`: JSON lines (gzip or not) with `a` (arrival, ms), `f` (passed on; null: never),
/// `from`, `to`, `kind` and the fields of that kind. `cases`: JSON lines with `id` and, by node,
/// `validated` ledgers (`t`, `seq`, `hash`), of which the line with this id counts; empty: none.
/// Throws InputError.
void replay_recording(const std::string& messages, const std::string& cases, const std::string& id,
                      OutsideSteps& outside);

}  // namespace dissensus::xrpl
