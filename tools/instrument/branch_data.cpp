// dissensus-branches: makes the runs of a store again with an instrumented systems/xrpl.
//
//   DISSENSUS_BRANCHES=data/branches.jsonl dissensus-branches STORE > data/runs.jsonl
//
// gives a data set of branch outcomes in the public format, for `dissensus isolate --branches`.
#include <cstdio>
#include <exception>
#include <set>
#include <string>

#include <fmt/format.h>

#include "dissensus/options.h"

#include "branch_recorder.h"
#include "faults/schedule_bytes.h"
#include "hunt/store.h"
#include "run/runner.h"
#include "systems/simulated/simulated.h"

namespace dissensus {
namespace {

/// Labels are the rules that a run violates, and the properties where no rule is named.
void print_run(const std::string& name, const oracle::Verdict& verdict) {
  std::set<std::string> labels;
  for (const oracle::Violation& violation : verdict.violations)
    labels.insert(
        fmt::format("\"{}\"", violation.rule.empty() ? violation.property : violation.rule));
  fmt::print("{{\"run\":\"{}\",\"outcome\":\"{}\",\"labels\":[{}]}}\n", name,
             verdict.outcome == oracle::Outcome::fail ? "faulty" : "correct",
             fmt::join(labels, ","));
}

void make_runs(const std::string& path, const hunt::HuntRecord& hunt, hunt::StoreReader& reader) {
  const run::Scenario scenario =
      run::parse_scenario(hunt.scenario, path + "(scenario)", simulated_systems());
  run::Runner runner;
  hunt::ItemRecord item;
  hunt::ItemCursor items = reader.items(hunt.id);
  while (items.next(item)) {
    if (item.outcome == oracle::Outcome::unknown) continue;
    const faults::Schedule schedule =
        faults::decode_schedule(item.schedule, fmt::format("{}: item {}", path, item.number),
                                scenario.system_description(), scenario.nodes());
    const std::string name = fmt::format("{} {}", hunt.scenario_name, item.number);
    dissensus_branch::begin_run(name);
    const run::RunResult result = runner.run(scenario, schedule, item.seed, {});
    dissensus_branch::end_run();
    // Recording must not change what is recorded.
    if (result.hash != item.hash)
      throw InputError(fmt::format("{}: {} was another run", path, name));
    print_run(name, result.verdict);
  }
}

}  // namespace
}  // namespace dissensus

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: DISSENSUS_BRANCHES=FILE dissensus-branches STORE > RUNS\n", stderr);
    return 2;
  }
  try {
    dissensus_branch::end_run();  // reading scenarios is no part of a run
    dissensus::hunt::StoreReader reader(argv[1]);
    for (const dissensus::hunt::HuntRecord& hunt : reader.hunts())
      dissensus::make_runs(argv[1], hunt, reader);
  } catch (const std::exception& error) {
    fmt::print(stderr, "dissensus-branches: {}\n", error.what());
    return 2;
  }
  return 0;
}
