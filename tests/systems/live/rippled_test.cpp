// With real servers: needs the environment variable RIPPLED, the path of a rippled binary. Takes
// minutes, so these tests have a label of their own (ctest -L live).
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"

namespace dissensus::cli_test {
namespace {

using testing::AnyOf;
using testing::Eq;
using testing::HasSubstr;

class Rippled : public testing::Test {
 protected:
  void SetUp() override {
    const char* const path = std::getenv("RIPPLED");
    if (path == nullptr)
      GTEST_SKIP() << "RIPPLED names no rippled binary: tests with real servers skipped";
    rippled_ = path;
  }
  std::string scenario(const std::string& name) const {
    return kSourceFolder + "/scenarios/rippled/" + name;
  }
  /// "2.4.0"
  std::string version(const WorkFolder& folder) const {
    const std::string out = folder.run({"--version"}, rippled_).out;
    return out.substr(out.rfind(' ') + 1);
  }
  std::string rippled_;
};

TEST_F(Rippled, ValidatesALedgerEveryThreeSecondsForFiveMinutesWithoutLosingALink) {
  const WorkFolder folder;
  const CommandResult result = folder.run({"run", scenario("steady.toml"), "--rippled", rippled_});
  ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
  const auto live = nlohmann::json::parse(read_text(folder.file("runs/latest/live.json")));
  EXPECT_EQ(live["links_lost"], 0) << live.dump(1);
  const auto metrics = nlohmann::json::parse(read_text(folder.file("runs/latest/metrics.json")));
  const double per_node = metrics["decisions"]["ledger"]["count"].get<double>() / 5;
  EXPECT_NEAR(300 / per_node, 3.0, 0.3) << metrics["decisions"].dump(1);
  for (const char* const kind : {"ProposeSet0", "StatusChange", "Validation"}) {
    EXPECT_GT(metrics["messages"]["by_kind"][kind]["sent"], 0) << kind;
  }
  RecordProperty("ledger_interval_seconds", std::to_string(300 / per_node));
  RecordProperty("messages", metrics["messages"]["by_kind"].dump());
}

// Liars' messages carry valid signatures: no server complains of one.
TEST_F(Rippled, AcceptsForgedProposalsAndValidationsAsSigned) {
  const WorkFolder folder;
  std::string faults;
  for (int round = 2; round <= 9; ++round) {
    faults += fmt::format(
        R"({}{{"type": "mutate", "node": 4, "round": {}, "receivers": [0, 1], "seed": {}}})",
        round == 2 ? "" : ",\n", round, round);
  }
  folder.write("liar.json", fmt::format(R"({{"format": "dissensus-schedule/1", "system": "rippled",
  "nodes": 5, "faults": [{}]}})",
                                        faults));
  const CommandResult result = folder.run(
      {"run", scenario("thesis.toml"), "--rippled", rippled_, "--schedule", "liar.json"});
  // One liar of five may or may not stop the others; a breakdown of the run would be another
  // matter.
  EXPECT_THAT(result.exit_code, AnyOf(Eq(0), Eq(1))) << result.out << result.err;
  const auto live = nlohmann::json::parse(read_text(folder.file("runs/latest/live.json")));
  // A bad signature costs a link so much that several would end it.
  EXPECT_EQ(live["links_lost"], 0) << live.dump(1);
  EXPECT_GT(live["frames_forged"], 0) << live.dump(1);
}

// Bug B3, which 1.7.2 has and 2.4.0 has not.
TEST_F(Rippled, AHuntWithRandomDelaysFindsB3WithinTheHour) {
  const WorkFolder folder;
  if (version(folder).rfind("1.7.2", 0) != 0) {
    GTEST_SKIP() << "bug B3 is in rippled 1.7.2; this is " << version(folder);
  }
  const CommandResult result =
      folder.run({"hunt", scenario("b3.toml"), "--rippled", rippled_, "--search", "random",
                  "--budget", "60min", "--confirm", "1"});
  EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("termination  fail"));
}

}  // namespace
}  // namespace dissensus::cli_test
