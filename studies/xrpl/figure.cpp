#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "run/recording.h"
#include "run/runner.h"
#include "run/scenario.h"
#include "studies.h"
#include "systems/simulated/simulated.h"
#include "trace/exporters.h"

namespace dissensus::studies {
namespace {

/// Thesis Figure 4.4: two nodes, two conflicting payments, GetLedger and LedgerData 3 s late.
constexpr std::string_view kScenario = R"(format = "dissensus-scenario/1"
name = "xrpl-figure-4.4"

[system]
kind = "xrpl"
profile = "1.7.2"
nodes = 2
accounts = { alice = "290.0001", bob = "210.0001", carol = "210.0001" }
first_close = "0s"
heartbeat_phases = [200, 400]

[network]
latency = "20ms"

[[workload]]
at = "2600ms"
node = 0
from = "alice"
to = "bob"
amount = 80
sequence = "same"

[[workload]]
at = "2600ms"
node = 1
from = "alice"
to = "carol"
amount = 80
sequence = "same"

[oracle]
stop_on_violation = false

[oracle.termination]
level = "ledger"
bound = "65s"

[limits]
virtual_time = "75s"
)";

}  // namespace

void study_figure(const StudyOptions& options) {
  run::Recipe recipe;
  recipe.scenario = run::parse_scenario(kScenario, "xrpl-figure-4.4.toml", simulated_systems());
  recipe.seed = options.seed;
  const SystemDescription& description = recipe.scenario.system_description();
  const faults::GeneSpace genes = recipe.scenario.genes();
  faults::DelaySchedule delays;
  for (std::size_t gene = 0; gene < genes.size(); ++gene) {
    const std::string& kind = description.kinds[genes.gene(gene).kind].name;
    const bool late = kind == "GetLedger" || kind == "LedgerData";
    delays.delay_ms.push_back(late ? 3000 : 0);
  }
  recipe.schedule.scheduler = std::move(delays);
  run::Runner runner;
  run::RunResult result =
      runner.run(recipe.scenario, recipe.schedule, recipe.seed, run::with_trace());
  std::string text;
  for (const oracle::Violation& violation : result.verdict.violations) {
    text += fmt::format("{}\n", violation.text);
  }
  const trace::Trace trace = run::to_trace(recipe, trace::Detail::everything, std::move(result));
  trace::DiagramOptions diagram;
  using std::chrono::milliseconds;
  diagram.from = Time{} + milliseconds(2400);
  diagram.until = Time{} + milliseconds(17000);
  for (const std::string_view kind : {"StatusChange", "Validation", "HaveTransactionSet"}) {
    diagram.hidden_kinds.insert(description.find_kind(kind));
  }
  std::ostringstream svg;
  trace::export_svg(trace, diagram, svg);
  const Report report(options);
  const std::string image =
      report.figure("xrpl-figure-4.4", svg.str(), "Two nodes that never get each other's set");
  report.section("figure-4.4", image + "\nThe oracle says of this run: " + text);
}

}  // namespace dissensus::studies
