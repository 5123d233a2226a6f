#include <gmock/gmock.h>

#include "cli/command.h"

namespace dissensus::cli_test {
namespace {

using testing::HasSubstr;

// A vector of Rocket becomes a schedule that runs, and the same vector again.
TEST(Import, RocketsVectorsGoAndComeBack) {
  const WorkFolder folder;
  std::string vector(1, '[');
  for (int i = 0; i < 140; ++i) vector += (i == 0 ? "" : ", ") + std::to_string(i * 10);
  vector += "]\n";
  const std::string file = folder.write("vector.json", vector);
  const std::string scenario = kSourceFolder + "/scenarios/xrpl/operators-2025.toml";
  const std::string schedule = folder.file("schedule.json").string();
  const CommandResult there =
      folder.run({"import", "rocket", file, "--scenario", scenario, "-o", schedule});
  EXPECT_EQ(there.exit_code, 0) << there.err;
  EXPECT_THAT(there.out, HasSubstr("wrote"));
  const CommandResult run = folder.run({"run", scenario, "--schedule", schedule, "--no-folder"});
  EXPECT_NE(run.exit_code, 2) << run.err;
  const CommandResult back =
      folder.run({"import", "rocket", "--back", schedule, "--scenario", scenario});
  EXPECT_EQ(back.exit_code, 0) << back.err;
  EXPECT_EQ(back.out, vector);
}

TEST(Import, MistakesAreNamed) {
  const WorkFolder folder;
  const std::string file = folder.write("short.txt", "1 2 3");
  const std::string scenario = kSourceFolder + "/scenarios/xrpl/operators-2025.toml";
  const CommandResult result = folder.run({"import", "rocket", file, "--scenario", scenario});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err,
              HasSubstr("expected 140 numbers (7 message types x 5 x 4 nodes), found 3"));
}

}  // namespace
}  // namespace dissensus::cli_test
