#include <memory>

#include <fmt/format.h>

#include "cli/verb.h"
#include "core/file.h"
#include "search/genotype.h"
#include "systems/built_in/built_in.h"

namespace dissensus::cli {

namespace {

struct ImportOptions {
  std::string path;
  std::string scenario;
  std::string out;
  bool back = false;
  OutputOptions output;
};

ExitCode import_rocket(const ImportOptions& options) {
  const run::Scenario scenario = run::load_scenario(options.scenario, built_in_systems());
  std::string content;
  if (options.back) {
    content = search::to_rocket(run::load_schedule(options.path, scenario), scenario);
  } else {
    const std::string text = read_file(options.path, kScheduleBytesMax);
    content = faults::to_json(search::from_rocket(text, options.path, scenario),
                              scenario.system_description(), scenario.nodes());
  }
  if (options.out.empty()) {
    fmt::print("{}", content);
    return kAllHeld;
  }
  write_file(options.out, content);
  if (options.output.json) {
    fmt::print("{{\"written\": \"{}\", \"bytes\": {}}}\n", options.out, content.size());
  } else if (!options.output.quiet) {
    fmt::print("wrote {}\n", options.out);
  }
  return kAllHeld;
}

Verb add_rocket_part(CLI::App& program) {
  CLI::App* app = program.add_subcommand(
      "rocket", "A vector of Rocket: one number per message type, sender and receiver");
  const auto options = std::make_shared<ImportOptions>();
  app->add_option("file", options->path,
                  "Vector file: a JSON list, or numbers with commas or blanks")
      ->required();
  app->add_option("--scenario", options->scenario, "Scenario that the schedule is for")->required();
  app->add_flag("--back", options->back, "The file is a schedule: write it as a vector");
  app->add_option("-o,--out", options->out, "File to write; default: standard output");
  options->output.add_to(*app);
  app->footer(
      "Example:\n"
      "  dissensus import rocket vector.json --scenario scenarios/xrpl/operators-2025.toml -o "
      "s.json\n"
      "  dissensus run scenarios/xrpl/operators-2025.toml --schedule s.json");
  return {app, [options] { return import_rocket(*options); }};
}

}  // namespace

Verb add_import_verb(CLI::App& program) {
  CLI::App* app =
      program.add_subcommand("import", "Turn a schedule of another tool into ours, and back");
  app->require_subcommand(0, 1);
  app->allow_extras();
  const std::vector<Verb> parts{add_rocket_part(*app)};
  return {app, [app, parts] { return run_part(*app, parts); }};
}

}  // namespace dissensus::cli
