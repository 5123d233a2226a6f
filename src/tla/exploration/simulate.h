// Random walks through a specification.
//
// Walk number i depends on (seed, i) alone, so the outcome does not depend on the number of
// workers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tla/exploration/behaviour.h"
#include "tla/exploration/check.h"

namespace dissensus::tla {

struct SimulateOptions {
  std::uint64_t walks = 100;
  std::uint32_t depth = 100;  ///< states per walk, the initial one included
  std::uint64_t seed = 1;
  std::size_t workers = 1;
  std::optional<bool> deadlock;  ///< overrules CHECK_DEADLOCK
  /// How often an action is tried first, against the others; 1 where nothing is said, 0 is never.
  std::vector<std::pair<std::string, double>> weights;
  /// Three walks of four do without some of the actions, each chosen by lot: rare orders of the
  /// others become frequent.
  bool swarm = false;
  bool keep_behaviours = false;  ///< of walks without a violation, too
  double seconds = 0;            ///< no walk starts later; 0 = no limit
  MachineOptions machine;
  std::vector<std::pair<std::string, std::string>> environment;
  bool may_write_files = false;
  std::function<void(std::string_view)> print;
};

enum class WalkEnd : std::uint8_t {
  depth,
  violation,
  deadlock,
  error,
  constraint,  ///< the constraints allow none of the steps that were tried
  weights,     ///< only actions of weight 0 are enabled
};
std::string_view to_string(WalkEnd end);

struct Walk {
  std::uint64_t number = 0;
  WalkEnd end = WalkEnd::depth;
  std::uint32_t states = 0;
  std::vector<std::uint64_t> steps_by_action;  ///< in the order of Spec::actions
  std::vector<bool> switched_off;              ///< likewise, by the swarm
  std::vector<std::uint64_t> fingerprints;     ///< of its states
  std::string message, property;
  std::vector<std::string> remarks;  ///< see CheckResult
  Location at;
  Behaviour behaviour;  ///< of a violation, deadlock or error, or when asked for
};

struct SimulateResult {
  CheckOutcome outcome = CheckOutcome::ok;
  std::string message, property;
  std::vector<std::string> remarks;  ///< see CheckResult
  Location at;
  std::uint64_t walks = 0;
  std::uint64_t states = 0;    ///< visited
  std::uint64_t distinct = 0;  ///< of these
  std::uint32_t longest = 0;
  std::vector<std::uint64_t> steps_by_action;
  std::vector<std::uint64_t> ends;  ///< walks per WalkEnd
  std::uint64_t failing_walk = 0;
  Behaviour trace;
  double seconds = 0;
};

/// Walks until the first violation. `visit`, if given, sees every walk in order. Throws InputError
/// for weights of unknown actions.
SimulateResult simulate(const std::shared_ptr<const Spec>& spec, const SimulateOptions& options,
                        const std::function<void(const Walk&)>& visit = {});

/// The action of that name; InputError with a suggestion otherwise. `what` begins the message.
ActionId action_by_name(const Spec& spec, const std::string& name, const std::string& what);

}  // namespace dissensus::tla
