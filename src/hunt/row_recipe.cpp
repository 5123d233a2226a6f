#include "hunt/row_recipe.h"

#include <fmt/format.h>

#include "hunt/schedule_codec.h"
#include "hunt/store.h"

namespace dissensus::hunt {

run::Recipe recipe_of_row(const std::string& store, std::size_t hunt, std::uint64_t number,
                          const std::string& name, const SystemRegistry& systems) {
  StoreReader reader(store);
  const std::vector<HuntRecord> hunts = reader.hunts();
  if (hunt == 0 || hunt > hunts.size()) {
    throw InputError(fmt::format("{}: no hunt {}, expected 1 to {}", store, hunt, hunts.size()));
  }
  const HuntRecord& record = hunts[hunt - 1];
  const auto connection = sql::open(store, sql::Access::read);
  const auto row =
      connection->prepare("SELECT seed, hash, schedule FROM items WHERE hunt = ? AND number = ?");
  row->bind(1, record.id).bind(2, static_cast<std::int64_t>(number) - 1);
  if (number == 0 || !row->step()) {
    throw InputError(fmt::format("{}: no run {}, expected 1 to {}", store, number,
                                 reader.item_count(record.id)));
  }
  run::Recipe recipe;
  recipe.scenario = run::parse_scenario(record.scenario, name, systems);
  recipe.seed = static_cast<std::uint64_t>(row->integer(0));
  recipe.hash = row->text(1);
  recipe.schedule = decode_schedule(row->text(2), name, recipe.scenario.system_description(),
                                    recipe.scenario.nodes());
  return recipe;
}

}  // namespace dissensus::hunt
