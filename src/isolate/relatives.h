// Predicates that say nearly the same as a chosen one: shown with it instead of beside it.
#pragma once

#include <cstddef>

#include "isolate/isolation.h"

namespace dissensus::isolate {

inline constexpr std::size_t kRelativesShown = 6;

/// Fills `equivalent` and `relatives` of a finding whose extent is known.
void fill_relatives(const RunTable& table, const IsolationOptions& options, Finding& finding);

}  // namespace dissensus::isolate
