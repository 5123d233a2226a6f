// Schedules for both systems: what is read is written and read back the same.
#include "faults/schedule.h"
#include "fuzz.h"
#include "fuzz_systems.h"

namespace {
using namespace dissensus;

void read_for(const run::Scenario& scenario, std::string_view text) {
  const SystemDescription& description = scenario.system_description();
  fuzz::accepts([&] {
    const auto schedule = faults::parse_schedule(text, "fuzz.json", description, scenario.nodes());
    const std::string written = faults::to_json(schedule, description, scenario.nodes());
    DISSENSUS_ASSERT(
        faults::parse_schedule(written, "written.json", description, scenario.nodes()) == schedule,
        "fuzz_schedule : a schedule survives writing");
  });
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  read_for(fuzz::majority_scenario(), text);
  read_for(fuzz::xrpl_scenario(), text);
  return 0;
}
