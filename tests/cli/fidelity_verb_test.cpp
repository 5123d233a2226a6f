#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"

namespace dissensus::cli_test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string kXrplScenario = kSourceFolder + "/scenarios/xrpl/thesis.toml";

std::vector<std::string> small_comparison(const std::string& scenario) {
  return {"fidelity",  scenario, "--against",           scenario, "--schedules", "2",
          "--repeats", "2",      "--simulated-repeats", "3"};
}

/// The only folder below runs/.
fs::path comparison_folder(const WorkFolder& folder) {
  for (const auto& entry : fs::directory_iterator(folder.file("runs"))) return entry.path();
  return {};
}

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

// A comparison leaves the documented folder, and a table on the terminal.
TEST(FidelityVerb, LeavesItsFolder) {
  const WorkFolder folder;
  const CommandResult result = folder.run(small_comparison(kXrplScenario));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const fs::path made = comparison_folder(folder);
  EXPECT_THAT(made.filename().string(), HasSubstr("-fidelity-xrpl-thesis"));
  for (const char* const name :
       {"scenario.toml", "against.toml", "schedules/none.json", "schedules/random-1.json",
        "observations.jsonl", "comparison.json", "tables.md", "report.html", "messages.svg",
        "distributions.svg", "stalls.svg"}) {
    EXPECT_TRUE(fs::exists(made / name)) << name;
  }
  EXPECT_EQ(lines_of(read_text(made / "observations.jsonl")), 1u + 2 * 2 + 2 * 3);
  EXPECT_THAT(result.out, HasSubstr("Messages per ledger"));
  EXPECT_THAT(result.out, HasSubstr("ProposeSet0"));
  EXPECT_THAT(result.out, HasSubstr("ledger interval / s"));
  EXPECT_THAT(result.out, HasSubstr("report.html"));
  EXPECT_THAT(result.err, HasSubstr("first: 4 of 4 runs"));

  // A schedule of the folder runs alone, and can be compared again.
  const std::string schedule = (made / "schedules/random-1.json").string();
  EXPECT_LE(folder.run({"run", kXrplScenario, "--schedule", schedule, "-q"}).exit_code, 1);
}

TEST(FidelityVerb, AnswersPrograms) {
  const WorkFolder folder;
  std::vector<std::string> words = small_comparison(kXrplScenario);
  words.insert(words.end(), {"--json", "--seed", "7", "--out", "there"});
  const CommandResult result = folder.run(words);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["format"], "dissensus-fidelity/1");
  EXPECT_EQ(json["runs"][1], 6);
  EXPECT_EQ(json["complete"], true);
  EXPECT_THAT(json["folder"].get<std::string>(), StartsWith("there/"));
  EXPECT_THAT(json["command"].get<std::string>(), HasSubstr("--seed 7"));
  EXPECT_EQ(result.err, "");
}

// Given schedules are run in the place of drawn ones, and equal names are told apart.
TEST(FidelityVerb, TakesScheduleFiles) {
  const WorkFolder folder;
  ASSERT_EQ(folder
                .run({"fidelity", kXrplScenario, "--against", kXrplScenario, "--schedules", "2",
                      "--simulated-repeats", "1", "-q"})
                .exit_code,
            0);
  const std::string file = (comparison_folder(folder) / "schedules/random-1.json").string();
  const CommandResult result =
      folder.run({"fidelity", kXrplScenario, "--against", kXrplScenario, "--schedule", file,
                  "--schedule", file, "--simulated-repeats", "1", "--out", "again", "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  ASSERT_EQ(json["schedules"].size(), 2u);
  EXPECT_EQ(json["schedules"][0]["name"], "random-1");
  EXPECT_EQ(json["schedules"][1]["name"], "random-1-2");
}

TEST(FidelityVerb, RefusesWhatItCannotCompare) {
  const WorkFolder folder;
  const CommandResult simulated = folder.run({"fidelity", kXrplScenario});
  EXPECT_EQ(simulated.exit_code, 2);
  EXPECT_THAT(simulated.err, HasSubstr("thesis.toml:1: system.kind: "));
  EXPECT_THAT(simulated.err, HasSubstr("expected \"rippled\""));
  EXPECT_EQ(lines_of(simulated.err), 1u);

  const CommandResult other = folder.run({"fidelity", kXrplScenario, "--against", kBuggyScenario});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, HasSubstr("not comparable with"));

  const CommandResult none = folder.run({"fidelity", kXrplScenario, "--schedules", "0"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(folder.content(), Not(Contains("runs")));
}

TEST(FidelityVerb, SaysWhereItCannotWrite) {
  const WorkFolder folder;
  folder.write("runs", "a file, not a folder");
  const CommandResult result = folder.run(small_comparison(kXrplScenario));
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("runs"));
  EXPECT_EQ(lines_of(result.err), 1u);
}

}  // namespace
}  // namespace dissensus::cli_test
