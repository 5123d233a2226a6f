#include <fmt/format.h>

#include "cli/answer.h"
#include "cli/finding_folder.h"
#include "cli/interrupt.h"
#include "cli/live_evidence.h"
#include "cli/plugins.h"
#include "cli/shrink_line.h"
#include "cli/store_row.h"
#include "cli/verb.h"
#include "report/examine.h"
#include "run/run_folder.h"
#include "trace/trace_file.h"

namespace dissensus::cli {

namespace {

struct ReportVerbOptions {
  std::string folder;
  bool no_shrink = false;
  std::size_t jobs = default_jobs();
  PluginOptions plugins;
  OutputOptions output;
};

/// Real servers: the run as it was recorded.
report::Finding recorded_finding(const run::Recipe& recipe, const std::string& folder,
                                 const std::string& replay) {
  report::Finding finding;
  finding.found.recipe = recipe;
  finding.found.verdict = run::read_verdict(folder);
  if (finding.found.verdict.violations.empty()) {
    throw InputError(folder + ": this run does not fail; there is nothing to report");
  }
  finding.found.trace = trace::read_trace(folder + "/trace.jsonl.gz");
  finding.found.replay = replay;
  if (const std::string known = reliability_of(folder); !known.empty()) {
    finding.hunt.emplace_back("reliability", known);
  }
  return finding;
}

struct ReportAnswer {
  std::string violation, signature;
  bool shrunk = false;
  std::string report, replay;
  std::optional<std::string> reliability;  ///< of runs that do not repeat
};
DISSENSUS_DESCRIBE(ReportAnswer, violation, signature, shrunk, report, replay, reliability)
const AnswerRegistration kReportAnswer = answers_with<ReportAnswer>("report");

ExitCode report(ReportVerbOptions options) {
  const Registry registry = options.plugins.load();
  const auto known = options.no_shrink ? std::nullopt : examination_of_run(options.folder);
  options.folder = folder_of_run(options.folder, registry.systems);
  if (known) restore_minimal(options.folder, *known, registry.systems);
  const run::Recipe recipe = run::read_recipe(options.folder, registry.systems);
  const std::string words = replay_words_of(options.folder, options.plugins);
  catch_interrupts();  // the report is written with what has been worked out
  report::ExamineOptions examine;
  examine.shrink = !options.no_shrink;
  examine.likelihood = !known;
  examine.jobs = options.jobs;
  examine.replay_command = [&words](const std::string& folder) {
    return replay_command(folder, words);
  };
  std::optional<ShrinkLine> line(std::in_place, options.output);
  examine.keep_shrinking = [&line](const shrink::ShrinkProgress& progress) {
    line->update(progress);
    return !is_interrupted();
  };
  examine.keep_measuring = [&line] {
    line->update_measuring();
    return !is_interrupted();
  };
  report::Finding finding =
      recipe.scenario.system->traits().repeatable
          ? report::examine(recipe, options.folder, examine, registry.systems)
          : recorded_finding(recipe, options.folder, replay_command(options.folder, words));
  line.reset();
  if (known) restore_curves(*known, finding);
  finding.servers = servers_of(options.folder);
  const std::string reliability = reliability_of(options.folder);
  if (finding.shrinking) report::write_minimal(options.folder, *finding.shrinking);
  report::write_page(options.folder, finding);
  const std::string page = options.folder + "/report.html";
  const auto& violations = finding.smallest().verdict.violations;
  ReportAnswer answer{violations.front().text,       violations.front().signature(),
                      finding.shrinking.has_value(), page,
                      finding.smallest().replay,     {}};
  if (!reliability.empty()) answer.reliability = reliability;
  print_answer(options.output, answer,
               fmt::format("{}\n{}{}report: {}\nreplay: {}\n", answer.violation, reliability,
                           reliability.empty() ? "" : "\n", page, answer.replay));
  if (is_interrupted()) {
    fmt::print(stderr, "dissensus: interrupted: the page has what was worked out until then\n");
    return kUnknown;
  }
  return kAllHeld;
}

}  // namespace

Verb add_report_verb(CLI::App& program) {
  CLI::App* app = program.add_subcommand(
      "report", "Explain a failing run on one page: report.html in its folder");
  const auto options = std::make_shared<ReportVerbOptions>();
  app->add_option("folder", options->folder,
                  "Folder of a failing run, or row of a store (hunt.sqlite#17, "
                  "postgresql:///dissensus#2/17)")
      ->required();
  app->add_flag("--no-shrink", options->no_shrink, "Explain the run as it is");
  app->add_option("--jobs", options->jobs, "Threads; the result is the same with any number")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  options->plugins.add_to(*app);
  options->output.add_to(*app);
  app->footer("Example:\n  dissensus report runs/latest");
  return {app, [options] { return report(*options); }};
}

}  // namespace dissensus::cli
