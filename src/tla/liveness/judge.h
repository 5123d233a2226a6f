// Does every behaviour of the graph that is fair satisfy the property?
#pragma once

#include <optional>
#include <string>

#include "tla/liveness/fair_cycle.h"
#include "tla/liveness/formula.h"
#include "tla/liveness/graph.h"

namespace dissensus::tla {

struct LivenessVerdict {
  std::optional<Lasso> counterexample;
  std::string limit;  ///< that was reached before one was found; empty: there is none
};

LivenessVerdict judge_liveness(const BehaviourGraph& graph, const FormulaPtr& fairness,
                               const FormulaPtr& property, const FairCycleLimits& limits);

/// The same behaviour without the steps that change nothing.
Lasso without_stuttering(const Lasso& lasso);

}  // namespace dissensus::tla
