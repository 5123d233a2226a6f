// A script: steps of the model by name, carried out one after another by both sides. This is how a
// finding is repeated, made smaller, and shown. And a run of the implementation alone.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "conform/observed_trace.h"
#include "conform/pairing.h"
#include "run/runner.h"
#include "tla/evaluation/function_ref.h"

namespace dissensus::conform {

/// One step of a script that was carried out, the refused one included.
struct ScriptStep {
  std::span<const Observation> seen;  ///< what the implementation did
  const tla::State& before;           ///< of the model
  const tla::State& after;            ///< where the model refused: the same
  const tla::Label& label;
};

struct ScriptResult {
  std::optional<Violation> violation;
  std::size_t used = 0;  ///< labels that could be carried out
};

/// Fresh nodes, the model at its beginning. Labels that are not possible any more are passed over.
ScriptResult run_script(Pairing& pairing, int workflow, std::uint64_t seed,
                        std::span<const tla::Label> labels,
                        tla::FunctionRef<void(const ScriptStep&)> watch);
ScriptResult run_script(Pairing& pairing, int workflow, std::uint64_t seed,
                        std::span<const tla::Label> labels);

/// One run of the implementation in the simulator, its first `most` steps.
ObservedTrace record_run(Pairing& pairing, run::Runner& runner, std::uint64_t seed,
                         std::size_t most);

/// Labels as text and back. Throws InputError.
std::vector<tla::Label> parse_labels(tla::Machine& model, const std::vector<std::string>& texts);

}  // namespace dissensus::conform
