// What a hunt tries before it searches: one run without any fault.
#pragma once

#include <cstdint>
#include <string>

#include "run/scenario.h"

namespace dissensus::hunt {

/// What is to be said of it; empty: it passed.
struct FirstRun {
  std::string violation;  ///< what fails without any fault: one sentence
  std::string unknown;    ///< why it could not be judged
};

/// Makes the run. What no fault causes may be a mistake in how programs were started, which is no
/// finding: throws OutsideError where one ends before it has begun, and InputError where one says
/// what the scenario does not know. Systems with networks of their own look after their start
/// themselves, and have no such run.
FirstRun try_without_faults(const run::Scenario& scenario, std::uint64_t seed);

}  // namespace dissensus::hunt
