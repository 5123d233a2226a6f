#include "report/examine.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "core/file.h"
#include "run/run_folder.h"

namespace dissensus::report {

namespace {

shrink::ShrinkResult shrink_run(const run::Recipe& recipe, const ExamineOptions& options,
                                const SystemRegistry& systems) {
  shrink::ShrinkOptions shrinking;
  shrinking.jobs = options.jobs;
  shrinking.runs_max = options.shrink_runs_max;
  shrinking.all_violations = options.all_violations;
  shrinking.keep_going = options.keep_shrinking;
  return shrink::shrink(recipe.scenario, recipe.schedule, recipe.seed, shrinking, systems);
}

std::vector<shrink::LikelihoodPoint> measure(const run::Recipe& recipe,
                                             shrink::Continuation continuation,
                                             const ExamineOptions& options) {
  shrink::LikelihoodOptions likelihood;
  likelihood.continuation = continuation;
  likelihood.jobs = options.jobs;
  likelihood.keep_going = options.keep_measuring;
  return shrink::failure_likelihood(recipe, likelihood);
}

}  // namespace

Finding examine(const run::Recipe& recipe, const std::string& folder, const ExamineOptions& options,
                const SystemRegistry& systems) {
  const auto replay = [&options](const std::string& path) {
    return options.replay_command ? options.replay_command(path) : "dissensus replay " + path;
  };
  Finding finding;
  finding.found = record(recipe, replay(folder));
  if (finding.found.verdict.violations.empty()) {
    throw InputError(folder + ": this run does not fail; there is nothing to report");
  }
  if (recipe.branch) return finding;
  if (options.shrink) {
    finding.shrinking = shrink_run(recipe, options, systems);
    finding.minimal = record(finding.shrinking->recipe, replay(folder + "/minimal"));
  }
  if (options.likelihood) {
    const run::Recipe& smallest = finding.smallest().recipe;
    finding.other_schedules = measure(smallest, shrink::Continuation::schedule, options);
    finding.other_seeds = measure(smallest, shrink::Continuation::seed, options);
  }
  return finding;
}

void write_minimal(const std::string& folder, const shrink::ShrinkResult& result) {
  const run::Recipe& minimal = result.recipe;
  std::error_code error;
  std::filesystem::create_directories(folder + "/minimal", error);
  if (error) {
    throw InputError(fmt::format("{}/minimal: cannot be created: {}", folder, error.message()));
  }
  run::record_run(folder + "/minimal", minimal);
  write_file(folder + "/minimal.json",
             faults::to_json(minimal.schedule, minimal.scenario.system_description(),
                             minimal.scenario.nodes()));
  write_file(folder + "/shrink.json", shrink::to_json(result));
}

void write_page(const std::string& folder, const Finding& finding) {
  write_file(folder + "/report.html", to_html(finding));
}

}  // namespace dissensus::report
