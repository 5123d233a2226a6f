#include "cli/finding_folder.h"

#include <filesystem>

#include <errno.h>
#include <fmt/format.h>

#include "cli/interrupt.h"
#include "cli/live_evidence.h"
#include "cli/shrink_line.h"
#include "cli/verb.h"
#include "core/file.h"
#include "run/recording.h"
#include "run/same_run.h"
#include "run/session_runs.h"

namespace dissensus::cli {

namespace {

// A whole hunt of the default scenario, report included, takes less than half a minute. Counted in
// events, so that the same hunt gives the same finding on every machine.
constexpr std::uint64_t kShrinkEvents = 60'000'000;
constexpr std::uint64_t kMeasureEvents = 20'000'000;
// Runs of real servers, and runs that hang, take seconds each, whatever they do in them; `dissensus
// shrink` goes on.
constexpr std::size_t kShrinkRunsOfServers = 40;

/// A folder that was made for it does not keep another run than the one that was found.
void demand_found(const FindingFolder& folder, bool was_there) {
  try {
    run::demand_same(folder.recipe, trace::to_hex(folder.result.hash), folder.path);
  } catch (const run::NotDeterministic&) {
    std::error_code ignored;
    if (!was_there) std::filesystem::remove_all(folder.path, ignored);
    throw;
  }
}

}  // namespace

FindingFolder record_finding(const run::Scenario& scenario, const hunt::Finding& finding,
                             const SystemRegistry& systems, const std::string& parent,
                             const std::string& existing) {
  FindingFolder folder;
  folder.recipe.scenario =
      finding.earlier.empty() ? scenario : run::with_earlier(scenario, finding.earlier, systems);
  folder.recipe.schedule = finding.schedule;
  folder.recipe.seed = finding.seed;
  folder.recipe.hash = trace::to_hex(finding.hash);
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
    folder.result =
        runner.run(folder.recipe.scenario, folder.recipe.schedule, folder.recipe.seed, options);
  }
  const bool is_exact = !finding.kept && finding.reproduced && finding.earlier.empty();
  if (!is_exact) {
    folder.recipe.hash = trace::to_hex(folder.result.hash);
  } else {
    demand_found(folder, is_there);
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

namespace {

/// The limits of work, which are the same on every machine.
report::ExamineOptions limited(const run::Recipe& recipe, const oracle::Verdict& verdict) {
  report::ExamineOptions options;
  options.shrink_events_max = kShrinkEvents;
  options.measure_events_max = kMeasureEvents;
  if (recipe.scenario.system->traits().outside ||
      (!verdict.violations.empty() && verdict.violations.front().property == "hang")) {
    options.shrink_runs_max = kShrinkRunsOfServers;
  }
  return options;
}

}  // namespace

void examine_finding(FindingFolder& folder, const ExaminePlan& plan, const SystemRegistry& systems,
                     const hunt::ExaminationResult* known) {
  if (!plan.shrink && !plan.report) return;
  ShrinkLine line(plan.output);
  report::ExamineOptions options = limited(folder.recipe, folder.result.verdict);
  options.shrink = plan.shrink;
  options.likelihood = plan.report && known == nullptr;
  options.jobs = plan.jobs;
  options.replay_command = [&plan](const std::string& path) {
    return replay_command(path, plan.replay_words);
  };
  options.keep_shrinking = [&line](const shrink::ShrinkProgress& progress) {
    line.update(progress);
    return !is_interrupted();
  };
  options.keep_measuring = [&line] {
    line.update_measuring();
    return !is_interrupted();
  };
  if (known != nullptr) restore_minimal(folder.path, *known, systems);
  report::Finding finding = report::examine(folder.recipe, folder.path, options, systems);
  if (known != nullptr) restore_curves(*known, finding);
  finding.hunt = plan.hunt;
  finding.servers = servers_of(folder.path);
  if (finding.shrinking) report::write_minimal(folder.path, *finding.shrinking);
  if (plan.report) report::write_page(folder.path, finding);
  folder.shrinking = std::move(finding.shrinking);
}

namespace {

using Json = nlohmann::ordered_json;

Json to_json(const std::vector<shrink::LikelihoodPoint>& curve) {
  Json json = Json::array();
  for (const shrink::LikelihoodPoint& point : curve) {
    json.push_back({(point.time - Time{}).count(), point.event, point.runs, point.failing,
                    point.low, point.high});
  }
  return json;
}

/// Written by whoever can write to the store: numbers that a chart can show, and not too many.
std::vector<shrink::LikelihoodPoint> parse_curve(const Json& json) {
  constexpr std::size_t kMost = 1000;
  std::vector<shrink::LikelihoodPoint> curve;
  for (const Json& numbers : json) {
    shrink::LikelihoodPoint point;
    point.time = Time{} + Duration(numbers.at(0).get<std::int64_t>());
    point.event = numbers.at(1);
    point.runs = numbers.at(2);
    point.failing = numbers.at(3);
    point.low = numbers.at(4);
    point.high = numbers.at(5);
    const bool is_share = point.low >= 0 && point.high <= 1 && point.low <= point.high;
    if (point.time < Time{} || point.failing > point.runs || !is_share || curve.size() >= kMost ||
        (!curve.empty() && point.time < curve.back().time)) {
      throw InputError("the curves of an examination are damaged");
    }
    curve.push_back(point);
  }
  return curve;
}

}  // namespace

hunt::Examiner make_examiner(const SystemRegistry& systems) {
  return [&systems](const run::Recipe& recipe, const std::function<bool()>& keep_going) {
    run::Runner runner;
    report::ExamineOptions options =
        limited(recipe, runner.run(recipe.scenario, recipe.schedule, recipe.seed).verdict);
    options.keep_shrinking = [&keep_going](const shrink::ShrinkProgress&) { return keep_going(); };
    options.keep_measuring = keep_going;
    const report::Finding finding = report::examine(recipe, std::string(), options, systems);
    hunt::ExaminationResult result;
    if (!finding.shrinking) return result;
    const run::Recipe& minimal = finding.shrinking->recipe;
    result.scenario = minimal.scenario.text;
    result.schedule = faults::to_json(minimal.schedule, minimal.scenario.system_description(),
                                      minimal.scenario.nodes());
    result.seed = minimal.seed;
    result.shrink = shrink::to_json(*finding.shrinking);
    result.curves = Json{{"other_schedules", to_json(finding.other_schedules)},
                         {"other_seeds", to_json(finding.other_seeds)}}
                        .dump();
    return result;
  };
}

void restore_minimal(const std::string& folder, const hunt::ExaminationResult& known,
                     const SystemRegistry& systems) {
  run::Recipe minimal;
  const std::string name = folder + ": the minimal run of the store";
  minimal.scenario = run::parse_scenario(known.scenario, name, systems);
  minimal.schedule = faults::parse_schedule(
      known.schedule, name, minimal.scenario.system_description(), minimal.scenario.nodes());
  minimal.seed = known.seed;
  shrink::parse_result(known.shrink, name);
  make_folders(folder + "/minimal");
  write_file(folder + "/shrink.json", known.shrink);
  run::record_run(folder + "/minimal", minimal);
}

void restore_curves(const hunt::ExaminationResult& known, report::Finding& finding) {
  try {
    const Json json = Json::parse(known.curves);
    finding.other_schedules = parse_curve(json.at("other_schedules"));
    finding.other_seeds = parse_curve(json.at("other_seeds"));
  } catch (const Json::exception&) {
    throw InputError("the curves of an examination are damaged");
  }
}

}  // namespace dissensus::cli
