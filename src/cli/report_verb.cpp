#include <atomic>
#include <cerrno>
#include <csignal>

#include <fmt/format.h>

#include "cli/verb.h"
#include "report/examine.h"
#include "run/run_folder.h"
#include "systems/built_in/built_in.h"
#include "trace/trace_file.h"

namespace dissensus::cli {

namespace {

struct ReportVerbOptions {
  std::string folder;
  bool no_shrink = false;
  std::size_t jobs = default_jobs();
};

// Set by Ctrl-C: the report is written with what has been worked out.
std::atomic<bool> interrupted{false};

/// Real servers: the run as it was recorded.
report::Finding recorded_finding(const run::Recipe& recipe, const std::string& folder) {
  report::Finding finding;
  finding.found.recipe = recipe;
  finding.found.verdict = run::read_verdict(folder);
  if (finding.found.verdict.violations.empty()) {
    throw InputError(folder + ": this run does not fail; there is nothing to report");
  }
  finding.found.trace = trace::read_trace(folder + "/trace.jsonl.gz");
  finding.found.replay = replay_command(folder);
  return finding;
}

ExitCode report(const ReportVerbOptions& options) {
  const run::Recipe recipe = run::read_recipe(options.folder, built_in_systems());
  std::signal(SIGINT, [](int) { interrupted = true; });
  report::ExamineOptions examine;
  examine.shrink = !options.no_shrink;
  examine.jobs = options.jobs;
  examine.program = program_invocation_name;
  examine.keep_shrinking = [](const shrink::ShrinkProgress&) { return !interrupted; };
  examine.keep_measuring = [] { return !interrupted.load(); };
  const report::Finding finding =
      recipe.scenario.system->traits().repeatable
          ? report::examine(recipe, options.folder, examine, built_in_systems())
          : recorded_finding(recipe, options.folder);
  if (finding.shrinking) report::write_minimal(options.folder, *finding.shrinking);
  report::write_page(options.folder, finding);
  fmt::print("{}\n", finding.smallest().verdict.violations.front().text);
  fmt::print("report: {}/report.html\nreplay: {}\n", options.folder, finding.smallest().replay);
  return kViolation;
}

}  // namespace

Verb add_report_verb(CLI::App& program) {
  CLI::App* app = program.add_subcommand(
      "report", "Explain a failing run on one page: report.html in its folder");
  const auto options = std::make_shared<ReportVerbOptions>();
  app->add_option("folder", options->folder, "Folder of a failing run")
      ->required()
      ->check(CLI::ExistingDirectory);
  app->add_flag("--no-shrink", options->no_shrink, "Explain the run as it is");
  app->add_option("--jobs", options->jobs, "Threads; the result is the same with any number")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app->footer("Example:\n  dissensus report runs/latest");
  return {app, [options] { return report(*options); }};
}

}  // namespace dissensus::cli
