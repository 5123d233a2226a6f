// Fitness functions: each scores what its paper says, and smaller is better.
#include "search/fitness.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace dissensus::search {
namespace {

SystemDescription description(bool with_proposals) {
  SystemDescription result;
  result.levels = {{"early", false}, {"late", true}};
  KindDescription bow_out;
  bow_out.name = "ProposeSetBowOut";
  result.kinds = {{}, bow_out};
  if (with_proposals) result.observables = {"other", "max_propose_seq", "bow_outs"};
  return result;
}

double score(const std::string& name, const RunSummary& run, const faults::Schedule& schedule = {},
             bool with_proposals = true) {
  const SystemDescription described = description(with_proposals);
  for (const FitnessEntry& entry : fitness_functions()) {
    if (entry.name == name) return entry.make(described)->score(run, schedule);
  }
  ADD_FAILURE() << "no fitness function " << name;
  return 0;
}

RunSummary summary() {
  RunSummary run;
  run.nodes = 5;
  run.duration = std::chrono::seconds(20);
  run.decisions.resize(2);
  run.proposals.resize(2);
  run.observed_max = {99, 3, 2};
  return run;
}

TEST(Fitness, TimeRewardsLongTestCases) {
  EXPECT_DOUBLE_EQ(score("time", summary()), -20);
}

TEST(Fitness, ProposalIsNodesTimesHighestSequencePlusBowOuts) {
  EXPECT_DOUBLE_EQ(score("proposal", summary()), -(5 * 3 + 2));
}

TEST(Fitness, ThePrintedProposalFormulaCountsEveryCopyAndNeverZeroes) {
  RunSummary run = summary();
  run.sent = {100, 7};
  EXPECT_DOUBLE_EQ(score("proposal-printed", run), -(5 * 3 + 7));
  EXPECT_DOUBLE_EQ(score("discotest-proposal", run), -(5 * 3 + 7));
  run.capped = true;
  EXPECT_DOUBLE_EQ(score("proposal-printed", run), -(5 * 3 + 7));
  EXPECT_DOUBLE_EQ(score("discotest-proposal", run), 0);
}

TEST(Fitness, ThoseThatDiscoTestsProgramDoesNotOfferAreZeroWhenCut) {
  RunSummary run = summary();
  run.nodes = 2;
  run.failed_rounds = 4;
  run.behind = std::chrono::milliseconds(2500);
  const auto decided = [&run](NodeId node, std::uint64_t instance) {
    run.decisions[1].push_back({Time{}, node, instance, Digest(instance)});
  };
  decided(0, 11);
  decided(1, 11);
  decided(0, 12);
  decided(0, 14);  // node 1 has two fewer, and what node 0 jumped over counts
  decided(1, 12);
  EXPECT_DOUBLE_EQ(score("failed-rounds", run), -4);
  EXPECT_DOUBLE_EQ(score("validated-ledgers", run), -2);
  EXPECT_DOUBLE_EQ(score("behind", run), -2.5);
  run.capped = true;
  for (const char* const name : {"failed-rounds", "validated-ledgers", "behind"}) {
    EXPECT_DOUBLE_EQ(score(name, run), 0) << name;
  }
}

TEST(Fitness, ValidatedLedgersNeedEveryNode) {
  RunSummary run = summary();
  run.nodes = 2;
  EXPECT_DOUBLE_EQ(score("validated-ledgers", run), 0);
  run.decisions[1].push_back({Time{}, 0, 11, Digest(11)});
  EXPECT_DOUBLE_EQ(score("validated-ledgers", run), 0);
}

TEST(Fitness, TrafficIsSmallForFewMessages) {
  RunSummary run = summary();
  run.sent = {100, 7};
  EXPECT_DOUBLE_EQ(score("traffic", run), 107);
}

TEST(Fitness, ProposalOfOtherSystemsCountsProposalsOfOneNodeForOneInstance) {
  RunSummary run = summary();
  run.observed_max.clear();
  for (const std::uint64_t instance : {1u, 2u, 2u, 2u}) {
    run.proposals[1].push_back({Time{}, 3, instance, Digest(instance)});
  }
  run.proposals[1].push_back({Time{}, 2, 2, Digest(2)});
  EXPECT_DOUBLE_EQ(score("proposal", run, {}, false), -(5 * 3));
}

TEST(Fitness, ValidationTimeIsTimePerDecisionOfNode) {
  RunSummary run = summary();
  EXPECT_DOUBLE_EQ(score("validation-time", run), -20);
  run.decisions[1].resize(20);  // four by each of five nodes
  run.decisions[0].resize(100);
  EXPECT_DOUBLE_EQ(score("validation-time", run), -5);
}

TEST(Fitness, ViolationsAndMarginsAreNegated) {
  RunSummary run = summary();
  run.violations = 3;
  run.disagreement_margin = 0.25;
  run.termination_margin = 0.5;
  run.history_margin = 0.125;
  run.states = {1, 2, 3, 4};
  EXPECT_DOUBLE_EQ(score("violations", run), -3);
  EXPECT_DOUBLE_EQ(score("disagreement", run), -0.25);
  EXPECT_DOUBLE_EQ(score("termination", run), -0.5);
  EXPECT_DOUBLE_EQ(score("anomaly", run), -0.125);
  EXPECT_DOUBLE_EQ(score("novelty", run), -4);
  run.failed = true;
  EXPECT_DOUBLE_EQ(score("anomaly", run), -1);
}

TEST(Fitness, OnlyNoveltyAsksForNewStates) {
  const SystemDescription described = description(true);
  for (const FitnessEntry& entry : fitness_functions()) {
    const double again = entry.make(described)->with_new_states(-4, 3);
    EXPECT_DOUBLE_EQ(again, entry.name == "novelty" ? -7 : -4) << entry.name;
  }
}

TEST(Fitness, TotalDelayIsSmallForShortDelays) {
  faults::Schedule schedule;
  EXPECT_DOUBLE_EQ(score("total-delay", summary(), schedule), 0);
  schedule.scheduler = faults::DelaySchedule{{500, 0, 2000}};
  EXPECT_DOUBLE_EQ(score("total-delay", summary(), schedule), 2.5);
  schedule.scheduler = faults::MessageSchedule{{{0, 0, std::chrono::milliseconds(250)}}};
  EXPECT_DOUBLE_EQ(score("total-delay", summary(), schedule), 0.25);
}

TEST(Fitness, NamesAreDistinctAndExplained) {
  std::set<std::string> names;
  for (const FitnessEntry& entry : fitness_functions()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_FALSE(entry.summary.empty());
  }
  EXPECT_EQ(names.size(), 20u);
}

}  // namespace
}  // namespace dissensus::search
