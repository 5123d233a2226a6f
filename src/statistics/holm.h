// Several tests at once: Holm's step-down correction.
#pragma once

#include <span>
#include <vector>

namespace dissensus::statistics {

/// Adjusted p-values in the order given, as R's p.adjust(method = "holm"): a test is significant at
/// a level, all tests together, where its adjusted value is at or below it.
std::vector<double> holm_adjusted(std::span<const double> p_values);

}  // namespace dissensus::statistics
