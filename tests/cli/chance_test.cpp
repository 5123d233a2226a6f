// Code under test that is not deterministic: every verb says so, and where its runs part first.
#include <gmock/gmock.h>

#include "cli/command.h"

namespace dissensus::cli_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::string kFolder = kSourceFolder + "/tests/cli/plugins/";

void expect_chance(const CommandResult& result, const std::string& what) {
  EXPECT_EQ(result.exit_code, 4) << what << "\n" << result.out << result.err;
  EXPECT_THAT(result.err, AllOf(HasSubstr("not deterministic"), HasSubstr("event "))) << what;
}

std::vector<std::string> with_plugin(std::vector<std::string> words) {
  words.insert(words.end(), {"--plugin", DISSENSUS_CHANCE_PLUGIN});
  return words;
}

// A hunt ended by SIGSEGV for every other seed, or said that the run did not fail.
TEST(Chance, AHuntSaysThatAPluginIsNotDeterministic) {
  const WorkFolder folder;
  for (const std::string seed : {"1", "2", "3", "4", "5", "6"}) {
    expect_chance(folder.run(with_plugin({"hunt", kFolder + "chance.toml", "--seed", seed})),
                  "hunt " + seed);
  }
  // Nor is a hunt relied on that finds nothing, or a campaign.
  expect_chance(folder.run(with_plugin({"hunt", kFolder + "chance.toml", "--budget", "1runs",
                                        "--finding", "validity"})),
                "hunt without a finding");
  expect_chance(folder.run(with_plugin({"campaign", kFolder + "chance.toml", "--runs", "20"})),
                "campaign");
}

TEST(Chance, NoVerbSaysAnythingElseOfARecordedRun) {
  const WorkFolder folder;
  // The first run of each process is the same: as if a later one had been recorded.
  folder.run(with_plugin({"run", kFolder + "chance.toml"}));
  const std::string run = "runs/latest";
  std::string json = read_text(folder.file(run + "/run.json"));
  json.replace(json.find("\"hash\": \"") + 9, 16, "0123456789abcdef");
  write_text(folder.file(run + "/run.json"), json);
  for (const std::string verb : {"replay", "diff", "report", "shrink"}) {
    expect_chance(folder.run(with_plugin({verb, run})), verb);
  }
}

TEST(Chance, AProgramThatIsNotDeterministicIsToldSo) {
  const WorkFolder folder;
  const std::string scenario = folder.write(
      "chance.toml",
      "format = \"dissensus-scenario/1\"\nname = \"chance\"\n[system]\nkind = \"process\"\n"
      "nodes = 3\ncommand = [\"python3\", \"" +
          kFolder +
          "chance_node.py\"]\n"
          "[[system.message]]\ntype = \"vote\"\nfields = [{ name = \"of\", type = \"node\" }]\n"
          "[[system.level]]\nname = \"value\"\nvalidity = false\n"
          "[network]\nlatency = \"10ms\"\n[schedule]\ntype = \"delay\"\nmax_delay = \"80ms\"\n"
          "[limits]\nvirtual_time = \"5s\"\n");
  expect_chance(folder.run({"hunt", scenario}), "hunt");
  folder.run({"run", scenario});
  for (const std::string verb : {"replay", "diff"}) {
    expect_chance(folder.run({verb, "runs/latest"}), verb);
  }
}

}  // namespace
}  // namespace dissensus::cli_test
