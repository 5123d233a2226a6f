// study_xrpl: how close the simulated XRP Ledger is to recorded servers and published results.
#include <cstdio>
#include <exception>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "dissensus/options.h"

#include "experiment/pages.h"
#include "recorded_cases.h"
#include "search/registry.h"
#include "studies.h"
#include "systems/simulated/simulated.h"

namespace {

int run(int argument_count, char** arguments) {
  using namespace dissensus;
  studies::StudyOptions options;
  CLI::App app("Studies of the simulated XRP Ledger; results go to docs/results/xrpl-fidelity.md");
  std::string part = "all";
  app.add_option("part", part, "fidelity, bugs, mix, timing, figure or all")
      ->check(CLI::IsMember({"fidelity", "bugs", "mix", "timing", "figure", "all"}));
  app.add_option("--data", options.data, "folder of the recorded executions")
      ->capture_default_str();
  app.add_option("--docs", options.docs, "folder that gets the results")->capture_default_str();
  app.add_option("--seed", options.seed)->capture_default_str();
  app.add_option("--jobs", options.jobs)->capture_default_str();
  app.add_option("--seeds-per-case", options.seeds_per_case, "repetitions of a recorded case")
      ->capture_default_str();
  app.add_option("--repetitions", options.repetitions, "virtual hours per bug")
      ->capture_default_str();
  app.add_option("--mix-cases", options.mix_cases, "cases per kind of schedule and per timing")
      ->capture_default_str();
  app.add_option("--correct-hours", options.correct_hours, "virtual hours without a bug")
      ->capture_default_str();
  app.add_option("--details", options.details, "CSV file with one line per case and seed");
  app.add_flag("--dry", options.dry, "print tables instead of writing them");
  try {
    app.parse(argument_count, arguments);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const auto wanted = [&](const char* name) { return part == "all" || part == name; };
  if (wanted("fidelity") && !studies::has_recorded_cases(options.data)) {
    fmt::print(stderr,
               "study_xrpl: {}: no recorded executions here, name their folder with --data\n",
               options.data);
    return 2;
  }
  if (wanted("figure")) studies::study_figure(options);
  if (wanted("mix")) studies::study_mix(options);
  if (wanted("timing")) studies::study_timing(options);
  if (wanted("bugs")) studies::study_bugs(options);
  if (wanted("fidelity")) studies::study_fidelity(options);
  if (part == "all" && !options.dry) {
    Registry registry = search::built_in_registry();
    registry.systems = simulated_systems();
    experiment::PageRenewal(registry, options.jobs)
        .stamp(options.docs + "/results/xrpl-fidelity.md",
               "experiments/discotest-table-4.4-as-written.toml");
  }
  return 0;
}

}  // namespace

int main(int argument_count, char** arguments) {
  try {
    return run(argument_count, arguments);
  } catch (const dissensus::InputError& error) {
    std::fprintf(stderr, "study_xrpl: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "study_xrpl: internal fault: %s\n", error.what());
    return 4;
  }
}
