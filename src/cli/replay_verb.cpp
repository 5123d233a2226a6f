#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/hold.h"
#include "cli/interrupt.h"
#include "cli/plugins.h"
#include "cli/repetition.h"
#include "cli/store_row.h"
#include "cli/verb.h"
#include "run/recording.h"
#include "run/remake.h"
#include "sim/clock.h"

namespace dissensus::cli {

namespace {

struct ReplayOptions {
  std::string path;
  std::uint64_t until = 0;
  std::string schedule;
  std::optional<std::uint64_t> seed;
  std::string out;
  bool realtime = false;
  bool simulated = false;
  PluginOptions plugins;
  OutputOptions output;
  mutable HoldOptions hold;
};

/// The point from which the command line asks to continue, if it asks.
std::optional<run::Branch> requested_branch(const ReplayOptions& options,
                                            const run::Recipe& recipe) {
  if (options.until == 0) {
    if (!options.schedule.empty() || options.seed) {
      throw InputError(
          "--schedule and --seed need --until EVENT: from where on to continue differently");
    }
    return std::nullopt;
  }
  if (recipe.branch) {
    throw InputError(options.path +
                     ": this run itself continued another one; --until needs that one");
  }
  run::Branch branch;
  branch.at = options.until;
  if (!options.schedule.empty())
    branch.schedule = run::load_schedule(options.schedule, recipe.scenario);
  branch.seed = options.seed;
  return branch;
}

/// The recipe, or its counterpart in virtual time.
run::Recipe read_recipe(const ReplayOptions& options, const Registry& registry) {
  run::Recipe recipe = run::read_recipe(options.path, registry.systems);
  if (options.simulated) {
    if (recipe.scenario.system->traits().twin.empty()) {
      throw InputError(options.path +
                       ": this run is simulated already; --simulated is for runs of "
                       "real servers");
    }
    recipe.scenario = run::simulated_twin(recipe.scenario, registry.systems);
  }
  return recipe;
}

/// How the repetition compares with what was recorded.
std::string comparison(const ReplayOptions& options, const run::Recipe& recipe, bool changed,
                       bool identical, const Repetition& programs) {
  if (changed && identical) {
    return fmt::format("what changes from event {} on makes no difference: the recorded run again",
                       options.until);
  }
  if (changed) {
    return fmt::format("continued differently from event {} on; the recorded run had hash {}",
                       options.until, recipe.hash);
  }
  if (options.simulated) return "the schedule of the recorded run, with simulated servers";
  if (!recipe.scenario.system->traits().repeatable) {
    return "the same schedule once more: two runs of real servers are never equal";
  }
  if (!identical) return "not the recorded run";
  if (programs.first_difference) {
    return "the events of the recorded run, the verdict with them, but not all that the programs "
           "did";
  }
  return "identical to the recorded run";
}

ExitCode replay(ReplayOptions options) {
  const Registry registry = options.plugins.load();
  options.path = folder_of_run(options.path, registry.systems);
  run::Recipe recipe = read_recipe(options, registry);
  const bool is_exact = !options.simulated && recipe.scenario.system->traits().repeatable;
  // What happens once is kept.
  if (options.out.empty() && !recipe.scenario.system->traits().repeatable) options.out = "runs";
  const std::optional<run::Branch> branch = requested_branch(options, recipe);
  const bool changed = branch && (branch->schedule || branch->seed);
  if (changed) recipe.branch = branch;
  sim::SystemClock clock;
  run::RunOptions run_options = run::with_everything();
  run_options.branch = branch ? branch : recipe.branch;
  if (options.realtime) run_options.clock = &clock;
  options.hold.apply(recipe.scenario, run_options);
  const bool compares = is_exact && !changed;
  if (compares) {
    const std::string differs = file_changed_since(options.path);
    if (!differs.empty()) fmt::print(stderr, "dissensus: {}\n", differs);
  }
  run::Recipe compared_recipe = recipe;
  if (!compares) compared_recipe.hash.clear();
  const run::Remake remake =
      run::make_again(compared_recipe, run_options, run::recorded_at(options.path));
  const run::RunResult& result = remake.result;
  const bool identical = trace::to_hex(result.hash) == recipe.hash;
  const Repetition programs = compares && !options.realtime
                                  ? compare_repetition(options.path, result.attachments)
                                  : Repetition{};
  std::optional<std::vector<std::string>> doubts = doubts_about(programs);
  if (!remake.difference.empty()) {
    std::fflush(stdout);
    fmt::print(stderr, "dissensus: {}\n", remake.difference);
    doubts.emplace(doubts.value_or(std::vector<std::string>{})).push_back(remake.difference);
  }
  if (!options.out.empty()) {
    const std::string folder = run::create_run_folder(options.out, recipe.scenario.name);
    run::write_run_folder(folder, recipe, run_options, result);
    run::finish_run_folder(folder);
    print_report({recipe, result, folder, options.plugins.words(), doubts}, options.output);
  } else {
    print_report({recipe, result, "", "", doubts}, options.output);
  }
  if (!options.output.quiet && !options.output.json) {
    fmt::print("{}\n{}", comparison(options, recipe, changed, identical, programs),
               to_text(programs));
  }
  return exit_code_of(result.verdict.outcome);
}

}  // namespace

Verb add_replay_verb(CLI::App& program) {
  CLI::App* app =
      program.add_subcommand("replay", "Repeat a recorded run exactly, or continue it differently");
  const auto options = std::make_shared<ReplayOptions>();
  app->add_option("run", options->path,
                  "Run folder, trace file, or row of a store (hunt.sqlite#17)")
      ->required();
  app->add_option("--until", options->until, "Replay up to this event, then continue differently")
      ->check(CLI::PositiveNumber);
  app->add_option("--schedule", options->schedule,
                  "With --until: continue under this schedule (JSON)");
  app->add_option("--seed", options->seed, "With --until: continue with this seed")
      ->check(CLI::NonNegativeNumber);
  app->add_option("--out,--runs-folder", options->out,
                  "Write a folder for this run there; default: none, but runs for real servers, "
                  "whose runs cannot be repeated");
  app->add_flag("--simulated", options->simulated,
                "A run of real servers: the same schedule with simulated ones");
  app->add_flag("--realtime", options->realtime, "Keep the pace of a real clock");
  options->hold.add_to(*app);
  options->plugins.add_to(*app);
  options->output.add_to(*app);
  app->footer(
      "Examples:\n  dissensus replay runs/latest\n"
      "  dissensus replay runs/latest --until 120 --seed 9");
  return {app, [options] { return replay(*options); }};
}

}  // namespace dissensus::cli
