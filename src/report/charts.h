// The figures of a finding's page, as SVG.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "oracle/verdict.h"
#include "shrink/likelihood.h"
#include "trace/trace.h"

namespace dissensus::report {

/// What each node decided when, level by level: a row per node, a mark per decision, one colour per
/// value where values differ. Empty where nothing was decided.
std::string timeline(const trace::Trace& trace, const oracle::Violation& violation);

struct LikelihoodCurve {
  std::string name;
  std::span<const shrink::LikelihoodPoint> points;
};
/// Share of continuations that fail, over the moment from which on they differ.
std::string likelihood_chart(const std::vector<LikelihoodCurve>& curves, Time violation);

/// The first moment from which on every continuation of the curve fails; Time::max() if there is
/// none.
Time point_of_no_return(std::span<const shrink::LikelihoodPoint> points);

}  // namespace dissensus::report
