// Scenarios of both systems. What parses has a space from which well-formed schedules come.
#include "fuzz.h"
#include "run/schedule_space.h"
#include "systems/simulated/simulated.h"

namespace {
// Beyond this, writing and reading the schedule of every accepted input only costs time.
constexpr std::size_t kGenesMax = 10'000;
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dissensus;
  fuzz::accepts([&] {
    const run::Scenario scenario =
        run::parse_scenario(fuzz::text_of(data, size), "fuzz.toml", simulated_systems());
    const SystemDescription& description = scenario.system_description();
    if (scenario.genes().size() > kGenesMax) return;
    Random random(1);
    const faults::Schedule schedule = run::random_schedule(scenario, random);
    const std::string written = faults::to_json(schedule, description, scenario.nodes());
    DISSENSUS_ASSERT(
        faults::parse_schedule(written, "written.json", description, scenario.nodes()) == schedule,
        "fuzz_scenario : a random schedule is well-formed");
  });
  return 0;
}
