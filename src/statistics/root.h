// Brent's root finder (R. P. Brent, Algorithms for Minimization without Derivatives, 1973, ch. 4).
#pragma once

#include <functional>

namespace dissensus::statistics {

/// Where `function`, of opposite signs at `low` and `high`, is zero; NaN where the signs agree. The
/// answer is within `tolerance` plus `relative` of itself and a few units in the last place, or the
/// best after 1000 steps. The steps are those of the
/// published procedure, so that another program with the same tolerance stops at the same place.
double brent_root(const std::function<double(double)>& function, double low, double high,
                  double tolerance, double relative = 0);

}  // namespace dissensus::statistics
