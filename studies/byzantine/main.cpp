// study_byzantine: what Byzantine faults find on the simulated XRP Ledger.
#include <cstdio>
#include <exception>
#include <string>

#include <CLI/CLI.hpp>

#include "dissensus/options.h"

#include "byzantine_studies.h"
#include "experiment/pages.h"
#include "search/registry.h"
#include "systems/simulated/simulated.h"

int main(int argument_count, char** arguments) {
  using namespace dissensus;
  studies::ByzantineStudyOptions options;
  CLI::App app("Byzantine faults on the XRP Ledger; results go to docs/results/byzantine.md");
  std::string part = "all";
  app.add_option("part", part, "rates, overlap or all")
      ->check(CLI::IsMember({"rates", "overlap", "all"}));
  app.add_option("--scenarios", options.scenarios, "folder of the scenarios")
      ->capture_default_str();
  app.add_option("--docs", options.docs, "folder that gets the results")->capture_default_str();
  app.add_option("--seed", options.seed)->capture_default_str();
  app.add_option("--jobs", options.jobs)->capture_default_str();
  app.add_option("--runs", options.runs, "runs per scenario and seed")->capture_default_str();
  app.add_option("--seeds", options.seeds, "seeds of the search")->capture_default_str();
  app.add_option("--correct-runs", options.correct_runs, "runs on the correct network")
      ->capture_default_str();
  app.add_option("--divisions", options.divisions, "runs per overlap and number of twins")
      ->capture_default_str();
  app.add_flag("--dry", options.dry, "print tables instead of writing them");
  try {
    app.parse(argument_count, arguments);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    if (part != "overlap") studies::study_rates(options);
    if (part != "rates") studies::study_overlap(options);
    if (part == "all" && !options.dry) {
      Registry registry = search::built_in_registry();
      registry.systems = simulated_systems();
      experiment::PageRenewal(registry, options.jobs)
          .stamp(options.docs + "/results/byzantine.md", "experiments/oracles.toml");
    }
  } catch (const InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "internal fault: %s\n", error.what());
    return 4;
  }
  return 0;
}
