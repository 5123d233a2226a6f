#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/chance.h"
#include "cli/finding_folder.h"
#include "cli/fleet.h"
#include "cli/hunt_options.h"
#include "cli/hunt_panel.h"
#include "cli/interrupt.h"
#include "cli/live_evidence.h"
#include "cli/verb.h"
#include "faults/words.h"
#include "hunt/hunt.h"
#include "hunt/islands.h"
#include "hunt/parts.h"
#include "hunt/queue.h"
#include "search/registry.h"

namespace dissensus::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kDefaultBudget = "10000runs";

struct HuntVerbOptions {
  HuntSettings settings;
  std::string budget;  ///< empty: the scenario's, or kDefaultBudget
  std::string out = "runs";
  std::string store;  ///< path or URL; empty: a file in the hunt's folder
  std::size_t window = 0;
  std::size_t confirmations = 3;
  bool all = false;
  std::vector<std::string> finding;
  bool no_shrink = false;
  bool no_report = false;
  bool islands = false;
  /// Findings are examined by whoever works for a shared store.
  bool examines_together() const { return hunt::sql::is_url(store) && !no_shrink && !no_report; }
};

/// A hunt that has ended, and what it left behind.
struct FinishedHunt {
  hunt::HuntResult result;
  double wall_seconds = 0;
  std::string folder;                   ///< of the hunt
  std::vector<FindingFolder> findings;  ///< in the order of result.progress.findings
  std::string replay;                   ///< of the first finding
  std::string resume;                   ///< command; empty when there is nothing to resume
  std::string rows;                     ///< of the store, as other verbs name them, but the number
  std::uint64_t mismatches = 0;         ///< runs that gave different hashes on different machines
};

std::string finding_words(const HuntVerbOptions& options) {
  std::string words;
  for (const std::string& signature : options.finding) {
    words += " --finding " + shell_word(signature);
  }
  return words;
}

std::string resume_command(const HuntVerbOptions& options, const std::string& folder) {
  return fmt::format("{} hunt {} {} --budget {} --out {}{}{} --resume", program_invocation_name,
                     shell_word(options.settings.scenario), options.settings.command_words(),
                     options.budget, shell_word(folder),
                     options.confirmations == HuntVerbOptions{}.confirmations
                         ? std::string()
                         : fmt::format(" --confirm {}", options.confirmations),
                     (options.store.empty()
                          ? ""
                          : " --store " + shell_word(hunt::sql::without_password(options.store))) +
                         (options.islands ? " --islands" : "") +
                         (options.window == 0 ? "" : fmt::format(" --window {}", options.window)) +
                         (options.all ? " --all" : "") + finding_words(options));
}

std::vector<std::pair<std::string, std::string>> hunt_words(const HuntVerbOptions& options,
                                                            const FinishedHunt& hunt) {
  const hunt::HuntProgress& progress = hunt.result.progress;
  return {{"search", options.settings.search},
          {"seed of the hunt", std::to_string(options.settings.seed)},
          {"runs", std::to_string(progress.runs)},
          {"virtual time",
           fmt::format("{:.1f} s", std::chrono::duration<double>(progress.virtual_time).count())},
          {"runs that failed", std::to_string(progress.failed)},
          {"runs made twice, all equal", progress.equal == progress.repeated
                                             ? std::to_string(progress.repeated)
                                             : std::string("NO")}};
}

/// A folder for each finding, or the one that it got before the hunt was interrupted. The first
/// finding is the latest run.
void record_findings(const HuntVerbOptions& options, const run::Scenario& scenario,
                     const SystemRegistry& systems, const std::string& parent, hunt::Store& store,
                     hunt::WorkQueue* queue, FinishedHunt& hunt) {
  const ExaminePlan plan{!options.no_shrink,
                         !options.no_report,
                         options.settings.jobs,
                         hunt_words(options, hunt),
                         options.settings.plugins.words(),
                         options.settings.output};
  for (const hunt::Finding& finding : hunt.result.progress.findings) {
    const std::string existing = store.folder_of(finding.signature);
    FindingFolder folder = record_finding(scenario, finding, systems, parent, existing);
    if (finding.kept) {
      write_live_page(folder, finding, plan);
    } else if (finding.reproduced) {
      // A run that its recorded schedule does not repeat may not fail again.
      const auto known = queue != nullptr
                             ? await_examination(*queue, store.hunt(), scenario, finding, systems)
                             : std::nullopt;
      if (queue == nullptr || known)
        examine_finding(folder, plan, systems, known && !known->shrink.empty() ? &*known : nullptr);
    }
    store.set_folder(finding.signature, folder.path);
    hunt.findings.push_back(std::move(folder));
  }
  if (hunt.findings.empty()) return;
  run::finish_run_folder(hunt.findings.front().path);
  hunt.replay = replay_command(hunt.findings.front().path, options.settings.plugins.words());
}

Json findings_json(const FinishedHunt& hunt) {
  Json json = Json::array();
  for (std::size_t i = 0; i < hunt.findings.size(); ++i) {
    const hunt::Finding& finding = hunt.result.progress.findings[i];
    json.push_back({{"signature", finding.signature},
                    {"count", finding.count},
                    {"first_evaluation", finding.item + 1},
                    {"reproduced", finding.reproduced},
                    {"run_folder", hunt.findings[i].path}});
    if (finding.confirmations > 0) {
      json.back()["confirmations"] = finding.confirmations;
      json.back()["confirmed"] = finding.confirmed;
    }
  }
  return json;
}

Json passed_over_json(const hunt::HuntProgress& progress) {
  Json json = Json::array();
  for (const auto& [signature, passed] : progress.passed_over) {
    json.push_back(
        {{"signature", signature}, {"count", passed.count}, {"first_evaluation", passed.item + 1}});
  }
  return json;
}

void print_json(const HuntVerbOptions& options, const FinishedHunt& hunt) {
  const hunt::HuntProgress& progress = hunt.result.progress;
  Json json;
  json["found"] = hunt.result.found();
  json["search"] = options.settings.search;
  json["seed"] = options.settings.seed;
  json["evaluations"] = progress.runs;
  json["unknown"] = progress.unknown;
  json["virtual_seconds"] = static_cast<double>(progress.virtual_time.count()) / 1e6;
  json["wall_seconds"] = hunt.wall_seconds;
  json["stability"] = {{"repeated", progress.repeated}, {"equal", progress.equal}};
  json["violations"] = Json::array();
  json["findings"] = findings_json(hunt);
  if (!options.finding.empty()) {
    json["hunted"] = options.finding;
    json["passed_over"] = passed_over_json(progress);
  }
  json["hunt_folder"] = hunt.folder;
  json["run_folder"] = nullptr;
  if (hunt.result.found()) {
    const hunt::Finding& first = progress.findings.front();
    json["violations"] = Json::parse(oracle::to_json(first.verdict))["violations"];
    json["hash"] = trace::to_hex(first.hash);
    json["run_folder"] = hunt.findings.front().path;
    json["replay"] = hunt.replay;
  }
  if (!hunt.resume.empty()) json["resume"] = hunt.resume;
  if (!hunt.result.trouble.empty()) json["trouble"] = hunt.result.trouble;
  fmt::print("{}\n", json.dump(2));
}

void print_shrunk(const shrink::ShrinkResult& shrunk) {
  const run::Recipe& recipe = shrunk.recipe;
  fmt::print("shrunk in {} {}; {}:\n", shrunk.runs, shrunk.runs == 1 ? "run" : "runs",
             shrunk.minimal ? "every part that is left is needed" : "not minimal yet");
  for (const std::string& line : faults::in_words(
           recipe.schedule, recipe.scenario.system_description(), recipe.scenario.nodes())) {
    fmt::print("  - {}\n", line);
  }
}

/// Violations are never without a word, also those that nobody hunts.
void print_passed_over(const FinishedHunt& hunt) {
  for (const auto& [signature, passed] : hunt.result.progress.passed_over) {
    const std::string row = hunt.rows.empty()
                                ? std::string()
                                : ": " + shell_word(hunt.rows + std::to_string(passed.item + 1));
    fmt::print("passed over {} x {}, first in run {}{}\n", passed.count, signature, passed.item + 1,
               row);
  }
}

void print_text(const HuntVerbOptions& options, const FinishedHunt& hunt) {
  const hunt::HuntProgress& progress = hunt.result.progress;
  const double seconds = static_cast<double>(progress.virtual_time.count()) / 1e6;
  constexpr double kHour = 3600;
  const std::string passed = seconds < 2 * kHour ? fmt::format("{:.1f} s", seconds)
                                                 : fmt::format("{:.1f} hours", seconds / kHour);
  const std::string hunted = options.finding.empty()
                                 ? std::string()
                                 : fmt::format(" of {}", fmt::join(options.finding, " or "));
  fmt::print("{}{} after {} {} ({} of virtual time, {:.2f} s of wall time)\n",
             hunt.result.found() ? "found a violation" : "found nothing", hunted, progress.runs,
             progress.runs == 1 ? "run" : "runs", passed, hunt.wall_seconds);
  print_passed_over(hunt);
  for (std::size_t i = 0; i < hunt.findings.size() && options.all; ++i) {
    const hunt::Finding& finding = progress.findings[i];
    fmt::print("  {} x {}, first in run {}: {}\n", finding.count, finding.signature,
               finding.item + 1, hunt.findings[i].path);
  }
  if (!hunt.findings.empty() && hunt.findings.front().shrinking) {
    print_shrunk(*hunt.findings.front().shrinking);
  }
  if (hunt.result.found() && progress.findings.front().kept) {
    fmt::print("{}\n", reliability(progress.findings.front()));
  }
  if (!hunt.findings.empty() && !options.no_report) {
    fmt::print("report    {}/report.html\n", hunt.findings.front().path);
  }
  if (!hunt.findings.empty() && hunt.findings.front().shrinking) {
    fmt::print("why       {} diff {}/minimal{}\n", shell_word(program_invocation_name),
               shell_word(hunt.findings.front().path), options.settings.plugins.words());
  }
  fmt::print("results   {}\n", hunt.folder);
  if (!hunt.resume.empty()) {
    fmt::print("{}; resume: {}\n",
               hunt.result.trouble.empty() ? std::string(kInterrupted) : hunt.result.trouble,
               hunt.resume);
  }
  if (!hunt.findings.empty()) {
    const FindingFolder& first = hunt.findings.front();
    fmt::print("\n");
    print_report({first.recipe, first.result, first.path, options.settings.plugins.words()},
                 options.settings.output);
  }
}

/// What must not pass unnoticed, whatever the verdict.
ExitCode exit_code_of_hunt(const run::Scenario& scenario, const FinishedHunt& hunt) {
  const hunt::HuntProgress& progress = hunt.result.progress;
  for (const hunt::Finding& finding : progress.findings) {
    if (finding.reproduced) continue;
    fmt::print(stderr,
               "dissensus: run {} failed ({}), but the schedule that was recorded of it gives "
               "another run\n",
               finding.item + 1, finding.signature);
  }
  if (tell_chance(scenario, progress, hunt.mismatches)) return kInternalFault;
  if (hunt.result.found() || !progress.passed_over.empty()) return kViolation;
  if (!hunt.result.trouble.empty()) return exit_code_of_trouble(hunt.result.trouble);
  if (hunt.result.end == hunt::HuntEnd::stopped) return kUnknown;
  return progress.unknown > 0 ? kUnknown : kAllHeld;
}

/// What the hunt may spend: what was asked for, else what the scenario says.
hunt::Budget budget_of(HuntVerbOptions& options, const run::Scenario& scenario) {
  if (!options.budget.empty()) return hunt::parse_budget(options.budget);
  options.budget = scenario.hunt_budget.empty() ? kDefaultBudget : scenario.hunt_budget;
  return hunt::parse_budget(options.budget, scenario.path + ": hunt.budget");
}

/// A store does not know what servers had been through before a run.
void check_session(bool needs_store, const run::Scenario& scenario) {
  if (needs_store && scenario.session.runs_per_start > 1) {
    throw InputError(fmt::format(
        "{}: session.runs_per_start: runs that share a start of the servers cannot be taken from a "
        "store, so such a hunt is neither resumed nor shared",
        scenario.path));
  }
}

ExitCode hunt(HuntVerbOptions options) {
  const HuntSettings& settings = options.settings;
  hunt::HuntOptions hunt_options = settings.to_options();
  hunt_options.all = options.all;
  hunt_options.finding = options.finding;
  hunt_options.confirmations = options.confirmations;
  const Registry registry = settings.plugins.load();
  const run::Scenario scenario = settings.changes.load(settings.scenario, registry.systems);
  hunt::check_finding("--finding", options.finding, scenario);
  hunt_options.budget = budget_of(options, scenario);
  hunt_options.plugins = settings.plugins.identities();
  settings.limit_jobs(scenario, hunt_options);
  const bool is_shared = hunt::sql::is_url(options.store);
  check_crew(is_shared, scenario, hunt_options);
  check_session(is_shared || settings.resume, scenario);
  if (options.islands && (!is_shared || options.window != 0)) {
    throw InputError(is_shared ? "--islands: each has its own search, so there is no --window"
                               : "--islands: is for hunts with a shared store (--store URL)");
  }
  hunt_options.islands = options.islands;
  if (is_shared && options.window == 0 && !options.islands) options.window = hunt::kWideWindow;
  hunt_options.window = options.window;
  hunt::HuntParts parts = hunt::make_parts(scenario, registry, hunt_options);
  catch_interrupts();
  settings.try_without_faults(scenario);

  FinishedHunt hunt;
  // A hunt that is resumed from a store of its own may have begun on another machine.
  const bool has_folder = settings.resume && options.store.empty();
  hunt.folder =
      has_folder ? find_hunt_folder(options.out) : create_hunt_folder(options.out, scenario.name);
  // A resumed hunt's findings go beside it, where those of a new one go.
  const std::string parent =
      has_folder ? std::filesystem::path(hunt.folder).parent_path().string() : options.out;
  TerminalPatience patience;
  hunt::Store store(options.store.empty() ? hunt.folder + "/" + kStoreFile : options.store,
                    &patience);
  hunt::HuntRecord record = hunt::describe_hunt(scenario, hunt_options);
  name_servers(scenario, record);
  settings.resume ? store.resume(record) : store.begin(record);

  std::optional<hunt::WorkQueue> queue;
  if (is_shared) queue.emplace(store.location(), patience);
  const std::string beside = parent.empty() ? "." : parent;
  // Written at once: a machine that vanishes in the middle of the night takes no finding with it.
  const auto keep_finding = [&](const hunt::Finding& finding) {
    if (!std::filesystem::exists(store.folder_of(finding.signature))) {
      const FindingFolder folder = record_finding(scenario, finding, registry.systems, beside, "");
      store.set_folder(finding.signature, folder.path);
    }
    if (options.examines_together() && finding.reproduced) {
      queue->put_examination(store.hunt(), finding.signature, finding.item);
    }
  };
  const bool is_slow = !scenario.system->traits().repeatable;
  HuntPanel panel({panel_style(!settings.output.quiet && !settings.output.json), scenario.name,
                   parts.objective_names, hunt.folder + "/" + kStatisticsFile, &store, keep_finding,
                   is_slow && !settings.output.quiet},
                  hunt_options);
  if (is_shared) {
    hunt.result = hunt_together(scenario, parts, hunt_options, registry, panel, patience,
                                options.examines_together(), store, *queue);
    hunt.mismatches = queue->mismatches(store.hunt());
  } else {
    hunt.result = hunt::hunt(scenario, parts, hunt_options, &panel, &store);
  }
  if (hunt.result.end != hunt::HuntEnd::stopped) store.finish();
  if (scenario.system->traits().repeatable) {
    hunt.rows =
        options.store.empty()
            ? hunt.folder + "#"
            : fmt::format("{}#{}/", hunt::sql::without_password(options.store), store.hunt());
  }
  hunt.wall_seconds = panel.wall_seconds();
  panel.finish(hunt.result.progress);
  record_findings(options, scenario, registry.systems, beside, store,
                  options.examines_together() ? &*queue : nullptr, hunt);
  if (hunt.result.end == hunt::HuntEnd::stopped) {
    hunt.resume = resume_command(options, hunt.folder);
  }
  if (settings.output.json && !settings.output.quiet) {
    print_json(options, hunt);
  } else if (!settings.output.quiet) {
    print_text(options, hunt);
  }
  return exit_code_of_hunt(scenario, hunt);
}

}  // namespace

Verb add_hunt_verb(CLI::App& program) {
  CLI::App* app =
      program.add_subcommand("hunt", "Search for a schedule that makes a scenario fail");
  constexpr const char* kShared = "Shared stores";
  const auto options = std::make_shared<HuntVerbOptions>();
  options->settings.search = search::kDefaultSearch;
  options->settings.add_to(*app);
  app->add_option(
      "--budget", options->budget,
      fmt::format(
          "How much to try: 180runs, 1h-virtual or 30s; default: the scenario's ([hunt]), or "
          "{}",
          kDefaultBudget));
  app->add_option("--out,--runs-folder", options->out,
                  "Where the folders of the hunt and of its findings are made; with --resume also "
                  "the hunt's own folder")
      ->capture_default_str();
  app->add_option(
         "--store", options->store,
         "Where results are kept: a SQLite file, or a PostgreSQL database that workers share "
         "(postgresql:///dissensus); default: a file in the hunt's folder")
      ->group(kShared);
  app->add_option(
         "--window", options->window,
         fmt::format("Candidates under way at any time; the result depends on it; default: {}, "
                     "with a shared store {}",
                     hunt::kWindow, hunt::kWideWindow))
      ->check(CLI::Range(1, 1'000'000))
      ->group(kShared);
  app->add_flag("--islands", options->islands,
                "With a shared store: each worker has a search of its own, and what they find is "
                "shared now and then")
      ->group(kShared);
  app->add_flag("--all", options->all, "Go on after the first violation; one finding per kind");
  app->add_option(
         "--finding", options->finding,
         "Only a violation with this signature, or one that begins so, ends the hunt; others are "
         "counted; e.g. termination; repeatable")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app->add_option("--confirm", options->confirmations,
                  "Real servers: runs that tell whether a finding is reliable or flaky")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
  app->add_flag("--no-shrink", options->no_shrink, "Leave findings as they were found");
  app->add_flag("--no-report", options->no_report, "Write no report.html");
  app->footer("Example:\n  dissensus hunt scenarios/majority/overtaken-commit.toml --budget 30s");
  return {app, [options] { return hunt(*options); }};
}

}  // namespace dissensus::cli
