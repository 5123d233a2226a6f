#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "dissensus/programs.h"

#include "cli/answer.h"
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

struct CheckAnswer {
  bool valid = false;
  std::string scenario;
  std::string description;
  std::string system;
  std::size_t nodes = 0;
  std::size_t genes = 0;
  std::vector<std::string> message_kinds;
  std::map<std::string, Loss> lost_messages;
};
DISSENSUS_DESCRIBE(CheckAnswer, valid, scenario, description, system, nodes, genes, message_kinds,
                   lost_messages)
const AnswerRegistration kCheckAnswer = answers_with<CheckAnswer>("check");

ExitCode check(const CheckOptions& options) {
  const Registry registry = options.plugins.load();
  const run::Scenario scenario = options.changes.load(options.scenario, registry.systems);
  if (!options.schedule.empty()) run::load_schedule(options.schedule, scenario);
  if (const auto* const user = dynamic_cast<const UsesPrograms*>(scenario.system.get())) {
    const std::vector<std::string> missing = user->missing_programs();
    if (!missing.empty())
      throw InputError(fmt::format("{}: {}", options.scenario, missing.front()));
  }
  const SystemDescription& description = scenario.system_description();
  CheckAnswer answer{true,
                     scenario.name,
                     scenario.description,
                     description.name,
                     scenario.nodes(),
                     scenario.genes().size(),
                     {},
                     {}};
  for (const KindDescription& kind : description.kinds) {
    answer.message_kinds.push_back(kind.name);
    answer.lost_messages.emplace(kind.name, kind.loss);
  }
  std::string text = fmt::format(
      "{}: valid; system {}, {} nodes, {} message kinds, {} genes, {} requests, {} rules\n",
      options.scenario, answer.system, answer.nodes, answer.message_kinds.size(), answer.genes,
      scenario.plan.submissions.size(), scenario.oracle.rules.size());
  if (scenario.system->traits().outside) {
    text += fmt::format("  a message that is lost {}\n", fate_of_lost(description));
  }
  print_answer(options.output, answer, text);
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
