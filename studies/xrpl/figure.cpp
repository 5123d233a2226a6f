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

/// Thesis Figure 4.4: two nodes, two conflicting payments, GetLedger and LedgerData 3 s late.
void study_figure(const StudyOptions& options) {
  run::Recipe recipe;
  recipe.scenario = run::load_scenario("scenarios/xrpl/figure-4.4.toml", simulated_systems());
  recipe.seed = options.seed;
  const SystemDescription& description = recipe.scenario.system_description();
  recipe.schedule = run::load_schedule("scenarios/xrpl/figure-4.4.schedule.json", recipe.scenario);
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
