#include "hunt/row_recipe.h"

#include <fmt/format.h>

#include "faults/schedule_bytes.h"

namespace dissensus::hunt {

HuntRecord hunt_of_row(StoreReader& reader, std::uint64_t number, const std::string& shown) {
  const std::vector<HuntRecord> hunts = reader.hunts();
  for (const HuntRecord& hunt : hunts) {
    if (number == 0 || static_cast<std::uint64_t>(hunt.id) == number) return hunt;
  }
  throw InputError(fmt::format("{}: no hunt {}, expected {}", shown, number,
                               hunts.empty()
                                   ? std::string("none: it is empty")
                                   : fmt::format("{} to {}", hunts.front().id, hunts.back().id)));
}

run::Recipe recipe_of_row(StoreReader& reader, const HuntRecord& hunt, std::uint64_t number,
                          const std::string& shown, const std::string& name,
                          const SystemRegistry& systems) {
  ItemRecord item;
  const bool is_there =
      number > 0 && reader.items(hunt.id, number - 1).next(item) && item.number + 1 == number;
  if (!is_there) {
    throw InputError(
        fmt::format("{}: no run {}, expected 1 to {}", shown, number, reader.item_count(hunt.id)));
  }
  run::Recipe recipe;
  recipe.scenario = run::parse_scenario(hunt.scenario, name, systems);
  recipe.schedule = faults::decode_schedule(
      item.schedule, name, recipe.scenario.system_description(), recipe.scenario.nodes());
  recipe.seed = item.seed;
  recipe.hash = trace::to_hex(item.hash);
  return recipe;
}

run::Recorded recorded_row(StoreReader& reader, const HuntRecord& hunt, std::uint64_t number,
                           const std::string& name) {
  ItemRecord item;
  if (number == 0 || !reader.items(hunt.id, number - 1).next(item)) return {name, {}, {}};
  return {name, run::ending_of(item.outcome, item.signature), {}};
}

}  // namespace dissensus::hunt
