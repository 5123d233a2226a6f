#include <charconv>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/hold.h"
#include "cli/interrupt.h"
#include "cli/plugins.h"
#include "cli/scenario_changes.h"
#include "cli/verb.h"
#include "core/parallel.h"
#include "run/schedule_space.h"
#include "sim/clock.h"
#include "systems/server/outside/raft_steps.h"
#include "systems/xrpl/outside/steps.h"
#include "trace/node_log.h"

namespace dissensus::cli {

namespace {

struct RunVerbOptions {
  std::vector<std::string> scenarios;
  std::string schedule;
  std::string seeds = "1";
  std::string parent = "runs";
  std::string detail = "everything";
  bool random_schedule = false;
  std::string node_logs;
  bool from_outside = false;
  bool no_folder = false;
  bool realtime = false;
  std::size_t jobs = default_jobs();
  ScenarioChanges changes;
  PluginOptions plugins;
  OutputOptions output;
  mutable HoldOptions hold;
};

struct SeedRange {
  std::uint64_t first = 1;
  std::uint64_t last = 1;
  bool is_single() const { return first == last; }
  std::size_t size() const { return static_cast<std::size_t>(last - first + 1); }
};

/// "7" or "1..500".
SeedRange parse_seeds(const std::string& text) {
  SeedRange range;
  const char* const end = text.data() + text.size();
  const auto fail = [&text] {
    throw InputError(
        fmt::format("--seed: expected a number or a range such as 1..500, found '{}'", text));
  };
  auto [position, error] = std::from_chars(text.data(), end, range.first);
  if (error != std::errc()) fail();
  range.last = range.first;
  if (position != end) {
    if (std::string_view(position, end).substr(0, 2) != "..") fail();
    const auto [rest, second_error] = std::from_chars(position + 2, end, range.last);
    if (second_error != std::errc() || rest != end || range.last < range.first) fail();
  }
  if (range.last > static_cast<std::uint64_t>(INT64_MAX)) {
    throw InputError("--seed: expected at most 9223372036854775807");
  }
  return range;
}

run::Recipe make_recipe(const run::Scenario& scenario, const RunVerbOptions& options,
                        std::uint64_t seed) {
  run::Recipe recipe;
  recipe.scenario = scenario;
  recipe.seed = seed;
  if (!options.schedule.empty()) {
    recipe.schedule = run::load_schedule(options.schedule, scenario);
  } else if (options.random_schedule) {
    Random random(seed, "schedule");
    recipe.schedule = run::random_schedule(scenario, random);
  }
  return recipe;
}

/// Everything that the command line asks to be recorded.
run::RunOptions recording(const RunVerbOptions& options) {
  run::RunOptions run_options;
  trace::parse_detail(options.detail, run_options.detail);
  run_options.metrics = true;
  run_options.log = !options.no_folder;
  return run_options;
}

/// The folder of a recorded run; empty if none is wanted.
std::string write_folder(const run::Recipe& recipe, const run::RunOptions& run_options,
                         const RunVerbOptions& options, const run::RunResult& result) {
  if (options.no_folder) return {};
  std::string folder = run::create_run_folder(options.parent, recipe.scenario.name);
  run::write_run_folder(folder, recipe, run_options, result);
  run::finish_run_folder(folder);
  return folder;
}

/// Logs of nodes that are written while the run goes on.
struct NodeLogs {
  std::unique_ptr<trace::NodeLogFiles> files;
  std::unique_ptr<EventSink> writer;
};

NodeLogs log_nodes(const run::Scenario& scenario, const RunVerbOptions& options,
                   run::RunOptions& run_options) {
  NodeLogs logs;
  if (options.node_logs.empty()) return logs;
  const System& system = *scenario.system;
  // Clients and services as well: what they receive and send orders what nodes do.
  logs.files = std::make_unique<trace::NodeLogFiles>(options.node_logs, scenario.nodes());
  if (!options.from_outside) {
    logs.writer = std::make_unique<trace::NodeLogWriter>(*logs.files, system.description());
  } else if (server::RaftLogWriter::understands(system.description())) {
    logs.writer = std::make_unique<server::RaftLogWriter>(*logs.files, system.description());
  } else {
    logs.writer = std::make_unique<xrpl::OutsideLogWriter>(*logs.files, system.description());
  }
  run_options.sinks.push_back(logs.writer.get());
  return logs;
}

ExitCode run_once(const run::Scenario& scenario, const RunVerbOptions& options,
                  std::uint64_t seed) {
  const run::Recipe recipe = make_recipe(scenario, options, seed);
  sim::SystemClock clock;
  run::RunOptions run_options = recording(options);
  if (options.realtime) run_options.clock = &clock;
  options.hold.apply(scenario, run_options);
  const NodeLogs node_logs = log_nodes(scenario, options, run_options);
  run::Runner runner;
  const run::RunResult result = runner.run(scenario, recipe.schedule, seed, run_options);
  if (node_logs.files) node_logs.files->finish();
  const std::string folder = write_folder(recipe, run_options, options, result);
  print_report({recipe, result, folder, options.plugins.words()}, options.output);
  return exit_code_of(result.verdict.outcome);
}

/// How many runs of a range of seeds ended how.
struct Tally {
  std::size_t pass = 0;
  std::size_t fail = 0;
  std::size_t unknown = 0;
  std::vector<std::uint64_t> failing_seeds;
  oracle::Outcome outcome() const {
    if (fail > 0) return oracle::Outcome::fail;
    return unknown > 0 ? oracle::Outcome::unknown : oracle::Outcome::pass;
  }
};

Tally run_range(const run::Scenario& scenario, const RunVerbOptions& options,
                const SeedRange& seeds) {
  Tally tally;
  for_each_in_order(
      seeds.size(), options.jobs, [] { return std::make_unique<run::Runner>(); },
      [&](run::Runner& runner, std::size_t index) {
        const run::Recipe recipe = make_recipe(scenario, options, seeds.first + index);
        return runner.run(scenario, recipe.schedule, recipe.seed).verdict.outcome;
      },
      [&](std::size_t index, oracle::Outcome outcome) {
        tally.pass += outcome == oracle::Outcome::pass ? 1 : 0;
        tally.unknown += outcome == oracle::Outcome::unknown ? 1 : 0;
        if (outcome == oracle::Outcome::fail) {
          ++tally.fail;
          if (tally.failing_seeds.size() < 1000) tally.failing_seeds.push_back(seeds.first + index);
        }
        return true;
      });
  return tally;
}

void print_tally(const run::Scenario& scenario, const SeedRange& seeds, const Tally& tally,
                 const std::string& folder, const std::string& replay_words,
                 const OutputOptions& output) {
  if (output.quiet) return;
  if (output.json) {
    nlohmann::ordered_json json{
        {"scenario", scenario.name}, {"first_seed", seeds.first},
        {"last_seed", seeds.last},   {"outcome", oracle::to_string(tally.outcome())},
        {"pass", tally.pass},        {"fail", tally.fail},
        {"unknown", tally.unknown},  {"failing_seeds", tally.failing_seeds}};
    json["run_folder"] = folder.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(folder);
    fmt::print("{}\n", json.dump());
    return;
  }
  fmt::print("{}: seeds {} to {}: {} passed, {} failed, {} unknown\n", scenario.name, seeds.first,
             seeds.last, tally.pass, tally.fail, tally.unknown);
  if (!folder.empty()) {
    fmt::print("  first failing seed {}; replay: {}\n", tally.failing_seeds.front(),
               replay_command(folder, replay_words));
  }
}

ExitCode run_many(const run::Scenario& scenario, const RunVerbOptions& options,
                  const SeedRange& seeds) {
  const Tally tally = run_range(scenario, options, seeds);
  std::string folder;
  if (tally.fail > 0) {
    const run::Recipe recipe = make_recipe(scenario, options, tally.failing_seeds.front());
    const run::RunOptions run_options = recording(options);
    run::Runner runner;
    folder = write_folder(recipe, run_options, options,
                          runner.run(scenario, recipe.schedule, recipe.seed, run_options));
  }
  print_tally(scenario, seeds, tally, folder, options.plugins.words(), options.output);
  return exit_code_of(tally.outcome());
}

ExitCode worse(ExitCode a, ExitCode b) {
  if (a == kViolation || b == kViolation) return kViolation;
  return a == kAllHeld ? b : a;
}

/// A run of real servers, or why there is none.
struct OneRun {
  std::optional<run::RunResult> result;
  std::string trouble;
};

OneRun try_run(run::Runner& runner, const run::Recipe& recipe, const run::RunOptions& options) {
  try {
    return {runner.run(recipe.scenario, recipe.schedule, recipe.seed, options), ""};
  } catch (const OutsideError& error) {
    return {std::nullopt, error.what()};
  }
}

/// Runs that happen once: each is recorded and shown when it is over. One that cannot be made takes
/// no other with it; several in a row end the command.
ExitCode run_many_once(const run::Scenario& scenario, const RunVerbOptions& options,
                       const SeedRange& seeds) {
  constexpr std::size_t kTroublesInARow = 3;
  const run::RunOptions run_options = recording(options);
  ExitCode code = kAllHeld;
  std::size_t troubles = 0;
  for_each_in_order(
      seeds.size(), 1, [] { return std::make_unique<run::Runner>(); },
      [&](run::Runner& runner, std::size_t index) {
        return try_run(runner, make_recipe(scenario, options, seeds.first + index), run_options);
      },
      [&](std::size_t index, const OneRun& run) {
        const run::Recipe recipe = make_recipe(scenario, options, seeds.first + index);
        if (!run.result) {
          fmt::print(stderr, "dissensus: seed {}: {}\n", recipe.seed, run.trouble);
          code = worse(code, exit_code_of_trouble(run.trouble));
          return ++troubles < kTroublesInARow && !is_interrupted();
        }
        troubles = 0;
        const std::string folder = write_folder(recipe, run_options, options, *run.result);
        print_report({recipe, *run.result, folder, options.plugins.words()}, options.output);
        code = worse(code, exit_code_of(run.result->verdict.outcome));
        return !is_interrupted();
      });
  return code;
}

ExitCode run_verb(const RunVerbOptions& options) {
  const SeedRange seeds = parse_seeds(options.seeds);
  if (options.hold.is_asked() && !seeds.is_single()) {
    throw InputError("--hold and --logs are for one run: expected one --seed");
  }
  if (!options.node_logs.empty() && (!seeds.is_single() || options.scenarios.size() > 1)) {
    throw InputError("--node-logs is for one run: expected one scenario and one --seed");
  }
  // Every file is read before anything runs, so that a typo costs nothing.
  const Registry registry = options.plugins.load();
  std::vector<run::Scenario> scenarios;
  for (const std::string& path : options.scenarios) {
    scenarios.push_back(options.changes.load(path, registry.systems));
    if (!options.schedule.empty()) run::load_schedule(options.schedule, scenarios.back());
  }
  ExitCode code = kAllHeld;
  for (const run::Scenario& scenario : scenarios) {
    const auto run_all = scenario.system->traits().repeatable ? run_many : run_many_once;
    code = worse(code, seeds.is_single() ? run_once(scenario, options, seeds.first)
                                         : run_all(scenario, options, seeds));
  }
  return code;
}

}  // namespace

Verb add_run_verb(CLI::App& program) {
  CLI::App* app = program.add_subcommand("run", "Run a scenario and judge what happened");
  const auto options = std::make_shared<RunVerbOptions>();
  app->add_option("scenario", options->scenarios, "Scenario files (TOML)")->required();
  app->add_option("--schedule", options->schedule, "Schedule file (JSON); default: no faults");
  app->add_flag("--random-schedule", options->random_schedule,
                "Draw the schedule from the scenario's space, by the seed")
      ->excludes("--schedule");
  app->add_option("--seed", options->seeds, "Seed, or a range of seeds such as 1..500")
      ->capture_default_str();
  app->add_option("--out,--runs-folder", options->parent, "Where the run's folder is made")
      ->capture_default_str();
  app->add_flag("--no-folder", options->no_folder, "Leave no folder behind");
  app->add_option("--trace", options->detail, "What the trace keeps: hash, decisions, everything")
      ->check(CLI::IsMember({"hash", "decisions", "everything"}))
      ->capture_default_str();
  app->add_option("--node-logs", options->node_logs,
                  "Write a log per node here while the run goes on, for conform follow");
  app->add_flag("--from-outside", options->from_outside,
                "Node logs say what messages show, not what nodes report (XRP Ledger, etcd, ovsdb)")
      ->needs("--node-logs");
  app->add_flag("--realtime", options->realtime, "Keep the pace of a real clock");
  app->add_option("--jobs", options->jobs, "Threads for a range of seeds")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  options->hold.add_to(*app);
  options->changes.add_to(*app);
  options->plugins.add_to(*app);
  options->output.add_to(*app);
  app->footer("Example:\n  dissensus run scenarios/majority/overtaken-commit.toml --seed 7");
  return {app, [options] { return run_verb(*options); }};
}

}  // namespace dissensus::cli
