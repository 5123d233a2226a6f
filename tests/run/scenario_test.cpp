#include "run/scenario.h"

#include <filesystem>
#include <set>

#include <gtest/gtest.h>

#include "core/file.h"
#include "core/limits.h"

namespace dissensus::run {
namespace {

namespace fs = std::filesystem;
const std::string kSource = DISSENSUS_SOURCE_DIR;

std::string error_of(const std::string& text) {
  try {
    parse_scenario(text, "s.toml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

const std::string kHead =
    "format = \"dissensus-scenario/1\"\nname = \"x\"\n[system]\nkind = \"majority\"\nvalues = [1, "
    "1, 0]\n";

// The complete example of docs/formats/scenario.md is what the reader accepts.
TEST(Scenario, DocumentedExampleIsValid) {
  const std::string page = read_file(kSource + "/docs/formats/scenario.md", kScenarioBytesMax);
  const std::size_t begin = page.find("```toml\n") + 8;
  const std::size_t end = page.find("```", begin);
  const Scenario scenario = parse_scenario(page.substr(begin, end - begin), "scenario.md");
  EXPECT_EQ(scenario.nodes(), 3u);
  EXPECT_EQ(scenario.plan.models.size(), 2u);
  EXPECT_EQ(scenario.plan.skew[1].offset, Duration(-20'000));
  EXPECT_EQ(scenario.plan.start[2], Time{} + Duration(10'000));
  EXPECT_EQ(scenario.oracle.rules.size(), 1u);
  EXPECT_EQ(scenario.plan.limits.events, 100'000u);
  EXPECT_FALSE(scenario.stop_on_violation);
  EXPECT_TRUE(scenario.metrics.has(MetricGroup::latency));
  EXPECT_FALSE(scenario.metrics.has(MetricGroup::bytes));
}

TEST(Scenario, EveryShippedScenarioIsValidAndHasItsOwnName) {
  std::size_t count = 0;
  std::set<std::string> names;
  for (const auto& file : fs::recursive_directory_iterator(kSource + "/scenarios")) {
    if (file.path().extension() != ".toml") continue;
    const Scenario scenario = load_scenario(file.path().string());
    EXPECT_TRUE(names.insert(scenario.name).second) << scenario.name;
    EXPECT_FALSE(scenario.description.empty()) << file.path();
    ++count;
  }
  EXPECT_GE(count, 1u);
}

TEST(Scenario, MistakesAreNamed) {
  EXPECT_EQ(error_of(""), "s.toml:1: format: missing, but it is required");
  EXPECT_EQ(error_of("format = \"dissensus-scenario/9\""),
            "s.toml:1: format: expected \"dissensus-scenario/1\", found \"dissensus-scenario/9\"");
  EXPECT_EQ(error_of("format = \"dissensus-scenario/1\"\nname = \"a/b\""),
            "s.toml:2: name: expected 1 to 80 letters, digits, '-' or '.', since folders are named "
            "after it");
  EXPECT_EQ(error_of(kHead + "valuess = 1\n"), "s.toml:6: system.valuess: unknown key");
  EXPECT_EQ(error_of(kHead + "[netwrk]\nloss = 0.1\n"),
            "s.toml:6: netwrk: unknown key, did you mean 'network'?");
  EXPECT_EQ(error_of(kHead + "[network]\nloss = 1.5\n"),
            "s.toml:7: network.loss: expected a number from 0 to 1, found 1.5");
  EXPECT_EQ(error_of(kHead + "[network]\nlatency = { uniform = [\"5ms\", \"1ms\"] }\n"),
            "s.toml:7: network.latency.uniform: expected [minimum, maximum]");
  EXPECT_EQ(error_of(kHead + "[[network.link]]\nfrom = 3\n"),
            "s.toml:7: network.link[0].from: expected an integer from 0 to 2, found 3");
  EXPECT_EQ(error_of(kHead + "[clocks]\noffset = [\"1s\"]\n"),
            "s.toml:7: clocks.offset: expected one value per node (3), found 1");
  EXPECT_EQ(error_of(kHead + "[schedule]\nkinds = [\"Comit\"]\n"),
            "s.toml:7: schedule.kinds[0]: no such message kind 'Comit', did you mean 'Commit'? "
            "(known: Proposal, Commit)");
  EXPECT_EQ(error_of(kHead + "[oracle.termination]\nlevel = \"ledger\"\nbound = \"1s\"\n"),
            "s.toml:7: oracle.termination.level: no such decision level 'ledger' (known: outcome)");
  EXPECT_EQ(error_of(kHead + "[limits]\nevents = -1\n"),
            "s.toml:7: limits.events: expected an integer from 1 to 4000000000, found -1");
  EXPECT_EQ(error_of(kHead + "[phases]\nheal = \"1s\"\n"),
            "s.toml:6: phases.faults: missing, but it is required");
  EXPECT_EQ(error_of(kHead + "[[workload]]\nat = \"1s\"\nnode = 0\n"),
            "s.toml:6: workload[0]: system majority takes no workload");
  EXPECT_NE(
      error_of("format = \"dissensus-scenario/1\"\nname = \"x\"\n[system]\nkind = \"majorty\"\n")
          .find("no such system 'majorty', did you mean 'majority'?"),
      std::string::npos);
}

}  // namespace
}  // namespace dissensus::run
