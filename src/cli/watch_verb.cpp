// The verb watch: how the hunts of a store are doing.
#include <chrono>
#include <map>
#include <thread>

#include <fmt/format.h>

#include "cli/answer.h"
#include "cli/fleet.h"
#include "cli/interrupt.h"
#include "cli/verb.h"
#include "hunt/queue.h"
#include "hunt/summary.h"

namespace dissensus::cli {

namespace {

struct WatchOptions {
  std::string store;
  double every = 2;
  bool once = false;
  bool all = false;
  OutputOptions output;
};

/// Text of a store may hold anything; a terminal is not to obey it.
std::string printable(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    result += code < 0x20 || code == 0x7F ? '?' : letter;
  }
  return result;
}

struct WatchedBatches {
  std::uint64_t waiting = 0;
  std::uint64_t leased = 0;
  std::uint64_t done = 0;
};
DISSENSUS_DESCRIBE(WatchedBatches, waiting, leased, done)

struct WatchedFinding {
  std::string signature;
  std::uint64_t count = 0;
  std::uint64_t first_item = 0;
  bool examined = false;
  std::int64_t first_seen = 0;
  std::int64_t last_seen = 0;
};
DISSENSUS_DESCRIBE(WatchedFinding, signature, count, first_item, examined, first_seen, last_seen)

struct WatchedHunt {
  std::int64_t hunt = 0;
  std::string scenario;
  std::string program;
  bool finished = false;
  bool islands = false;
  std::uint64_t runs = 0;
  std::uint64_t items = 0;
  std::uint64_t failed = 0;
  std::uint64_t unknown = 0;
  double virtual_seconds = 0;
  std::uint64_t mismatches = 0;
  WatchedBatches batches;
  std::uint64_t workers = 0;
  std::vector<WatchedFinding> findings;
};
DISSENSUS_DESCRIBE(WatchedHunt, hunt, scenario, program, finished, islands, runs, items, failed,
                   unknown, virtual_seconds, mismatches, batches, workers, findings)
const AnswerRegistration kWatchAnswer = answers_with<std::vector<WatchedHunt>>("watch");

WatchedHunt answer_of(const hunt::HuntSummary& hunt) {
  WatchedHunt answer;
  answer.hunt = hunt.record.id;
  answer.scenario = hunt.record.scenario_name;
  answer.program = hunt.record.program;
  answer.finished = hunt.record.finished;
  answer.islands = hunt.record.islands;
  answer.runs = hunt.totals.runs();
  answer.items = hunt.totals.items;
  answer.failed = hunt.totals.failed;
  answer.unknown = hunt.totals.unknown;
  answer.virtual_seconds = static_cast<double>(hunt.totals.virtual_time.count()) / 1e6;
  answer.mismatches = hunt.totals.mismatches;
  answer.batches = {hunt.queue.waiting, hunt.queue.leased, hunt.queue.done};
  answer.workers = hunt.queue.workers;
  for (const hunt::FindingRecord& finding : hunt.findings) {
    answer.findings.push_back({finding.signature, finding.count, finding.first_item,
                               finding.examined == hunt::Examined::done, finding.first_seen,
                               finding.last_seen});
  }
  return answer;
}

void print(const hunt::HuntSummary& hunt, double rate) {
  fmt::print("hunt {} {}: {} runs{}, {} failed, {} unknown", hunt.record.id,
             printable(hunt.record.scenario_name), hunt.totals.runs(),
             rate > 0 ? fmt::format(" ({:.0f}/s)", rate) : std::string(), hunt.totals.failed,
             hunt.totals.unknown);
  if (hunt.record.finished) {
    fmt::print("; finished\n");
  } else {
    fmt::print("; {} workers, batches: {} leased, {} waiting, {} done\n", hunt.queue.workers,
               hunt.queue.leased, hunt.queue.waiting, hunt.queue.done);
  }
  if (hunt.totals.mismatches > 0) {
    fmt::print("  NOT DETERMINISTIC: {} runs gave different hashes on different workers\n",
               hunt.totals.mismatches);
  }
  for (const hunt::FindingRecord& finding : hunt.findings) {
    fmt::print("  {} x {}, first in run {}\n", finding.count, printable(finding.signature),
               finding.first_item + 1);
  }
}

ExitCode watch(const WatchOptions& options) {
  catch_interrupts();
  TerminalPatience patience;
  std::map<std::int64_t, std::uint64_t> before;
  for (;;) {
    const std::vector<hunt::HuntSummary> hunts =
        hunt::summarize_store(options.store, options.all, patience);
    std::vector<WatchedHunt> answer;
    bool is_open = false;
    for (const hunt::HuntSummary& hunt : hunts) {
      const auto last = before.find(hunt.record.id);
      const double rate =
          last == before.end()
              ? 0
              : static_cast<double>(hunt.totals.runs() - last->second) / options.every;
      before[hunt.record.id] = hunt.totals.runs();
      is_open = is_open || !hunt.record.finished;
      if (options.output.json) {
        answer.push_back(answer_of(hunt));
      } else if (!options.output.quiet) {
        print(hunt, rate);
      }
    }
    if (options.output.json)
      fmt::print("{}\n", dissensus::json_of(answer).dump(options.once ? 2 : -1));
    if (hunts.empty() && !options.output.quiet && !options.output.json)
      fmt::print("no hunt is open; --all shows those that have finished, too\n");
    std::fflush(stdout);
    if (options.once || !is_open || is_interrupted()) return kAllHeld;
    const auto end =
        std::chrono::steady_clock::now() + std::chrono::duration<double>(options.every);
    while (!is_interrupted() && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }
}

}  // namespace

Verb add_watch_verb(CLI::App& program) {
  CLI::App* app = program.add_subcommand("watch", "Show how the hunts of a store are doing");
  const auto options = std::make_shared<WatchOptions>();
  app->add_option("store", options->store, "URL or SQLite file")->required();
  app->add_option("--every", options->every, "Seconds between two looks")
      ->check(CLI::Range(0.1, 3600.0))
      ->capture_default_str();
  app->add_flag("--once", options->once, "Look once");
  app->add_flag("--all", options->all, "Hunts that have finished, too");
  options->output.add_to(*app);
  app->footer("Example:\n  dissensus watch postgresql:///dissensus");
  return {app, [options] { return watch(*options); }};
}

}  // namespace dissensus::cli
