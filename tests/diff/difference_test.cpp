// A failing run is explained by the nearest passing one: where they part is the fault, and the
// chain ends at the violation.
#include "diff/difference.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "diff/neighbour.h"
#include "diff/steps.h"
#include "run/recording.h"
#include "run/run_folder.h"
#include "systems/simulated/simulated.h"

namespace dissensus::diff {
namespace {

using testing::HasSubstr;

struct Failing {
  run::Recipe recipe;
  oracle::Violation violation;
  trace::Trace trace;
};

trace::Trace record(const run::Recipe& recipe, oracle::Verdict* verdict = nullptr) {
  run::Runner runner;
  const run::RunOptions options = run::with_everything();
  run::RunResult result = runner.run(recipe.scenario, recipe.schedule, recipe.seed, options);
  if (verdict != nullptr) *verdict = result.verdict;
  return run::to_trace(recipe, options.detail, std::move(result));
}

/// A minimal run of the project's own corpus.
Failing known(const std::string& name) {
  const std::string folder = DISSENSUS_SOURCE_DIR "/corpus/simulated/" + name;
  const SystemRegistry& systems = simulated_systems();
  Failing failing;
  failing.recipe.scenario = run::load_scenario(folder + "/scenario.toml", systems);
  failing.recipe.schedule = run::load_schedule(folder + "/schedule.json", failing.recipe.scenario);
  std::ifstream entry(folder + "/entry.json");
  failing.recipe.seed = nlohmann::json::parse(entry)["seed"];
  oracle::Verdict verdict;
  failing.trace = record(failing.recipe, &verdict);
  EXPECT_FALSE(verdict.violations.empty()) << name;
  failing.violation = verdict.violations.front();
  return failing;
}

Difference explained(const Failing& failing, std::string* words = nullptr) {
  const auto neighbour = nearest_passing(failing.recipe, failing.trace);
  EXPECT_TRUE(neighbour.has_value());
  if (!neighbour) return {};
  if (words != nullptr) *words = neighbour->words;
  return compare(failing.trace, failing.violation, neighbour->trace);
}

TEST(Steps, ARunEqualsItself) {
  const Failing failing = known("majority-overtaken-commit");
  const Difference difference = compare(failing.trace, failing.violation, failing.trace);
  EXPECT_FALSE(difference.first.has_value());
  EXPECT_EQ(difference.failing_only + difference.passing_only, 0u);
  EXPECT_EQ(in_words(difference, failing.violation).front(),
            "both runs are the same, step by step");
}

// Time is no part of what is compared: all messages slower by the same is the same run.
TEST(Steps, WhenSomethingHappensDoesNotMatter) {
  const Failing failing = known("majority-overtaken-commit");
  trace::Trace later = failing.trace;
  for (trace::Record& record : later.records) record.time += std::chrono::seconds(3);
  EXPECT_FALSE(compare(failing.trace, failing.violation, later).first.has_value());
}

TEST(Difference, TheTutorialPartsWhereTheDelayedProposalIsMissing) {
  const Failing failing = known("majority-overtaken-commit");
  std::string words;
  const Difference difference = explained(failing, &words);
  EXPECT_THAT(words, HasSubstr("without: "));
  ASSERT_TRUE(difference.first && difference.first->passing && difference.first->failing);
  EXPECT_THAT(difference.first->passing->came, HasSubstr("Proposal from n"));
  EXPECT_THAT(difference.first->fate_of_expected,
              testing::AnyOf(HasSubstr("later"), HasSubstr("under way")));
  ASSERT_FALSE(difference.chain.empty());
  EXPECT_LE(difference.chain.size(), 6u);
  EXPECT_THAT(difference.chain.back().came, HasSubstr("Commit from n"));
  ASSERT_FALSE(difference.chain.back().did.empty());
  EXPECT_EQ(difference.chain.back().did[0], "decides outcome 0 = move on");
  EXPECT_FALSE(difference.sends.empty());
}

TEST(Difference, ALieIsShownByWhatItChanged) {
  const Failing failing = known("xrpl-byzzfuzz-c1d0");
  const Difference difference = explained(failing);
  ASSERT_TRUE(difference.first);
  EXPECT_FALSE(difference.first->contents.empty());
  for (const std::string& line : difference.first->contents) EXPECT_THAT(line, HasSubstr(" -> "));
  // The window begins where the lie is told.
  EXPECT_LE(difference.from, difference.first->failing->time);
}

TEST(Difference, AStallSaysWhatEachNodeWaitsFor) {
  const Failing failing = known("xrpl-b3");
  ASSERT_EQ(failing.violation.property, "termination");
  const Difference difference = explained(failing);
  ASSERT_TRUE(difference.first);
  ASSERT_EQ(difference.waiting.size(), failing.violation.nodes.size());
  for (const Waiting& waiting : difference.waiting) {
    EXPECT_FALSE(waiting.state.empty());
    EXPECT_NE(waiting.asked, "nothing");
    EXPECT_LT(waiting.since, failing.violation.time);
  }
}

// The chain is a way: each of its messages was sent by the step before it, or by its own node.
TEST(Difference, AChainEndsAtTheViolation) {
  for (const std::string name : {"xrpl-b2", "xrpl-b1-monotonic", "majority-overtaken-commit"}) {
    const Failing failing = known(name);
    const Difference difference = explained(failing);
    ASSERT_FALSE(difference.chain.empty()) << name;
    EXPECT_LE(difference.chain.back().event, failing.violation.event) << name;
    EXPECT_EQ(difference.chain.back().time, failing.violation.time) << name;
    for (std::size_t i = 1; i < difference.chain.size(); ++i) {
      EXPECT_LE(difference.chain[i - 1].time, difference.chain[i].time) << name;
    }
  }
}

TEST(Neighbour, IsNearestByWhatItHasInCommonAndPasses) {
  const Failing failing = known("majority-overtaken-commit");
  const auto neighbour = nearest_passing(failing.recipe, failing.trace);
  ASSERT_TRUE(neighbour);
  oracle::Verdict verdict;
  const trace::Trace again = record(neighbour->recipe, &verdict);
  EXPECT_TRUE(verdict.violations.empty());
  EXPECT_EQ(again.footer.hash, neighbour->trace.footer.hash);
}

TEST(Difference, ItsJsonHasWhatItsWordsSay) {
  const Failing failing = known("majority-overtaken-commit");
  const Difference difference = explained(failing);
  const auto json = nlohmann::json::parse(to_json(difference, failing.violation));
  EXPECT_EQ(json["format"], "dissensus-diff/1");
  EXPECT_EQ(json["chain"].size(), difference.chain.size());
  EXPECT_EQ(json["first_divergence"]["node"], difference.first->node);
  EXPECT_EQ(json["violation"]["event"], failing.violation.event);
}

}  // namespace
}  // namespace dissensus::diff
