#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "cli/answer.h"
#include "cli/chance.h"
#include "cli/fleet.h"
#include "cli/hunt_options.h"
#include "cli/hunt_panel.h"
#include "cli/interrupt.h"
#include "cli/live_evidence.h"
#include "cli/verb.h"
#include "hunt/parts.h"
#include "hunt/queue.h"

namespace dissensus::cli {

namespace {

struct CampaignVerbOptions {
  HuntSettings settings;
  std::vector<std::string> more;  ///< scenarios
  std::size_t runs = 1000;
  std::string store;
};

/// Without a password.
std::string shown_store(const CampaignVerbOptions& options) {
  return hunt::sql::is_url(options.store) ? hunt::sql::without_password(options.store)
                                          : options.store;
}

struct CampaignFinding {
  std::string signature;
  std::uint64_t count = 0, first_item = 0;
};
DISSENSUS_DESCRIBE(CampaignFinding, signature, count, first_item)

struct CampaignStability {
  std::uint64_t repeated = 0, equal = 0;
};
DISSENSUS_DESCRIBE(CampaignStability, repeated, equal)

struct CampaignAnswer {
  std::string store, search;
  std::uint64_t seed = 0, evaluations = 0, pass = 0, fail = 0, unknown = 0;
  double virtual_seconds = 0, wall_seconds = 0;
  CampaignStability stability;
  std::vector<CampaignFinding> findings;
  std::optional<std::string> resume;  ///< the command that goes on; without it, it is done
};
DISSENSUS_DESCRIBE(CampaignAnswer, store, search, seed, evaluations, pass, fail, unknown,
                   virtual_seconds, wall_seconds, stability, findings, resume)
const AnswerRegistration kCampaignAnswer = answers_with<CampaignAnswer>("campaign");

void print_json(const CampaignVerbOptions& options, const hunt::HuntResult& result,
                double wall_seconds, const std::string& resume) {
  const hunt::HuntProgress& progress = result.progress;
  CampaignAnswer answer;
  answer.store = shown_store(options);
  answer.search = options.settings.search;
  answer.seed = options.settings.seed;
  answer.evaluations = progress.runs;
  answer.pass = progress.runs - progress.failed - progress.unknown;
  answer.fail = progress.failed;
  answer.unknown = progress.unknown;
  answer.virtual_seconds = static_cast<double>(progress.virtual_time.count()) / 1e6;
  answer.wall_seconds = wall_seconds;
  answer.stability = {progress.repeated, progress.equal};
  for (const hunt::Finding& finding : progress.findings) {
    answer.findings.push_back({finding.signature, finding.count, finding.item});
  }
  if (!resume.empty()) answer.resume = resume;
  print_answer(options.settings.output, answer, "");
}

void print_table(const CampaignVerbOptions& options, const hunt::HuntResult& result,
                 double wall_seconds, const std::string& resume) {
  const hunt::HuntProgress& progress = result.progress;
  const auto row = [&progress](std::string_view name, std::uint64_t count) {
    const double share =
        progress.runs == 0 ? 0
                           : 100 * static_cast<double>(count) / static_cast<double>(progress.runs);
    fmt::print("  {:<44} {:>10} {:>7.2f} %\n", name, count, share);
  };
  fmt::print("{} runs ({:.1f} s of virtual time, {:.2f} s of wall time), {} made twice, {} equal\n",
             progress.runs, static_cast<double>(progress.virtual_time.count()) / 1e6, wall_seconds,
             progress.repeated, progress.equal);
  row("pass", progress.runs - progress.failed - progress.unknown);
  row("unknown", progress.unknown);
  row("fail", progress.failed);
  for (const hunt::Finding& finding : progress.findings)
    row("  " + finding.signature, finding.count);
  fmt::print("store     {}\n", shown_store(options));
  if (!resume.empty()) fmt::print("interrupted; resume: {}\n", resume);
}

std::string resume_command(const CampaignVerbOptions& options) {
  return fmt::format("{} campaign {} {} --runs {} --out {} --resume", program_invocation_name,
                     shell_word(options.settings.scenario), options.settings.command_words(),
                     options.runs, shell_word(shown_store(options)));
}

ExitCode run_campaign(CampaignVerbOptions options) {
  const HuntSettings& settings = options.settings;
  hunt::HuntOptions hunt_options = settings.to_options();
  hunt_options.budget.runs = options.runs;
  hunt_options.all = true;
  const Registry registry = settings.plugins.load();
  const run::Scenario scenario = settings.changes.load(settings.scenario, registry.systems);
  if (scenario.session.runs_per_start > 1) {
    throw InputError(scenario.path +
                     ": session.runs_per_start: the rows of a campaign are runs with a start of "
                     "their own");
  }
  settings.limit_jobs(scenario, hunt_options);
  hunt_options.plugins = settings.plugins.identities();
  const bool is_shared = hunt::sql::is_url(options.store);
  check_crew(is_shared, scenario, hunt_options);
  if (is_shared) hunt_options.window = hunt::kWideWindow;
  hunt::HuntParts parts = hunt::make_campaign_parts(scenario, registry, hunt_options);
  catch_interrupts();
  settings.try_without_faults(scenario);
  if (options.store.empty()) options.store = scenario.name + ".sqlite";
  if (settings.resume && !is_shared && !std::filesystem::exists(options.store)) {
    throw InputError(options.store + ": no such store to resume");
  }
  TerminalPatience patience;
  hunt::Store store(options.store, &patience);
  hunt::HuntRecord record = hunt::describe_hunt(scenario, hunt_options);
  name_servers(scenario, record);
  settings.resume ? store.resume(record) : store.begin(record);

  HuntPanel panel({panel_style(!settings.output.quiet && !settings.output.json), scenario.name,
                   parts.objective_names, "", &store},
                  hunt_options);
  std::uint64_t mismatches = 0;
  const hunt::HuntResult result = [&] {
    if (!is_shared) return hunt::hunt(scenario, parts, hunt_options, &panel, &store);
    hunt::WorkQueue queue(store.location(), patience);
    hunt::HuntResult shared = hunt_together(scenario, parts, hunt_options, registry, panel,
                                            patience, false, store, queue);
    mismatches = queue.mismatches(store.hunt());
    return shared;
  }();
  if (result.end != hunt::HuntEnd::stopped) store.finish();
  const double wall_seconds = panel.wall_seconds();
  panel.finish(result.progress);
  const std::string resume =
      result.end == hunt::HuntEnd::stopped ? resume_command(options) : std::string();
  if (settings.output.json && !settings.output.quiet) {
    print_json(options, result, wall_seconds, resume);
  } else if (!settings.output.quiet) {
    print_table(options, result, wall_seconds, resume);
  }
  if (!result.trouble.empty()) fmt::print(stderr, "dissensus: {}\n", result.trouble);
  if (tell_chance(scenario, result.progress, mismatches)) return kInternalFault;
  if (result.found()) return kViolation;
  if (!result.trouble.empty()) return exit_code_of_trouble(result.trouble);
  return result.progress.unknown > 0 || !resume.empty() ? kUnknown : kAllHeld;
}

/// One campaign after the other into one store; they share the runs evenly.
ExitCode run_campaigns(const CampaignVerbOptions& options) {
  if (options.more.empty()) return run_campaign(options);
  if (options.settings.resume) {
    throw InputError("--resume: one scenario at a time, found " +
                     std::to_string(options.more.size() + 1));
  }
  std::vector<std::string> scenarios{options.settings.scenario};
  scenarios.insert(scenarios.end(), options.more.begin(), options.more.end());
  // All are read before the first is run, so that no mistake is found late.
  const Registry registry = options.settings.plugins.load();
  for (const std::string& path : scenarios) {
    options.settings.changes.load(path, registry.systems);
  }
  ExitCode worst = kAllHeld;
  for (std::size_t i = 0; i < scenarios.size() && !is_interrupted(); ++i) {
    CampaignVerbOptions one = options;
    one.settings.scenario = scenarios[i];
    one.runs = options.runs / scenarios.size() + (i < options.runs % scenarios.size() ? 1 : 0);
    if (one.store.empty()) one.store = "campaign.sqlite";
    if (one.runs == 0) break;
    if (!options.settings.output.quiet && !options.settings.output.json)
      fmt::print("{}{}\n", i == 0 ? "" : "\n", scenarios[i]);
    const ExitCode code = run_campaign(one);
    // A violation is the news, an internal fault is worse.
    if (code == kInternalFault) return code;
    worst = worst == kViolation || code == kAllHeld ? worst : code;
  }
  return worst;
}

}  // namespace

Verb add_campaign_verb(CLI::App& program) {
  CLI::App* app =
      program.add_subcommand("campaign", "Make many runs of a scenario and keep all results");
  const auto options = std::make_shared<CampaignVerbOptions>();
  options->settings.search = hunt::kSampleSearch;
  options->settings.add_to(*app);
  app->add_option("more", options->more, "Further scenarios; all share the runs and the store");
  app->add_option("--runs", options->runs, "How many runs")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 40))
      ->capture_default_str();
  app->add_option(
      "--out", options->store,
      "Store: a file, or a PostgreSQL database whose workers share the runs; default: the "
      "scenario's name + .sqlite");
  app->footer(
      "Example:\n  dissensus campaign scenarios/xrpl/thesis.toml --runs 5000 --out thesis.sqlite");
  return {app, [options] { return run_campaigns(*options); }};
}

}  // namespace dissensus::cli
