#include "run/schedule_space.h"

#include <chrono>
#include <numeric>
#include <utility>

#include "core/assert.h"

namespace dissensus::run {

std::vector<std::size_t> varying_genes(const Scenario& scenario) {
  using Type = ScheduleSpace::Type;
  if (scenario.space.type != Type::delay && scenario.space.type != Type::priority) return {};
  const faults::GeneSpace genes = scenario.genes();
  std::vector<bool> varies(genes.kinds, false);
  for (const MessageKind kind : scenario.space.kinds) varies[kind] = true;
  std::vector<std::size_t> indices;
  const std::size_t per_kind = genes.nodes * (genes.nodes - 1);
  for (std::size_t kind = 0; kind < genes.kinds; ++kind) {
    if (!varies[kind]) continue;
    for (std::size_t i = 0; i < per_kind; ++i) indices.push_back(kind * per_kind + i);
  }
  return indices;
}

faults::PrioritySchedule to_priorities(const Scenario& scenario,
                                       std::span<const std::uint32_t> ranking) {
  const std::vector<std::size_t> varying = varying_genes(scenario);
  DISSENSUS_ASSERT(ranking.size() == varying.size(), "run::to_priorities : one rank per gene");
  faults::PrioritySchedule schedule;
  schedule.rate = scenario.space.rate;
  schedule.priority.assign(scenario.genes().size(), 0);
  const auto fixed = static_cast<std::uint32_t>(schedule.priority.size() - varying.size());
  for (std::size_t i = 0; i < varying.size(); ++i) {
    schedule.priority[varying[i]] = fixed + ranking[i];
  }
  std::uint32_t lowest = 0;
  for (std::uint32_t& priority : schedule.priority) {
    if (priority == 0) priority = ++lowest;
  }
  return schedule;
}

namespace {
faults::DelaySchedule random_delays(const Scenario& scenario, Random& random) {
  faults::DelaySchedule schedule;
  schedule.delay_ms.assign(scenario.genes().size(), 0);
  const auto max_ms = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(scenario.space.max_delay).count());
  for (const std::size_t gene : varying_genes(scenario)) {
    schedule.delay_ms[gene] = static_cast<std::uint32_t>(random.below(max_ms + 1));
  }
  return schedule;
}

faults::PrioritySchedule random_priorities(const Scenario& scenario, Random& random) {
  std::vector<std::uint32_t> ranking(varying_genes(scenario).size());
  std::iota(ranking.begin(), ranking.end(), 1u);
  for (std::size_t i = ranking.size(); i > 1; --i) {
    std::swap(ranking[i - 1], ranking[random.below(i)]);
  }
  return to_priorities(scenario, ranking);
}
}  // namespace

faults::Schedule random_schedule(const Scenario& scenario, Random& random) {
  faults::Schedule schedule;
  switch (scenario.space.type) {
    case ScheduleSpace::Type::none:
    case ScheduleSpace::Type::faults:
      break;
    case ScheduleSpace::Type::delay:
      schedule.scheduler = random_delays(scenario, random);
      break;
    case ScheduleSpace::Type::priority:
      schedule.scheduler = random_priorities(scenario, random);
      break;
  }
  schedule.faults = faults::random_plan(scenario.space.faults, scenario.nodes(),
                                        scenario.exposed_nodes(), random);
  return schedule;
}

}  // namespace dissensus::run
