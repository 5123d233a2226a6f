// Two of a kind against each other: implementations, or models (docs/conformance.md).
#include <algorithm>
#include <filesystem>
#include <memory>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/plugins.h"
#include "cli/whole/conform_parts.h"
#include "conform/compare.h"

namespace dissensus::cli {
namespace {

using Json = nlohmann::ordered_json;

struct CompareVerb {
  std::string first, second;
  std::string walks = "10/1000";
  std::vector<std::string> expressions;
  std::string first_config, second_config;
  std::vector<std::string> constants;
  conform::CompareOptions options;
  ScenarioChanges changes;  ///< to both scenarios
  PluginOptions plugins;
  OutputOptions output;
};

bool is_scenario(const std::string& path) {
  return std::filesystem::path(path).extension() == ".toml";
}

conform::Comparison compare_scenarios(const CompareVerb& verb, const std::string& leader,
                                      const std::string& follower) {
  const Registry registry = verb.plugins.load();
  const run::Scenario first = verb.changes.load(leader, registry.systems);
  const run::Scenario second = verb.changes.load(follower, registry.systems);
  return conform::compare_implementations(*first.system, *second.system, verb.options);
}

std::unique_ptr<tla::Machine> load_model(const CompareVerb& verb, const std::string& path,
                                         const std::string& config) {
  SpecOptions options;
  options.spec = path;
  options.config = config;
  options.constants = verb.constants;
  return std::make_unique<tla::Machine>(options.load());
}

/// Each walks while the other follows: what only one of them does shows when it leads.
std::vector<std::pair<std::string, conform::Comparison>> compare_both_ways(
    const CompareVerb& verb) {
  std::vector<std::pair<std::string, conform::Comparison>> found;
  if (is_scenario(verb.first)) {
    found.emplace_back(verb.first, compare_scenarios(verb, verb.first, verb.second));
    if (found.back().second.disagreement) return found;
    found.emplace_back(verb.second, compare_scenarios(verb, verb.second, verb.first));
    return found;
  }
  const auto first = load_model(verb, verb.first, verb.first_config);
  const auto second = load_model(verb, verb.second, verb.second_config);
  found.emplace_back(verb.first,
                     conform::compare_models(*first, *second, verb.expressions, verb.options));
  if (found.back().second.disagreement) return found;
  found.emplace_back(verb.second,
                     conform::compare_models(*second, *first, verb.expressions, verb.options));
  return found;
}

void print_disagreement(const conform::Disagreement& found) {
  constexpr std::size_t kStepsShown = 30;
  fmt::print("they differ at step {}, {}: {}\n", found.step, found.what, found.message);
  const std::size_t from = found.path.size() - std::min(found.path.size(), kStepsShown);
  for (std::size_t i = from; i < found.path.size(); ++i) {
    fmt::print("  {:>4}  {}\n", i + 1, found.path[i]);
  }
  fmt::print("  {:>4}  {}\n", found.step, found.what);
}

ExitCode compare(CompareVerb& verb) {
  if (is_scenario(verb.first) != is_scenario(verb.second)) {
    throw InputError(
        "expected two scenarios (FILE.toml) or two models (FILE.tla); for one of each, "
        "see conform check");
  }
  std::tie(verb.options.walks, verb.options.depth) = split_numbers(verb.walks, "--walks", 0);
  const auto ways = compare_both_ways(verb);
  Json json{{"result", "agree"}, {"ways", Json::array()}};
  ExitCode code = kAllHeld;
  for (const auto& [leader, way] : ways) {
    const std::vector<std::string> gaps = way.gaps();
    if (way.disagreement) {
      code = kViolation;
    } else if (!gaps.empty() && code == kAllHeld) {
      code = kUnknown;
    }
    Json one{{"leads", leader}, {"walks", way.walks}, {"steps", way.steps}, {"not_covered", gaps}};
    if (way.disagreement) {
      one["step"] = way.disagreement->step;
      one["what"] = way.disagreement->what;
      one["message"] = way.disagreement->message;
      one["path"] = way.disagreement->path;
    }
    json["ways"].push_back(std::move(one));
    if (verb.output.quiet || verb.output.json) continue;
    fmt::print("{} leads: {} steps in {} walks\n", leader, way.steps, way.walks);
    if (way.disagreement) print_disagreement(*way.disagreement);
    for (const std::string& gap : gaps) fmt::print("not covered: {}\n", gap);
  }
  const std::string_view result = code == kAllHeld     ? "agree"
                                  : code == kViolation ? "differ"
                                                       : "unknown";
  json["result"] = result;
  if (verb.output.json) {
    fmt::print("{}\n", json.dump());
  } else if (!verb.output.quiet && code != kViolation) {
    fmt::print("{}\n", code == kAllHeld ? "they agree" : "unknown: nothing speaks against them");
  }
  return code;
}

}  // namespace

Verb add_conform_compare_verb(CLI::App& conform) {
  CLI::App* app = conform.add_subcommand(
      "compare", "Two implementations, or two models, against each other: both ways");
  const auto verb = std::make_shared<CompareVerb>();
  app->add_option("FIRST", verb->first, "Scenario (FILE.toml) or model (FILE.tla)")->required();
  app->add_option("SECOND", verb->second, "What it is compared with")->required();
  app->add_option("--walks", verb->walks, "N/D: N walks of D steps")->capture_default_str();
  app->add_option("--seed", verb->options.seed, "Seed of everything drawn")->capture_default_str();
  app->add_option("--crash-chance", verb->options.crash_chance,
                  "Scenarios: that a node crashes, per step")
      ->check(CLI::Range(0.0, 0.05))
      ->capture_default_str();
  app->add_option("--view", verb->expressions,
                  "Models: expression that must have equal values; default: variables of both")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app->add_option("--config", verb->first_config, "Of the first model; default: FIRST with .cfg");
  app->add_option("--second-config", verb->second_config, "Of the second; default: with .cfg");
  app->add_option("--constant", verb->constants, "NAME=VALUE of both models")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app->add_option("--frontier", verb->options.limits.states,
                  "Models: most states in which the one that follows may be")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1'000'000}))
      ->capture_default_str();
  verb->changes.add_to(*app);
  verb->plugins.add_to(*app, false);
  verb->output.add_to(*app);
  app->footer(
      "Exit codes: 0 they agree, 1 they differ, 2 bad input, 3 unknown.\n\n"
      "Examples:\n"
      "  dissensus conform compare scenarios/dag/delays.toml my-dag.toml\n"
      "  dissensus conform compare Old.tla New.tla --view 'decided'");
  return {app, [verb] { return compare(*verb); }};
}

}  // namespace dissensus::cli
