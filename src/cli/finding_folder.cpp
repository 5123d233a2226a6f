#include "cli/finding_folder.h"

#include <filesystem>

#include <errno.h>
#include <fmt/format.h>

#include "cli/interrupt.h"
#include "cli/live_evidence.h"
#include "cli/shrink_line.h"
#include "cli/verb.h"
#include "run/recording.h"

namespace dissensus::cli {

namespace {

// A whole hunt of the default scenario, report included, takes less than half a minute. Counted in
// events, so that the same hunt gives the same finding on every machine.
constexpr std::uint64_t kShrinkEvents = 60'000'000;
constexpr std::uint64_t kMeasureEvents = 20'000'000;
// Runs of real servers, and runs that hang, take seconds each, whatever they do in them; `dissensus
// shrink` goes on.
constexpr std::size_t kShrinkRunsOfServers = 40;

}  // namespace

FindingFolder record_finding(const run::Scenario& scenario, const hunt::Finding& finding,
                             const std::string& parent, const std::string& existing) {
  FindingFolder folder;
  folder.recipe.scenario = scenario;
  folder.recipe.schedule = finding.schedule;
  folder.recipe.seed = finding.seed;
  std::error_code error;
  const bool is_there = std::filesystem::exists(existing + "/run.json", error);
  folder.path = is_there ? existing : run::create_run_folder(parent, scenario.name);
  const run::RunOptions options = run::with_everything();
  if (finding.kept) {
    folder.result = *finding.kept;
    if (!is_there) run::write_run_folder(folder.path, folder.recipe, options, folder.result);
  } else if (!is_there) {
    folder.result = run::record_run(folder.path, folder.recipe);
  } else {
    run::Runner runner;
    folder.result = runner.run(scenario, folder.recipe.schedule, folder.recipe.seed, options);
  }
  return folder;
}

std::string reliability(const hunt::Finding& finding) {
  return reliability(finding.confirmed, finding.confirmations);
}

void write_live_page(const FindingFolder& folder, const hunt::Finding& finding,
                     const ExaminePlan& plan) {
  if (finding.confirmations > 0) {
    write_reliability(folder.path, finding.signature, finding.confirmed, finding.confirmations);
  }
  if (!plan.report) return;
  report::Finding page;
  page.found.recipe = folder.recipe;
  page.found.verdict = folder.result.verdict;
  page.found.trace = run::to_trace(folder.recipe, trace::Detail::everything, folder.result);
  page.found.replay = replay_command(folder.path, plan.replay_words);
  page.hunt = plan.hunt;
  // A hunt that goes on after an interruption knows of its findings what it wrote before.
  const std::string known = reliability_of(folder.path);
  page.hunt.emplace_back("reliability", known.empty() ? reliability(finding) : known);
  page.servers = servers_of(folder.path);
  report::write_page(folder.path, page);
}

void examine_finding(FindingFolder& folder, const ExaminePlan& plan,
                     const SystemRegistry& systems) {
  if (!plan.shrink && !plan.report) return;
  ShrinkLine line(plan.output);
  report::ExamineOptions options;
  options.shrink = plan.shrink;
  options.likelihood = plan.report;
  options.jobs = plan.jobs;
  options.replay_command = [&plan](const std::string& path) {
    return replay_command(path, plan.replay_words);
  };
  options.shrink_events_max = kShrinkEvents;
  const auto& violations = folder.result.verdict.violations;
  if (folder.recipe.scenario.system->traits().outside ||
      (!violations.empty() && violations.front().property == "hang")) {
    options.shrink_runs_max = kShrinkRunsOfServers;
  }
  options.measure_events_max = kMeasureEvents;
  options.keep_shrinking = [&line](const shrink::ShrinkProgress& progress) {
    line.update(progress);
    return !is_interrupted();
  };
  options.keep_measuring = [&line] {
    line.update_measuring();
    return !is_interrupted();
  };
  report::Finding finding = report::examine(folder.recipe, folder.path, options, systems);
  finding.hunt = plan.hunt;
  finding.servers = servers_of(folder.path);
  if (finding.shrinking) report::write_minimal(folder.path, *finding.shrinking);
  if (plan.report) report::write_page(folder.path, finding);
  folder.shrinking = std::move(finding.shrinking);
}

}  // namespace dissensus::cli
