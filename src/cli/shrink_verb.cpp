#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dissensus/random.h"

#include "cli/interrupt.h"
#include "cli/plugins.h"
#include "cli/scenario_changes.h"
#include "cli/shrink_line.h"
#include "cli/store_row.h"
#include "cli/verb.h"
#include "core/file.h"
#include "faults/words.h"
#include "report/examine.h"
#include "run/recording.h"
#include "run/remake.h"
#include "run/schedule_space.h"
#include "shrink/shrink.h"
#include "statistics/samples.h"

namespace dissensus::cli {

namespace {

using RealClock = std::chrono::steady_clock;

struct ShrinkVerbOptions {
  std::string path;
  std::string schedule;
  std::uint64_t seed = 1;
  std::size_t random = 0;
  std::string parent = "runs";
  std::size_t runs = 1'000'000;
  std::optional<std::size_t> seeds;
  bool beyond_bounds = false;
  double rate = 0;
  std::optional<std::size_t> rate_seeds;
  double seconds = 0;
  std::size_t jobs = default_jobs();
  ScenarioChanges changes;
  PluginOptions plugins;
  OutputOptions output;
};

double seconds_since(RealClock::time_point start) {
  return std::chrono::duration<double>(RealClock::now() - start).count();
}

/// `folder` may be empty: what a run's folder knows is gone on from.
shrink::ShrinkResult shrink_once(const run::Recipe& recipe, const std::string& folder,
                                 const ShrinkVerbOptions& options, const SystemRegistry& systems) {
  ShrinkLine line(options.output);
  const RealClock::time_point start = RealClock::now();
  shrink::ShrinkOptions shrink_options;
  shrink_options.jobs = options.jobs;
  shrink_options.runs_max = options.runs;
  shrink_options.seeds = options.seeds;
  shrink_options.beyond_bounds = options.beyond_bounds;
  shrink_options.rate = options.rate;
  if (options.rate_seeds) shrink_options.rate_seeds = *options.rate_seeds;
  shrink_options.keep_going = [&](const shrink::ShrinkProgress& progress) {
    line.update(progress);
    return !is_interrupted() && (options.seconds <= 0 || seconds_since(start) < options.seconds);
  };
  if (!folder.empty()) return report::shrink_in_folder(recipe, folder, shrink_options, systems);
  return shrink::shrink(recipe.scenario, recipe.schedule, recipe.seed, shrink_options, systems);
}

/// Real servers are too slow to be shrunk with: their schedule is, in the simulator, with the first
/// seed that shows the same violation there.
void simulate(const ShrinkVerbOptions& options, const std::string& folder,
              const SystemRegistry& systems, run::Recipe& recipe) {
  std::string signature;  // any violation will do for a scenario that has not been run
  if (!folder.empty()) {
    const oracle::Verdict verdict = run::read_verdict(folder);
    if (verdict.violations.empty()) {
      throw InputError(folder + ": this run does not fail; there is nothing to shrink");
    }
    signature = verdict.violations.front().signature();
  }
  recipe.scenario = run::simulated_twin(recipe.scenario, systems);
  constexpr std::uint64_t kSeeds = 200;
  run::Runner runner;
  for (std::uint64_t seed = recipe.seed; seed < recipe.seed + kSeeds; ++seed) {
    const run::RunResult result = runner.run(recipe.scenario, recipe.schedule, seed);
    const auto& violations = result.verdict.violations;
    if (violations.empty() || (!signature.empty() && violations.front().signature() != signature)) {
      continue;
    }
    recipe.seed = seed;
    if (!options.output.quiet && !options.output.json) {
      fmt::print("shrunk with simulated servers, which show the same violation with seed {}\n",
                 seed);
    }
    return;
  }
  throw InputError(fmt::format(
      "{}: with simulated servers the schedule shows no such violation for {} seeds; it cannot be "
      "shrunk there",
      options.path, kSeeds));
}

/// The run to shrink, and the folder that it has or gets.
run::Recipe failing_recipe(const ShrinkVerbOptions& options, const SystemRegistry& systems,
                           std::string& folder) {
  std::error_code error;
  run::Recipe recipe;
  if (std::filesystem::is_directory(options.path, error)) {
    if (!options.schedule.empty())
      throw InputError("--schedule is for scenarios; a run folder has its own");
    if (!options.changes.empty())
      throw InputError("--set is for scenarios; a run folder is what was run");
    recipe = run::read_recipe(options.path, systems);
    folder = options.path;
    if (recipe.scenario.system->traits().repeatable && !recipe.branch) {
      run::make_same(recipe, run::with_everything(), run::recorded_at(folder));
    }
  } else {
    if (!std::filesystem::exists(options.path, error)) {
      throw InputError(fmt::format("{}: no such run folder or scenario{}", options.path,
                                   missing_path_hint(options.path)));
    }
    recipe.scenario = options.changes.load(options.path, systems);
    if (!options.schedule.empty()) {
      recipe.schedule = run::load_schedule(options.schedule, recipe.scenario);
    }
    recipe.seed = options.seed;
  }
  if (recipe.branch) {
    throw InputError(options.path + ": this run continued another one; shrink that one");
  }
  if (!recipe.scenario.system->traits().repeatable) simulate(options, folder, systems, recipe);
  return recipe;
}

void print_words(const shrink::ShrinkResult& result, double wall_seconds, const std::string& folder,
                 const std::string& replay) {
  const run::Recipe& recipe = result.recipe;
  fmt::print("{}\n", result.violation.text);
  fmt::print("  shrunk from {} to {} in {} runs, {:.2f} s; {}\n", size_words(result.before),
             size_words(result.after), result.runs, wall_seconds,
             is_interrupted()      ? "not minimal: interrupted"
             : !result.minimal     ? "not minimal: a limit was reached"
             : result.only_removed ? "nothing more can be taken out; delays were not shortened"
                                   : "no single further reduction fails");
  for (const std::string& line : faults::in_words(
           recipe.schedule, recipe.scenario.system_description(), recipe.scenario.nodes())) {
    fmt::print("  - {}\n", line);
  }
  if (shrink::leaves_bounds(recipe.scenario, recipe.schedule)) {
    fmt::print("  beyond the bounds of the scenario, which draws delays up to {} on {} genes: {}\n",
               faults::in_words(recipe.scenario.space.max_delay),
               run::varying_genes(recipe.scenario).size(), faults::summary(recipe.schedule));
  }
  if (result.seeds > 0) {
    fmt::print("  fails with {} of {} other seeds{}\n", result.failing_seeds, result.seeds,
               result.rate ? fmt::format(", before with {}", result.rate->others_before) : "");
  }
  if (result.rate) {
    fmt::print("  of the {} seeds that reductions were judged by with {}, before with {}\n",
               result.rate->seeds, result.rate->failing_after, result.rate->failing_before);
  }
  for (const NodeId node : result.bystanders) {
    fmt::print("  node {} takes no part: it fails as well with node {} down from the start\n", node,
               node);
  }
  fmt::print("schedule: {}/minimal.json\nreplay: {}\n", folder, replay);
}

ExitCode shrink_failure(ShrinkVerbOptions options) {
  std::string folder;
  const Registry registry = options.plugins.load();
  options.path = folder_of_run(options.path, registry.systems);
  const run::Recipe recipe = failing_recipe(options, registry.systems, folder);
  const RealClock::time_point start = RealClock::now();
  const shrink::ShrinkResult result = shrink_once(recipe, folder, options, registry.systems);
  const double wall_seconds = seconds_since(start);
  const bool new_folder = folder.empty();
  if (new_folder) {
    folder = run::create_run_folder(options.parent, recipe.scenario.name);
    run::record_run(folder, recipe);
  }
  report::write_minimal(folder, result);
  if (new_folder) run::finish_run_folder(folder);
  const std::string replay = replay_command(folder + "/minimal", options.plugins.words());
  if (options.output.json) {
    auto json = nlohmann::ordered_json::parse(shrink::to_json(result));
    json["wall_seconds"] = wall_seconds;
    json["run_folder"] = folder;
    json["replay"] = replay;
    fmt::print("{}\n", json.dump(2));
  } else if (!options.output.quiet) {
    print_words(result, wall_seconds, folder, replay);
  }
  return is_interrupted() ? kUnknown : kAllHeld;
}

/// --random: how well failing random schedules shrink.
struct ShrinkStudy {
  std::vector<double> genes_before;
  std::vector<double> genes_after;
  std::vector<double> runs;
  std::vector<double> seconds;
  std::vector<double> seeds;
  std::size_t minimal = 0;
  std::map<std::string, std::size_t> kinds;  ///< in how many minimal schedules
  std::map<std::string, std::size_t> signatures;
};

void add_result(const shrink::ShrinkResult& result, double seconds, ShrinkStudy& study) {
  study.genes_before.push_back(static_cast<double>(result.before.genes));
  study.genes_after.push_back(static_cast<double>(result.after.genes));
  study.runs.push_back(static_cast<double>(result.runs));
  study.seconds.push_back(seconds);
  study.seeds.push_back(static_cast<double>(result.failing_seeds));
  study.minimal += result.minimal ? 1 : 0;
  ++study.signatures[result.violation.signature()];
  const run::Scenario& scenario = result.recipe.scenario;
  std::set<std::string> kinds;
  if (const auto* delays = std::get_if<faults::DelaySchedule>(&result.recipe.schedule.scheduler)) {
    for (std::size_t gene = 0; gene < delays->delay_ms.size(); ++gene) {
      if (delays->delay_ms[gene] == 0) continue;
      kinds.insert(scenario.system_description().kinds[scenario.genes().gene(gene).kind].name);
    }
  }
  for (const std::string& kind : kinds) ++study.kinds[kind];
}

nlohmann::ordered_json spread_json(const std::vector<double>& sample) {
  return {{"median", statistics::quantile(sample, 0.5)},
          {"mean", statistics::mean(sample)},
          {"max", statistics::quantile(sample, 1)}};
}

ExitCode shrink_random(const ShrinkVerbOptions& options) {
  const Registry registry = options.plugins.load();
  const run::Scenario scenario = options.changes.load(options.path, registry.systems);
  run::Runner runner;
  ShrinkStudy study;
  std::size_t drawn = 0;
  for (std::uint64_t seed = options.seed; study.runs.size() < options.random; ++seed) {
    if (is_interrupted() || ++drawn > options.random * 10'000) break;
    run::Recipe recipe{scenario, {}, seed, std::nullopt, ""};
    Random random(seed, "schedule");
    recipe.schedule = run::random_schedule(scenario, random);
    if (shrink::failure_of(runner.run(scenario, recipe.schedule, seed)).empty()) continue;
    const RealClock::time_point start = RealClock::now();
    const shrink::ShrinkResult result = shrink_once(recipe, "", options, registry.systems);
    add_result(result, seconds_since(start), study);
    if (options.output.json || options.output.quiet) continue;
    fmt::print("seed {}: {} -> {}, {} runs\n", seed, size_words(result.before),
               size_words(result.after), result.runs);
    for (const std::string& line : faults::in_words(
             result.recipe.schedule, scenario.system_description(), scenario.nodes())) {
      fmt::print("  - {}\n", line);
    }
  }
  nlohmann::ordered_json json{{"scenario", scenario.name},
                              {"drawn", drawn},
                              {"shrunk", study.runs.size()},
                              {"minimal", study.minimal}};
  json["genes_before"] = spread_json(study.genes_before);
  json["genes_after"] = spread_json(study.genes_after);
  json["runs"] = spread_json(study.runs);
  json["wall_seconds"] = spread_json(study.seconds);
  json["failing_seeds"] = spread_json(study.seeds);
  json["schedules_by_kind"] = study.kinds;
  json["signatures"] = study.signatures;
  if (!options.output.quiet) fmt::print("{}\n", json.dump(2));
  return is_interrupted() ? kUnknown : kAllHeld;
}

}  // namespace

Verb add_shrink_verb(CLI::App& program) {
  CLI::App* app =
      program.add_subcommand("shrink", "Reduce a failing run to the smallest one that still fails");
  const auto options = std::make_shared<ShrinkVerbOptions>();
  app->add_option("run", options->path, "Run folder, or scenario file (TOML)")->required();
  app->add_option("--schedule", options->schedule, "Schedule (JSON) that makes the scenario fail");
  app->add_option("--seed", options->seed, "Seed with which the scenario fails")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app->add_option("--random", options->random,
                  "Shrink so many failing random schedules of the scenario, from the seed on, and "
                  "print how well that went; leaves no folder")
      ->excludes("--schedule");
  app->add_option("--max-runs", options->runs, "Stop after so many runs")->capture_default_str();
  app->add_option("--max-seconds", options->seconds, "Stop after so much wall time; 0: no limit")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app->add_option("--seeds", options->seeds,
                  "Other seeds to try the result with; default: 100, on real servers 10");
  app->add_flag("--beyond-bounds", options->beyond_bounds,
                "Delays may grow to twice the longest of the schedule, beyond what the scenario "
                "draws (schedule.max_delay)");
  CLI::Option* rate =
      app->add_option("--rate", options->rate,
                      "Keep the failure rate: what is left fails with at least this share of the "
                      "seeds with which the whole schedule fails")
          ->check(CLI::Range(0.01, 1.0));
  app->add_option("--rate-seeds", options->rate_seeds,
                  "Seeds by which the rate is judged; default: 40")
      ->check(CLI::Range(1, 100'000))
      ->needs(rate);
  app->add_option("--jobs", options->jobs, "Threads; the result is the same with any number")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app->add_option("--runs-folder", options->parent, "Where the folder of a scenario's run is made")
      ->capture_default_str();
  options->changes.add_to(*app);
  options->plugins.add_to(*app);
  options->output.add_to(*app);
  app->footer("Example:\n  dissensus shrink runs/latest");
  return {app, [options] {
            catch_interrupts();
            return options->random > 0 ? shrink_random(*options) : shrink_failure(*options);
          }};
}

}  // namespace dissensus::cli
