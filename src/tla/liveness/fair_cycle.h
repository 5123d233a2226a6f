// Is there a behaviour in the graph that satisfies a conjunction of obligations? If there is one,
// there is one that ends in a cycle.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tla/liveness/formula.h"
#include "tla/liveness/graph.h"

namespace dissensus::tla {

/// A behaviour: the states from `loop` on repeat forever. Step i leads from state i to the next,
/// the last one back to `loop`.
struct Lasso {
  std::vector<std::uint32_t> states;
  std::vector<std::uint32_t> letters;  ///< of the steps, as many
  std::size_t loop = 0;
};

struct FairCycleLimits {
  std::size_t automaton_states = 4096;
  std::uint64_t bytes = 0;  ///< 0: no limit
  /// Asked now and then: true to give up.
  std::function<bool()> is_enough;
};

struct FairCycleResult {
  std::optional<Lasso> lasso;
  std::string limit;  ///< that was reached; then there may be a lasso all the same
};

FairCycleResult find_fair_cycle(const BehaviourGraph& graph, const Obligations& obligations,
                                const FairCycleLimits& limits);

}  // namespace dissensus::tla
