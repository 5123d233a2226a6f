#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/interrupt.h"
#include "cli/plugins.h"
#include "cli/scenario_changes.h"
#include "cli/store_row.h"
#include "cli/verb.h"
#include "core/file.h"
#include "core/limits.h"
#include "regression/confirm.h"

namespace dissensus::cli {

namespace {

using Json = nlohmann::ordered_json;
using regression::Rate;

constexpr std::string_view kRateFormat = "dissensus-rate/1";

struct ConfirmOptions {
  std::string folder;
  std::string scenario;  ///< with the cure
  bool before = false;
  regression::RateOptions rate;
  ScenarioChanges changes;
  PluginOptions plugins;
  OutputOptions output;
};

std::string rate_path(const std::string& folder) {
  return folder + "/rate.json";
}

Json rate_json(const Rate& rate) {
  const Interval interval = rate.interval();
  return {{"runs", rate.runs},       {"failing", rate.failing}, {"otherwise", rate.otherwise},
          {"unknown", rate.unknown}, {"low", interval.low},     {"high", interval.high}};
}

void write_rate(const std::string& folder, const std::string& signature, const Rate& rate) {
  Json json{{"format", kRateFormat}, {"version", run::program_version()}, {"signature", signature}};
  json.update(rate_json(rate));
  write_file(rate_path(folder), json.dump(2) + "\n");
}

std::optional<Rate> read_rate(const std::string& folder) {
  const std::string path = rate_path(folder);
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::nullopt;
  try {
    const auto json = nlohmann::json::parse(read_file(path, kScenarioBytesMax));
    if (json.at("format") != kRateFormat) {
      throw InputError(fmt::format("{}: format: expected '{}'", path, kRateFormat));
    }
    return Rate{json.at("runs"), json.at("failing"), json.at("otherwise"), json.at("unknown")};
  } catch (const nlohmann::json::exception& parse_error) {
    throw InputError(fmt::format("{}: no rate of failures: {}", path, parse_error.what()));
  }
}

std::string rate_words(const Rate& rate) {
  const Interval interval = rate.interval();
  std::string words =
      fmt::format("{} of {} runs ({:.1f} %, between {:.1f} and {:.1f})", rate.failing,
                  rate.judged(), rate.share() * 100, interval.low * 100, interval.high * 100);
  if (rate.otherwise > 0) words += fmt::format("; {} failed in another way", rate.otherwise);
  if (rate.unknown > 0) words += fmt::format("; {} without a verdict", rate.unknown);
  return words;
}

/// The run and the signature in question. The run as it was found fails more often than its minimal
/// one, from which all that made it robust was taken.
run::Recipe recipe_of(const ConfirmOptions& options, const SystemRegistry& systems,
                      std::string& signature) {
  run::Recipe recipe = run::read_recipe(options.folder, systems);
  if (recipe.branch) throw InputError(options.folder + ": this run continued another one");
  const oracle::Verdict verdict = run::read_verdict(options.folder);
  if (verdict.violations.empty()) throw InputError(options.folder + ": this run did not fail");
  signature = verdict.violations.front().signature();
  return recipe;
}

Rate measure(const ConfirmOptions& options, const run::Recipe& recipe, const std::string& signature,
             std::size_t runs, std::size_t failing) {
  regression::RateOptions rate = options.rate;
  rate.runs_max = runs;
  rate.failing_max = failing;
  if (!recipe.scenario.system->traits().repeatable) rate.jobs = 1;
  rate.keep_going = [](const Rate&) { return !is_interrupted(); };
  return regression::measure_rate(recipe, signature, rate);
}

/// So many failures tell a rate well enough.
constexpr std::size_t kFailuresWanted = 20;

/// Before the change: as it was recorded in the folder, or as the recorded scenario gives it now.
Rate rate_before(const ConfirmOptions& options, const run::Recipe& recipe,
                 const std::string& signature) {
  if (const auto known = read_rate(options.folder)) return *known;
  if (options.changes.empty() && options.scenario.empty()) {
    throw InputError(fmt::format(
        "{}: no rate from before the change: measure it with the build that fails (`dissensus "
        "confirm {} --before`), or name the change with --set or --scenario",
        options.folder, shell_word(options.folder)));
  }
  return measure(options, recipe, signature, options.rate.runs_max, kFailuresWanted);
}

ExitCode confirm(ConfirmOptions options) {
  const Registry registry = options.plugins.load();
  options.folder = folder_of_run(options.folder, registry.systems);
  std::string signature;
  run::Recipe recipe = recipe_of(options, registry.systems, signature);
  catch_interrupts();
  const bool prints = !options.output.quiet && !options.output.json;
  if (options.before) {
    const Rate rate = measure(options, recipe, signature, options.rate.runs_max, kFailuresWanted);
    write_rate(options.folder, signature, rate);
    if (prints) fmt::print("before: {}\n", rate_words(rate));
    if (options.output.json && !options.output.quiet) fmt::print("{}\n", rate_json(rate).dump(2));
    return rate.failing > 0 ? kViolation : kUnknown;
  }
  const Rate before = rate_before(options, recipe, signature);
  if (prints) fmt::print("before: {}\n", rate_words(before));
  const std::optional<std::size_t> needed = regression::clean_runs_needed(before);
  if (!options.scenario.empty()) {
    recipe.scenario = options.changes.load(options.scenario, registry.systems);
  } else if (!options.changes.empty()) {
    recipe.scenario =
        options.changes.change(recipe.scenario.text, recipe.scenario.path, registry.systems);
  }
  const std::size_t runs = std::min(needed.value_or(0), options.rate.runs_max);
  const Rate after = measure(options, recipe, signature, runs, kFailuresWanted);
  const regression::Confirmation verdict =
      regression::judge_rates(before, after, needed.value_or(SIZE_MAX));
  if (prints) {
    fmt::print("after:  {}\n", rate_words(after));
    if (needed) fmt::print("{} clean runs are needed for 95 % confidence\n", *needed);
    fmt::print("{}\n", to_string(verdict));
  } else if (!options.output.quiet) {
    Json json{{"verdict", to_string(verdict)},
              {"signature", signature},
              {"before", rate_json(before)},
              {"after", rate_json(after)},
              {"clean_runs_needed", nullptr}};
    if (needed) json["clean_runs_needed"] = *needed;
    fmt::print("{}\n", json.dump(2));
  }
  switch (verdict) {
    case regression::Confirmation::fixed:
      return kAllHeld;
    case regression::Confirmation::not_fixed:
      return kViolation;
    case regression::Confirmation::cannot_tell:
      break;
  }
  return kUnknown;
}

}  // namespace

Verb add_confirm_verb(CLI::App& program) {
  CLI::App* app = program.add_subcommand(
      "confirm", "Is it fixed? Failure rates over seeds and small variations of the schedule");
  const auto options = std::make_shared<ConfirmOptions>();
  options->rate.runs_max = 2'000;
  options->rate.jobs = default_jobs();
  app->add_option("run", options->folder,
                  "Folder of the failing run, or row of a store (hunt.sqlite#17)")
      ->required();
  app->add_flag("--before", options->before,
                "Measure the rate before the change, and keep it in the folder (rate.json)");
  app->add_option("--scenario", options->scenario, "The scenario with the change");
  app->add_option("--runs", options->rate.runs_max, "Runs before and after, at most")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app->add_option("--variation", options->rate.variation,
                  "Shorten each delay and time of a fault by up to this share")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  app->add_option("--seed", options->rate.seed, "Seed of the variations")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app->add_option("--jobs", options->rate.jobs, "Threads; the result is the same with any number")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  options->changes.add_to(*app);
  options->plugins.add_to(*app);
  options->output.add_to(*app);
  app->footer(
      "Exit codes: 0 fixed, 1 not fixed, 3 cannot tell.\n"
      "Examples:\n  dissensus confirm runs/latest --before\n"
      "  dissensus confirm runs/latest --set system.bugs=[]");
  return {app, [options] { return confirm(*options); }};
}

}  // namespace dissensus::cli
