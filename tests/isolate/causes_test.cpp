// Unlike failures are told apart although one predicate holds in all of them.
#include "isolate/causes.h"

#include <gtest/gtest.h>

#include "isolate/features.h"
#include "isolate/isolation.h"
#include "isolate/rand_index.h"

namespace dissensus::isolate {
namespace {

Schema causes_schema() {
  Schema schema;
  schema.nodes = 4;
  schema.kinds = {
      {"vote", {{"round", SemanticType::round, "round"}, {"value", SemanticType::hash, "value"}}},
      {"alarm", {{"round", SemanticType::round, "round"}}}};
  schema.trust_everybody();
  schema.labels = {"fork", "stall"};
  return schema;
}

/// Runs of a vote with two bugs. A fork: two senders vote for another value. A stall: the same
/// sender votes for the same round again and again. In both, alarms follow: the symptom they share.
class TwoBugs final : public RunSource {
 public:
  TwoBugs(std::size_t runs, std::int64_t first_round, bool tells_symptoms)
      : schema_(causes_schema()),
        runs_(runs),
        first_round_(first_round),
        tells_symptoms_(tells_symptoms) {}
  std::string name() const override { return "two bugs"; }
  const Schema& schema() const override { return schema_; }
  bool next(Run& run) override {
    if (made_ == runs_) return false;
    run.reset(schema_.nodes);
    run.name = std::to_string(made_);
    const std::size_t type = made_++ % 4;  // fork, stall, and twice a successful run
    run.failing = type < 2;
    run.labels = run.failing ? std::uint64_t{1} << type : 0;
    if (tells_symptoms_ && run.failing) run.symptom = type == 0 ? "agreement" : "termination";
    for (Inbox& inbox : run.inboxes) {
      for (std::int64_t round = first_round_; round < first_round_ + 3; ++round) {
        for (std::uint16_t sender = 0; sender < 4; ++sender) {
          const bool deviates = type == 0 && sender >= 2;
          add(inbox, 0, sender, {round, deviates ? round + 100 : round});
          if (type == 1) add(inbox, 0, sender, {round, round});
        }
      }
      if (run.failing) add(inbox, 1, 0, {first_round_ + 3});
    }
    return true;
  }

 private:
  static void add(Inbox& inbox, std::uint16_t kind, std::uint16_t sender,
                  std::initializer_list<std::int64_t> values) {
    inbox.add(kind, sender);
    inbox.values.insert(inbox.values.end(), values);
  }
  Schema schema_;
  std::size_t runs_;
  std::size_t made_ = 0;
  std::int64_t first_round_;
  bool tells_symptoms_;
};

std::vector<std::size_t> labels_of(const RunTable& table) {
  std::vector<std::size_t> labels;
  for (const RunSummary& run : table.runs()) {
    if (run.failing) labels.push_back(run.labels == 1 ? 0 : 1);
  }
  return labels;
}

std::vector<std::size_t> of_failing(const RunTable& table, const std::vector<std::size_t>& all) {
  std::vector<std::size_t> result;
  for (std::size_t run = 0; run < all.size(); ++run) {
    if (table.runs()[run].failing) result.push_back(all[run]);
  }
  return result;
}

class CausesTest : public testing::TestWithParam<bool> {};

TEST_P(CausesTest, TwoBugsWithOneSymptomAreTwoCausesAlsoInRunsNotSeenBefore) {
  const Schema schema = causes_schema();
  const PredicateSpace space(schema, space_options(Mode::improved, schema));
  TwoBugs seen(120, 1, GetParam());
  TwoBugs unseen(80, 50, GetParam());
  const RunTable table = read_runs(seen, space, 1);
  const RunTable other = read_runs(unseen, space, 1);
  const Separation separation = separate(table, {});
  ASSERT_EQ(separation.causes.size(), 2u);
  EXPECT_EQ(separation.causes[0].runs.size(), 30u);
  EXPECT_EQ(adjusted_rand_index(of_failing(table, assign(table, separation)), labels_of(table)), 1);
  EXPECT_EQ(adjusted_rand_index(of_failing(other, assign(other, separation)), labels_of(other)), 1);
}

INSTANTIATE_TEST_SUITE_P(WithAndWithoutSymptoms, CausesTest, testing::Bool());

/// Runs of a vote. In every failing one somebody repeats votes (the first bug), or votes come for
/// two values (the second): early. Later comes an alarm, or a new round of votes by node 3 alone.
class UnequalBugs final : public RunSource {
 public:
  enum class Late : std::uint8_t { alarm, votes };
  struct Failing {
    std::uint64_t bug = 0;
    Late late = Late::alarm;
    std::size_t runs = 0;
  };
  UnequalBugs(const std::vector<Failing>& failing, std::size_t successful)
      : schema_(causes_schema()) {
    for (const Failing& some : failing) plan_.insert(plan_.end(), some.runs, some);
    plan_.insert(plan_.end(), successful, Failing{2, Late::alarm, 0});
  }
  std::string name() const override { return "unequal bugs"; }
  const Schema& schema() const override { return schema_; }
  bool next(Run& run) override {
    if (made_ == plan_.size()) return false;
    const Failing& what = plan_[made_];
    run.reset(schema_.nodes);
    run.name = std::to_string(made_++);
    run.failing = what.bug < 2;
    run.labels = run.failing ? std::uint64_t{1} << what.bug : 0;
    for (Inbox& inbox : run.inboxes) {
      for (std::int64_t round = 1; round < 9; ++round) {
        for (std::uint16_t sender = 0; sender < 4; ++sender) {
          const bool is_marked = round > 1 && round < 4;
          const bool deviates = is_marked && what.bug == 1 && sender >= 2;
          vote(inbox, sender, round, deviates ? round + 100 : round);
          if (is_marked && what.bug == 0) vote(inbox, sender, round, round);
        }
        if (!run.failing || round < 7) continue;
        if (what.late == Late::alarm) {
          inbox.add(1, 0);
          inbox.values.push_back(round);
        } else {
          vote(inbox, 3, round + 50, round);
        }
      }
    }
    return true;
  }

 private:
  static void vote(Inbox& inbox, std::uint16_t sender, std::int64_t round, std::int64_t value) {
    inbox.add(0, sender);
    inbox.values.push_back(round);
    inbox.values.push_back(value);
  }
  Schema schema_;
  std::vector<Failing> plan_;
  std::size_t made_ = 0;
};

Separation separate_unequal(const std::vector<UnequalBugs::Failing>& failing) {
  UnequalBugs bugs(failing, 200);
  const PredicateSpace space(bugs.schema(), space_options(Mode::improved, bugs.schema()));
  return separate(read_runs(bugs, space, 1), {});
}
using Late = UnequalBugs::Late;

TEST(Causes, ACauseOfThreeRunsIsToldFromOneOfNinety) {
  const Separation separation = separate_unequal({{0, Late::alarm, 90}, {1, Late::alarm, 3}});
  ASSERT_EQ(separation.causes.size(), 2u);
  EXPECT_EQ(separation.causes[0].runs.size(), 90u);
  EXPECT_EQ(separation.causes[1].runs.size(), 3u);
  EXPECT_EQ(separation.causes_low, 2u);
  EXPECT_EQ(separation.doubt, "");
}

TEST(Causes, TwoSymptomsOfOneCauseAreOneBecauseWhatTheyShareCameFirst) {
  const Separation one = separate_unequal({{0, Late::alarm, 30}, {0, Late::votes, 30}});
  ASSERT_EQ(one.causes.size(), 1u);
  EXPECT_NE(one.causes[0].shared, "");
  const Separation two = separate_unequal(
      {{0, Late::alarm, 30}, {0, Late::votes, 30}, {1, Late::alarm, 30}, {1, Late::votes, 30}});
  ASSERT_EQ(two.causes.size(), 2u);
  EXPECT_EQ(two.causes[0].runs.size(), 60u);
  for (const Cause& cause : two.causes) {
    ASSERT_EQ(cause.rules.size(), 1u) << "one condition is enough";
    EXPECT_EQ(cause.rules.front().size(), 1u);
  }
}

// Whoever has to wait is asked at least once per run.
TEST(Causes, GiveUpWhenTheyAreAsked) {
  const Schema schema = causes_schema();
  const PredicateSpace space(schema, space_options(Mode::improved, schema));
  TwoBugs seen(120, 1, false);
  const RunTable table = read_runs(seen, space, 1);
  std::size_t asked = 0;
  CauseOptions options;
  options.keep_going = [&asked] { return ++asked > 0; };
  separate(table, options);
  EXPECT_GT(asked, table.runs().size());
  options.keep_going = [&asked] { return --asked > 0; };
  asked /= 2;
  EXPECT_THROW(separate(table, options), Stopped);
}

TEST(Causes, EliminationTakesTheSharedSymptomForBoth) {
  const Schema schema = causes_schema();
  const PredicateSpace space(schema, space_options(Mode::improved, schema));
  TwoBugs seen(120, 1, false);
  const IsolationResult result = isolate(read_runs(seen, space, 1), {});
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings.front().cluster.size(), 60u);
}

TEST(Causes, TheResultDoesNotDependOnTheNumberOfThreads) {
  const Schema schema = causes_schema();
  const PredicateSpace space(schema, space_options(Mode::improved, schema));
  TwoBugs seen(120, 1, false);
  const RunTable table = read_runs(seen, space, 1);
  CauseOptions one;
  CauseOptions three;
  three.jobs = 3;
  EXPECT_EQ(assign(table, separate(table, one)), assign(table, separate(table, three)));
}

/// Every other run fails, with a fork of blocks; half of these go on to a fork of checkpoints.
/// Decisions on too little are made in all of one half, and in some successful runs.
class ForksWithSigns final : public RunSource {
 public:
  std::string name() const override { return "forks"; }
  const Schema& schema() const override { return schema_; }
  bool next(Run& run) override {
    if (made_ == 80) return false;
    run.reset(schema_.nodes);
    run.name = std::to_string(made_);
    run.failing = made_ % 2 == 0;
    run.symptom = run.failing ? "agreement/decided-differently/block" : "";
    run.signs.clear();
    const std::size_t type = made_ % 4;
    if (type == 0) run.signs.push_back(kConsequence);
    if (type == 0 || made_ % 16 == 1) {
      run.signs.push_back(kLittleForABlock);
      run.signs.push_back(kLittleForACheckpoint);
    }
    ++made_;
    return true;
  }
  const Sign kConsequence{"violations", "It forks checkpoints.",
                          "agreement/decided-differently/checkpoint"};
  const Sign kLittleForABlock{"evidence for a block", "A block on too little.", "block"};
  const Sign kLittleForACheckpoint{"evidence for a checkpoint", "A checkpoint on too little.",
                                   "checkpoint"};

 private:
  Schema schema_ = causes_schema();
  std::size_t made_ = 0;
};

// What follows from a failure says how far a run went on; what nodes decide on may be seen in
// successful runs as well.
TEST(Features, AreOfWhatBreaksFirstAndOfWhatItsDecisionsWereMadeOn) {
  ForksWithSigns forks;
  const PredicateSpace space(forks.schema(), space_options(Mode::improved, forks.schema()));
  const Features features = collect_features(read_runs(forks, space, 1), {});
  std::vector<std::string> words;
  for (const Feature& feature : features.list) words.push_back(feature.sign.words);
  EXPECT_EQ(words, std::vector{forks.kLittleForABlock.words});
  EXPECT_EQ(features.mechanisms.size(), 2u);
}

TEST(RandIndex, AgreesWithWorkedExamples) {
  using Parts = std::vector<std::size_t>;
  EXPECT_EQ(adjusted_rand_index(Parts{0, 0, 1, 1}, Parts{7, 7, 3, 3}), 1);
  EXPECT_NEAR(adjusted_rand_index(Parts{0, 0, 1, 1}, Parts{0, 0, 1, 2}), 4.0 / 7, 1e-12);
  EXPECT_NEAR(adjusted_rand_index(Parts{0, 0, 1, 1}, Parts{0, 1, 0, 1}), -0.5, 1e-12);
  EXPECT_NEAR(adjusted_rand_index(Parts{0, 0, 0, 1, 1, 2}, Parts{0, 0, 1, 1, 1, 1}),
              (2.0 - 4.0 * 7 / 15) / ((4.0 + 7) / 2 - 4.0 * 7 / 15), 1e-12);
  EXPECT_EQ(adjusted_rand_index(Parts{0, 0}, Parts{1, 1}), 1);
  EXPECT_EQ(adjusted_rand_index(Parts{0, 0, 1}, Parts{0, 0, 0}), 0);
}

}  // namespace
}  // namespace dissensus::isolate
