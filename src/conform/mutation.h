// A test of the judge itself: leaves out or negates one guard of the model or of the
// implementation at a time and counts how many of these mutants are noticed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "conform/workflow.h"

namespace dissensus::conform {

struct Mutant {
  std::string side;   ///< model or implementation
  std::string guard;  ///< its name, or file:line:column and text
  bool is_negated = false;
  Variant variant;
};

/// Every guard of the model's labelled actions, and those that the mapping lists for the
/// implementation ([mutation]).
std::vector<Mutant> mutants_of(const Mapping& mapping, const InputValues& values,
                               const SystemRegistry& systems);

struct MutantOutcome {
  bool is_detected = false;
  std::string how;  ///< "Type-I after 3 traces", "error: ...", "not noticed in 20 rounds"
  double seconds = 0;
};

struct MutationBudget {
  std::size_t rounds = 8;  ///< of Workflow I and II in turn
  std::size_t depth = 500;
  WorkflowLimits limits = {};
};
MutantOutcome try_mutant(const Mapping& mapping, const Mutant& mutant, const MutationBudget& budget,
                         std::uint64_t seed, const SystemRegistry& systems);

}  // namespace dissensus::conform
