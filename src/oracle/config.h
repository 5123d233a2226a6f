// What a scenario demands of its runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "dissensus/ids.h"
#include "dissensus/time.h"

#include "oracle/rule.h"

namespace dissensus::oracle {

/// Every correct node that is up decides again and again, never more than `bound` apart, until it
/// has decided the goal instance. The demand starts when the fault phase and the healing phase are
/// over; where the scenario has no fault phase it holds from the start.
///
/// With `revival`, less is demanded: that some correct node decides an instance, within `bound` of
/// that start, that no correct node had decided before. A network that goes on slowly satisfies it;
/// only a dead one does not. The run ends at such a decision.
struct TerminationDemand {
  dissensus::Level level = 0;
  bool revival = false;
  std::optional<std::uint64_t> goal;
  Duration bound{};
};

struct OracleConfig {
  bool agreement = true;
  bool validity = true;
  bool integrity = true;
  std::optional<TerminationDemand> termination;
  bool has_fault_phase = false;
  Duration heal{};  ///< after the fault phase, before progress is demanded
  std::vector<Rule> rules;
  std::optional<Expression> done;        ///< the test case is over as soon as this holds
  std::vector<bool> ignored_invariants;  ///< by invariant; those beyond its end are demanded
  std::size_t violations_max = 100;      ///< more are counted, not kept
};

}  // namespace dissensus::oracle
