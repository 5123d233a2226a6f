// A row of a store is opened, replayed, shrunk, explained and reported like a run folder.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"

namespace dissensus::cli_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class StoreRow : public testing::Test {
 protected:
  StoreRow() {
    const CommandResult campaign =
        folder_.run({"campaign", kBuggyScenario, "--runs", "60", "--out", "my runs.sqlite"});
    EXPECT_EQ(campaign.exit_code, 1) << campaign.err;
  }
  /// The first run that fails, by replaying one after another.
  std::string failing() const {
    for (int row = 1; row <= 60; ++row) {
      const std::string name = "my runs.sqlite#" + std::to_string(row);
      if (folder_.run({"replay", name, "-q"}).exit_code == 1) return name;
    }
    return {};
  }
  WorkFolder folder_;
};

TEST_F(StoreRow, IsOpenedLikeARunFolder) {
  const std::string row = failing();
  ASSERT_FALSE(row.empty());
  const CommandResult replay = folder_.run({"replay", row});
  EXPECT_THAT(replay.out, HasSubstr("identical to the recorded run"));
  const CommandResult report = folder_.run({"report", row, "--json"});
  ASSERT_EQ(report.exit_code, 0) << report.err;
  const std::string page = json::parse(report.out)["report"];
  EXPECT_THAT(page, HasSubstr("runs/my runs-1-"));
  EXPECT_THAT(read_text(folder_.file(page)), HasSubstr("id=\"why\""));
  // The printed command is quoted for the shell.
  const std::string command = json::parse(report.out)["replay"];
  EXPECT_EQ(folder_.run({"-c", command}, "sh").exit_code, 1) << command;
  EXPECT_EQ(folder_.run({"diff", row}).exit_code, 0);
  EXPECT_EQ(folder_.run({"shrink", row, "-q"}).exit_code, 0);
  EXPECT_EQ(folder_.run({"export", row, "--to", "svg", "-o", "a.svg"}).exit_code, 0);
  EXPECT_EQ(folder_.run({"corpus", "add", row, "-q"}).exit_code, 0);
}

TEST_F(StoreRow, WhatIsNoRowIsSaidInOneLine) {
  EXPECT_EQ(folder_.run({"replay", "my runs.sqlite#61"}).err,
            "dissensus: my runs.sqlite: no run 61, expected 1 to 60\n");
  EXPECT_EQ(folder_.run({"replay", "my runs.sqlite#2/1"}).err,
            "dissensus: my runs.sqlite: no hunt 2, expected 1 to 1\n");
  EXPECT_THAT(folder_.run({"replay", "my runs.sqlite#x"}).err, HasSubstr("STORE#HUNT/17"));
  EXPECT_EQ(folder_.run({"replay", "my runs.sqlite#0"}).exit_code, 2);
}

// What `new` writes is what the guide speaks of; nothing that is there is written over.
TEST(New, RefusesNamesAndFoldersThatDoNotFit) {
  const WorkFolder folder;
  EXPECT_EQ(folder.run({"new", "My Protocol"}).exit_code, 2);
  EXPECT_EQ(folder.run({"new", "a--b"}).exit_code, 2);
  ASSERT_EQ(folder.run({"new", "my-protocol", "-q"}).exit_code, 0);
  EXPECT_EQ(folder.run({"new", "my-protocol"}).err,
            "dissensus: new: my-protocol: exists and is not empty\n");
  const std::string source = read_text(folder.file("my-protocol/my_protocol.cpp"));
  EXPECT_THAT(source, HasSubstr("class MyProtocol final : public System"));
  EXPECT_EQ(source.find('@'), std::string::npos) << "every word was filled in";
}

// The manual says what --help says.
TEST(Manual, HasEveryOptionOfTheHelp) {
  const WorkFolder folder;
  const std::string page = folder.run({"manual", "hunt"}).out;
  for (const std::string option : {"search", "budget", "plugin", "no\\-shrink", "json"}) {
    EXPECT_THAT(page, HasSubstr("\\-\\-" + option)) << option;
  }
  EXPECT_EQ(folder.run({"manual", "no-such"}).exit_code, 2);
}

TEST(Completion, KnowsTheValuesOfOptions) {
  const WorkFolder folder;
  const std::string script = folder.run({"completion", "bash"}).out;
  EXPECT_THAT(script, HasSubstr("hunt:--search) values=\"$(dissensus list searches"));
  EXPECT_THAT(script, HasSubstr("scenarios systems searches"));
}

}  // namespace
}  // namespace dissensus::cli_test
