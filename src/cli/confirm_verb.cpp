#include <algorithm>
#include <filesystem>
#include <future>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/interrupt.h"
#include "cli/live_evidence.h"
#include "cli/plugins.h"
#include "cli/scenario_changes.h"
#include "cli/store_row.h"
#include "cli/verb.h"
#include "core/file.h"
#include "core/limits.h"
#include "regression/confirm.h"
#include "statistics/fisher.h"

namespace dissensus::cli {

namespace {

using Json = nlohmann::ordered_json;
using regression::Rate;

constexpr std::string_view kRateFormat = "dissensus-rate/1";

struct ConfirmOptions {
  std::string folder;
  std::string scenario;  ///< with the cure
  std::string against;   ///< another server binary
  std::optional<std::size_t> runs;
  bool before = false;
  regression::RateOptions rate;
  ScenarioChanges changes;
  PluginOptions plugins;
  OutputOptions output;

  /// Two rates are measured at once, so that a busy machine is busy for both.
  bool is_half() const { return !against.empty(); }
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
  if (options.is_half()) rate.jobs = std::max<std::size_t>(1, rate.jobs / 2);
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

double p_of_rates(const Rate& before, const Rate& after) {
  return statistics::fisher_exact({before.failing, before.judged() - before.failing, after.failing,
                                   after.judged() - after.failing})
      .p_value;
}

std::string p_words(double p) {
  return fmt::format(
      "p = {:.2g} (Fisher's exact test, two-sided): the chance of rates so far apart "
      "where nothing differs",
      p);
}

/// The recorded run on two server binaries: the same schedules on both.
ExitCode compare_binaries(const ConfirmOptions& options, const run::Recipe& recipe,
                          const std::string& signature) {
  PluginOptions others = options.plugins;
  others.live.rippled = options.against;
  const Registry registry = others.load();
  run::Recipe other = recipe;
  other.scenario =
      options.changes.change(recipe.scenario.text, recipe.scenario.path, registry.systems);
  const std::string first = binary_words(recipe.scenario);
  const std::string second = binary_words(other.scenario);
  if (first.empty()) {
    throw InputError(options.folder + ": --against is for runs of real servers (kind rippled)");
  }
  if (first == second) {
    throw InputError(fmt::format("--against: both are {}{}", first,
                                 "; does the scenario name the binaries itself?"));
  }
  std::future<Rate> measured = std::async(std::launch::async, [&] {
    return measure(options, recipe, signature, options.rate.runs_max, SIZE_MAX);
  });
  const Rate after = measure(options, other, signature, options.rate.runs_max, SIZE_MAX);
  const Rate before = measured.get();
  const double p = p_of_rates(before, after);
  constexpr double kDoubt = 0.05;
  const std::string_view verdict = p >= kDoubt                      ? "no difference shown"
                                   : after.share() < before.share() ? "fails less often"
                                                                    : "fails more often";
  if (options.output.json && !options.output.quiet) {
    const Json json{{"verdict", verdict},
                    {"signature", signature},
                    {"before", rate_json(before)},
                    {"after", rate_json(after)},
                    {"p", p},
                    {"binaries", {first, second}}};
    fmt::print("{}\n", json.dump(2));
  } else if (!options.output.quiet) {
    fmt::print("A: {}\n   {}\nB: {}\n   {}\n{}\nB against A: {}\n", first, rate_words(before),
               second, rate_words(after), p_words(p), verdict);
  }
  if (p >= kDoubt || is_interrupted()) return kUnknown;
  return after.share() < before.share() ? kAllHeld : kViolation;
}

/// Real time passes: few runs are what one can wait for.
std::size_t runs_of(const ConfirmOptions& options, const run::Recipe& recipe) {
  constexpr std::size_t kSimulated = 2'000;
  constexpr std::size_t kServers = 20;
  const SystemTraits traits = recipe.scenario.system->traits();
  return options.runs.value_or(traits.outside ? kServers : kSimulated);
}

ExitCode confirm(ConfirmOptions options) {
  const Registry registry = options.plugins.load();
  options.folder = folder_of_run(options.folder, registry.systems);
  std::string signature;
  run::Recipe recipe = recipe_of(options, registry.systems, signature);
  options.rate.runs_max = runs_of(options, recipe);
  catch_interrupts();
  if (!options.against.empty()) {
    if (!options.changes.empty()) {
      recipe.scenario =
          options.changes.change(recipe.scenario.text, recipe.scenario.path, registry.systems);
    }
    return compare_binaries(options, recipe, signature);
  }
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
    fmt::print("{}\n", p_words(p_of_rates(before, after)));
    fmt::print("{}\n", to_string(verdict));
  } else if (!options.output.quiet) {
    Json json{{"verdict", to_string(verdict)}, {"signature", signature},
              {"before", rate_json(before)},   {"after", rate_json(after)},
              {"clean_runs_needed", nullptr},  {"p", p_of_rates(before, after)}};
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
  CLI::App* app =
      program.add_subcommand("confirm", "Is it fixed? Failure rates before and after a change");
  const auto options = std::make_shared<ConfirmOptions>();
  options->rate.jobs = default_jobs();
  app->add_option("run", options->folder,
                  "Folder of the failing run, or row of a store (hunt.sqlite#17)")
      ->required();
  app->add_flag("--before", options->before,
                "Measure the rate before the change, and keep it in the folder (rate.json)");
  app->add_option("--scenario", options->scenario, "The scenario with the change");
  app->add_option("--against", options->against,
                  "Real servers: another binary; the same schedules on both (--rippled A --against "
                  "B)")
      ->excludes("--scenario", "--before");
  app->add_option("--runs", options->runs,
                  "Runs before and after, at most; default: 2000, for real servers 20")
      ->check(CLI::PositiveNumber);
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
      "Exit codes: 0 fixed, 1 not fixed, 3 cannot tell; with --against: 0 B fails less often, 1 "
      "more\noften, 3 no difference shown.\n"
      "Examples:\n  dissensus confirm runs/latest --before\n"
      "  dissensus confirm runs/latest --set system.bugs=[]\n"
      "  dissensus confirm runs/latest --rippled OLD --against NEW --runs 40");
  return {app, [options] { return confirm(*options); }};
}

}  // namespace dissensus::cli
