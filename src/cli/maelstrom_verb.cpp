// dissensus maelstrom test: Maelstrom's command line, answered by a hunt in virtual time.
#include <algorithm>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "cli/maelstrom_scenario.h"
#include "cli/verb.h"
#include "core/file.h"
#include "history/isolation.h"

namespace dissensus::cli {

namespace {

constexpr const char* kOurs = "Of the hunt";
constexpr std::string_view kDefaultRuns = "25runs";

struct MaelstromOptions {
  MaelstromTest test;
  std::size_t test_count = 0;
  std::string budget;
  std::string out = "runs";
  std::uint64_t seed = 1;
  std::size_t jobs = 0;
  bool all = false;
  bool no_shrink = false;
  bool no_report = false;
  bool logs = false;  ///< wanted or not, they are kept
  OutputOptions output;
};

/// The words of the hunt that the scenario in `path` is made for.
std::vector<std::string> hunt_words(const MaelstromOptions& options, const std::string& path) {
  std::string budget = options.budget;
  if (budget.empty()) {
    budget = options.test_count == 0 ? std::string(kDefaultRuns)
                                     : fmt::format("{}runs", options.test_count);
  }
  std::vector<std::string> words{
      path, "--budget", budget, "--seed", std::to_string(options.seed), "--out", options.out};
  if (options.jobs > 0) words.insert(words.end(), {"--jobs", std::to_string(options.jobs)});
  if (options.all) words.emplace_back("--all");
  if (options.no_shrink) words.emplace_back("--no-shrink");
  if (options.no_report) words.emplace_back("--no-report");
  if (options.output.json) words.emplace_back("--json");
  if (options.output.quiet) words.emplace_back("--quiet");
  return words;
}

ExitCode hunt(std::vector<std::string> words) {
  CLI::App program;
  const Verb verb = add_hunt_verb(program);
  words.insert(words.begin(), "hunt");
  std::reverse(words.begin(), words.end());  // as CLI11 wants them
  program.parse(std::move(words));
  return verb.execute();
}

ExitCode test(const MaelstromOptions& options) {
  const std::string text = scenario_of(options.test);
  make_folders(options.out);
  const std::string path = fmt::format("{}/maelstrom-{}.toml", options.out, options.test.workload);
  write_file(path, text);
  if (!options.output.json && !options.output.quiet) fmt::print("scenario  {}\n", path);
  return hunt(hunt_words(options, path));
}

void add_ours(CLI::App& part, MaelstromOptions& options) {
  part.add_option("--budget", options.budget,
                  fmt::format("How much to try: 100runs, 1h-virtual or 30s; default: "
                              "--test-count, or {}",
                              kDefaultRuns))
      ->group(kOurs);
  part.add_option("--seed", options.seed, "Of the hunt: the same one gives the same runs")
      ->group(kOurs)
      ->capture_default_str();
  part.add_option("--jobs", options.jobs, "Worker processes; default: one per core")
      ->group(kOurs)
      ->check(CLI::PositiveNumber);
  part.add_option("--max-delay", options.test.delay,
                  "By how much messages are delayed beside their latency, at most")
      ->group(kOurs)
      ->capture_default_str();
  part.add_option("--visible", options.test.visible,
                  "Files and folders that nodes read, beside the program's own folder and /usr")
      ->group(kOurs);
  part.add_option("--out", options.out, "Where scenario, hunt and findings are written")
      ->group(kOurs)
      ->capture_default_str();
  part.add_flag("--all", options.all, "One finding per kind, instead of the first")->group(kOurs);
  part.add_flag("--no-shrink", options.no_shrink, "Keep what was found as it was")->group(kOurs);
  part.add_flag("--no-report", options.no_report, "Draw no page of what was found")->group(kOurs);
  options.output.add_to(part);
}

void add_load(CLI::App& part, MaelstromTest& test) {
  part.add_option("--node-count", test.nodes, "How many nodes")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  part.add_option("--concurrency", test.concurrency, "How many clients: 10, or 4n for 4 per node")
      ->capture_default_str();
  part.add_option("--time-limit", test.seconds,
                  "Seconds (of virtual time) in which clients ask; final reads come 10 s later")
      ->capture_default_str();
  part.add_option("--rate", test.rate, "Questions per second, of all clients together")
      ->capture_default_str();
  part.add_option("--key-count", test.keys, "How many keys are used")->check(CLI::PositiveNumber);
  part.add_option("--max-txn-length", test.operations, "Operations of a transaction, at most")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  part.add_option("--topology", test.topology, "Of broadcast: which nodes are neighbours")
      ->check(CLI::IsMember({"grid", "line", "total"}))
      ->capture_default_str();
}

void add_network(CLI::App& part, MaelstromTest& test) {
  part.add_option("--latency", test.latency_ms, "Of messages: milliseconds, on average")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  part.add_option("--latency-dist", test.latency_distribution, "How latencies are distributed")
      ->check(CLI::IsMember({"constant", "uniform", "exponential"}))
      ->capture_default_str();
  part.add_option("--nemesis", test.nemesis, "Faults beside late messages")
      ->delimiter(',')
      ->check(CLI::IsMember({"partition"}));
  part.add_option("--nemesis-interval", test.nemesis_seconds,
                  "Seconds between its steps, on average")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
}

void add_demands(CLI::App& part, MaelstromTest& test) {
  part.add_option("--availability", test.availability,
                  "Share of questions that must succeed: total, or a number from 0 to 1");
  part.add_option("--consistency-models", test.consistency,
                  "What transactions promise (one level; dissensus history check --help)")
      ->check(CLI::IsMember(history::isolation_names()))
      ->capture_default_str();
}

/// Nothing is accepted that would do nothing.
void refuse_idle_options(const CLI::App& part, const MaelstromTest& test) {
  const bool has_transactions = test.workload.starts_with("txn-");
  const bool has_keys = has_transactions || test.workload == "lin-kv" || test.workload == "kafka";
  struct Use {
    const char* option;
    bool is_used;
    const char* where;
  };
  const Use uses[] = {
      {"--key-count", has_keys, "kafka, lin-kv, txn-list-append and txn-rw-register"},
      {"--max-txn-length", has_transactions, "txn-list-append and txn-rw-register"},
      {"--consistency-models", has_transactions, "txn-list-append and txn-rw-register"},
      {"--topology", test.workload == "broadcast", "broadcast"}};
  for (const Use& use : uses) {
    if (use.is_used || part.count(use.option) == 0) continue;
    throw InputError(
        fmt::format("{}: means nothing to {}; it is for {}", use.option, test.workload, use.where));
  }
  if (test.nemesis.empty() && part.count("--nemesis-interval") > 0) {
    throw InputError("--nemesis-interval: without --nemesis there is nothing to begin or end");
  }
}

Verb add_test(CLI::App& app) {
  const auto options = std::make_shared<MaelstromOptions>();
  CLI::App* const part = app.add_subcommand("test", "Test a node's program");
  part->add_option("-w,--workload", options->test.workload, "What clients ask")
      ->check(CLI::IsMember(maelstrom_workloads()))
      ->capture_default_str();
  part->add_option("--bin", options->test.bin, "The program of a node")
      ->required()
      ->check(CLI::ExistingFile);
  part->add_option("arguments", options->test.arguments, "The program's, after --");
  add_load(*part, options->test);
  add_network(*part, options->test);
  add_demands(*part, options->test);
  part->add_option("--test-count", options->test_count, "How many runs, each with other delays")
      ->check(CLI::PositiveNumber);
  part->add_flag("--log-stderr,--log-net-send,--log-net-recv", options->logs,
                 "Done in any case: nodes/*.log and the trace of a run folder");
  add_ours(*part, *options);
  part->footer(
      "Example:\n  dissensus maelstrom test -w lin-kv --bin ./node --node-count 3 --time-limit 20 "
      "--nemesis partition");
  return {part, [part, options] {
            refuse_idle_options(*part, options->test);
            return test(*options);
          }};
}

}  // namespace

Verb add_maelstrom_verb(CLI::App& program) {
  CLI::App* const app = program.add_subcommand(
      "maelstrom", "Test nodes written for Maelstrom, in virtual time, by its own options");
  app->require_subcommand(0, 1);
  app->allow_extras();
  const std::vector<Verb> parts{add_test(*app)};
  app->footer(
      "Example:\n  dissensus maelstrom test -w echo --bin ./node --node-count 1 --time-limit 10");
  return {app, [app, parts] { return run_part(*app, parts); }};
}

}  // namespace dissensus::cli
