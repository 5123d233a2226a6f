// A whole run under whatever schedule the fuzzer writes: it ends, and it ends the same way twice.
#include "fuzz.h"
#include "fuzz_systems.h"
#include "run/runner.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dissensus;
  const run::Scenario& scenario = fuzz::majority_scenario();
  const SystemDescription& description = scenario.system_description();
  faults::Schedule schedule;
  const bool accepted = fuzz::accepts([&] {
    schedule = faults::parse_schedule(fuzz::text_of(data, size), "fuzz.json", description,
                                      scenario.nodes());
  });
  if (!accepted) return 0;
  const std::string written = faults::to_json(schedule, description, scenario.nodes());
  const auto again = faults::parse_schedule(written, "written.json", description, scenario.nodes());
  DISSENSUS_ASSERT(again == schedule, "fuzz_run : a schedule survives writing");

  run::Runner runner;
  const run::RunResult first = runner.run(scenario, schedule, 1);
  run::RunOptions options;
  options.detail = trace::Detail::everything;
  options.metrics = true;
  options.log = true;
  const run::RunResult second = runner.run(scenario, again, 1, options);
  DISSENSUS_ASSERT(first.hash == second.hash, "fuzz_run : the same hash, whatever is recorded");
  DISSENSUS_ASSERT(first.verdict.outcome == second.verdict.outcome, "fuzz_run : the same verdict");
  return 0;
}
