#include "hunt/island.h"

#include <algorithm>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "dissensus/random.h"

#include "faults/schedule_bytes.h"
#include "hunt/parts.h"
#include "search/genotype.h"
#include "search/immigration.h"

namespace dissensus::hunt {

std::uint64_t island_seed(std::uint64_t hunt_seed, std::int64_t island) {
  return derive_seed(hunt_seed, "island", static_cast<std::uint64_t>(island)) >> 11;
}

Island::Island(const HuntRecord& hunt, std::int64_t id, const std::string& store,
               const Registry& registry)
    : id_(id), hunt_(hunt, store, registry, island_seed(options_of(hunt, store).seed, id)) {}

Shipment Island::run_turn(const std::function<bool()>& keep_going) {
  Shipment shipment;
  do {
    run_once(shipment);
  } while (keep_going());
  return shipment;
}

void Island::run_once(Shipment& shipment) {
  Item item;
  item.candidate = *hunt_.parts.search->ask();  // nothing is under way, so there is one
  item.record.number = runs_;
  item.record.seed = run_seed(hunt_.options.seed, runs_);
  item.record.member = item.candidate.member;
  item.record.origin = item.candidate.origin;
  ++runs_;
  evaluate(hunt_.plan, worker_, item);
  states_.note(hunt_.parts, item.all_states, item.record);
  hunt_.parts.search->tell(item.candidate, to_evaluation(item.record));
  note(item.record, shipment);
}

void Island::note(const ItemRecord& record, Shipment& shipment) {
  shipment.sums[{record.member, record.origin}].add(record);
  shipment.events += record.events;
  shipment.repeated += record.stability != Stability::not_checked ? 1 : 0;
  shipment.equal += record.stability == Stability::equal ? 1 : 0;
  shipment.disagreement_margin = std::max(shipment.disagreement_margin, record.disagreement_margin);
  shipment.termination_margin = std::max(shipment.termination_margin, record.termination_margin);
  if (shipment.best.empty()) shipment.best = record.objectives;
  for (std::size_t i = 0; i < record.objectives.size(); ++i) {
    shipment.best[i] = std::min(shipment.best[i], record.objectives[i]);
  }
  const bool failed = record.outcome == oracle::Outcome::fail;
  const bool is_first_failure = failed && ++shipment.failures[record.signature] == 1;
  if (record.new_states.empty() && !is_first_failure) return;
  sent_.insert(record.seed);
  shipment.items.push_back(record);
}

void Island::hear(const ItemRecord& item) {
  news_from_ = item.number + 1;
  if (sent_.erase(item.seed) > 0) return;
  states_.know(item.new_states);
  const faults::Schedule schedule = faults::decode_schedule(
      item.schedule, fmt::format("{}: item {}", hunt_.plan.store, item.number),
      hunt_.scenario.system_description(), hunt_.scenario.nodes());
  // Decisions of a scheduler that was there while the run went on are no point of the space.
  if (std::holds_alternative<faults::MessageSchedule>(schedule.scheduler)) return;
  if (item.objectives.size() != hunt_.parts.objectives.size()) return;
  search::welcome(*hunt_.parts.search, search::to_genotype(schedule, hunt_.scenario),
                  to_evaluation(item));
}

}  // namespace dissensus::hunt
