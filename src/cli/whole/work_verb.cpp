// The verb work: a worker for the hunts of a shared store.
#include <chrono>

#include <fmt/format.h>

#include "cli/answer.h"
#include "cli/finding_folder.h"
#include "cli/fleet.h"
#include "cli/interrupt.h"
#include "cli/plugins.h"
#include "cli/verb.h"

namespace dissensus::cli {

namespace {

struct WorkVerbOptions {
  hunt::WorkOptions work;
  bool no_examine = false;
  PluginOptions plugins;
  OutputOptions output;
};

struct WorkAnswer {
  std::uint64_t batches = 0, runs = 0, wasted_batches = 0, mismatches = 0, examinations = 0;
  double busy_seconds = 0, wall_seconds = 0;
};
DISSENSUS_DESCRIBE(WorkAnswer, batches, runs, wasted_batches, mismatches, examinations,
                   busy_seconds, wall_seconds)
const AnswerRegistration kWorkAnswer = answers_with<WorkAnswer>("work");

ExitCode work(const WorkVerbOptions& options) {
  if (!hunt::sql::is_url(options.work.store)) {
    throw InputError(
        fmt::format("{}: expected the URL of a shared store, e.g. postgresql:///dissensus",
                    options.work.store));
  }
  const Registry registry = options.plugins.load();
  hunt::WorkOptions work_options = options.work;
  work_options.plugins = options.plugins.identities();
  if (!options.no_examine) work_options.examine = make_examiner(registry.systems);
  catch_interrupts();
  TerminalPatience patience;
  hunt::WorkProgress progress;
  const auto start = std::chrono::steady_clock::now();
  hunt::work(work_options, registry, patience, is_interrupted, print_notice, progress);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const WorkAnswer answer{progress.batches,
                          progress.runs,
                          progress.wasted,
                          progress.mismatches,
                          progress.examinations,
                          static_cast<double>(progress.busy_us) / 1e6,
                          seconds};
  print_answer(
      options.output, answer,
      fmt::format("{} runs in {} batches, {:.1f} s of wall time, busy for {:.0f} % of it\n",
                  answer.runs, answer.batches, seconds,
                  100 * answer.busy_seconds / (seconds * static_cast<double>(options.work.jobs))));
  return progress.mismatches > 0 ? kInternalFault : kAllHeld;
}

}  // namespace

Verb add_work_verb(CLI::App& program) {
  CLI::App* app = program.add_subcommand("work", "Make runs for the hunts of a shared store");
  const auto options = std::make_shared<WorkVerbOptions>();
  options->work.jobs = default_jobs();
  app->add_option("store", options->work.store, "URL, e.g. postgresql:///dissensus")->required();
  app->add_option("--jobs", options->work.jobs, "Threads")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app->add_option("--hunt", options->work.hunt, "Number of the hunt; default: all that are open")
      ->check(CLI::PositiveNumber);
  app->add_option("--lease", options->work.lease_seconds,
                  "Seconds without a sign of life after which others take over what we had")
      ->check(CLI::Range(1.0, 86'400.0))
      ->capture_default_str();
  app->add_option("--idle", options->work.idle_seconds,
                  "End after so many seconds without work; default: wait for more")
      ->check(CLI::NonNegativeNumber);
  app->add_option("--turn", options->work.turn_seconds,
                  "Hunts of islands: seconds between two exchanges with the others")
      ->check(CLI::Range(0.1, 3600.0))
      ->capture_default_str();
  app->add_flag("--no-examine", options->no_examine,
                "Leave it to others to shrink and measure findings");
  app->add_flag("--any-build", options->work.any_build,
                "Also hunts that another version of the program coordinates");
  options->plugins.add_to(*app);
  options->output.add_to(*app);
  app->footer("Example:\n  dissensus work postgresql:///dissensus --jobs 8");
  return {app, [options] { return work(*options); }};
}

}  // namespace dissensus::cli
