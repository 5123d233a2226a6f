#include "campaign/random_hunt.h"

#include <memory>

#include "campaign/parallel.h"
#include "core/assert.h"
#include "run/schedule_space.h"

namespace dissensus::campaign {

namespace {
constexpr std::size_t kRepeatEvery = 16;

struct ItemResult {
  run::RunResult run;
  bool repeated = false;
};
}  // namespace

HuntItem hunt_item(const run::Scenario& scenario, std::uint64_t hunt_seed, std::size_t index) {
  Random random(hunt_seed, "schedule", index);
  // 53 bits: a seed survives every JSON reader.
  return {run::random_schedule(scenario, random), derive_seed(hunt_seed, "run", index) >> 11};
}

HuntResult random_hunt(const run::Scenario& scenario, const HuntOptions& options,
                       const std::function<bool(const HuntProgress&)>& keep_going) {
  HuntResult result;
  const auto work = [&](run::Runner& runner, std::size_t index) {
    const HuntItem item = hunt_item(scenario, options.seed, index);
    ItemResult outcome{runner.run(scenario, item.schedule, item.seed), index % kRepeatEvery == 0};
    if (outcome.repeated) {
      const run::RunResult again = runner.run(scenario, item.schedule, item.seed);
      DISSENSUS_ASSERT(again.hash == outcome.run.hash,
                       "random_hunt : the same schedule and seed give the same trace hash");
    }
    return outcome;
  };
  const auto consume = [&](std::size_t index, ItemResult item) {
    HuntProgress& progress = result.progress;
    ++progress.runs;
    progress.virtual_time += item.run.end - Time{};
    progress.events += item.run.events;
    progress.repeated += item.repeated ? 1 : 0;
    if (item.run.verdict.outcome == oracle::Outcome::unknown) ++result.unknown;
    if (item.run.verdict.outcome == oracle::Outcome::fail) {
      HuntItem found = hunt_item(scenario, options.seed, index);
      result.finding = Finding{index, std::move(found.schedule), found.seed, item.run.hash,
                               std::move(item.run.verdict)};
      return false;
    }
    return keep_going(progress);
  };
  for_each_in_order(
      options.runs, options.jobs, [] { return std::make_unique<run::Runner>(); }, work, consume);
  return result;
}

}  // namespace dissensus::campaign
