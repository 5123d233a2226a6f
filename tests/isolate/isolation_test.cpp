// Recursive elimination on data sets small enough to work out by hand, in each mode.
#include "isolate/isolation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dissensus/options.h"

#include "isolate/cross_validation.h"
#include "isolate/predicate_text.h"
#include "isolate/sample_runs.h"

namespace dissensus::isolate {
namespace {

using testing::HasSubstr;

enum class Shape { agreement, split, silence };

/// Three nodes hear nodes 1 and 2 vote in one round: for the same value, for different ones, or
/// node 2 says nothing.
Run voting_run(const std::string& name, bool failing, Shape shape) {
  isolate::Run run = empty_run(name, failing, 3);
  for (std::size_t node = 0; node < 3; ++node) {
    add_message(run, node, 0, 1, {1, 5});
    if (shape != Shape::silence) add_message(run, node, 0, 2, {1, shape == Shape::split ? 6 : 5});
  }
  return run;
}

std::vector<Run> voting_runs(std::size_t failing_splits, std::size_t failing_silences,
                             std::size_t successful_splits, std::size_t agreements) {
  std::vector<isolate::Run> runs;
  const auto add = [&](std::size_t count, bool failing, Shape shape) {
    for (std::size_t i = 0; i < count; ++i) {
      runs.push_back(voting_run("run" + std::to_string(runs.size()), failing, shape));
      if (failing && shape == Shape::split) runs.back().labels = 1;
    }
  };
  add(failing_splits, true, Shape::split);
  add(failing_silences, true, Shape::silence);
  add(successful_splits, false, Shape::split);
  add(agreements, false, Shape::agreement);
  return runs;
}

/// A table together with the space that it refers to.
struct Data {
  PredicateSpace space;
  RunTable table;

  Data(const std::vector<Run>& runs, Mode mode, std::size_t jobs = 1)
      : space(vote_schema(3), space_options(mode, vote_schema(3))), table(space) {
    ListSource source(vote_schema(3), runs);
    table = read_runs(source, space, jobs);
  }
};

IsolationResult isolate_in(const Data& data, Mode mode, std::size_t jobs = 1) {
  IsolationOptions options;
  options.mode = mode;
  options.jobs = jobs;
  return isolate(data.table, options);
}

// 4 failing splits, 1 successful split, 8 agreements. A vote for another value holds in 4 failing
// and 1 successful runs: Failure 4/5, Context 4/13, Increase 0.8 - 4/13, all logarithms 1.
TEST(Isolation, ReferenceModeByHand) {
  const Data data(voting_runs(4, 0, 1, 8), Mode::reference);
  const IsolationResult result = isolate_in(data, Mode::reference);
  ASSERT_EQ(result.findings.size(), 1u);
  const Finding& finding = result.findings[0];
  EXPECT_EQ(finding.counts.failing_true, 4u);
  EXPECT_EQ(finding.counts.successful_true, 1u);
  const double gain = 4.0 / 5 - 4.0 / 13;
  EXPECT_DOUBLE_EQ(finding.increase, gain);
  EXPECT_NEAR(finding.importance, 2 / (1 / gain + 1), 1e-12);
  // The first predicate in order that tells them apart: the votes' senders are disjoint.
  EXPECT_EQ(reference_name(data.space, finding.candidate),
            "\"Predicate(at least 1 Vote -> Vote where peers isdisjoint peers)\" > 0");
  EXPECT_EQ(finding.cluster, (std::vector<std::size_t>{0, 1, 2, 3}));
  // The successful run does not lower the reference's precision.
  EXPECT_DOUBLE_EQ(finding.scores[0].precision(), 1);
  EXPECT_DOUBLE_EQ(finding.scores[0].f1(), 1);
  EXPECT_TRUE(result.unexplained.empty());
}

// Whoever has enough gets what was found until then.
TEST(Isolation, StopsBetweenTwoPredicates) {
  const Data data(voting_runs(30, 20, 1, 200), Mode::improved);
  IsolationOptions options;
  const std::size_t all = isolate(data.table, options).findings.size();
  ASSERT_GE(all, 1u);
  for (std::size_t wanted = 0; wanted < all; ++wanted) {
    std::size_t asked = 0;
    options.keep_going = [&] { return asked++ < wanted; };
    EXPECT_EQ(isolate(data.table, options).findings.size(), wanted);
  }
}

// In silent runs no vote follows a vote: nothing is observed there. The reference counts them in
// the Context, the paper does not: 4/(4+9) instead of 7/16.
TEST(Isolation, PaperModeLooksAtObservedRunsOnly) {
  const std::vector<isolate::Run> runs = voting_runs(4, 3, 1, 8);
  const Data reference(runs, Mode::reference);
  const IsolationResult as_reference = isolate_in(reference, Mode::reference);
  ASSERT_FALSE(as_reference.findings.empty());
  EXPECT_DOUBLE_EQ(as_reference.findings[0].increase, 4.0 / 5 - 7.0 / 16);
  const Data paper(runs, Mode::paper);
  const IsolationResult as_paper = isolate_in(paper, Mode::paper);
  ASSERT_FALSE(as_paper.findings.empty());
  EXPECT_DOUBLE_EQ(as_paper.findings[0].increase, 4.0 / 5 - 4.0 / 13);
  EXPECT_EQ(as_paper.findings[0].candidate.tolerance, 1u) << "the paper's tolerances start at 1";
  // Scored with the successful run in which it holds.
  EXPECT_DOUBLE_EQ(as_paper.findings[0].scores[0].precision(), 4.0 / 5);
  EXPECT_EQ(as_paper.unexplained.size(), 3u);
}

TEST(Isolation, ImprovedModeExplainsASplitAndLeavesNoiseOut) {
  const Data data(voting_runs(30, 1, 1, 200), Mode::improved);
  const IsolationResult result = isolate_in(data, Mode::improved);
  ASSERT_EQ(result.findings.size(), 1u) << "one silent run is not enough for a predicate";
  const Finding& finding = result.findings[0];
  EXPECT_EQ(finding.failing.size(), 30u);
  EXPECT_EQ(finding.successful.size(), 1u);
  EXPECT_GT(finding.increase_interval.low, 0.5);
  EXPECT_LT(finding.increase_interval.low, finding.increase);
  EXPECT_DOUBLE_EQ(finding.scores[0].precision(), 30.0 / 31);
  EXPECT_GT(finding.equivalent, 0u);
  EXPECT_EQ(result.unexplained, (std::vector<std::size_t>{30}));
}

// Two failing runs of 10 differ from 10 successful ones in thousands of ways at least as well as by
// chance: no predicate is better than none.
TEST(Isolation, ImprovedModeSaysNothingWhereChanceExplainsIt) {
  const Data data(voting_runs(2, 0, 2, 6), Mode::improved);
  EXPECT_TRUE(isolate_in(data, Mode::improved).findings.empty());
  EXPECT_FALSE(
      isolate_in(Data(voting_runs(2, 0, 2, 6), Mode::reference), Mode::reference).findings.empty());
}

TEST(Isolation, DoesNotDependOnTheNumberOfJobs) {
  const std::vector<isolate::Run> runs = voting_runs(30, 7, 3, 600);
  for (const Mode mode : {Mode::reference, Mode::paper, Mode::improved}) {
    const Data one(runs, mode, 1);
    const Data five(runs, mode, 5);
    EXPECT_EQ(one.table.profiles(), five.table.profiles());
    const IsolationResult a = isolate_in(one, mode, 1);
    const IsolationResult b = isolate_in(five, mode, 5);
    ASSERT_EQ(a.findings.size(), b.findings.size());
    for (std::size_t i = 0; i < a.findings.size(); ++i) {
      EXPECT_EQ(a.findings[i].candidate, b.findings[i].candidate);
      EXPECT_EQ(a.findings[i].importance, b.findings[i].importance);
      EXPECT_EQ(a.findings[i].cluster, b.findings[i].cluster);
      EXPECT_EQ(a.findings[i].equivalent, b.findings[i].equivalent);
    }
  }
}

TEST(Isolation, EqualProfilesAreStoredOnce) {
  const Data few(voting_runs(1, 0, 0, 1), Mode::improved);
  const Data many(voting_runs(500, 0, 0, 500), Mode::improved);
  EXPECT_EQ(few.table.profiles(), many.table.profiles());
}

TEST(CrossValidation, FindsACauseInRunsThatTookNoPart) {
  const Data data(voting_runs(40, 0, 2, 200), Mode::improved);
  const CrossValidation validation = cross_validate(data.table, IsolationOptions{}, {10, 3});
  ASSERT_EQ(validation.labels.size(), 1u);
  EXPECT_EQ(validation.predicates, std::vector<std::size_t>(10, 1));
  // Every run is held out once.
  const Scores& scores = validation.labels[0].single;
  EXPECT_EQ(scores.true_positive, 40u);
  EXPECT_EQ(scores.false_positive, 2u);
  EXPECT_EQ(scores.false_negative, 0u);
}

TEST(ReadRuns, NeedsFailingAndSuccessfulRuns) {
  const auto message_of = [](const std::vector<isolate::Run>& runs) -> std::string {
    try {
      const Data data(runs, Mode::improved);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_THAT(message_of(voting_runs(0, 0, 0, 3)), HasSubstr("list: runs: none of 3 fails"));
  EXPECT_THAT(message_of(voting_runs(3, 0, 0, 0)), HasSubstr("list: runs: none of 3 succeeds"));
  EXPECT_THAT(message_of(voting_runs(1, 0, 0, 0)), HasSubstr("list: runs: 1, expected"));
  EXPECT_THAT(message_of({}), HasSubstr("list: runs: 0, expected"));
}

// What was found before somebody had enough is whole, and cross-validation ends within a run.
TEST(Isolation, KeepsWholeFindingsWhenItIsGivenUp) {
  const Data data(voting_runs(20, 10, 0, 60), Mode::improved);
  const IsolationResult truth = isolate(data.table, {});
  ASSERT_FALSE(truth.findings.empty());
  std::size_t left = 0;
  IsolationOptions options;
  options.keep_going = [&left] { return left-- > 0; };
  std::size_t most = 0;
  for (std::size_t asked = 0; asked < 1000; asked += 7) {
    left = asked;
    const IsolationResult result = isolate(data.table, options);
    most = std::max(most, result.findings.size());
    for (std::size_t i = 0; i < result.findings.size(); ++i) {
      EXPECT_EQ(result.findings[i].cluster, truth.findings[i].cluster);
      EXPECT_EQ(result.findings[i].failing, truth.findings[i].failing);
    }
  }
  EXPECT_EQ(most, truth.findings.size());
  left = 2 * data.table.runs().size();
  EXPECT_THROW(cross_validate(data.table, options, {10, 3}), Stopped);
}

}  // namespace
}  // namespace dissensus::isolate
