#include "run/same_run.h"

#include <fmt/format.h>

#include "run/recording.h"
#include "trace/parting.h"
#include "trace/trace.h"

namespace dissensus::run {

void demand_same(const Recipe& recipe, const std::string& now, const std::string& name) {
  if (recipe.hash.empty() || recipe.hash == now) return;
  RunOptions options = with_everything();
  options.branch = recipe.branch;
  const Remake again = make_again(recipe, options, {name, {}, {}});
  // Twice more, and the two are equal: it is another run at times.
  throw NotDeterministic(fmt::format(
      "{}: not deterministic: made with hash {}, again with hash {}, and once more with hash {}",
      name, recipe.hash, now, trace::to_hex(again.result.hash)));
}

std::string parting_from_itself(const Recipe& recipe, const std::string& name) {
  RunOptions options = with_everything();
  options.branch = recipe.branch;
  Runner runner;
  const auto make = [&] {
    return runner.run(recipe.scenario, recipe.schedule, recipe.seed, options);
  };
  const RunResult first = make();
  trace::Header header;
  trace::describe(recipe.scenario.system_description(), recipe.scenario.nodes(), header);
  constexpr int kTimes = 3;
  for (int time = 0; time < kTimes; ++time) {
    const RunResult again = make();
    if (again.hash == first.hash) continue;
    const auto parting = trace::parting_of(first.records, again.records);
    if (!parting) continue;
    return fmt::format("{} parts from itself at {}", name,
                       trace::to_text(*parting, header, first.records, again.records));
  }
  return {};
}

}  // namespace dissensus::run
