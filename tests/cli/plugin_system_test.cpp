// A system from a plugin is a system like any other: every verb that meets its scenario or its runs
// takes --plugin, and the commands that are printed carry it, quoted for the shell.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"

namespace dissensus::cli_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

const std::string kScenario = kSourceFolder + "/examples/two-phase-commit.toml";
/// A name that a shell would take apart.
const std::string kPlugin = "my plugins/two_phase_commit.so";

class PluginSystem : public testing::Test {
 protected:
  PluginSystem() {
    fs::create_directory(folder_.file("my plugins"));
    fs::copy_file(DISSENSUS_SYSTEM_EXAMPLE, folder_.file(kPlugin));
  }
  CommandResult run(std::vector<std::string> words) const {
    words.insert(words.end(), {"--plugin", kPlugin});
    return folder_.run(words);
  }
  json json_of(std::vector<std::string> words, int exit_code) const {
    words.push_back("--json");
    const CommandResult result = run(words);
    EXPECT_EQ(result.exit_code, exit_code) << words.front() << "\n" << result.err;
    return json::parse(result.out);
  }
  /// A printed command does what it says when it is pasted into a shell.
  void expect_replays(const json& command) const {
    EXPECT_THAT(command.get<std::string>(),
                HasSubstr(" --plugin 'my plugins/two_phase_commit.so'"));
    const CommandResult result = folder_.run({"-c", command.get<std::string>()}, "sh");
    EXPECT_EQ(result.exit_code, 1) << command << "\n" << result.err;
    EXPECT_THAT(result.out, HasSubstr("verdict   fail"));
  }

  WorkFolder folder_;
};

TEST_F(PluginSystem, IsHuntedShrunkReportedAndReplayed) {
  const json hunt = json_of({"hunt", kScenario, "--search", "random", "--jobs", "1"}, 1);
  expect_replays(hunt["replay"]);
  const json shrunk = json_of({"shrink", "runs/latest"}, 0);
  expect_replays(shrunk["replay"]);
  const json report = json_of({"report", "runs/latest"}, 0);
  expect_replays(report["replay"]);
  EXPECT_THAT(read_text(folder_.file("runs/latest/report.html")),
              HasSubstr("--plugin &#39;my plugins/two_phase_commit.so&#39;"));
  EXPECT_EQ(run({"export", "runs/latest", "--to", "svg", "-o", "a.svg"}).exit_code, 0);
  // Without the plugin the scenario's system is unknown, and the line says where.
  for (const std::string verb : {"shrink", "report", "replay"}) {
    const CommandResult result = folder_.run({verb, "runs/latest"});
    EXPECT_EQ(result.exit_code, 2) << verb;
    EXPECT_THAT(result.err, HasSubstr("no such system 'two-phase-commit'")) << verb;
  }
}

TEST_F(PluginSystem, IsShrunkFromItsScenario) {
  const json study = json_of({"shrink", kScenario, "--random", "1", "--max-runs", "300"}, 0);
  EXPECT_EQ(study["shrunk"], 1);
  const json runs = json_of({"run", kScenario, "--random-schedule", "--seed", "1..60"}, 1);
  EXPECT_GT(runs["fail"], 0);
}

TEST_F(PluginSystem, GoesThroughCampaignsIntoIsolation) {
  folder_.write("fixed.toml",
                replaced(read_text(kScenario), "\ntimeout", "\nfixed = true\ntimeout"));
  const CommandResult campaign =
      run({"campaign", kScenario, "fixed.toml", "--runs", "400", "--out", "runs.sqlite"});
  EXPECT_EQ(campaign.exit_code, 1) << campaign.err;
  EXPECT_EQ(run({"campaign", kScenario, "--runs", "200", "--out", "one.sqlite"}).exit_code, 1);
  const json isolated = json_of({"isolate", "one.sqlite", "--report", "page.html"}, 0);
  EXPECT_FALSE(isolated.empty());
  EXPECT_EQ(folder_.run({"isolate", "one.sqlite"}).exit_code, 2);
}

TEST_F(PluginSystem, IsKnownToConform) {
  const std::string mapping = kSourceFolder + "/specs/dag/mapping.toml";
  const std::vector<std::string> words{"conform", "check", mapping, "--set",
                                       "system.kind=two-phase-commit"};
  const CommandResult without = folder_.run(words);
  EXPECT_EQ(without.exit_code, 2);
  EXPECT_THAT(without.err, HasSubstr("no such system 'two-phase-commit'"));
  // Its decision levels are others than those of the scenario: the plugin's description was read.
  const CommandResult with = run(words);
  EXPECT_EQ(with.exit_code, 2);
  EXPECT_THAT(with.err, HasSubstr("no such decision level 'block' (known: outcome)"));
}

// --set changes the scenario, whatever the verb.
TEST_F(PluginSystem, SetChangesTheScenarioInEveryVerb) {
  const std::string fixed = "system.fixed=true";
  EXPECT_EQ(json_of({"check", kScenario, "--set", "system.participants=5"}, 0)["nodes"], 6);
  EXPECT_EQ(json_of({"run", kScenario, "--random-schedule", "--seed", "1..60", "--set", fixed},
                    0)["fail"],
            0);
  EXPECT_EQ(json_of({"campaign", kScenario, "--runs", "60", "--set", fixed}, 0)["fail"], 0);
  const json hunt = json_of({"hunt", kScenario, "--search", "random", "--set",
                             "system.participants=4", "--no-shrink", "--no-report"},
                            1);
  EXPECT_THAT(read_text(folder_.file("runs/latest/scenario.toml")),
              HasSubstr("participants = 4\n"));
  expect_replays(hunt["replay"]);
  EXPECT_EQ(run({"shrink", "runs/latest", "--set", fixed}).err,
            "dissensus: --set is for scenarios; a run folder is what was run\n");
}

}  // namespace
}  // namespace dissensus::cli_test
