// dissensus isolate as a person calls it. Bad input of every kind gets exit code 2 and exactly one
// line that names the file; stores of our own campaigns are isolated from the runs made again.
#include <algorithm>
#include <chrono>
#include <thread>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/victim.h"

namespace dissensus::cli_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr std::string_view kDeclaration = R"(format = "dissensus-messages/1"
nodes = 2
labels = ["fork"]
runs = ["runs.jsonl"]
[[kind]]
name = "Vote"
fields = [{ name = "round", type = "round" }, { name = "block", type = "hash" }]
)";
constexpr std::string_view kPassing =
    R"({"run": "1", "outcome": "pass", "inbox": [[{"kind": "Vote", "from": 1, "round": 1, "block": "a"}], []]})"
    "\n";
constexpr std::string_view kFailing =
    R"({"run": "2", "outcome": "fail", "labels": ["fork"], "inbox": [[{"kind": "Vote", "from": 1, "round": 1, "block": "a"}, {"kind": "Vote", "from": 1, "round": 1, "block": "b"}], []]})"
    "\n";

void expect_refused(const CommandResult& result, std::string_view file, std::string_view why) {
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  EXPECT_THAT(result.err, HasSubstr(file));
  EXPECT_THAT(result.err, HasSubstr(why));
}

/// Other people's logs with these runs.
CommandResult isolate_log(std::string_view declaration, std::string_view runs) {
  const WorkFolder folder;
  folder.write("messages.toml", declaration);
  folder.write("runs.jsonl", runs);
  return folder.run({"isolate", "messages.toml"});
}
std::string both() {
  return std::string(kPassing) + std::string(kFailing);
}

TEST(IsolateMessages, TwoRunsAreEnough) {
  const CommandResult result = isolate_log(kDeclaration, both());
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("1 of 2 runs fail"));
}

TEST(IsolateMessages, ADeclarationThatIsWrongIsNamedWithItsLine) {
  const struct {
    std::string_view from, to, why;
  } cases[] = {
      {"dissensus-messages/1", "dissensus-messages/9", "messages.toml:1: format: "},
      {"nodes = 2\n", "", "nodes: missing"},
      {"nodes = 2", "nodes = \"two\"", "messages.toml:2: nodes: "},
      {"\"round\" }", "\"rund\" }", "messages.toml:7: "},
      {"type = \"hash\" ", "", "messages.toml:7: "},
      {"name = \"Vote\"\n", "", "messages.toml:5: "},
      {"runs.jsonl", "absent.jsonl", "absent.jsonl"},
      {"nodes = 2", "nodes = [", "messages.toml:"},
  };
  for (const auto& [from, to, why] : cases) {
    SCOPED_TRACE(why);
    expect_refused(isolate_log(replaced(std::string(kDeclaration), from, to), both()), ".", why);
  }
}

TEST(IsolateMessages, ARunThatIsWrongIsNamedWithFileLineAndKey) {
  const struct {
    std::string_view from, to, why;
  } cases[] = {
      {R"(, "block": "b")", "", "runs.jsonl:2: block: missing in a Vote"},
      {R"("Vote", "from": 1, "round": 1, "block": "b")",
       R"("Vot", "from": 1, "round": 1, "block": "b")",
       "runs.jsonl:2: kind: 'Vot' is not declared"},
      {R"("round": 1, "block": "b")", R"("round": "one", "block": "b")", "runs.jsonl:2: round: "},
      {R"("from": 1, "round": 1, "block": "b")", R"("from": 2, "round": 1, "block": "b")",
       "runs.jsonl:2: from: "},
      {R"("block": "b")", R"("block": "b", "blok": 1)",
       "runs.jsonl:2: blok: unknown field of Vote"},
      {R"("outcome": "fail")", R"("outcome": "bad")", "runs.jsonl:2: outcome: 'bad', expected "},
      {R"("outcome": "fail", )", "", "runs.jsonl:2: outcome: "},
      {R"(["fork"])", R"(["forks"])", "runs.jsonl:2: labels: 'forks' is not declared"},
      {R"(, []]})", R"(]})", "runs.jsonl:1: inbox: 1 lists, expected one for each of the 2"},
      {R"({"run": "2")", R"({"run": "2)", "runs.jsonl:2: "},
  };
  for (const auto& [from, to, why] : cases) {
    SCOPED_TRACE(why);
    expect_refused(isolate_log(kDeclaration, replaced(both(), from, to)), "runs.jsonl", why);
  }
}

TEST(IsolateMessages, BothOutcomesAreNeeded) {
  const std::string passing(kPassing);
  const std::string failing(kFailing);
  expect_refused(isolate_log(kDeclaration, passing + replaced(passing, "\"1\"", "\"3\"")),
                 "messages.toml", "none of 2 fails");
  expect_refused(isolate_log(kDeclaration, failing + replaced(failing, "\"2\"", "\"3\"")),
                 "messages.toml", "none of 2 succeeds");
  expect_refused(isolate_log(kDeclaration, failing), "messages.toml", "1, expected failing and");
  expect_refused(isolate_log(kDeclaration, ""), "runs.jsonl", "empty");
}

TEST(IsolateMessages, TooManyComparisonsAreRefusedWithTheFile) {
  std::string fields;
  for (int i = 0; i < 11; ++i)
    fields += fmt::format("{{ name = \"f{}\", type = \"number\", compare = \"x\" }},", i);
  const std::string declaration =
      replaced(std::string(kDeclaration), "{ name = \"round\", type = \"round\" }, ", fields);
  expect_refused(isolate_log(declaration, both()), "messages.toml", "too many predicates");
}

// ---- the public data set's format

constexpr std::string_view kDataSetRuns =
    R"({"run":"1","config":"c","outcome":"correct","incompatible":false,"insufficient":false,"agreement":false})"
    "\n"
    R"({"run":"2","config":"c","outcome":"faulty","incompatible":false,"insufficient":true,"agreement":false})"
    "\n";
constexpr std::string_view kDataSetMessages =
    R"({"run":"1","hashes":["aa"],"inbox":[[[0,1,5,0,0,0]],[],[],[],[],[],[]]})"
    "\n"
    R"({"run":"2","hashes":["aa"],"inbox":[[[0,1,5,0,0,0],[1,2,0,1,-1,7,5]],[],[],[],[],[],[]]})"
    "\n";
constexpr std::string_view kBranches = R"({"sites":["BRANCH a.cpp:1:1"]})"
                                       "\n"
                                       R"({"run":"1","observed":[0,1]})"
                                       "\n"
                                       R"({"run":"2","observed":[0,6]})"
                                       "\n";

struct DataSet {
  std::string runs{kDataSetRuns};
  std::string messages{kDataSetMessages};
  std::string branches{kBranches};

  CommandResult isolate(const std::vector<std::string>& more = {}) const {
    const WorkFolder folder;
    fs::create_directory(folder.file("set"));
    folder.write("set/runs.jsonl", runs);
    if (!messages.empty()) folder.write("set/messages-c.jsonl.gz", messages);
    if (!branches.empty()) folder.write("set/branches.jsonl", branches);
    std::vector<std::string> words{"isolate", "set"};
    words.insert(words.end(), more.begin(), more.end());
    return folder.run(words);
  }
};
const std::vector<std::string> kByBranches{"--branches", "reference"};

TEST(IsolateDataSet, TwoRunsAreEnoughForEveryMode) {
  for (const std::vector<std::string>& mode : std::vector<std::vector<std::string>>{
           {}, {"--reference"}, {"--paper"}, kByBranches, {"--branches", "liblit"}}) {
    const CommandResult result = DataSet{}.isolate(mode);
    EXPECT_EQ(result.exit_code, 0) << result.err;
  }
}

// The public data set has three labels of its own; other systems name theirs.
TEST(IsolateDataSet, BranchesOfAnySystemHaveItsOwnLabels) {
  DataSet set;
  set.runs = R"({"run":"1","outcome":"correct","labels":[]})"
             "\n"
             R"({"run":"2","outcome":"faulty","labels":["lost write"]})"
             "\n";
  std::vector<std::string> words = kByBranches;
  words.emplace_back("--json");
  const CommandResult result = set.isolate(words);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const nlohmann::json report = nlohmann::json::parse(result.out);
  const nlohmann::json& labels = report.at("findings").at(0).at("labels");
  ASSERT_EQ(labels.size(), 1u);
  EXPECT_EQ(labels.at("lost write").at("f1"), 1);
  set.runs = replaced(set.runs, R"(["lost write"])", R"("lost write")");
  expect_refused(set.isolate(kByBranches), "set/runs.jsonl", "runs.jsonl:2: labels: ");
}

TEST(IsolateDataSet, BadMessagesAreNamedWithFileLineAndKey) {
  const struct {
    std::string_view from, to, why;
  } cases[] = {
      {"[1,2,0,1,-1,7,5]", "[1,2,0,1,-1,7]", "messages-c.jsonl.gz:2: inbox: a Validation with 4 "},
      {"[1,2,0,1,-1,7,5]", "[2,2,0,1,-1,7,5]", "messages-c.jsonl.gz:2: inbox: kind: "},
      {"[1,2,0,1,-1,7,5]", "[1,7,0,1,-1,7,5]", "messages-c.jsonl.gz:2: inbox: sender: "},
      {"[1,2,0,1,-1,7,5]", "[1,2,0,1,-1,\"7\",5]", "messages-c.jsonl.gz:2: ledger_sequence: "},
      {"[1,2,0,1,-1,7,5]", "[1,2,0,1,3,7,5]", "messages-c.jsonl.gz:2: ledger_hash: 3, expected"},
      {"[1,2,0,1,-1,7,5]", "5", "messages-c.jsonl.gz:2: inbox: "},
      {R"("hashes":["aa"],)", "", "messages-c.jsonl.gz:1: hashes: "},
      {",[],[]]}", ",[]]}", "messages-c.jsonl.gz:1: inbox: 6 boxes, expected 7"},
      {R"("run":"2")", R"("run":"9")", "messages-c.jsonl.gz:2: run: '9', expected a run of"},
  };
  for (const auto& [from, to, why] : cases) {
    SCOPED_TRACE(why);
    DataSet set;
    set.messages = replaced(set.messages, from, to);
    expect_refused(set.isolate(), "set/messages-c.jsonl.gz", why);
  }
}

TEST(IsolateDataSet, BadRunsAreNamedWithFileLineAndKey) {
  const struct {
    std::string_view from, to, why;
  } cases[] = {
      {R"("outcome":"faulty",)", "", "runs.jsonl:2: outcome: "},
      {R"("outcome":"faulty")", R"("outcome":"fail")", "runs.jsonl:2: outcome: 'fail', expected"},
      {R"("insufficient":true)", R"("insufficient":1)", "runs.jsonl:2: insufficient: "},
      {R"("run":"2")", R"("run":"1")", "run: '1' twice"},
  };
  for (const auto& [from, to, why] : cases) {
    SCOPED_TRACE(why);
    DataSet set;
    set.runs = replaced(set.runs, from, to);
    expect_refused(set.isolate(), "set/runs.jsonl", why);
  }
  DataSet incomplete;
  incomplete.messages.clear();
  expect_refused(incomplete.isolate(), "set/messages-c.jsonl.gz", "");
}

TEST(IsolateDataSet, BothOutcomesAreNeeded) {
  for (const std::vector<std::string>& mode :
       std::vector<std::vector<std::string>>{{}, {"--reference"}, kByBranches}) {
    SCOPED_TRACE(mode.empty() ? "" : mode.front());
    DataSet set;
    set.runs = replaced(set.runs, "faulty", "correct");
    expect_refused(set.isolate(mode), "set", "none of 2 fails");
    set.runs = replaced(std::string(kDataSetRuns), "correct", "faulty");
    expect_refused(set.isolate(mode), "set", "none of 2 succeeds");
    const auto second_line = [](std::string& text) { text = text.substr(text.find('\n') + 1); };
    second_line(set.runs);
    second_line(set.messages);
    set.branches = replaced(set.branches, "{\"run\":\"1\",\"observed\":[0,1]}\n", "");
    expect_refused(set.isolate(mode), "set", "1, expected failing and successful ones");
  }
}

TEST(IsolateDataSet, BadBranchesAreNamedWithFileLineAndKey) {
  const struct {
    std::string_view from, to, why;
  } cases[] = {
      {"[0,6]", "[0]", "branches.jsonl:3: observed: an odd number"},
      {"[0,6]", "[1,6]", "branches.jsonl:3: observed: site: "},
      {"[0,6]", "[0,8]", "branches.jsonl:3: observed: bits: "},
      {"[0,6]", "[0,true]", "branches.jsonl:3: observed: bits: "},
      {R"("observed":[0,6])", R"("seen":[0,6])", "branches.jsonl:3: observed: "},
      {R"("run":"2")", R"("run":"5")", "branches.jsonl:3: run: '5', expected a run of runs.jsonl"},
      {R"(["BRANCH a.cpp:1:1"])", "[]", "branches.jsonl:1: sites: empty"},
      {R"("sites")", R"("site")", "branches.jsonl:1: sites: "},
  };
  for (const auto& [from, to, why] : cases) {
    SCOPED_TRACE(why);
    DataSet set;
    set.branches = replaced(set.branches, from, to);
    expect_refused(set.isolate(kByBranches), "set/branches.jsonl", why);
  }
  DataSet without;
  without.branches.clear();
  expect_refused(without.isolate(kByBranches), "set/branches.jsonl", "");
}

// ---- stores

/// A campaign of the tutorial bug; failing and successful runs.
void record_campaign(const WorkFolder& folder, const std::string& scenario = kBuggyScenario) {
  const CommandResult result =
      folder.run({"campaign", scenario, "--runs", "40", "--out", "runs.sqlite", "--jobs", "1"});
  ASSERT_LE(result.exit_code, 1) << result.err;
}

TEST(IsolateStore, FindsWhatTellsTheFailingRunsFromTheOthers) {
  const WorkFolder folder;
  record_campaign(folder);
  const CommandResult result =
      folder.run({"isolate", "runs.sqlite", "--json", "--report", "p.html"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const nlohmann::json report = nlohmann::json::parse(result.out);
  ASSERT_FALSE(report.at("findings").empty());
  const nlohmann::json& first = report.at("findings").at(0);
  EXPECT_FALSE(first.at("failing").empty());
  EXPECT_THAT(first.at("words").get<std::string>(), HasSubstr("node"));
  EXPECT_THAT(read_text(folder.file("p.html")), HasSubstr("<svg"));
  const CommandResult again = folder.run({"isolate", "runs.sqlite", "--json", "--jobs", "1"});
  EXPECT_EQ(again.out, result.out) << "whatever the number of threads";
}

// The same campaign made twice into one store is the same evidence, and is said to be.
TEST(IsolateStore, ACampaignMadeTwiceCountsOnceAndOneCanBeNamed) {
  const WorkFolder folder;
  record_campaign(folder);
  const CommandResult once = folder.run({"isolate", "runs.sqlite", "-q"});
  EXPECT_EQ(once.err, "");
  const std::string truth = folder.run({"isolate", "runs.sqlite"}).out;
  record_campaign(folder);
  const CommandResult twice = folder.run({"isolate", "runs.sqlite"});
  EXPECT_EQ(twice.out.substr(0, twice.out.find('\n')), truth.substr(0, truth.find('\n')));
  EXPECT_THAT(twice.err, HasSubstr("40 of the 40 runs of hunt 2 are runs of an earlier hunt"));
  const CommandResult second = folder.run({"isolate", "runs.sqlite#2"});
  EXPECT_EQ(second.err, "");
  EXPECT_EQ(second.out.substr(0, second.out.find('\n')), truth.substr(0, truth.find('\n')));
  expect_refused(folder.run({"isolate", "runs.sqlite#3"}), "runs.sqlite",
                 "no hunt 3, expected 1 to 2");
  expect_refused(folder.run({"isolate", "runs.sqlite#x"}), "runs.sqlite#x", "STORE#2");
}

// Whoever presses Ctrl-C gets what there is, soon, and the exit code says so.
TEST(IsolateStore, StopsWhenItIsAsked) {
  const WorkFolder folder;
  const CommandResult campaign =
      folder.run({"campaign", kSourceFolder + "/scenarios/xrpl/byzzfuzz-c1d0.toml", "--runs", "100",
                  "--out", "runs.sqlite", "--jobs", "1"});
  ASSERT_EQ(campaign.exit_code, 1) << campaign.err;
  for (int wait_ms = 50; wait_ms < 10'000; wait_ms *= 2) {
    Victim victim(folder, {"isolate", "runs.sqlite", "--jobs", "1"});
    std::this_thread::sleep_for(std::chrono::milliseconds(wait_ms));
    const auto begin = std::chrono::steady_clock::now();
    const int status = victim.end_with(SIGINT);
    if (WIFSIGNALED(status)) continue;  // it had not begun
    EXPECT_EQ(WEXITSTATUS(status), 3);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
    EXPECT_THAT(read_text(folder.file("output")), HasSubstr("dissensus: interrupted: "));
    return;
  }
  FAIL() << "it never begins";
}

// "These runs are so many bugs; here is each": a page for all, and a run folder for each cause
// whose smallest run fails as the cause does.
TEST(IsolateStore, EachCauseGetsAPageWithItsSmallestRun) {
  const WorkFolder folder;
  record_campaign(folder);
  const CommandResult result =
      folder.run({"isolate", "runs.sqlite", "--json", "--pages", "pages", "--jobs", "1"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const nlohmann::json report = nlohmann::json::parse(result.out);
  const nlohmann::json& causes = report.at("causes").at("list");
  ASSERT_FALSE(causes.empty());
  std::size_t runs = 0;
  for (std::size_t i = 0; i < causes.size(); ++i) {
    runs += causes[i].at("runs").size();
    const std::string cause = fmt::format("pages/cause-{}", i + 1);
    EXPECT_EQ(causes[i].at("page").at("file"), cause + "/report.html");
    EXPECT_TRUE(fs::exists(folder.file(cause + "/report.html")));
    const std::string smallest =
        causes[i].at("page").at("shrunk").get<bool>() ? cause + "/minimal" : cause;
    EXPECT_EQ(folder.run({"replay", smallest}).exit_code, 1) << "it fails when it is replayed";
  }
  EXPECT_EQ(runs, report.at("failing").get<std::size_t>()) << "every failing run has one cause";
  EXPECT_THAT(read_text(folder.file("pages/index.html")),
              testing::AllOf(
                  HasSubstr(fmt::format("These {} failing runs are {} bug", runs, causes.size())),
                  HasSubstr("href=\"cause-1/report.html\"")));
  folder.write("messages.toml", kDeclaration);
  folder.write("runs.jsonl", both());
  expect_refused(folder.run({"isolate", "messages.toml", "--pages", "pages"}), "--pages",
                 "is for stores of campaigns only");
}

TEST(IsolateStore, ASampleIsTheSameEachTimeAndSmaller) {
  const WorkFolder folder;
  record_campaign(folder);
  const auto runs_of = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"isolate", "runs.sqlite", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const CommandResult result = folder.run(words);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return nlohmann::json::parse(result.out);
  };
  const nlohmann::json whole = runs_of({});
  const nlohmann::json half = runs_of({"--sample-runs", "0.5", "--sample-messages", "0.7"});
  EXPECT_EQ(half, runs_of({"--sample-runs", "0.5", "--sample-messages", "0.7"}));
  EXPECT_EQ(half.at("failing"), whole.at("failing")) << "failing runs are all kept";
  EXPECT_LT(half.at("runs"), whole.at("runs"));
  EXPECT_EQ(folder.run({"isolate", "runs.sqlite", "--sample-runs", "2"}).exit_code, 2);
}

TEST(IsolateStore, IsFoundInTheFolderOfAHunt) {
  const WorkFolder folder;
  record_campaign(folder);
  fs::create_directory(folder.file("hunt"));
  fs::rename(folder.file("runs.sqlite"), folder.file("hunt/store.sqlite"));
  EXPECT_EQ(folder.run({"isolate", "hunt"}).exit_code, 0);
}

TEST(IsolateStore, WithoutFailingRunsIsRefused) {
  const WorkFolder folder;
  folder.write("calm.toml", R"(format = "dissensus-scenario/1"
name = "calm"
[system]
kind = "majority"
values = [1, 1, 1]
[network]
latency = "5ms"
[schedule]
type = "delay"
max_delay = "1ms"
)");
  record_campaign(folder, "calm.toml");
  expect_refused(folder.run({"isolate", "runs.sqlite"}), "runs.sqlite", "none of 40 fails");
}

TEST(IsolateStore, ThatIsNoneIsRefused) {
  const WorkFolder folder;
  expect_refused(folder.run({"isolate", "absent.sqlite"}), "absent.sqlite", "");
  folder.write("text.sqlite", "no database");
  expect_refused(folder.run({"isolate", "text.sqlite"}), "text.sqlite", "");
  expect_refused(folder.run({"isolate", "absent"}), "absent", "not found, expected a data set");
  folder.write("notes.txt", "?");
  expect_refused(folder.run({"isolate", "notes.txt"}), "notes.txt", "neither, expected a data set");
}

TEST(IsolateStore, AnotherSystemsDeclarationIsRefused) {
  const WorkFolder folder;
  record_campaign(folder);
  const auto refused = [&](std::string_view from, std::string_view to, std::string_view why,
                           std::string_view refused_file = "messages.toml") {
    SCOPED_TRACE(why);
    const std::string good = R"(format = "dissensus-messages/1"
nodes = 3
[[kind]]
name = "Proposal"
fields = [{ name = "value", type = "value" }, { name = "round", type = "round" }]
)";
    folder.write("messages.toml", replaced(good, from, to));
    const CommandResult result =
        folder.run({"isolate", "runs.sqlite", "--messages", "messages.toml"});
    expect_refused(result, refused_file, why);
  };
  refused("Proposal", "Propsal", "Propsal");
  refused("\"value\",", "\"valu\",", "valu");
  refused("nodes = 3", "nodes = 4", "nodes", "runs.sqlite");
  refused("type = \"round\"", "type = \"rond\"", "messages.toml:5: ");
  const CommandResult elsewhere = folder.run({"isolate", "messages.toml", "--messages", "x.toml"});
  expect_refused(elsewhere, "--messages", "is for stores of campaigns only");
}

}  // namespace
}  // namespace dissensus::cli_test
