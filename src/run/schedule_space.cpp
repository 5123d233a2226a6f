#include "run/schedule_space.h"

#include <numeric>
#include <utility>

namespace dissensus::run {

namespace {
faults::DelaySchedule random_delays(const ScheduleSpace& space, const faults::GeneSpace& genes,
                                    Random& random) {
  faults::DelaySchedule schedule;
  schedule.delay_ms.assign(genes.size(), 0);
  const auto max_ms = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(space.max_delay).count());
  const std::size_t per_kind = genes.nodes * (genes.nodes - 1);
  for (const MessageKind kind : space.kinds) {
    for (std::size_t i = 0; i < per_kind; ++i) {
      schedule.delay_ms[kind * per_kind + i] = static_cast<std::uint32_t>(random.below(max_ms + 1));
    }
  }
  return schedule;
}

faults::PrioritySchedule random_priorities(const ScheduleSpace& space,
                                           const faults::GeneSpace& genes, Random& random) {
  faults::PrioritySchedule schedule;
  schedule.rate = space.rate;
  schedule.priority.resize(genes.size());
  std::iota(schedule.priority.begin(), schedule.priority.end(), 1u);
  for (std::size_t i = schedule.priority.size(); i > 1; --i) {
    std::swap(schedule.priority[i - 1], schedule.priority[random.below(i)]);
  }
  return schedule;
}
}  // namespace

faults::Schedule random_schedule(const Scenario& scenario, Random& random) {
  faults::Schedule schedule;
  switch (scenario.space.type) {
    case ScheduleSpace::Type::none:
    case ScheduleSpace::Type::faults:
      break;
    case ScheduleSpace::Type::delay:
      schedule.scheduler = random_delays(scenario.space, scenario.genes(), random);
      break;
    case ScheduleSpace::Type::priority:
      schedule.scheduler = random_priorities(scenario.space, scenario.genes(), random);
      break;
  }
  if (!scenario.space.byzantine.empty()) {
    schedule.faults = faults::random_faults(scenario.space.byzantine, scenario.nodes(), random);
  }
  if (!scenario.space.environment.empty()) {
    for (faults::Fault& fault :
         faults::random_environment(scenario.space.environment, scenario.nodes(), random)) {
      schedule.faults.push_back(std::move(fault));
    }
  }
  return schedule;
}

}  // namespace dissensus::run
