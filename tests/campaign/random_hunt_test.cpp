#include "campaign/random_hunt.h"

#include <gtest/gtest.h>

#include "trace/trace.h"

namespace dissensus::campaign {
namespace {

const std::string kOvertaken = DISSENSUS_SOURCE_DIR "/scenarios/majority/overtaken-commit.toml";
const auto kKeepGoing = [](const HuntProgress&) { return true; };

// The canary: a build that stops finding the tutorial bug is broken.
TEST(RandomHunt, FindsTheTutorialBugForEverySeed) {
  const run::Scenario scenario = run::load_scenario(kOvertaken);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const HuntResult result = random_hunt(scenario, {seed, 10'000, 1}, kKeepGoing);
    ASSERT_TRUE(result.finding) << seed;
    EXPECT_EQ(result.finding->verdict.violations.at(0).property, "agreement");
    run::Runner runner;
    EXPECT_EQ(runner.run(scenario, result.finding->schedule, result.finding->seed).hash,
              result.finding->hash);
  }
}

TEST(RandomHunt, TheFixedSystemIsNotAccused) {
  const std::string text = run::load_scenario(kOvertaken).text;
  std::string fixed = text;
  fixed.replace(fixed.find("values = [1, 1, 0]"), 18, "values = [1, 1, 0]\nfixed = true");
  const HuntResult result =
      random_hunt(run::parse_scenario(fixed, "fixed"), {1, 5'000, 2}, kKeepGoing);
  EXPECT_FALSE(result.finding);
  EXPECT_EQ(result.progress.runs, 5'000u);
  EXPECT_EQ(result.unknown, 0u);
}

TEST(RandomHunt, TheNumberOfJobsDoesNotMatter) {
  const run::Scenario scenario = run::load_scenario(kOvertaken);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const HuntResult one = random_hunt(scenario, {seed, 10'000, 1}, kKeepGoing);
    const HuntResult three = random_hunt(scenario, {seed, 10'000, 3}, kKeepGoing);
    ASSERT_TRUE(one.finding && three.finding);
    EXPECT_EQ(one.finding->item, three.finding->item);
    EXPECT_EQ(one.finding->hash, three.finding->hash);
    EXPECT_EQ(one.progress.events, three.progress.events);
  }
}

TEST(RandomHunt, StopsWhenAsked) {
  const run::Scenario scenario = run::load_scenario(kOvertaken);
  const HuntResult result = random_hunt(
      scenario, {1, 1'000'000, 2}, [](const HuntProgress& progress) { return progress.runs < 1; });
  EXPECT_EQ(result.progress.runs, 1u);
}

}  // namespace
}  // namespace dissensus::campaign
