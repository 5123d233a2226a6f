// The states of a formal model that a run passes through, as a measure of what is new: each step of
// a node is matched with the model, as when conformance is judged, and what is kept is the step's
// name with the acting node's views (the mapping's [[view]] tables), so that the mapping file says
// how coarse states are.
#pragma once

#include <memory>
#include <string>

#include "run/state_source.h"

namespace dissensus::conform {

/// Throws InputError where the mapping is of another system. Inputs of the mapping that set
/// system.nodes are the scenario's number of nodes. A step that the model refuses is a state of its
/// own, and the run is followed no further.
std::unique_ptr<run::StateSource> make_model_states(const std::string& mapping,
                                                    const run::Scenario& scenario);

}  // namespace dissensus::conform
