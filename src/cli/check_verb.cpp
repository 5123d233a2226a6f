#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dissensus/programs.h"

#include "cli/plugins.h"
#include "cli/scenario_changes.h"
#include "cli/verb.h"

namespace dissensus::cli {

namespace {
struct CheckOptions {
  std::string scenario;
  std::string schedule;
  ScenarioChanges changes;
  PluginOptions plugins;
  OutputOptions output;
};

ExitCode check(const CheckOptions& options) {
  const Registry registry = options.plugins.load();
  const run::Scenario scenario = options.changes.load(options.scenario, registry.systems);
  if (!options.schedule.empty()) run::load_schedule(options.schedule, scenario);
  if (const auto* const user = dynamic_cast<const UsesPrograms*>(scenario.system.get())) {
    const std::vector<std::string> missing = user->missing_programs();
    if (!missing.empty())
      throw InputError(fmt::format("{}: {}", options.scenario, missing.front()));
  }
  if (options.output.quiet) return kAllHeld;
  const SystemDescription& description = scenario.system_description();
  if (options.output.json) {
    nlohmann::ordered_json json;
    json["valid"] = true;
    json["scenario"] = scenario.name;
    json["description"] = scenario.description;
    json["system"] = description.name;
    json["nodes"] = scenario.nodes();
    json["genes"] = scenario.genes().size();
    json["message_kinds"] = nlohmann::ordered_json::array();
    json["lost_messages"] = nlohmann::ordered_json::object();
    for (const KindDescription& kind : description.kinds) {
      json["message_kinds"].push_back(kind.name);
      json["lost_messages"][kind.name] = to_string(kind.loss);
    }
    fmt::print("{}\n", json.dump(2));
  } else {
    fmt::print(
        "{}: valid; system {}, {} nodes, {} message kinds, {} genes, {} requests, {} rules\n",
        options.scenario, description.name, scenario.nodes(), description.kinds.size(),
        scenario.genes().size(), scenario.plan.submissions.size(), scenario.oracle.rules.size());
    if (scenario.system->traits().outside) {
      fmt::print("  a message that is lost {}\n", fate_of_lost(description));
    }
  }
  return kAllHeld;
}
}  // namespace

Verb add_check_verb(CLI::App& program) {
  CLI::App* app =
      program.add_subcommand("check", "Validate a scenario file (and a schedule for it)");
  const auto options = std::make_shared<CheckOptions>();
  app->add_option("scenario", options->scenario, "Scenario file (TOML)")->required();
  app->add_option("--schedule", options->schedule, "Schedule file (JSON) to validate with it");
  options->changes.add_to(*app);
  options->plugins.add_to(*app, false);
  options->output.add_to(*app);
  app->footer("Example:\n  dissensus check scenarios/majority/overtaken-commit.toml");
  return {app, [options] { return check(*options); }};
}

}  // namespace dissensus::cli
