// A formula as an automaton that reads the steps of a behaviour: it accepts those that satisfy it.
#pragma once

#include <cstdint>
#include <vector>

#include "tla/liveness/formula.h"

namespace dissensus::tla {

struct Automaton {
  struct Transition {
    std::uint32_t target = 0;
    FormulaPtr label;  ///< of the step that it reads; without temporal operators
    /// Promises (from 0) that it puts off: a behaviour is accepted if it puts off none forever.
    std::vector<std::uint32_t> postponed;
  };
  std::vector<std::vector<Transition>> states;  ///< the first is where it starts
  std::uint32_t promises = 0;

  std::size_t size() const { return states.size(); }
};

/// Accepts the behaviours that satisfy all of the formulas. False: it would have more than
/// `most_states`.
bool make_automaton(const std::vector<FormulaPtr>& formulas, std::size_t most_states,
                    Automaton& result);

}  // namespace dissensus::tla
