// The folder that a run leaves is the documented one, replays only as what it was, and failures to
// write it are reported.
#include <set>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/markdown.h"

namespace dissensus::cli_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// Every key of a document with its path; lists count as their first element.
void collect_keys(const json& value, const std::string& path, std::set<std::string>& keys) {
  if (value.is_array() && !value.empty()) collect_keys(value[0], path + "[]", keys);
  if (!value.is_object()) return;
  for (const auto& [key, child] : value.items()) {
    keys.insert(path + "." + key);
    collect_keys(child, path + "." + key, keys);
  }
}
std::set<std::string> all_keys(const std::string& text) {
  std::set<std::string> keys;
  collect_keys(json::parse(text), "", keys);
  return keys;
}

TEST(RunFolderDocument, ItsExamplesHaveTheKeysThatARunWritesNow) {
  const std::string document = read_text(kSourceFolder + "/docs/formats/run-folder.md");
  const std::vector<std::string> examples = code_blocks(document, "json");
  ASSERT_EQ(examples.size(), 4u);  // schedule, run.json, verdict.json, metrics.json
  const WorkFolder folder;
  const std::string schedule = folder.write("late.json", examples[0]);
  const CommandResult result =
      folder.run({"run", kBuggyScenario, "--schedule", schedule, "--seed", "7"});
  ASSERT_EQ(result.exit_code, 1) << result.err;
  const char* const names[] = {"run.json", "verdict.json", "metrics.json"};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string written = read_text(folder.file(std::string("runs/latest/") + names[i]));
    EXPECT_EQ(all_keys(examples[i + 1]), all_keys(written)) << names[i];
    const json content = json::parse(written);
    EXPECT_EQ(json::parse(examples[i + 1])["format"], content["format"]);
    for (const auto& [key, value] : content.items()) {
      EXPECT_THAT(document, HasSubstr("`" + key + "`")) << names[i] << " is not described";
    }
  }
}

TEST(RunFolder, HoldsTheDocumentedFiles) {
  const WorkFolder folder;
  ASSERT_EQ(record_failing_run(folder).exit_code, 1);
  std::set<std::string> names;
  const fs::path latest = fs::canonical(folder.file("runs/latest"));
  for (const auto& entry : fs::recursive_directory_iterator(latest)) {
    names.insert(fs::relative(entry.path(), latest).string());
  }
  EXPECT_EQ(names,
            (std::set<std::string>{"run.json", "scenario.toml", "schedule.json", "verdict.json",
                                   "metrics.json", "trace.jsonl.gz", "nodes", "nodes/0.log",
                                   "nodes/1.log", "nodes/2.log", "graph.dot", "diagram.svg"}));
  EXPECT_EQ(read_text(latest / "scenario.toml"), read_text(kBuggyScenario));
}

TEST(RunFolder, IsNeverWrittenOver) {
  const WorkFolder folder;
  for (int i = 0; i < 3; ++i) ASSERT_EQ(record_failing_run(folder).exit_code, 1);
  std::size_t folders = 0;
  for (const auto& entry : fs::directory_iterator(folder.file("runs"))) {
    // Beside them are the folders of the hunts.
    folders += !entry.is_symlink() && fs::exists(entry.path() / "run.json") ? 1 : 0;
  }
  EXPECT_EQ(folders, 3u);
}

TEST(RunFolder, AHashThatSomebodyChangedIsRefused) {
  const WorkFolder folder;
  ASSERT_EQ(record_failing_run(folder).exit_code, 1);
  const fs::path path = folder.file("runs/latest/run.json");
  const std::string text = read_text(path);
  const std::string hash = json::parse(text)["hash"];
  write_text(path, replaced(text, hash, "0123456789abcdef"));
  const CommandResult result = folder.run({"replay", "runs/latest"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("runs/latest/run.json: hash: expected \"" + hash + '"'));
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  EXPECT_THAT(result.out, IsEmpty());
}

// The bug that a run shows is fixed: replay says so, and whoever would explain the recorded run
// refuses to explain another one.
TEST(RunFolder, ARunWhoseBugWasFixedIsRecordedFailNowPass) {
  const WorkFolder folder;
  ASSERT_EQ(record_failing_run(folder).exit_code, 1);
  const fs::path path = folder.file("runs/latest/scenario.toml");
  const std::string buggy = read_text(path);
  const std::string fixed =
      replaced(buggy, "values = [1, 1, 0]", "values = [1, 1, 0]\nfixed = true");
  write_text(path, fixed);
  const CommandResult replay = folder.run({"replay", "runs/latest"});
  EXPECT_EQ(replay.exit_code, 0) << replay.err;
  EXPECT_THAT(replay.err, HasSubstr("the replay differs: recorded fail "
                                    "(agreement/decided-differently/outcome) with hash"));
  EXPECT_THAT(replay.err, HasSubstr("now pass with hash"));
  EXPECT_EQ(std::count(replay.err.begin(), replay.err.end(), '\n'), 1) << replay.err;
  EXPECT_THAT(replay.out, HasSubstr("verdict   pass"));
  EXPECT_THAT(replay.out, HasSubstr("not the recorded run"));
  EXPECT_THAT(replay.out, Not(HasSubstr("identical")));
  const CommandResult as_json = folder.run({"replay", "runs/latest", "--json"});
  EXPECT_EQ(json::parse(as_json.out)["repeatable"], false);
  for (const char* const verb : {"diff", "shrink", "report"}) {
    const CommandResult result = folder.run({verb, "runs/latest"});
    EXPECT_EQ(result.exit_code, 2) << verb << result.out;
    EXPECT_THAT(result.err, HasSubstr("the replay differs: recorded fail")) << verb;
  }

  // And the other way: it passed once, and came back.
  ASSERT_EQ(folder.run({"replay", "runs/latest", "--out", "again"}).exit_code, 0);
  write_text(folder.file("again/latest/scenario.toml"), buggy);
  const CommandResult back = folder.run({"replay", "again/latest"});
  EXPECT_EQ(back.exit_code, 1) << back.err;
  EXPECT_THAT(back.err, HasSubstr("recorded pass with hash"));
  EXPECT_THAT(back.err, HasSubstr("now fail (agreement/decided-differently/outcome)"));
}

TEST(RunFolder, DamageIsRefusedWithTheFileThatIsDamaged) {
  const std::vector<std::pair<std::string, std::string>> damages{
      {"run.json", "{\"format\": \"dissensus-run/2\"}"},
      {"run.json", "{\"format\": \"dissensus-run/1\", \"seed\": -1, \"hash\": \"\"}"},
      {"run.json", ""},
      {"scenario.toml", "name = 1"},
      {"schedule.json", "[]"}};
  for (const auto& [name, content] : damages) {
    const WorkFolder folder;
    ASSERT_EQ(record_failing_run(folder).exit_code, 1);
    write_text(folder.file("runs/latest/" + name), content);
    const CommandResult result = folder.run({"replay", "runs/latest"});
    EXPECT_EQ(result.exit_code, 2) << name << result.err;
    EXPECT_THAT(result.err, HasSubstr("runs/latest/" + name + ":1: "));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
}

TEST(RunFolder, AFileInTheWayIsReported) {
  const WorkFolder folder;
  folder.write("runs", "in the way");
  for (const std::string verb : {"run", "hunt"}) {
    const CommandResult result = folder.run({verb, kBuggyScenario});
    EXPECT_EQ(result.exit_code, 2) << verb;
    EXPECT_THAT(result.err, HasSubstr("dissensus: runs"));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_THAT(result.out, IsEmpty());
  }
  EXPECT_EQ(read_text(folder.file("runs")), "in the way");
}

TEST(RunFolder, AReadOnlyFolderIsReported) {
  if (geteuid() == 0) GTEST_SKIP() << "nothing is read-only for root";
  const WorkFolder folder;
  fs::create_directory(folder.file("runs"));
  fs::permissions(folder.file("runs"), fs::perms::owner_read | fs::perms::owner_exec);
  const CommandResult result = folder.run({"run", kBuggyScenario});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("dissensus: runs/"));
  fs::permissions(folder.file("runs"), fs::perms::owner_all);
}

TEST(Export, AFileThatCannotBeWrittenIsReported) {
  const WorkFolder folder;
  ASSERT_EQ(record_failing_run(folder).exit_code, 1);
  const CommandResult result =
      folder.run({"export", "runs/latest", "--to", "svg", "-o", "missing/diagram.svg"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("dissensus: missing/diagram.svg: cannot be written"));
}

}  // namespace
}  // namespace dissensus::cli_test
