#include "hunt/known_hunt.h"

#include "hunt/parts.h"

namespace dissensus::hunt {

namespace {

HuntOptions with_seed(HuntOptions options, std::optional<std::uint64_t> seed) {
  if (seed) options.seed = *seed;
  return options;
}

}  // namespace

KnownHunt::KnownHunt(const HuntRecord& record, const std::string& store, const Registry& registry,
                     std::optional<std::uint64_t> seed)
    : options(with_seed(options_of(record, store), seed)),
      scenario(run::parse_scenario(record.scenario, record.scenario_name, registry.systems)),
      parts(make_campaign_parts(scenario, registry, options)),
      plan{scenario,        parts, options.seed,
           options.repeats, store, make_evidence(scenario, 0, std::string())} {}

}  // namespace dissensus::hunt
