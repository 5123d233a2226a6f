#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"

namespace dissensus::cli_test {
namespace {

using testing::HasSubstr;

std::string experiment_text() {
  return R"(format = "dissensus-experiment/1"
kind = "detection"
title = "Random delays"
repetitions = 2
budget = "20runs"
tables = ["success"]
figures = ["found"]
[[case]]
name = "majority"
scenario = ")" +
         kBuggyScenario + R"("
[[search]]
name = "random"
search = "random"
)";
}

// A study leaves its folder where it is expected, and says so to people and to programs.
TEST(StudyVerb, WritesTheFolder) {
  const WorkFolder folder;
  folder.write("small.toml", experiment_text());
  const CommandResult text = folder.run({"study", "small.toml"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("studies-out/small/report.html"));
  EXPECT_THAT(read_text(folder.file("studies-out/small/tables.md")),
              HasSubstr("| majority | 2 of 2 |"));
  EXPECT_THAT(text.err, HasSubstr("small: 0 of 2"));

  const CommandResult json =
      folder.run({"study", "small.toml", "--out", "there", "--repetitions", "1", "--json"});
  EXPECT_EQ(json.exit_code, 0) << json.err;
  const auto document = nlohmann::json::parse(json.out);
  EXPECT_EQ(document[0]["cells"], 1);
  EXPECT_EQ(document[0]["complete"], true);
  EXPECT_EQ(document[0]["folder"], "there");
}

// Another seed gives other hunts; --resume runs nothing twice.
TEST(StudyVerb, TakesSeedAndResumes) {
  const WorkFolder folder;
  folder.write("small.toml", experiment_text());
  folder.run({"study", "small.toml", "--out", "a"});
  folder.run({"study", "small.toml", "--out", "b", "--seed", "2"});
  EXPECT_NE(read_text(folder.file("a/results.csv")), read_text(folder.file("b/results.csv")));
  const CommandResult again =
      folder.run({"study", "small.toml", "--out", "a", "--resume", "--json"});
  EXPECT_EQ(nlohmann::json::parse(again.out)[0]["known_before"], 2);
}

// Nothing runs before every file has been read.
TEST(StudyVerb, RefusesBadFilesBeforeAnythingRuns) {
  const WorkFolder folder;
  folder.write("good.toml", experiment_text());
  folder.write("worse.toml",
               replaced(experiment_text(), "search = \"random\"", "search = \"randm\""));
  const CommandResult result = folder.run({"study", "good.toml", "worse.toml"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("worse.toml:13: search"));
  EXPECT_FALSE(fs::exists(folder.file("studies-out")));
}

}  // namespace
}  // namespace dissensus::cli_test
