// A hunt of a store as far as its runs need it: scenario, objectives, and a search where one is
// wanted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "dissensus/plugin.h"

#include "hunt/evaluator.h"
#include "hunt/hunt.h"
#include "hunt/store.h"
#include "run/scenario.h"

namespace dissensus::hunt {

struct KnownHunt {
  /// Throws InputError for what is not here: a plugin, a program, a system. `seed` is that of a
  /// search of our own. `registry` must outlive this.
  KnownHunt(const HuntRecord& record, const std::string& store, const Registry& registry,
            std::optional<std::uint64_t> seed = std::nullopt);
  KnownHunt(const KnownHunt&) = delete;
  KnownHunt& operator=(const KnownHunt&) = delete;

  HuntOptions options;
  run::Scenario scenario;
  HuntParts parts;
  EvaluationPlan plan;
};

}  // namespace dissensus::hunt
