// Every verb does what its help says, with the documented exit codes and outputs.
#include <algorithm>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"

namespace dissensus::cli_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;
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
[oracle.termination]
level = "outcome"
goal = 0
bound = "10s"
[limits]
virtual_time = "1min"
)";

std::set<std::string> keys_of(const json& object) {
  std::set<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.insert(key);
  return keys;
}

TEST(Run, PassesWithExitCode0AndLeavesAFolder) {
  const WorkFolder folder;
  const std::string scenario = folder.write("holds.toml", kHoldingScenario);
  const CommandResult result = folder.run({"run", scenario});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("verdict   pass"));
  EXPECT_THAT(result.err, IsEmpty());
  EXPECT_TRUE(fs::exists(folder.file("runs/latest/run.json")));
  // The exact replay command is the last line.
  EXPECT_THAT(result.out,
              MatchesRegex("(.|\n)*\nreplay    [^\n]*dissensus replay runs/[^\n]*holds\n"));
}

TEST(Run, ReportsAViolationWithExitCode1) {
  const WorkFolder folder;
  const CommandResult result =
      folder.run({"run", kBuggyScenario, "--random-schedule", "--seed", "1..50"});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_THAT(result.out, HasSubstr(" failed, "));
  EXPECT_THAT(result.out, HasSubstr("first failing seed"));
  EXPECT_TRUE(fs::exists(folder.file("runs/latest/verdict.json")));
}

TEST(Run, ReportsAnUnknownVerdictWithExitCode3) {
  const WorkFolder folder;
  const std::string scenario = folder.write(
      "cut.toml", replaced(std::string(kHoldingScenario), "[limits]", "[limits]\nevents = 10"));
  const CommandResult result = folder.run({"run", scenario});
  EXPECT_EQ(result.exit_code, 3) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("verdict   unknown"));
}

TEST(Run, JsonHasTheSameKeysAsEver) {
  const WorkFolder folder;
  const std::string scenario = folder.write("holds.toml", kHoldingScenario);
  const CommandResult result = folder.run({"run", scenario, "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json report = json::parse(result.out);
  EXPECT_EQ(keys_of(report), (std::set<std::string>{"scenario", "seed", "outcome", "hash", "events",
                                                    "virtual_seconds", "ended_by", "verdict",
                                                    "run_folder", "replay"}));
  EXPECT_EQ(report["outcome"], "pass");
  EXPECT_TRUE(fs::exists(folder.file(report["run_folder"].get<std::string>())));
}

TEST(Run, JsonOfARangeOfSeedsCountsEverySeed) {
  const WorkFolder folder;
  const std::string scenario = folder.write("holds.toml", kHoldingScenario);
  const CommandResult result = folder.run({"run", scenario, "--seed", "5..24", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json report = json::parse(result.out);
  EXPECT_EQ(keys_of(report),
            (std::set<std::string>{"scenario", "first_seed", "last_seed", "outcome", "pass", "fail",
                                   "unknown", "failing_seeds", "run_folder"}));
  EXPECT_EQ(report["pass"], 20);
  EXPECT_EQ(report["failing_seeds"], json::array());
  EXPECT_EQ(report["run_folder"], nullptr);
}

TEST(Run, NoFolderLeavesNothing) {
  const WorkFolder folder;
  const std::string scenario = folder.write("holds.toml", kHoldingScenario);
  const CommandResult result = folder.run({"run", scenario, "--no-folder"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(folder.content(), std::vector<std::string>{scenario});
}

TEST(Run, TheSameSeedGivesTheSameHash) {
  const WorkFolder folder;
  const std::vector<std::string> words{"run", kBuggyScenario, "--random-schedule", "--seed",
                                       "7",   "--json",       "--no-folder"};
  const json first = json::parse(folder.run(words).out);
  const json second = json::parse(folder.run(words).out);
  EXPECT_EQ(first["hash"], second["hash"]);
}

// A folder also keeps what nodes log. Partitions are here because the end of one refers to its
// beginning by the number of the event.
TEST(Run, WhatIsRecordedChangesNeitherTheHashNorTheNumberOfEvents) {
  const WorkFolder folder;
  const std::string four_rounds =
      replaced(std::string(kHoldingScenario), "fixed = true", "fixed = true\nrounds = 4");
  const std::string scenario =
      folder.write("rounds.toml", replaced(four_rounds, "goal = 0", "goal = 3"));
  const std::string schedule = folder.write("partition.json", R"({
    "format": "dissensus-schedule/1", "system": "majority", "nodes": 3,
    "faults": [{"type": "partition", "groups": [[2]], "from": "6ms", "until": "8ms"}]})");
  std::vector<std::string> words{"run", scenario, "--schedule", schedule, "--json"};
  const json logged = json::parse(folder.run(words).out);
  words.push_back("--no-folder");
  const json unlogged = json::parse(folder.run(words).out);
  EXPECT_EQ(logged["hash"], unlogged["hash"]);
  EXPECT_EQ(logged["events"], unlogged["events"]);
}

TEST(Quiet, PrintsNothingAndKeepsTheExitCode) {
  const WorkFolder folder;
  const std::string scenario = folder.write("holds.toml", kHoldingScenario);
  const std::vector<std::pair<std::vector<std::string>, int>> commands{
      {{"run", scenario, "-q"}, 0},
      {{"run", scenario, "--quiet", "--json"}, 0},
      {{"run", scenario, "--seed", "1..3", "-q"}, 0},
      {{"hunt", kBuggyScenario, "-q"}, 1},
      {{"replay", "runs/latest", "-q"}, 1},
      {{"check", scenario, "-q"}, 0},
      {{"list", "systems", "-q"}, 0},
      {{"export", "runs/latest", "--to", "dot", "-o", "graph.dot", "-q"}, 0}};
  for (const auto& [words, exit_code] : commands) {
    const CommandResult result = folder.run(words);
    EXPECT_EQ(result.exit_code, exit_code) << words[0] << ": " << result.err;
    EXPECT_EQ(result.out, "") << words[0];
    EXPECT_EQ(result.err, "") << words[0];
  }
}

TEST(Replay, AFolderAndItsTraceRepeatTheRunExactly) {
  const WorkFolder folder;
  ASSERT_EQ(record_failing_run(folder).exit_code, 1);
  for (const std::string path : {"runs/latest", "runs/latest/trace.jsonl.gz"}) {
    const CommandResult result = folder.run({"replay", path});
    EXPECT_EQ(result.exit_code, 1) << result.err;
    EXPECT_THAT(result.out, HasSubstr("identical to the recorded run\n"));
  }
}

TEST(Replay, UntilAnEventWithoutChangesIsStillTheSameRun) {
  const WorkFolder folder;
  ASSERT_EQ(record_failing_run(folder).exit_code, 1);
  const CommandResult result = folder.run({"replay", "runs/latest", "--until", "10"});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_THAT(result.out, HasSubstr("identical to the recorded run\n"));
}

TEST(Replay, ContinuesDifferentlyAndTheResultReplaysToo) {
  const WorkFolder folder;
  ASSERT_EQ(record_failing_run(folder).exit_code, 1);
  const std::string calm = folder.write(
      "calm.json", R"({"format": "dissensus-schedule/1", "system": "majority", "nodes": 3})");
  const CommandResult result = folder.run({"replay", "runs/latest", "--until", "3", "--schedule",
                                           calm, "--seed", "9", "--runs-folder", "branches"});
  EXPECT_THAT(result.out, HasSubstr("continued differently from event 3 on")) << result.err;
  EXPECT_TRUE(fs::exists(folder.file("branches/latest/branch.json")));
  const json recorded = json::parse(read_text(folder.file("branches/latest/run.json")));
  EXPECT_EQ(recorded["branch"], (json{{"at", 3}, {"seed", 9}, {"schedule", "branch.json"}}));
  for (const std::string path : {"branches/latest", "branches/latest/trace.jsonl.gz"}) {
    const CommandResult again = folder.run({"replay", path});
    EXPECT_EQ(again.exit_code, result.exit_code) << again.err;
    EXPECT_THAT(again.out, HasSubstr("identical to the recorded run\n"));
  }
}

TEST(Replay, AChangeThatMakesNoDifferenceIsSaidToBeNone) {
  const WorkFolder folder;
  ASSERT_EQ(record_failing_run(folder).exit_code, 1);
  const auto run = nlohmann::json::parse(read_text(folder.file("runs/latest/run.json")));
  const std::string last = run["events"].dump();
  const CommandResult result =
      folder.run({"replay", "runs/latest", "--until", last, "--seed", "9"});
  EXPECT_THAT(result.out, HasSubstr("makes no difference")) << result.out << result.err;
}

TEST(Replay, ChangesNeedAMomentFromWhichTheyAct) {
  const WorkFolder folder;
  ASSERT_EQ(record_failing_run(folder).exit_code, 1);
  const CommandResult result = folder.run({"replay", "runs/latest", "--seed", "9"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("--until"));
}

TEST(Check, SaysWhatAValidScenarioHolds) {
  const WorkFolder folder;
  const CommandResult text = folder.run({"check", kBuggyScenario});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("valid; system majority, 3 nodes"));
  const json report = json::parse(folder.run({"check", kBuggyScenario, "--json"}).out);
  EXPECT_EQ(keys_of(report),
            (std::set<std::string>{"valid", "scenario", "description", "system", "nodes", "genes",
                                   "message_kinds", "lost_messages"}));
  EXPECT_EQ(report["message_kinds"], (json{"Proposal", "Commit"}));
  EXPECT_EQ(report["lost_messages"], (json{{"Proposal", "gone"}, {"Commit", "gone"}}));
  EXPECT_THAT(folder.content(), IsEmpty());
}

TEST(Check, EveryScenarioOfTheProjectIsValid) {
  const WorkFolder folder;
  const CommandResult result =
      folder.run({"list", "scenarios", "--folder", kSourceFolder + "/scenarios"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("overtaken-commit.toml"));
  EXPECT_THAT(result.out, testing::Not(HasSubstr("NOT VALID")));
}

TEST(List, NamesSystemsScenariosAndSearches) {
  const WorkFolder folder;
  const std::vector<std::pair<std::vector<std::string>, std::string>> lists{
      {{"list", "systems"}, "majority"},
      {{"list", "searches"}, "random"},
      {{"list", "scenarios", "--folder", kSourceFolder + "/scenarios"}, "overtaken-commit"}};
  for (auto [words, expected] : lists) {
    EXPECT_THAT(folder.run(words).out, HasSubstr(expected));
    words.push_back("--json");
    const CommandResult result = folder.run(words);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const json entries = json::parse(result.out);
    ASSERT_FALSE(entries.empty());
    for (const json& entry : entries) {
      EXPECT_EQ(keys_of(entry), (std::set<std::string>{"name", "summary"}));
    }
  }
}

TEST(Export, WritesEachOfTheFiveFormats) {
  const WorkFolder folder;
  ASSERT_EQ(record_failing_run(folder).exit_code, 1);
  const std::vector<std::pair<std::string, std::string>> beginnings{
      {"svg", "<svg"}, {"dot", "digraph"}, {"shiviz", "(?<"}, {"perfetto", "{"}, {"json", "{"}};
  for (const auto& [format, beginning] : beginnings) {
    const CommandResult printed = folder.run({"export", "runs/latest", "--to", format});
    EXPECT_EQ(printed.exit_code, 0) << format << ": " << printed.err;
    EXPECT_THAT(printed.out.substr(0, 200), HasSubstr(beginning)) << format;
    EXPECT_TRUE(beginning != "{" || json::accept(printed.out)) << format;
    const CommandResult written = folder.run(
        {"export", "runs/latest/trace.jsonl.gz", "--to", format, "--out", "out." + format});
    EXPECT_EQ(written.exit_code, 0) << written.err;
    EXPECT_EQ(written.out, "wrote out." + format + "\n");
    EXPECT_EQ(read_text(folder.file("out." + format)), printed.out) << format;
  }
}

TEST(List, SaysWhereFaultStrategiesComeFrom) {
  EXPECT_THAT(WorkFolder().run({"list", "faults"}).out, HasSubstr("--plugin"));
}

TEST(Export, ADeviceIsWrittenToAndNotReplaced) {
  const WorkFolder folder;
  ASSERT_EQ(record_failing_run(folder).exit_code, 1);
  EXPECT_EQ(folder.run({"export", "runs/latest", "--to", "dot", "-o", "/dev/null"}).exit_code, 0);
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(Output, AFullDeviceIsNoticed) {
  const WorkFolder folder;
  const CommandResult result =
      folder.run({"-c", tested_program() + " list systems --json > /dev/full"}, "/bin/sh");
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_NE(result.err.find("standard output: cannot be written"), std::string::npos);
}

TEST(Export, OptionsOfTheDiagramAreChecked) {
  const WorkFolder folder;
  ASSERT_EQ(record_failing_run(folder).exit_code, 1);
  const CommandResult hidden =
      folder.run({"export", "runs/latest", "--to", "svg", "--hide", "Comit"});
  EXPECT_EQ(hidden.exit_code, 2);
  EXPECT_THAT(hidden.err, HasSubstr("did you mean 'Commit'?"));
  const CommandResult moment = folder.run({"export", "runs/latest", "--to", "svg", "--from", "2"});
  EXPECT_EQ(moment.exit_code, 2);
  EXPECT_THAT(moment.err, HasSubstr("--from: expected a time such as 2.5s"));
}

TEST(Completion, CoversEveryVerbInThreeShells) {
  const WorkFolder folder;
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    const CommandResult result = folder.run({"completion", shell});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    for (const char* verb :
         {"run", "hunt", "campaign", "replay", "check", "list", "export", "completion"}) {
      EXPECT_THAT(result.out, HasSubstr(verb)) << shell;
    }
    folder.write(shell, result.out);
  }
  const CommandResult parsed = folder.run({"-n", "bash"}, "bash");
  EXPECT_EQ(parsed.exit_code, 0) << parsed.err;
}

TEST(Completion, TheBashScriptCompletesVerbsAndOptions) {
  const WorkFolder folder;
  folder.write("script", folder.run({"completion", "bash"}).out +
                             "COMP_WORDS=(dissensus hu) COMP_CWORD=1; _dissensus\n"
                             "echo \"${COMPREPLY[@]}\"\n"
                             "COMP_WORDS=(dissensus hunt --bud) COMP_CWORD=2; _dissensus\n"
                             "echo \"${COMPREPLY[@]}\"\n");
  EXPECT_EQ(folder.run({"script"}, "bash").out, "hunt\n--budget\n");
}

TEST(Help, EveryVerbShowsAnExample) {
  const WorkFolder folder;
  EXPECT_THAT(folder.run({"--help"}).out, HasSubstr("Exit codes: 0 "));
  for (const std::string verb :
       {"run", "hunt", "campaign", "replay", "check", "list", "export", "completion"}) {
    const CommandResult result = folder.run({verb, "--help"});
    EXPECT_EQ(result.exit_code, 0) << verb;
    EXPECT_THAT(result.out, HasSubstr("Example")) << verb;
    EXPECT_THAT(result.out, HasSubstr("dissensus " + verb)) << verb;
    EXPECT_THAT(result.err, IsEmpty()) << verb;
  }
  EXPECT_THAT(folder.run({"--version"}).out, MatchesRegex("dissensus [0-9.]+\n"));
}

/// The longest line of a text, in bytes.
std::string longest_line(const std::string& text) {
  std::istringstream lines(text);
  std::string longest;
  for (std::string line; std::getline(lines, line);) {
    if (line.size() > longest.size()) longest = line;
  }
  return longest;
}

TEST(Help, FitsATerminalOf80ColumnsAndIsFoundByItsWord) {
  const WorkFolder folder;
  const std::string help = folder.run({"--help"}).out;
  EXPECT_LE(longest_line(help).size(), 80u) << longest_line(help);
  EXPECT_EQ(folder.run({"help"}).out, help);
  for (const std::string verb : {"run", "hunt", "campaign", "shrink", "confirm", "store", "list"}) {
    const std::string page = folder.run({verb, "--help"}).out;
    EXPECT_LE(longest_line(page).size(), 80u) << longest_line(page);
    EXPECT_EQ(folder.run({"help", verb}).out, page);
  }
  const CommandResult nothing = folder.run({});
  EXPECT_EQ(nothing.exit_code, 2);
  EXPECT_EQ(nothing.err, help);
  EXPECT_THAT(nothing.out, IsEmpty());
}

TEST(Usage, TyposGetASuggestionOnOneLine) {
  const WorkFolder folder;
  const std::vector<std::pair<std::vector<std::string>, std::string>> typos{
      {{"hnut", kBuggyScenario}, "did you mean 'hunt'?"},
      {{"run", kBuggyScenario, "--sede", "4"}, "did you mean '--seed'?"},
      {{"hunt", kBuggyScenario, "--buget", "4runs"}, "did you mean '--budget'?"},
      {{"replay", "x", "--untill", "4"}, "did you mean '--until'?"},
      {{"run", kBuggyScenario, "--seed", "4..2"}, "--seed: expected"},
      {{"run", kBuggyScenario, "--seed", "-1"}, "--seed: expected"},
      {{"run", kBuggyScenario, "--seed", "99999999999999999999"}, "--seed: expected"},
      {{"hunt", kBuggyScenario, "--budget", "soon"}, "--budget: expected"},
      {{"hunt", kBuggyScenario, "--jobs", "0"}, "--jobs"},
      {{"run"}, "scenario is required, as in `dissensus run scenarios/"},
      {{"run", kBuggyScenario, "--jobs", "two"}, "--jobs: expected a number from 1 to 1024, found"},
      {{"replay", "x", "--until", "z"},
       "--until: expected a number that is not negative, found 'z'"},
      {{"replay", "x", "--until", "0"}, "--until: expected a number greater than 0, found '0'"},
      {{"replay", "."}, ".: not the folder of a run"},
      {{"version"}, "did you mean '--version'?"},
      {{"list", "scenario"}, "found 'scenario', did you mean 'scenarios'?"},
      {{"run", kBuggyScenario.substr(0, kBuggyScenario.size() - 5)}, "overtaken-commit.toml'?"},
      {{"run", "no-such-thing"}, "dissensus list scenarios"},
      {{"--verbose"}, "unknown option '--verbose'"}};
  for (const auto& [words, expected] : typos) {
    const CommandResult result = folder.run(words);
    EXPECT_EQ(result.exit_code, 2) << expected;
    EXPECT_THAT(result.err, HasSubstr(expected));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_THAT(result.out, IsEmpty());
  }
  EXPECT_THAT(folder.content(), IsEmpty());
}

}  // namespace
}  // namespace dissensus::cli_test
