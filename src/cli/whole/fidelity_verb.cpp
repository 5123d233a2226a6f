#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>

#include <errno.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/hunt_options.h"
#include "cli/interrupt.h"
#include "cli/plugins.h"
#include "cli/scenario_changes.h"
#include "cli/verb.h"
#include "core/file.h"
#include "fidelity/report.h"
#include "fidelity/session.h"
#include "fidelity/tables.h"

namespace dissensus::cli {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct FidelityVerbOptions {
  std::string scenario;
  std::string against;
  std::optional<std::size_t> schedules;
  std::vector<std::string> schedule_files;
  std::size_t repeats = 1;
  std::size_t simulated_repeats = 20;
  std::uint64_t seed = 1;
  std::size_t jobs = default_jobs();
  std::string out = "runs";
  ScenarioChanges changes;
  PluginOptions plugins;
  OutputOptions output;

  bool talks() const { return !output.quiet && !output.json; }
};

/// The two scenarios and what their sides are called.
struct Sides {
  run::Scenario first;
  run::Scenario second;
  fidelity::Both<std::string> names;
};

Sides load_sides(const FidelityVerbOptions& options, const SystemRegistry& systems) {
  run::Scenario first = options.changes.load(options.scenario, systems);
  if (!options.against.empty()) {
    run::Scenario second = options.changes.load(options.against, systems);
    fidelity::Both<std::string> names{first.name, second.name};
    if (names[0] == names[1]) names = {"first", "second"};
    return {std::move(first), std::move(second), std::move(names)};
  }
  if (first.system->traits().twin.empty()) {
    throw InputError(fmt::format(
        "{}:1: system.kind: these servers are simulated, expected \"rippled\", or another scenario "
        "to compare with (--against)",
        options.scenario));
  }
  run::Scenario twin = run::simulated_twin(first, systems);
  return {std::move(first), std::move(twin), {"virtual", "simulated"}};
}

std::vector<fidelity::FidelitySchedule> choose_schedules(const FidelityVerbOptions& options,
                                                         const run::Scenario& scenario) {
  constexpr std::size_t kSchedules = 5;
  std::vector<fidelity::FidelitySchedule> schedules = fidelity::draw_schedules(
      scenario, options.schedules.value_or(options.schedule_files.empty() ? kSchedules : 0),
      options.seed);
  for (const std::string& file : options.schedule_files) {
    const std::string stem = fs::path(file).stem().string();
    std::string name = stem;
    const auto is_taken = [&] {
      for (const fidelity::FidelitySchedule& other : schedules) {
        if (other.name == name) return true;
      }
      return false;
    };
    for (int copy = 2; is_taken(); ++copy) name = fmt::format("{}-{}", stem, copy);
    schedules.push_back({name, run::load_schedule(file, scenario)});
  }
  return schedules;
}

/// Writes every run down as soon as it is over, and says so.
class RunJournal final : public fidelity::FidelityObserver {
 public:
  RunJournal(const fidelity::FidelityPlan& plan, const std::string& path, bool talks)
      : plan_(plan),
        measures_(*plan.sides[0].scenario),
        path_(path),
        file_(path, std::ios::binary),
        talks_(talks) {
    write(fidelity::header_json_line(plan, measures_));
    if (!talks_) return;
    fmt::print(stderr, "{} schedules: {} {} runs, then {} {} runs\n", plan.schedules.size(),
               total_of(1), plan.sides[1].name, total_of(0), plan.sides[0].name);
  }

  void on_run(std::size_t side, const fidelity::RunObservation& observation) override {
    write(fidelity::to_json_line(observation, measures_, plan_.sides[side].name));
    ++done_[side];
    say(side, fmt::format("{}, {:.0f} s, {}", oracle::to_string(observation.outcome),
                          observation.seconds, schedule_text(observation.place)));
  }
  void on_failed_run(const fidelity::FailedRun& failed) override {
    write(fidelity::to_json_line(failed, plan_.sides[failed.side].name));
    ++done_[failed.side];
    if (talks_) {
      fmt::print(stderr, "{}: {}: broken off: {}\n", plan_.sides[failed.side].name,
                 schedule_text(failed.place), failed.reason);
    }
  }
  bool is_stopped() const override { return is_interrupted(); }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  std::string schedule_text(const fidelity::RunPlace& place) const {
    return fmt::format("schedule {}", plan_.schedules[place.schedule].name);
  }
  std::size_t total_of(std::size_t side) const {
    return plan_.sides[side].repeats * plan_.schedules.size();
  }
  /// Every run of real servers, since they take seconds or a minute; simulated ones now and then.
  void say(std::size_t side, const std::string& what) {
    const std::size_t total = total_of(side);
    const bool is_slow = plan_.sides[side].scenario->system->traits().outside;
    const Clock::time_point now = Clock::now();
    if (!talks_ || (!is_slow && now < next_ && done_[side] < total)) return;
    next_ = now + kLine;
    std::string text = fmt::format("{}: {} of {} runs", plan_.sides[side].name, done_[side], total);
    if (is_slow) text += fmt::format(" (the last: {})", what);
    fmt::print(stderr, "{}, {} so far\n", text, clock_text(seconds()));
  }
  void write(const std::string& line) {
    file_ << line << '\n' << std::flush;
    if (!file_.good()) {
      fail_with(path_ + ": cannot be written", {errno, std::generic_category()});
    }
  }

  static constexpr std::chrono::seconds kLine{5};
  const fidelity::FidelityPlan& plan_;
  fidelity::FidelityMeasures measures_;
  std::string path_;
  std::ofstream file_;
  bool talks_;
  fidelity::Both<std::size_t> done_{};
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_ = start_ + kLine;
};

std::string repeat_command(const FidelityVerbOptions& options) {
  std::string words =
      fmt::format("{} fidelity {}", program_invocation_name, shell_word(options.scenario));
  if (!options.against.empty()) words += " --against " + shell_word(options.against);
  if (options.schedules) words += fmt::format(" --schedules {}", *options.schedules);
  for (const std::string& file : options.schedule_files) words += " --schedule " + shell_word(file);
  words += fmt::format(" --repeats {} --simulated-repeats {} --seed {}", options.repeats,
                       options.simulated_repeats, options.seed);
  return words + options.plugins.words();
}

void write_schedules(const std::string& folder, const fidelity::FidelityPlan& plan) {
  make_folders(folder + "/schedules");
  const run::Scenario& scenario = *plan.sides[0].scenario;
  for (const fidelity::FidelitySchedule& schedule : plan.schedules) {
    write_file(fmt::format("{}/schedules/{}.json", folder, schedule.name),
               faults::to_json(schedule.schedule, scenario.system_description(), scenario.nodes()));
  }
}

std::vector<std::string> problems_of(const fidelity::FidelityPlan& plan,
                                     const fidelity::FidelityRuns& runs) {
  std::vector<std::string> problems;
  if (is_interrupted()) problems.emplace_back("it was interrupted");
  for (std::size_t side = 0; side < 2; ++side) {
    const std::size_t total = plan.sides[side].repeats * plan.schedules.size();
    const std::size_t made = runs.input.sides[side].runs.size();
    if (made == total) continue;
    problems.push_back(
        fmt::format("{} of {} {} runs were made", made, total, plan.sides[side].name));
  }
  for (const fidelity::FailedRun& failed : runs.failed) {
    problems.push_back(fmt::format("{} run under schedule {} broke off: {}",
                                   plan.sides[failed.side].name,
                                   plan.schedules[failed.place.schedule].name, failed.reason));
  }
  return problems;
}

std::string side_text(const fidelity::FidelitySidePlan& side) {
  return fmt::format("{}, {} nodes, {} of each schedule", side.scenario->name,
                     side.scenario->nodes(),
                     side.repeats == 1 ? "1 run" : fmt::format("{} runs", side.repeats));
}

std::vector<std::pair<std::string, std::string>> facts_of(const fidelity::FidelityPlan& plan,
                                                          const std::string& folder,
                                                          double seconds) {
  std::vector<std::pair<std::string, std::string>> facts;
  for (const fidelity::FidelitySidePlan& side : plan.sides) {
    facts.emplace_back(side.name, side_text(side));
  }
  facts.emplace_back("schedules", std::to_string(plan.schedules.size()) + ", in schedules/");
  facts.emplace_back("seed", std::to_string(plan.seed));
  facts.emplace_back("wall time", clock_text(seconds));
  facts.emplace_back("folder", folder);
  return facts;
}

void print_text(const fidelity::FidelityReport& report, const std::string& folder,
                const std::vector<std::string>& files) {
  for (const std::string& problem : report.problems) fmt::print("incomplete: {}\n", problem);
  for (const fidelity::FidelityTable& table : fidelity::fidelity_tables(report.comparison)) {
    if (!table.is_detail) fmt::print("{}\n", fidelity::to_text(table));
  }
  for (const std::string& finding : fidelity::fidelity_findings(report.comparison)) {
    fmt::print("- {}\n", finding);
  }
  fmt::print("\nIn brackets 95 % intervals; * differs beyond chance. All of it, with figures:\n");
  for (const std::string& file : files) fmt::print("  {}/{}\n", folder, file);
}

/// `sides` must outlive the plan.
fidelity::FidelityPlan make_plan(const FidelityVerbOptions& options, const Sides& sides) {
  fidelity::require_comparable(sides.first, sides.second);
  fidelity::FidelityPlan plan;
  plan.scenario = sides.first.name;
  plan.sides[0] = {sides.names[0], &sides.first, options.repeats, options.jobs};
  plan.sides[1] = {sides.names[1], &sides.second, options.simulated_repeats, options.jobs};
  plan.schedules = choose_schedules(options, sides.first);
  plan.seed = options.seed;
  return plan;
}

ExitCode compare_sides(const FidelityVerbOptions& options) {
  const Registry registry = options.plugins.load();
  const Sides sides = load_sides(options, registry.systems);
  const fidelity::FidelityPlan plan = make_plan(options, sides);
  const std::string folder = run::create_run_folder(options.out, "fidelity-" + plan.scenario);
  write_file(folder + "/scenario.toml", sides.first.text);
  if (!options.against.empty()) write_file(folder + "/against.toml", sides.second.text);
  write_schedules(folder, plan);
  catch_interrupts();
  RunJournal journal(plan, folder + "/observations.jsonl", options.talks());
  const fidelity::FidelityRuns runs = fidelity::run_fidelity(plan, journal);
  const std::vector<std::string> problems = problems_of(plan, runs);
  if (!fidelity::can_compare(runs.input)) {
    fmt::print(stderr, "dissensus: nothing to compare: {}; runs so far in {}\n",
               fmt::join(problems, "; "), folder);
    return kUnknown;
  }
  fidelity::FidelityOptions compare_options;
  compare_options.permutation.seed = options.seed;
  const fidelity::FidelityComparison comparison = fidelity::compare(runs.input, compare_options);
  const fidelity::FidelityReport report{runs.input,
                                        comparison,
                                        sides.first.description,
                                        facts_of(plan, folder, journal.seconds()),
                                        problems,
                                        repeat_command(options)};
  const std::vector<std::string> files = fidelity::write_fidelity(folder, report);
  if (options.output.json && !options.output.quiet) {
    auto json = nlohmann::ordered_json::parse(fidelity::fidelity_json(report));
    json["folder"] = folder;
    fmt::print("{}\n", json.dump(2));
  } else if (options.talks()) {
    print_text(report, folder, files);
  }
  return runs.complete ? kAllHeld : kUnknown;
}

}  // namespace

Verb add_fidelity_verb(CLI::App& program) {
  CLI::App* app = program.add_subcommand("fidelity", "Compare real servers with simulated ones");
  const auto options = std::make_shared<FidelityVerbOptions>();
  app->add_option("scenario", options->scenario, "Scenario file (TOML) of live servers")
      ->required()
      ->check(CLI::ExistingFile);
  app->add_option("--against", options->against,
                  "Compare with this scenario instead of the simulated twin; then the first may be "
                  "simulated, too")
      ->check(CLI::ExistingFile);
  app->add_option("--schedules", options->schedules,
                  "How many: one without delays and faults, the others random (default 5; 0 where "
                  "--schedule is given)")
      ->check(CLI::Range(1, 10'000));
  app->add_option("--schedule", options->schedule_files, "Schedule files (JSON) to run")
      ->check(CLI::ExistingFile);
  app->add_option(
         "--repeats", options->repeats,
         "Runs of each schedule on the servers: seconds each in virtual time, a minute in real")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  app->add_option("--simulated-repeats", options->simulated_repeats,
                  "Simulated runs of each schedule")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  app->add_option("--seed", options->seed, "Of the schedules and the runs")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app->add_option("--jobs", options->jobs, "Threads for simulated runs; same result with any")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app->add_option("--out", options->out, "Where the folder of the comparison is made")
      ->capture_default_str();
  options->changes.add_to(*app);
  options->plugins.add_to(*app);
  options->output.add_to(*app);
  app->footer(
      "Exit codes: 0 all runs were made and compared, whatever they show, 2 bad usage or input,\n"
      "3 incomplete: interrupted, or runs broke off.\n\n"
      "Example:\n  dissensus fidelity scenarios/rippled/b3.toml --rippled /usr/bin/rippled");
  return {app, [options] { return compare_sides(*options); }};
}

}  // namespace dissensus::cli
