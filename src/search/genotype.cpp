#include "search/genotype.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/assert.h"
#include "faults/fault_strategy.h"
#include "run/schedule_space.h"

namespace dissensus::search {

namespace {
using run::varying_genes;
using Type = run::ScheduleSpace::Type;

faults::DelaySchedule to_delays(const Genotype& genotype, const std::vector<std::size_t>& varying,
                                std::size_t genes) {
  faults::DelaySchedule schedule;
  schedule.delay_ms.assign(genes, 0);
  for (std::size_t i = 0; i < varying.size(); ++i) {
    const double delay = std::floor(genotype.genes[i] + 0.5);
    schedule.delay_ms[varying[i]] =
        static_cast<std::uint32_t>(std::clamp(delay, 0.0, double{faults::kDelayMsMax}));
  }
  return schedule;
}

faults::PrioritySchedule to_priorities(const Genotype& genotype, const run::Scenario& scenario) {
  std::vector<std::uint32_t> ranking;
  for (const double rank : genotype.genes) ranking.push_back(static_cast<std::uint32_t>(rank));
  return run::to_priorities(scenario, ranking);
}
}  // namespace

SearchSpace make_space(const run::Scenario& scenario) {
  const faults::FaultSpace& drawn = scenario.space.faults;
  if (scenario.space.type == Type::none && drawn.empty()) {
    throw InputError(scenario.path +
                     ": schedule.type: the scenario names no space to search, expected \"delay\", "
                     "\"priority\" or a table schedule.faults");
  }
  const faults::GeneSpace genes = scenario.genes();
  SearchSpace space;
  space.nodes = scenario.nodes();
  const std::vector<KindDescription>& kinds = scenario.system_description().kinds;
  std::vector<std::uint8_t> rank(kinds.size(), 0);
  std::vector<std::uint8_t> ranks(kinds.size(), 0);
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    for (std::size_t other = 0; other < kinds.size(); ++other) {
      if (kinds[other].payload != kinds[kind].payload) continue;
      rank[kind] = static_cast<std::uint8_t>(rank[kind] + (other < kind ? 1 : 0));
      ++ranks[kind];
    }
  }
  for (const std::size_t index : varying_genes(scenario)) {
    const faults::GeneSpace::Gene gene = genes.gene(index);
    space.subjects.push_back({gene.from, gene.to, gene.kind, rank[gene.kind], ranks[gene.kind]});
  }
  const std::size_t size = space.subjects.size();
  if (scenario.space.type != Type::priority) {
    using std::chrono::milliseconds;
    const auto max = std::chrono::duration_cast<milliseconds>(scenario.space.max_delay).count();
    space.type = SearchSpace::Type::delay;
    space.low.assign(size, 0.0);
    space.high.assign(size, static_cast<double>(max));
  } else {
    space.type = SearchSpace::Type::priority;
    space.low.assign(size, 1.0);
    space.high.assign(size, static_cast<double>(size));
  }
  if (!drawn.empty()) {
    space.fault_strategy =
        faults::make_fault_strategy(drawn, scenario.nodes(), scenario.exposed_nodes());
    space.faults_max = drawn.plan_size_max();
  }
  return space;
}

faults::Schedule to_schedule(const Genotype& genotype, const run::Scenario& scenario) {
  faults::Schedule schedule;
  schedule.faults = faults::admitted(genotype.faults, scenario.space.faults);
  const std::vector<std::size_t> varying = varying_genes(scenario);
  DISSENSUS_ASSERT(genotype.genes.size() == varying.size(),
                   "search::to_schedule : a genotype of this scenario");
  if (scenario.space.type == Type::delay) {
    schedule.scheduler = to_delays(genotype, varying, scenario.genes().size());
  } else if (scenario.space.type == Type::priority) {
    schedule.scheduler = to_priorities(genotype, scenario);
  }
  return schedule;
}

Genotype to_genotype(const faults::Schedule& schedule, const run::Scenario& scenario) {
  Genotype genotype;
  genotype.faults = schedule.faults;
  const std::vector<std::size_t> varying = varying_genes(scenario);
  genotype.genes.assign(varying.size(), 0.0);
  if (scenario.space.type == Type::priority) {
    std::vector<std::size_t> order(varying.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (const auto* priorities = std::get_if<faults::PrioritySchedule>(&schedule.scheduler)) {
      std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return priorities->priority[varying[a]] < priorities->priority[varying[b]];
      });
    }
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
      genotype.genes[order[rank]] = static_cast<double>(rank + 1);
    }
  } else if (const auto* delays = std::get_if<faults::DelaySchedule>(&schedule.scheduler)) {
    for (std::size_t i = 0; i < varying.size(); ++i) {
      genotype.genes[i] = delays->delay_ms[varying[i]];
    }
  }
  return genotype;
}

void add_plan(Candidate& candidate, const SearchSpace& space, Random& random) {
  if (!space.fault_strategy) return;
  candidate.genotype.faults = space.fault_strategy->draw_plan(space.faults_max, random);
}

Genotype random_genotype(const SearchSpace& space, Random& random) {
  Genotype genotype;
  genotype.genes.resize(space.size());
  if (space.type == SearchSpace::Type::priority) {
    std::iota(genotype.genes.begin(), genotype.genes.end(), 1.0);
    for (std::size_t i = genotype.genes.size(); i > 1; --i) {
      std::swap(genotype.genes[i - 1], genotype.genes[random.below(i)]);
    }
  } else {
    for (std::size_t i = 0; i < genotype.genes.size(); ++i) {
      const double range = space.high[i] - space.low[i];
      genotype.genes[i] =
          space.low[i] +
          (space.integral ? static_cast<double>(random.below(static_cast<std::uint64_t>(range) + 1))
                          : range * random.unit());
    }
  }
  if (space.fault_strategy) {
    // Where nothing else varies, a plan without faults would be a run without a schedule.
    const std::uint64_t least = space.size() == 0 && space.faults_max > 0 ? 1 : 0;
    const std::uint64_t count = least + random.below(space.faults_max + 1 - least);
    for (std::uint64_t i = 0; i < count; ++i) {
      genotype.faults.push_back(space.fault_strategy->draw(random));
    }
  }
  return genotype;
}

}  // namespace dissensus::search
