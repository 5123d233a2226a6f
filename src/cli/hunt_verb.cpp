#include <atomic>
#include <charconv>
#include <chrono>
#include <csignal>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "campaign/random_hunt.h"
#include "cli/verb.h"

namespace dissensus::cli {

namespace {

// Set by Ctrl-C; the hunt ends after the current run and reports what it has.
std::atomic<bool> interrupted{false};

using RealClock = std::chrono::steady_clock;

struct HuntVerbOptions {
  std::string scenario;
  std::string search = "random";
  std::string budget = "10000runs";
  std::uint64_t seed = 1;
  std::size_t jobs = default_jobs();
  std::string parent = "runs";
  OutputOptions output;
};

struct Budget {
  std::size_t runs = SIZE_MAX / 2;
  Duration virtual_time = Duration::max();
  std::chrono::microseconds wall = std::chrono::microseconds::max();
};

/// "180runs", "1h-virtual" or "30s".
Budget parse_budget(const std::string& text) {
  Budget budget;
  static constexpr std::string_view kRuns = "runs";
  static constexpr std::string_view kVirtual = "-virtual";
  if (text.ends_with(kRuns)) {
    const char* const end = text.data() + text.size() - kRuns.size();
    const auto [position, error] = std::from_chars(text.data(), end, budget.runs);
    if (error == std::errc() && position == end && budget.runs > 0) return budget;
  } else if (text.ends_with(kVirtual)) {
    const auto time =
        parse_duration(std::string_view(text).substr(0, text.size() - kVirtual.size()));
    if (time) {
      budget.virtual_time = *time;
      return budget;
    }
  } else if (const auto time = parse_duration(text)) {
    budget.wall = *time;
    return budget;
  }
  throw InputError(
      fmt::format("--budget: expected e.g. 180runs, 1h-virtual or 30s, found '{}'", text));
}

/// A line on the terminal that is drawn over; nothing in a pipe.
class ProgressLine {
 public:
  explicit ProgressLine(bool wanted) : wanted_(wanted && is_terminal()) {}
  ~ProgressLine() {
    if (drawn_) fmt::print(stderr, "\r{:<78}\r", "");
  }
  void update(const campaign::HuntProgress& progress) {
    const RealClock::time_point now = RealClock::now();
    if (!wanted_ || now - last_ < std::chrono::milliseconds(200)) return;
    last_ = now;
    drawn_ = true;
    const double seconds = std::chrono::duration<double>(now - start_).count();
    fmt::print(stderr,
               "\r{} runs, {:.0f} runs/s, {:.2f} h of virtual time, {} runs made twice and equal  ",
               progress.runs, static_cast<double>(progress.runs) / seconds,
               std::chrono::duration<double, std::ratio<3600>>(progress.virtual_time).count(),
               progress.repeated);
    std::fflush(stderr);
  }

 private:
  bool wanted_;
  bool drawn_ = false;
  RealClock::time_point start_ = RealClock::now();
  RealClock::time_point last_{};
};

/// Runs the finding once more with everything recorded and writes its folder.
std::string record_finding(const run::Scenario& scenario, const campaign::Finding& finding,
                           const std::string& parent, run::Recipe& recipe, run::RunResult& result) {
  recipe.scenario = scenario;
  recipe.schedule = finding.schedule;
  recipe.seed = finding.seed;
  run::RunOptions options;
  options.detail = trace::Detail::everything;
  options.metrics = true;
  options.log = true;
  const std::string folder = run::create_run_folder(parent, scenario.name);
  run::Runner runner;
  result = runner.run(scenario, recipe.schedule, recipe.seed, options);
  run::write_run_folder(folder, recipe, options, result);
  run::finish_run_folder(folder);
  return folder;
}

void print_hunt(const campaign::HuntResult& hunt, double wall_seconds, const std::string& folder,
                const HuntVerbOptions& options) {
  const double virtual_seconds = static_cast<double>(hunt.progress.virtual_time.count()) / 1e6;
  if (options.output.json) {
    nlohmann::ordered_json json;
    json["found"] = hunt.finding.has_value();
    json["search"] = options.search;
    json["seed"] = options.seed;
    json["evaluations"] = hunt.progress.runs;
    json["unknown"] = hunt.unknown;
    json["virtual_seconds"] = virtual_seconds;
    json["wall_seconds"] = wall_seconds;
    json["violations"] = nlohmann::ordered_json::array();
    if (hunt.finding) {
      const auto verdict = nlohmann::ordered_json::parse(oracle::to_json(hunt.finding->verdict));
      json["violations"] = verdict["violations"];
      json["hash"] = trace::to_hex(hunt.finding->hash);
      json["run_folder"] = folder;
      json["replay"] = replay_command(folder);
    } else {
      json["run_folder"] = nullptr;
    }
    fmt::print("{}\n", json.dump(2));
    return;
  }
  fmt::print("{} after {} {} ({:.1f} s of virtual time, {:.2f} s of wall time)\n\n",
             hunt.finding ? "found a violation" : "found nothing", hunt.progress.runs,
             hunt.progress.runs == 1 ? "run" : "runs", virtual_seconds, wall_seconds);
}

ExitCode hunt(const HuntVerbOptions& options) {
  const Budget budget = parse_budget(options.budget);
  const run::Scenario scenario = run::load_scenario(options.scenario);
  if (scenario.space.type == run::ScheduleSpace::Type::none) {
    throw InputError(
        options.scenario +
        ": schedule.type: a hunt needs a space of schedules, expected delay or priority");
  }
  std::signal(SIGINT, [](int) { interrupted = true; });
  ProgressLine line(!options.output.quiet && !options.output.json);
  const RealClock::time_point start = RealClock::now();
  const campaign::HuntResult result = campaign::random_hunt(
      scenario, {options.seed, budget.runs, options.jobs},
      [&](const campaign::HuntProgress& progress) {
        line.update(progress);
        return !interrupted && progress.virtual_time < budget.virtual_time &&
               std::chrono::duration_cast<std::chrono::microseconds>(RealClock::now() - start) <
                   budget.wall;
      });
  const double wall_seconds = std::chrono::duration<double>(RealClock::now() - start).count();

  run::Recipe recipe;
  run::RunResult recorded;
  std::string folder;
  if (result.finding)
    folder = record_finding(scenario, *result.finding, options.parent, recipe, recorded);
  if (!options.output.quiet) {
    print_hunt(result, wall_seconds, folder, options);
    if (result.finding && !options.output.json)
      print_report({recipe, recorded, folder}, options.output);
  }
  if (result.finding) return kViolation;
  return result.unknown > 0 ? kUnknown : kAllHeld;
}

}  // namespace

Verb add_hunt_verb(CLI::App& program) {
  CLI::App* app =
      program.add_subcommand("hunt", "Search for a schedule that makes a scenario fail");
  const auto options = std::make_shared<HuntVerbOptions>();
  app->add_option("scenario", options->scenario, "Scenario file (TOML) with a [schedule] space")
      ->required();
  app->add_option("--search", options->search, "Search method (dissensus list searches)")
      ->check(CLI::IsMember({"random"}))
      ->capture_default_str();
  app->add_option("--budget", options->budget, "180runs, 1h-virtual or 30s")->capture_default_str();
  app->add_option("--seed", options->seed, "Seed of the search")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app->add_option("--jobs", options->jobs, "Threads; the result is the same with any number")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app->add_option("--runs-folder", options->parent, "Where the finding's folder is made")
      ->capture_default_str();
  options->output.add_to(*app);
  app->footer("Example:\n  dissensus hunt scenarios/majority/overtaken-commit.toml --budget 30s");
  return {app, [options] { return hunt(*options); }};
}

}  // namespace dissensus::cli
