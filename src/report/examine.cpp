#include "report/examine.h"

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "dissensus/outside.h"

#include "core/file.h"
#include "diff/neighbour.h"
#include "run/run_folder.h"
#include "run/same_run.h"

namespace dissensus::report {

namespace {

constexpr std::size_t kShrinkBytesMax = 64 << 20;

/// Runs of real servers take seconds each, and so do runs that hang; after one that crashes there
/// is a new process to be made. The page then says less of other seeds and schedules.
bool is_costly(const run::Recipe& recipe, const oracle::Verdict& verdict) {
  const SystemTraits traits = recipe.scenario.system->traits();
  if (traits.outside) return true;
  if (verdict.violations.empty()) return false;
  const std::string& property = verdict.violations.front().property;
  return property == "hang" ||
         (traits.may_end_the_process && (property == "crash" || property == "memory"));
}

shrink::ShrinkResult shrink_run(const RecordedRun& found, const std::string& folder,
                                const ExamineOptions& options, const SystemRegistry& systems) {
  shrink::ShrinkOptions shrinking;
  shrinking.jobs = options.jobs;
  shrinking.runs_max = options.shrink_runs_max;
  shrinking.events_max = options.shrink_events_max;
  shrinking.all_violations = options.all_violations;
  shrinking.keep_going = options.keep_shrinking;
  shrinking.hash = found.trace.footer.hash;
  if (is_costly(found.recipe, found.verdict)) shrinking.seeds = 10;
  return shrink_in_folder(found.recipe, folder, shrinking, systems);
}

/// The smallest run that a folder has; nothing where it has none, or none that can be read.
std::optional<shrink::ShrinkResult> read_minimal(const std::string& folder,
                                                 const SystemRegistry& systems) {
  const std::string path = folder + "/shrink.json";
  std::error_code error;
  if (folder.empty() || !std::filesystem::exists(path, error)) return std::nullopt;
  try {
    shrink::ShrinkResult result = shrink::parse_result(read_file(path, kShrinkBytesMax), path);
    result.recipe = run::read_recipe(folder + "/minimal", systems);
    const oracle::Verdict verdict = run::read_verdict(folder + "/minimal");
    if (verdict.violations.empty()) return std::nullopt;
    result.violation = verdict.violations.front();
    return result;
  } catch (const InputError&) {
    return std::nullopt;  // cut off while it was written, or by hand: shrunk anew
  }
}

std::vector<shrink::LikelihoodPoint> measure(const RecordedRun& failing,
                                             shrink::Continuation continuation,
                                             const ExamineOptions& options) {
  shrink::LikelihoodOptions likelihood;
  likelihood.continuation = continuation;
  likelihood.jobs = options.jobs;
  likelihood.events_max = options.measure_events_max;
  likelihood.keep_going = options.keep_measuring;
  if (is_costly(failing.recipe, failing.verdict)) {
    likelihood.points = 5;
    likelihood.refinement = 0;
    likelihood.runs = 4;
  }
  return shrink::failure_likelihood(failing.recipe, likelihood);
}

/// What shrinking reached a moment ago.
RecordedRun record_minimal(const run::Recipe& recipe, const std::string& name, std::string replay) {
  RecordedRun run = record(recipe, std::move(replay));
  run::demand_same(recipe, run.trace.footer.hash, name);
  return run;
}

void explain(const ExamineOptions& options, Finding& finding) {
  const RecordedRun& run = finding.smallest();
  diff::NeighbourOptions search;
  search.events_max = options.measure_events_max;
  search.keep_going = options.keep_measuring;
  const auto neighbour = diff::nearest_passing(run.recipe, run.trace, search);
  if (!neighbour) return;
  finding.passing = neighbour->words;
  finding.difference = diff::compare(run.trace, run.verdict.violations.front(), neighbour->trace);
}

}  // namespace

Finding examine(const run::Recipe& recipe, const std::string& folder, const ExamineOptions& options,
                const SystemRegistry& systems) {
  const auto replay = [&options](const std::string& path) {
    return options.replay_command ? options.replay_command(path) : "dissensus replay " + path;
  };
  Finding finding;
  run::Recorded recorded = run::recorded_at(folder);
  if (folder.empty()) recorded.name = recipe.scenario.path;
  finding.found = record(recipe, replay(folder), recorded);
  finding.found.recipe.hash = finding.found.trace.footer.hash;
  if (finding.found.verdict.violations.empty()) {
    throw InputError(folder + ": this run does not fail; there is nothing to report");
  }
  if (recipe.branch) return finding;
  try {
    if (options.shrink) {
      shrink::ShrinkResult shrinking = shrink_run(finding.found, folder, options, systems);
      finding.minimal =
          record_minimal(shrinking.recipe, folder + "/minimal", replay(folder + "/minimal"));
      finding.shrinking = std::move(shrinking);
    }
    if (!recipe.scenario.system->traits().outside) explain(options, finding);
    const bool hangs = finding.smallest().verdict.violations.front().property == "hang";
    if (options.likelihood && !hangs) {
      const RecordedRun& smallest = finding.smallest();
      finding.other_schedules = measure(smallest, shrink::Continuation::schedule, options);
      finding.other_seeds = measure(smallest, shrink::Continuation::seed, options);
    }
  } catch (const OutsideError&) {
    // An interruption ends real servers in the middle of a run: the page says what is known by
    // then.
    if (!options.keep_measuring || options.keep_measuring()) throw;
  }
  return finding;
}

shrink::ShrinkResult shrink_in_folder(const run::Recipe& recipe, const std::string& folder,
                                      const shrink::ShrinkOptions& options,
                                      const SystemRegistry& systems) {
  if (const auto known = read_minimal(folder, systems)) {
    return shrink::shrink_further(recipe, *known, options, systems);
  }
  return shrink::shrink(recipe.scenario, recipe.schedule, recipe.seed, options, systems);
}

void write_minimal(const std::string& folder, const shrink::ShrinkResult& result) {
  const run::Recipe& minimal = result.recipe;
  make_folders(folder + "/minimal");
  write_file(folder + "/minimal.json",
             faults::to_json(minimal.schedule, minimal.scenario.system_description(),
                             minimal.scenario.nodes()));
  write_file(folder + "/shrink.json", shrink::to_json(result));
  // At last: real servers that are interrupted cannot be recorded, and what was reached is kept.
  const run::RunResult again = run::record_run(folder + "/minimal", minimal);
  run::demand_same(minimal, trace::to_hex(again.hash), folder + "/minimal");
}

void write_page(const std::string& folder, const Finding& finding) {
  write_file(folder + "/report.html", to_html(finding));
}

}  // namespace dissensus::report
