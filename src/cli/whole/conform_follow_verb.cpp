// Logs of running nodes against a model (docs/guides/validation.md).
#include <chrono>
#include <memory>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/interrupt.h"
#include "cli/plugins.h"
#include "cli/whole/conform_parts.h"
#include "conform/follow.h"
#include "conform/log_reader.h"

namespace dissensus::cli {
namespace {

using Json = nlohmann::ordered_json;
using conform::FollowReport;

struct FollowVerb {
  std::string mapping;
  std::vector<std::string> logs;
  bool follows = false;
  double idle_seconds = 0;
  double every_seconds = 0;
  double skew_seconds = -1;
  conform::FollowOptions options;
  ScenarioChanges changes;
  std::vector<std::string> constants;
  PluginOptions plugins;
  OutputOptions output;
};

Json refusal_json(const conform::LogRefusal& refusal) {
  Json guards = Json::array();
  for (const conform::RefusingGuard& guard : refusal.violation.guards) {
    Json operands = Json::object();
    for (const auto& [expression, value] : guard.operands) operands[expression] = value;
    guards.push_back({{"at", guard.at}, {"text", guard.text}, {"operands", operands}});
  }
  Json differences = Json::array();
  for (const conform::ViewDifference& difference : refusal.violation.differences) {
    differences.push_back({{"view", difference.view},
                           {"model", difference.model},
                           {"implementation", difference.implementation}});
  }
  Json state = Json::object();
  for (const auto& [variable, value] : refusal.state) state[variable] = value;
  return {{"log", refusal.log},
          {"line", refusal.line},
          {"node", refusal.node},
          {"text", refusal.text},
          {"step", refusal.violation.step},
          {"action", refusal.violation.action},
          {"message", refusal.violation.message},
          {"guards", guards},
          {"differences", differences},
          {"instead", refusal.violation.enabled},
          {"others", refusal.others},
          {"state", state}};
}

Json report_json(const FollowReport& report) {
  Json json{{"result", conform::to_string(report.result)},
            {"not_covered", report.not_covered},
            {"nodes", report.nodes},
            {"lines", report.lines},
            {"steps", report.steps},
            {"waiting", report.waiting},
            {"sends", report.sends},
            {"receives", report.receives},
            {"lone_receives", report.lone_receives},
            {"most_readings", report.most_readings},
            {"model_steps", report.model_steps},
            {"checked_pairs", report.checked_pairs},
            {"events_never_seen", report.coverage.events_never_seen},
            {"actions_never_seen", report.coverage.actions_never_seen}};
  if (report.refusal) json["refusal"] = refusal_json(*report.refusal);
  return json;
}

void print_refusal(const conform::LogRefusal& refusal) {
  fmt::print("{}:{}: {}\n", refusal.log, refusal.line, refusal.text);
  fmt::print("{}", conform::to_text(refusal.violation));
  if (!refusal.others.empty()) {
    fmt::print("  lines that could not come next either: {}\n", fmt::join(refusal.others, ", "));
  }
  fmt::print("  the model's state before it:\n");
  for (const auto& [variable, value] : refusal.state) {
    fmt::print("    {} = {}\n", variable, value);
  }
}

void print_report(const FollowReport& report) {
  if (report.refusal) print_refusal(*report.refusal);
  switch (report.result) {
    case FollowReport::Result::conforms:
      fmt::print("conforms: the model admits what the logs say, so far\n");
      break;
    case FollowReport::Result::violation:
      fmt::print("violation: no order that causality allows is one of the model\n");
      break;
    case FollowReport::Result::unknown:
      fmt::print("unknown\n");
      break;
  }
  fmt::print(
      "{} steps in {} lines of {} nodes, {} messages sent, {} received; at most {} readings "
      "at once\n",
      report.steps, report.lines, report.nodes, report.sends, report.receives,
      report.most_readings);
  for (const std::string& gap : report.not_covered) fmt::print("not covered: {}\n", gap);
  const conform::BoundMapping::Coverage& coverage = report.coverage;
  if (!coverage.events_never_seen.empty()) {
    fmt::print("events of the mapping that never happened: {}\n",
               fmt::join(coverage.events_never_seen, ", "));
  }
}

/// The loop: reads what is there, judges it, and waits a moment where nothing is.
class Following {
 public:
  Following(FollowVerb& verb, conform::Follower& follower) : verb_(verb), follower_(follower) {
    for (const std::string& path : verb.logs) {
      readers_.push_back(std::make_unique<conform::LogReader>(path, verb.follows));
      is_live_ = is_live_ || readers_.back()->is_live();
    }
    ended_.resize(readers_.size(), false);
  }

  void run() {
    double last_news = seconds();
    double last_told = last_news;
    while (!is_interrupted()) {
      const bool has_news = read_some();
      if (!follower_.advance(now())) return;
      const double time = seconds();
      if (has_news) last_news = time;
      if (!has_news && std::all_of(ended_.begin(), ended_.end(), [](bool one) { return one; })) {
        return;
      }
      if (verb_.idle_seconds > 0 && time - last_news > verb_.idle_seconds) return;
      if (verb_.every_seconds > 0 && time - last_told > verb_.every_seconds) {
        tell(time);
        last_told = time;
      }
      if (!has_news) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }

 private:
  /// Lines judged between two looks at the clock, and at other logs.
  static constexpr std::size_t kLinesAtOnce = 512;

  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  std::optional<double> now() const { return is_live_ ? std::optional(seconds()) : std::nullopt; }

  bool read_some() {
    bool has_news = false;
    for (std::size_t log = 0; log < readers_.size(); ++log) {
      if (ended_[log] || !follower_.wants(log)) continue;
      conform::LogReader& reader = *readers_[log];
      std::deque<std::string>& lines = waiting_[log];
      if (lines.empty()) {
        std::vector<std::string> more;
        reader.read(more);
        lines.assign(std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
      }
      for (std::size_t count = 0; count < kLinesAtOnce && !lines.empty(); ++count) {
        add(log, lines.front(), reader.ends_within_a_line() && lines.size() == 1);
        lines.pop_front();
        has_news = true;
      }
      if (!reader.is_ended() || !lines.empty() || ended_[log]) continue;
      ended_[log] = true;
      follower_.end(log, is_cut_[log]);
      has_news = true;
    }
    return has_news;
  }

  /// A last line without an end may be half of one.
  void add(std::size_t log, const std::string& line, bool may_be_cut) {
    if (!may_be_cut) return follower_.add(log, line, now());
    try {
      follower_.add(log, line, now());
    } catch (const InputError&) {
      is_cut_[log] = true;
    }
  }

  void tell(double time) {
    if (verb_.output.quiet || verb_.output.json) return;
    const FollowReport report = follower_.report();
    fmt::print("{}: {} so far, {} steps, {} lines wait, {} readings at most\n", clock_text(time),
               conform::to_string(report.result), report.steps, report.waiting,
               report.most_readings);
    std::fflush(stdout);
  }

  FollowVerb& verb_;
  conform::Follower& follower_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::vector<std::unique_ptr<conform::LogReader>> readers_;
  std::map<std::size_t, std::deque<std::string>> waiting_;
  std::map<std::size_t, bool> is_cut_;
  std::vector<bool> ended_;
  bool is_live_ = false;
};

ExitCode follow(FollowVerb& verb) {
  if (verb.skew_seconds >= 0) verb.options.skew_seconds = verb.skew_seconds;
  const conform::Mapping mapping = conform::load_mapping(verb.mapping);
  const Registry registry = verb.plugins.load();
  conform::Follower follower(mapping, variant_of(verb.changes, verb.constants), registry.systems,
                             verb.logs, verb.options);
  catch_interrupts();
  Following(verb, follower).run();
  const FollowReport report = follower.report();
  if (verb.output.json) {
    fmt::print("{}\n", report_json(report).dump());
  } else if (!verb.output.quiet) {
    print_report(report);
  }
  std::fflush(stdout);
  switch (report.result) {
    case FollowReport::Result::conforms:
      return kAllHeld;
    case FollowReport::Result::violation:
      return kViolation;
    case FollowReport::Result::unknown:
      break;
  }
  return kUnknown;
}

}  // namespace

Verb add_conform_follow_verb(CLI::App& conform) {
  CLI::App* app = conform.add_subcommand(
      "follow", "Logs of nodes against the model, also while the nodes are running");
  const auto verb = std::make_shared<FollowVerb>();
  app->add_option("MAPPING", verb->mapping, "Mapping file")->required();
  app->add_option("LOG", verb->logs, "Logs: files, compressed or not, pipes, - for standard input")
      ->required();
  app->add_flag("--follow", verb->follows, "Logs are being written: wait for more, as tail -F");
  app->add_option("--idle", verb->idle_seconds, "End when nothing came for so many seconds")
      ->check(CLI::Range(0.0, 1e9));
  app->add_option("--lag", verb->options.lag_seconds,
                  "Of logs that are being written: lines come within so many seconds, and nodes "
                  "that are silent for longer are not waited for; 0: wait for ever")
      ->check(CLI::Range(0.0, 1e9))
      ->capture_default_str();
  app->add_option("--skew", verb->skew_seconds,
                  "Clocks of nodes differ by at most so many seconds: times in lines order what is "
                  "further apart; default: times order nothing")
      ->check(CLI::Range(0.0, 1e9));
  app->add_option("--frontier", verb->options.limits.states,
                  "Most ways to read the logs that are followed at once; beyond, a refusal is "
                  "unknown")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1'000'000}))
      ->capture_default_str();
  app->add_option("--every", verb->every_seconds, "Tell how it stands every so many seconds")
      ->check(CLI::Range(0.0, 1e9));
  verb->changes.add_to(*app);
  app->add_option("--constant", verb->constants, "NAME=VALUE of the model")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  verb->plugins.add_to(*app, false);
  verb->output.add_to(*app);
  app->footer(
      "Exit codes: 0 conforms so far, 1 violation, 2 bad input, 3 unknown. Ctrl-C ends it with the "
      "verdict so far.\n\n"
      "Examples:\n"
      "  dissensus run scenarios/process/raft-conformance.toml --node-logs logs --no-folder\n"
      "  dissensus conform follow specs/raft/python.toml logs/node-*.jsonl");
  return {app, [verb] { return follow(*verb); }};
}

}  // namespace dissensus::cli
