// `dissensus hunt` and `dissensus campaign` as a person or a script uses them.
#include <algorithm>
#include <csignal>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "dissensus/random.h"

#include "cli/command.h"
#include "cli/victim.h"
#include "hunt/items.h"
#include "hunt/store.h"

namespace dissensus::cli_test {
namespace {

using hunt::expect_equal;
using hunt::items_of;
using nlohmann::json;
using testing::HasSubstr;
using testing::MatchesRegex;

constexpr std::string_view kHoldingScenario = R"(format = "dissensus-scenario/1"
name = "holds"
[system]
kind = "majority"
values = [1, 1, 0]
fixed = true
[network]
latency = "5ms"
[schedule]
type = "delay"
max_delay = "40ms"
)";

std::set<std::string> keys_of(const json& object) {
  std::set<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.insert(key);
  return keys;
}

std::vector<std::string> hunt_words(std::vector<std::string> more) {
  std::vector<std::string> words{"hunt", kBuggyScenario, "--search", "random"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(Hunt, FindsTheTutorialBugAndPrintsTheReplayCommandLast) {
  const WorkFolder folder;
  const CommandResult result = folder.run({"hunt", kBuggyScenario});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_THAT(result.out, HasSubstr("found a violation after "));
  EXPECT_THAT(result.out,
              MatchesRegex("(.|\n)*\nwhy       [^\n]*dissensus diff runs/[^\n]*/minimal\n(.|\n)*"));
  EXPECT_THAT(result.out, MatchesRegex("(.|\n)*\nreplay    [^\n]*dissensus replay runs/[^\n]*\n"));
  for (const char* file : {"schedule.json", "minimal.json", "report.html", "verdict.json"}) {
    EXPECT_TRUE(fs::exists(folder.file("runs/latest") / file)) << file;
  }
  for (const char* file : {"store.sqlite", "stats.json"}) {
    EXPECT_TRUE(fs::exists(folder.file("runs/latest-hunt") / file)) << file;
  }
  EXPECT_EQ(folder.run({"replay", "runs/latest"}).exit_code, 1);
}

TEST(Hunt, WritesNeitherMinimalRunNorReportWhenTold) {
  const WorkFolder folder;
  EXPECT_EQ(folder.run(hunt_words({"--no-shrink", "--no-report"})).exit_code, 1);
  EXPECT_TRUE(fs::exists(folder.file("runs/latest/run.json")));
  EXPECT_FALSE(fs::exists(folder.file("runs/latest/minimal.json")));
  EXPECT_FALSE(fs::exists(folder.file("runs/latest/report.html")));
}

// Searches that decide message by message leave a schedule like any other.
TEST(Hunt, SaysThatSingleMessagesAreLate) {
  const WorkFolder folder;
  const CommandResult result =
      folder.run({"hunt", kBuggyScenario, "--search", "sequence", "--no-shrink", "--no-report"});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_THAT(
      result.out,
      MatchesRegex("(.|\n)*\nschedule  delays of [0-9]+ single messages?, up to [^\n]*\n(.|\n)*"));
}

TEST(Hunt, FindsNothingWhereThereIsNothing) {
  const WorkFolder folder;
  const std::string scenario = folder.write("holds.toml", kHoldingScenario);
  const CommandResult result = folder.run({"hunt", scenario, "--budget", "50runs"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("found nothing after 50 runs"));
  EXPECT_FALSE(fs::exists(folder.file("runs/latest")));
  const json stats = json::parse(read_text(folder.file("runs/latest-hunt/stats.json")));
  EXPECT_EQ(stats["evaluations"], 50);
  EXPECT_EQ(stats["stability"], (json{{"repeated", 4}, {"equal", 4}}));
  EXPECT_TRUE(stats["findings"].empty());
}

TEST(Hunt, JsonIsTheSameWithAnyNumberOfJobs) {
  const WorkFolder folder;
  std::vector<json> reports;
  for (const std::string jobs : {"1", "2", "4"}) {
    const CommandResult result =
        folder.run({"hunt", kBuggyScenario, "--json", "--seed", "3", "--jobs", jobs});
    ASSERT_EQ(result.exit_code, 1) << result.err;
    json report = json::parse(result.out);
    EXPECT_EQ(keys_of(report),
              (std::set<std::string>{"found", "search", "seed", "evaluations", "unknown",
                                     "virtual_seconds", "wall_seconds", "stability", "violations",
                                     "findings", "hunt_folder", "run_folder", "hash", "replay"}));
    EXPECT_EQ(report["found"], true);
    const json& violation = report["violations"].at(0);
    for (const char* key : {"property", "rule", "instance", "nodes"}) {
      EXPECT_TRUE(violation.contains(key)) << key;
    }
    EXPECT_TRUE(fs::exists(folder.file(report["run_folder"].get<std::string>() + "/run.json")));
    report["findings"][0].erase("run_folder");
    for (const char* varies : {"wall_seconds", "run_folder", "replay", "hunt_folder"}) {
      report.erase(varies);
    }
    reports.push_back(std::move(report));
  }
  EXPECT_EQ(reports[0], reports[1]);
  EXPECT_EQ(reports[0], reports[2]);
}

TEST(Hunt, CollectsAllFindingsOfABudget) {
  const WorkFolder folder;
  const CommandResult result = folder.run(
      hunt_words({"--all", "--budget", "400runs", "--json", "--no-shrink", "--no-report"}));
  ASSERT_EQ(result.exit_code, 1) << result.err;
  const json report = json::parse(result.out);
  EXPECT_EQ(report["evaluations"], 400);
  std::uint64_t count = 0;
  for (const json& finding : report["findings"]) count += finding["count"].get<std::uint64_t>();
  EXPECT_GT(count, report["findings"].size()) << "one finding per signature, with a count";
}

// Who hunts one finding hears of the others, and can look at them.
TEST(Hunt, PassesOverWhatIsNotHunted) {
  const WorkFolder folder;
  const auto hunt_for = [&folder](const std::string& finding, const std::string& more) {
    return folder.run(
        hunt_words({"--set", "oracle.termination.bound=\"45ms\"", "--budget", "400runs",
                    "--no-shrink", "--no-report", "--finding", finding, more}));
  };
  const CommandResult found = hunt_for("termination/no-progress", "--json");
  ASSERT_EQ(found.exit_code, 1) << found.err;
  const json report = json::parse(found.out);
  EXPECT_EQ(report["found"], true);
  ASSERT_EQ(report["findings"].size(), 1u);
  EXPECT_EQ(report["findings"][0]["signature"], "termination/no-progress/outcome");
  ASSERT_EQ(report["passed_over"].size(), 1u);
  EXPECT_EQ(report["passed_over"][0]["signature"], "agreement/decided-differently/outcome");
  EXPECT_EQ(report["passed_over"][0]["first_evaluation"], 1);
  EXPECT_GT(report["passed_over"][0]["count"], 0);
  // What nobody finds: the others are told, and can be looked at.
  const CommandResult none = hunt_for("validity", "--jobs=1");
  EXPECT_EQ(none.exit_code, 1) << "a violation is a violation";
  EXPECT_THAT(none.out, HasSubstr("found nothing of validity after 400 runs"));
  EXPECT_THAT(none.out, HasSubstr(" x termination/no-progress/outcome, first in run "));
  const std::string line = " x agreement/decided-differently/outcome, first in run 1: ";
  const std::size_t at = none.out.find(line);
  ASSERT_NE(at, std::string::npos) << none.out;
  std::string row = none.out.substr(at + line.size());
  row = row.substr(0, row.find('\n'));
  std::erase(row, '\'');
  EXPECT_EQ(folder.run({"replay", row}).exit_code, 1);
  // A word that no finding can have is a mistake, not a hunt without end.
  const CommandResult wrong = hunt_for("agrement", "--quiet");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("--finding: no property 'agrement', did you mean 'agreement'?"));
}

// Whatever limit or interruption comes later: a folder keeps the smallest run that it has had.
TEST(Shrink, AFinishedMinimalRunIsNeverReplacedByALargerOne) {
  const WorkFolder folder;
  ASSERT_EQ(folder.run({"hunt", kBuggyScenario, "--jobs", "1", "--no-report"}).exit_code, 1);
  const std::string minimal = read_text(folder.file("runs/latest/minimal.json"));
  const std::string result = read_text(folder.file("runs/latest/shrink.json"));
  EXPECT_NE(result.find("\"minimal\": true"), std::string::npos);
  EXPECT_EQ(folder.run({"shrink", "runs/latest", "--max-runs", "1"}).exit_code, 0);
  EXPECT_EQ(read_text(folder.file("runs/latest/minimal.json")), minimal);
  EXPECT_EQ(read_text(folder.file("runs/latest/shrink.json")), result);
  // A run that was never shrunk is, as far as the limit goes.
  ASSERT_EQ(record_failing_run(folder).exit_code, 1);
  EXPECT_EQ(folder.run({"shrink", "runs/latest", "--max-runs", "1"}).exit_code, 0);
  EXPECT_NE(read_text(folder.file("runs/latest/shrink.json")).find("\"minimal\": false"),
            std::string::npos);
}

TEST(Corpus, KeepsAFindingAndSeesItsCure) {
  const WorkFolder folder;
  ASSERT_EQ(folder.run({"hunt", kBuggyScenario, "--jobs", "1", "--no-report"}).exit_code, 1);
  EXPECT_EQ(folder.run({"corpus", "add", "runs/latest", "--name", "../x"}).exit_code, 2);
  ASSERT_EQ(folder.run({"corpus", "add", "runs/latest", "--name", "late"}).exit_code, 0);
  const CommandResult open = folder.run({"corpus", "check", "--junit", "corpus.xml"});
  EXPECT_EQ(open.exit_code, 0);
  EXPECT_THAT(open.out, HasSubstr("late  still fails"));
  EXPECT_THAT(read_text(folder.file("corpus.xml")), HasSubstr("failures=\"0\""));
  const fs::path scenario = folder.file("corpus/late/scenario.toml");
  const std::string text = read_text(scenario);
  write_text(scenario, replaced(text, "[system]\n", "[system]\nfixed = true\n"));
  const CommandResult cured = folder.run({"corpus", "check", "--remember", "--json"});
  EXPECT_EQ(cured.exit_code, 0);
  EXPECT_EQ(json::parse(cured.out)["entries"][0]["state"], "fixed");
  write_text(scenario, text);
  const CommandResult back = folder.run({"corpus", "check"});
  EXPECT_EQ(back.exit_code, 1);
  EXPECT_THAT(back.out, HasSubstr("REGRESSION"));
  EXPECT_EQ(folder.run({"corpus", "check", "nowhere"}).exit_code, 2);
}

// Seeded bugs and findings are still there, event by event.
TEST(Corpus, EveryShippedFindingStillFails) {
  const WorkFolder folder;
  const bool has_libraft = folder.run({"list", "systems"}).out.find("libraft") != std::string::npos;
  for (const std::string name : {"simulated", "libraft"}) {
    if (name == "libraft" && !has_libraft) continue;
    const CommandResult result =
        folder.run({"corpus", "check", kSourceFolder + "/corpus/" + name, "--json"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const json entries = json::parse(result.out)["entries"];
    EXPECT_GE(entries.size(), 5u);
    for (const json& entry : entries) {
      EXPECT_EQ(entry["state"], "still fails") << entry;
      EXPECT_EQ(entry["same_hash"], true) << entry;
    }
  }
}

TEST(Confirm, TellsACureFromNone) {
  const WorkFolder folder;
  ASSERT_EQ(record_failing_run(folder).exit_code, 1);
  const CommandResult early = folder.run({"confirm", "runs/latest"});
  EXPECT_EQ(early.exit_code, 2);
  EXPECT_THAT(early.err, HasSubstr("--before"));
  const CommandResult cured =
      folder.run({"confirm", "runs/latest", "--set", "system.fixed=true", "--json"});
  EXPECT_EQ(cured.exit_code, 0);
  EXPECT_EQ(json::parse(cured.out)["verdict"], "fixed");
  EXPECT_EQ(folder.run({"confirm", "runs/latest", "--before"}).exit_code, 1);
  const CommandResult unchanged = folder.run({"confirm", "runs/latest"});
  EXPECT_EQ(unchanged.exit_code, 1);
  EXPECT_THAT(unchanged.out, HasSubstr("not fixed"));
}

// The folder of a finding is there while the hunt goes on.
TEST(Hunt, WritesFoldersOfFindingsAtOnce) {
  const WorkFolder folder;
  const pid_t child = fork();
  if (child == 0) {
    if (chdir(folder.file("").c_str()) != 0) _exit(127);
    execl(tested_program().c_str(), "dissensus", "hunt", kBuggyScenario.c_str(), "--all",
          "--budget", "1000000000runs", "--quiet", nullptr);
    _exit(127);
  }
  const auto has_run = [&folder] {
    const std::vector<std::string> names = folder.content();
    return std::any_of(names.begin(), names.end(),
                       [](const std::string& name) { return name.ends_with("/run.json"); });
  };
  for (int waited = 0; waited < 600 && !has_run(); ++waited) usleep(100'000);
  EXPECT_TRUE(has_run());
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
}

TEST(Hunt, NeedsASpaceOfSchedules) {
  const WorkFolder folder;
  const std::string scenario = folder.write(
      "plain.toml", replaced(std::string(kHoldingScenario), "type = \"delay\"", "type = \"none\""));
  const CommandResult result = folder.run({"hunt", scenario});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("plain.toml: schedule.type: "));
}

TEST(Hunt, TyposGetASuggestionAndLeaveNothingBehind) {
  const WorkFolder folder;
  const std::vector<std::pair<std::vector<std::string>, std::string>> typos{
      {{"--search", "randm"}, "--search: no search 'randm', did you mean 'random'?"},
      {{"--search", "nsga2", "--fitness", "tme"}, "did you mean 'time'?"},
      {{"--search", "nsga2", "--parameter", "populaton=20"}, "did you mean 'population'?"},
      {{"--search", "nsga2", "--parameter", "population=many"}, "population: expected an integer"},
      {{"--parameter", "population"}, "--parameter: expected key=value"},
      {{"--set", "system"}, "--set: expected key=value"},
      {{"--set", "system.roundz=3"}, "did you mean 'rounds'?"},
      {{"--set", "name.first=3"}, "name is not a table"},
      {{"--faults", "crashes"}, "--faults: no fault strategy 'crashes'"},
      {{"--budget", "5minuts"}, "--budget: expected"},
      {{"--resume"}, "runs: no hunt to resume"}};
  for (const auto& [words, expected] : typos) {
    std::vector<std::string> command{"hunt", kBuggyScenario};
    command.insert(command.end(), words.begin(), words.end());
    const CommandResult result = folder.run(command);
    EXPECT_EQ(result.exit_code, 2) << expected;
    EXPECT_THAT(result.err, HasSubstr(expected));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_TRUE(folder.content().empty()) << expected;
  }
}

/// A search that learns, so that one lost or doubled result would change all that follow.
std::vector<std::string> long_hunt(const std::string& out) {
  return {"hunt",  kBuggyScenario, "--search",  "hill-climbing", "--seed", "5",     "--jobs", "2",
          "--all", "--budget",     "30000runs", "--no-shrink",   "--json", "--out", out};
}

/// The parts of the report that must not depend on interruptions.
json lasting(const std::string& out) {
  json report = json::parse(out);
  json result;
  for (const char* key : {"evaluations", "virtual_seconds", "violations", "hash", "stability"}) {
    result[key] = report[key];
  }
  for (const json& finding : report["findings"]) {
    result["findings"].push_back(
        {finding["signature"], finding["count"], finding["first_evaluation"]});
  }
  return result;
}

/// Until the store holds more than `count` items, for two seconds at most: the hunt may be
/// complete.
void wait_for_items(const std::string& store, std::size_t count) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  while (std::chrono::steady_clock::now() < end) {
    try {
      if (fs::exists(store)) {
        hunt::StoreReader reader(store);
        const auto hunts = reader.hunts();
        if (!hunts.empty() && reader.item_count(hunts.back().id) > count) return;
      }
    } catch (const InputError&) {
      // It is being made.
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

// kill -9, twenty times at random moments: no completed run is lost or counted twice, and the
// finding is that of the undisturbed hunt.
TEST(Resume, SurvivesTwentyKills) {
  const WorkFolder folder;
  const CommandResult whole = folder.run(long_hunt("whole"));
  ASSERT_EQ(whole.exit_code, 1) << whole.err;
  Random random(20261115);
  std::size_t completed = 0;
  std::vector<std::string> words = long_hunt("parts");
  for (int kills = 0; kills < 20; ++kills) {
    Victim victim(folder, words);
    // Half of the kills hit any moment, the other half a hunt at work.
    if (kills % 2 == 1 && completed < 30'000)
      wait_for_items(folder.file("parts/latest-hunt/store.sqlite"), completed);
    std::this_thread::sleep_for(std::chrono::milliseconds(random.below(60)));
    victim.end_with(SIGKILL);
    // Killed before the hunt had begun: nothing to resume yet.
    if (!fs::exists(folder.file("parts/latest-hunt/store.sqlite"))) continue;
    if (words.back() != "--resume") words.push_back("--resume");
    std::vector<hunt::ItemRecord> items;
    try {
      items = items_of(folder.file("parts/latest-hunt/store.sqlite"));
    } catch (const InputError&) {
      ASSERT_EQ(completed, 0u) << "only a store that was being made may be incomplete";
      continue;
    }
    EXPECT_GE(items.size(), completed) << "a completed run was lost";
    completed = items.size();
    for (std::size_t i = 0; i < items.size(); ++i) ASSERT_EQ(items[i].number, i);
  }
  const CommandResult last = folder.run(words);
  ASSERT_EQ(last.exit_code, 1) << last.err;
  EXPECT_GT(completed, 0u) << "no kill hit a hunt at work";
  EXPECT_EQ(lasting(last.out), lasting(whole.out));
  expect_equal(items_of(folder.file("parts/latest-hunt/store.sqlite")),
               items_of(folder.file("whole/latest-hunt/store.sqlite")));
}

// Ctrl-C keeps everything and says how to go on.
TEST(Resume, TheCommandThatCtrlCPrintsGoesOn) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const WorkFolder folder;
    const std::string scenario = folder.write("holds.toml", kHoldingScenario);
    Victim victim(folder, {"hunt", scenario, "--search", "random", "--budget", "1h"});
    while (!fs::exists(folder.file("runs/latest-hunt/stats.json"))) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    const int status = victim.end_with(signal);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 3);
    const std::string output = read_text(folder.file("output"));
    const std::size_t command = output.find("resume: ");
    ASSERT_NE(command, std::string::npos) << output;
    std::string line = output.substr(command + 8, output.find('\n', command) - command - 8);
    const std::size_t before = items_of(folder.file("runs/latest-hunt/store.sqlite")).size();
    EXPECT_GT(before, 0u);
    line = replaced(line, "--budget 1h", "--budget " + std::to_string(before + 100) + "runs");
    const CommandResult resumed = folder.run({"-c", line}, "sh");
    EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
    EXPECT_THAT(resumed.out,
                HasSubstr("found nothing after " + std::to_string(before + 100) + " runs"));
  }
}

TEST(Resume, AFinishedHuntGivesItsFindingAgainWithoutASecondFolder) {
  const WorkFolder folder;
  const CommandResult first = folder.run(hunt_words({"--json", "--no-report"}));
  ASSERT_EQ(first.exit_code, 1) << first.err;
  const CommandResult again = folder.run(hunt_words({"--json", "--no-report", "--resume"}));
  ASSERT_EQ(again.exit_code, 1) << again.err;
  json a = json::parse(first.out);
  json b = json::parse(again.out);
  a.erase("wall_seconds");
  b.erase("wall_seconds");
  EXPECT_EQ(a, b);
}

TEST(Resume, RefusesOtherOptions) {
  const WorkFolder folder;
  ASSERT_EQ(folder.run(hunt_words({"--no-shrink", "--no-report"})).exit_code, 1);
  const CommandResult result = folder.run(hunt_words({"--seed", "2", "--resume"}));
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("cannot be resumed: --seed was 1, now 2"));
}

TEST(Store, AFullDiskEndsTheHuntAndKeepsItsResults) {
  const WorkFolder folder;
  const std::string scenario = folder.write("holds.toml", kHoldingScenario);
  const std::string hunt = fmt::format(
      "trap '' XFSZ; ulimit -f 400; exec {} hunt {} --search random --budget 100000runs",
      tested_program(), scenario);
  const CommandResult result = folder.run({"-c", hunt}, "sh");
  EXPECT_EQ(result.exit_code, 5) << result.out;
  EXPECT_THAT(result.err, HasSubstr("store.sqlite: "));
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  const std::size_t kept = items_of(folder.file("runs/latest-hunt/store.sqlite")).size();
  EXPECT_GT(kept, 0u);
  const CommandResult resumed = folder.run({"hunt", scenario, "--search", "random", "--budget",
                                            std::to_string(kept + 10) + "runs", "--resume"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
}

TEST(Campaign, KeepsEveryRunAndCountsOutcomes) {
  const WorkFolder folder;
  const std::vector<std::string> words{"campaign", kBuggyScenario, "--runs", "300",
                                       "--out",    "runs.sqlite",  "--json", "--jobs"};
  std::vector<std::string> command = words;
  command.push_back("2");
  const CommandResult result = folder.run(command);
  ASSERT_EQ(result.exit_code, 1) << result.err;
  const json report = json::parse(result.out);
  EXPECT_EQ(report["evaluations"], 300);
  EXPECT_EQ(report["pass"].get<int>() + report["fail"].get<int>() + report["unknown"].get<int>(),
            300);
  std::uint64_t failed = 0;
  const auto items = items_of(folder.file("runs.sqlite"));
  for (const hunt::ItemRecord& item : items) failed += item.signature.empty() ? 0 : 1;
  EXPECT_EQ(items.size(), 300u);
  EXPECT_EQ(report["fail"], failed);
  // More runs of the same campaign.
  command = {"campaign", kBuggyScenario, "--runs", "500", "--out", "runs.sqlite", "--resume"};
  const CommandResult more = folder.run(command);
  EXPECT_EQ(more.exit_code, 1) << more.err;
  EXPECT_THAT(more.out, HasSubstr("500 runs ("));
  EXPECT_THAT(more.out, HasSubstr("agreement/decided-differently/outcome"));
  EXPECT_EQ(items_of(folder.file("runs.sqlite")).size(), 500u);
}

TEST(Campaign, WithoutASpaceOnlySeedsVary) {
  const WorkFolder folder;
  const std::string scenario = folder.write(
      "plain.toml", replaced(std::string(kHoldingScenario), "type = \"delay\"", "type = \"none\""));
  const CommandResult result = folder.run({"campaign", scenario, "--runs", "20"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(items_of(folder.file("holds.sqlite")).size(), 20u);
}

TEST(Campaign, BadStoresAreRefused) {
  const WorkFolder folder;
  folder.write("text.sqlite", "not a database, but long enough to be taken for one at first sight");
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"--out", "text.sqlite"}, "text.sqlite: not a Dissensus store"},
      {{"--out", "missing/x.sqlite"}, "missing/x.sqlite: cannot be opened"},
      {{"--out", "x.sqlite", "--resume"}, "x.sqlite: no such store to resume"}};
  for (const auto& [words, expected] : cases) {
    std::vector<std::string> command{"campaign", kBuggyScenario, "--runs", "5"};
    command.insert(command.end(), words.begin(), words.end());
    const CommandResult result = folder.run(command);
    EXPECT_EQ(result.exit_code, 2) << expected;
    EXPECT_THAT(result.err, HasSubstr(expected));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
}

TEST(List, NamesSearchesFitnessFunctionsAndSchedulers) {
  const WorkFolder folder;
  const std::vector<std::pair<std::string, std::string>> lists{
      {"searches", "random"}, {"searches", "nsga2"}, {"fitness", "time"}, {"systems", "majority"}};
  for (const auto& [what, name] : lists) {
    const CommandResult result = folder.run({"list", what, "--json"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    std::set<std::string> names;
    for (const json& entry : json::parse(result.out)) names.insert(entry["name"]);
    EXPECT_TRUE(names.contains(name)) << result.out;
  }
  EXPECT_EQ(folder.run({"list", "schedulers"}).exit_code, 0);
  EXPECT_EQ(folder.run({"list", "searchs"}).exit_code, 2);
}

}  // namespace
}  // namespace dissensus::cli_test
