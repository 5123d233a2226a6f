// `dissensus history check` as a person or a script calls it.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"

namespace dissensus::cli_test {
namespace {

constexpr std::string_view kStale =
    "INFO  jepsen.util - 0\t:invoke\t:write\t1\n"
    "INFO  jepsen.util - 0\t:ok\t:write\t1\n"
    "INFO  jepsen.util - 1\t:invoke\t:read\tnil\n"
    "INFO  jepsen.util - 1\t:ok\t:read\tnil\n";
constexpr std::string_view kFine =
    "{\"process\":0,\"type\":\"invoke\",\"f\":\"write\",\"value\":[1,2]}\n"
    "{\"process\":0,\"type\":\"ok\",\"f\":\"write\",\"value\":[1,2]}\n";

TEST(HistoryVerb, TellsTheVerdictByItsExitCode) {
  const WorkFolder folder;
  folder.write("stale.log", kStale);
  folder.write("fine.jsonl", kFine);
  folder.write("empty.edn", "");
  const CommandResult fails =
      folder.run({"history", "check", "stale.log", "--model", "lin-register"});
  EXPECT_EQ(fails.exit_code, 1);
  EXPECT_NE(fails.out.find("verdict   fail\n"), std::string::npos) << fails.out;
  EXPECT_NE(fails.out.find("read -> nil of process 1 (lines 3 and 4) cannot be placed"),
            std::string::npos)
      << fails.out;
  EXPECT_EQ(folder.run({"history", "check", "fine.jsonl", "--model", "lin-kv"}).exit_code, 0);
  const CommandResult nothing = folder.run({"history", "check", "empty.edn", "--model", "lin-kv"});
  EXPECT_EQ(nothing.exit_code, 3);
  EXPECT_NE(nothing.out.find("nothing was checked"), std::string::npos) << nothing.out;
}

TEST(HistoryVerb, PrintsOneJsonObject) {
  const WorkFolder folder;
  folder.write("stale.log", kStale);
  const CommandResult result =
      folder.run({"history", "check", "stale.log", "--model", "lin-register", "--json"});
  EXPECT_EQ(result.exit_code, 1);
  const nlohmann::json json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["outcome"], "fail");
  EXPECT_EQ(json["model"], "lin-register");
  ASSERT_EQ(json["findings"].size(), 1u);
  EXPECT_EQ(json["findings"][0]["name"], "not linearizable");
  EXPECT_EQ(json["findings"][0]["operations"].back()["line_answered"], 4);
  EXPECT_EQ(json["findings"][0]["operations"].back()["conflict"], true);
}

TEST(HistoryVerb, DrawsTheCounterexample) {
  const WorkFolder folder;
  folder.write("skew.edn",
               "{:process 0, :type :invoke, :f :txn, :value [[:r 1 nil] [:append 2 1]]}\n"
               "{:process 1, :type :invoke, :f :txn, :value [[:r 2 nil] [:append 1 1]]}\n"
               "{:process 0, :type :ok, :f :txn, :value [[:r 1 []] [:append 2 1]]}\n"
               "{:process 1, :type :ok, :f :txn, :value [[:r 2 []] [:append 1 1]]}\n");
  const CommandResult result = folder.run(
      {"history", "check", "skew.edn", "--model", "txn-list-append", "--svg", "skew.svg"});
  EXPECT_EQ(result.exit_code, 1);
  const std::string picture = read_text(folder.file("skew.svg"));
  EXPECT_EQ(picture.find("<?xml"), 0u);
  for (const char* part : {"txn-list-append: G2-item", "process 0", "process 1", ">rw</text>"}) {
    EXPECT_NE(picture.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(folder
                .run({"history", "check", "skew.edn", "--model", "txn-list-append", "--level",
                      "snapshot-isolation"})
                .exit_code,
            0);
}

TEST(HistoryVerb, ExplainsBadInputInOneLine) {
  const WorkFolder folder;
  folder.write("bad.edn", "{:process 0, :type :invoke, :f :read}\n{:process 0, :type :ok, :f 7}\n");
  folder.write("stale.log", kStale);
  struct Case {
    std::vector<std::string> words;
    std::string message;
  };
  const std::vector<Case> cases{
      {{"bad.edn", "--model", "lin-kv"},
       "dissensus: bad.edn:2: f: missing, expected the name of an operation\n"},
      {{"stale.log", "--model", "txn-list-append"},
       "dissensus: stale.log:2: expected a list of [function key value], found 1\n"},
      {{"stale.log", "--model", "lin-kv"},
       "dissensus: stale.log:1: write: expected [key value], found 1\n"},
  };
  for (const Case& expected : cases) {
    std::vector<std::string> words{"history", "check"};
    words.insert(words.end(), expected.words.begin(), expected.words.end());
    const CommandResult result = folder.run(words);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.err, expected.message);
  }
  const CommandResult model =
      folder.run({"history", "check", "stale.log", "--model", "lin-regster"});
  EXPECT_EQ(model.exit_code, 2);
  EXPECT_NE(model.err.find("did you mean 'lin-register'?"), std::string::npos) << model.err;
  const CommandResult missing = folder.run({"history", "check", "none.edn", "--model", "lin-kv"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_EQ(folder.run({"history", "chekc"}).exit_code, 2);
  const CommandResult level = folder.run(
      {"history", "check", "stale.log", "--model", "lin-register", "--level", "serialisable"});
  EXPECT_NE(level.err.find("did you mean 'serializable'?"), std::string::npos) << level.err;
}

TEST(HistoryVerb, ALimitThatIsHitIsUnknown) {
  const WorkFolder folder;
  std::string text;
  const auto add = [&](int process, const std::string& rest) {
    text += fmt::format("INFO jepsen.util - {} {}\n", process, rest);
  };
  for (int i = 0; i < 20; ++i) add(i, fmt::format(":invoke :write {}", i));
  for (int i = 0; i < 20; ++i) add(i, fmt::format(":ok :write {}", i));
  for (int i = 0; i < 2; ++i) {
    add(30, ":invoke :cas [1 2]");
    add(30, ":ok :cas [1 2]");
  }
  folder.write("hard.log", text);
  const CommandResult result = folder.run(
      {"history", "check", "hard.log", "--model", "lin-register", "--steps-max", "20000"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_NE(result.out.find("the search took all 20000 steps that it may take"), std::string::npos)
      << result.out;
}

}  // namespace
}  // namespace dissensus::cli_test
