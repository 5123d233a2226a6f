// Thesis 3.4 lists the ways in which Ripple's consensus can break each property. Each test takes
// the reports of a correct run, changes exactly one thing, and expects exactly that violation.
#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "oracle/oracle.h"
#include "run/runner.h"
#include "run/scenario.h"
#include "systems/simulated/simulated.h"
#include "trace/trace.h"

namespace dissensus::xrpl {
namespace {

using Records = std::vector<trace::Record>;

class ThesisRules : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    scenario_ = new run::Scenario(run::parse_scenario(R"(format = "dissensus-scenario/1"
name = "rules"
[system]
kind = "xrpl"
accounts = { alice = "290.0001", bob = "210.0001" }
final_levels = ["transaction-set"]
[[workload]]
at = "2s"
node = 0
from = "alice"
to = "bob"
amount = 80
[network]
latency = "10ms"
[oracle]
stop_on_violation = false
[oracle.termination]
level = "ledger"
bound = "65s"
[limits]
virtual_time = "100s"
)",
                                                      "rules.toml", simulated_systems()));
    run::Runner runner;
    run::RunOptions options;
    options.detail = trace::Detail::decisions;
    run::RunResult result = runner.run(*scenario_, {}, 1, options);
    ASSERT_TRUE(result.verdict.violations.empty());
    correct_ = new Records(std::move(result.records));
  }
  static void TearDownTestSuite() {
    delete scenario_;
    delete correct_;
  }

  std::uint8_t level(const std::string& name) const {
    const auto& levels = scenario_->system_description().levels;
    for (std::size_t i = 0; i < levels.size(); ++i) {
      if (levels[i].name == name) return static_cast<std::uint8_t>(i);
    }
    ADD_FAILURE() << "no level " << name;
    return 0;
  }
  /// The third decision of a node on a level: in the middle of the run.
  Records::iterator decision(const std::string& name, NodeId node) {
    int left = 3;
    return std::find_if(records_.begin(), records_.end(), [&](const trace::Record& record) {
      return record.type == EventType::decide && record.detail == level(name) &&
             record.node == node && --left == 0;
    });
  }
  /// Some node put the value forward just before.
  void propose_before(Records::iterator place, const Digest& value) {
    trace::Record proposal = *place;
    proposal.type = EventType::propose;
    proposal.value = value;
    records_.insert(place, proposal);
  }
  oracle::Verdict judge() const {
    const SystemDescription& description = scenario_->system_description();
    oracle::Oracle oracle(scenario_->oracle, description, scenario_->nodes());
    Time last{};
    for (const trace::Record& record : records_) {
      Event event;
      event.id = record.id;
      event.time = last = record.time;
      event.type = record.type;
      event.detail = record.detail;
      event.node = record.node;
      event.number = record.number;
      event.value = record.value;
      oracle.on_event(event);
    }
    oracle::RunEnd end;
    end.time = last;
    return oracle.finish(end);
  }
  void expect_only(const std::string& property, const std::string& rule,
                   const std::string& level_name) const {
    const oracle::Verdict verdict = judge();
    ASSERT_EQ(verdict.violations.size(), 1u);
    EXPECT_EQ(verdict.violations[0].property, property);
    EXPECT_EQ(verdict.violations[0].rule, rule);
    EXPECT_EQ(verdict.violations[0].level, level_name);
    for (const oracle::PropertyVerdict& judged : verdict.properties) {
      EXPECT_EQ(judged.outcome == oracle::Outcome::fail, judged.property == property)
          << judged.property;
    }
  }

  Records records_ = *correct_;
  const Digest other_{0xABCDEF, 0x123456};  ///< nothing that the run knows

  static run::Scenario* scenario_;
  static Records* correct_;
};
run::Scenario* ThesisRules::scenario_ = nullptr;
Records* ThesisRules::correct_ = nullptr;

TEST_F(ThesisRules, TheUnchangedReportsBreakNothing) {
  const oracle::Verdict verdict = judge();
  EXPECT_TRUE(verdict.violations.empty());
  EXPECT_TRUE(verdict.notes.empty());
}

// Validity (1): consensus on a set with a transaction that nobody proposed in that round.
TEST_F(ThesisRules, Validity1) {
  const auto place =
      std::find_if(records_.begin(), records_.end(), [&](const trace::Record& record) {
        return record.type == EventType::decide && record.detail == level("round-transaction");
      });
  ASSERT_NE(place, records_.end());
  place->value = other_;
  expect_only("validity", "never-proposed", "round-transaction");
}

// Validity (2): a validation for a ledger that no node built.
TEST_F(ThesisRules, Validity2) {
  decision("validation", 2)->value = other_;
  expect_only("validity", "never-proposed", "validation");
}

// Validity (3): a switch to a ledger chain that no node supports.
TEST_F(ThesisRules, Validity3) {
  const auto place = decision("built", 1);
  trace::Record switched = *place;
  switched.detail = level("switched");
  switched.value = other_;
  records_.insert(place, switched);
  expect_only("validity", "never-proposed", "switched");
}

// Integrity (1): a node declares consensus twice in one round.
TEST_F(ThesisRules, Integrity1) {
  const auto place = decision("transaction-set", 3);
  records_.insert(place, trace::Record(*place));
  expect_only("integrity", "decided-twice", "transaction-set");
}

// Integrity (2): a node validates two ledgers of one sequence, or one of them twice.
TEST_F(ThesisRules, Integrity2) {
  const auto place = decision("validation", 0);
  records_.insert(place, trace::Record(*place));
  expect_only("integrity", "decided-twice", "validation");
}

// Agreement (1): two nodes declare consensus on different sets.
TEST_F(ThesisRules, Agreement1) {
  decision("transaction-set", 4)->value = other_;
  propose_before(decision("transaction-set", 4), other_);
  expect_only("agreement", "decided-differently", "transaction-set");
}

// Agreement (2): two nodes fully validate different ledgers.
TEST_F(ThesisRules, Agreement2) {
  decision("ledger", 1)->value = other_;
  propose_before(decision("ledger", 1), other_);
  expect_only("agreement", "decided-differently", "ledger");
}

// Termination: a node validates no ledger for 65 s.
TEST_F(ThesisRules, Termination) {
  std::erase_if(records_, [&](const trace::Record& record) {
    return record.type == EventType::decide && record.detail == level("ledger") &&
           record.node == 2 && record.time > Time{} + std::chrono::seconds(20);
  });
  const oracle::Verdict verdict = judge();
  ASSERT_EQ(verdict.violations.size(), 1u);
  EXPECT_EQ(verdict.violations[0].property, "termination");
  EXPECT_EQ(verdict.violations[0].nodes, std::vector<NodeId>{2});
}

// The transient form: ledgers that were built but not validated may differ; that is a note.
TEST_F(ThesisRules, BuiltLedgersThatDifferAreTransient) {
  decision("built", 2)->value = other_;
  const oracle::Verdict verdict = judge();
  EXPECT_TRUE(verdict.violations.empty());
  ASSERT_EQ(verdict.notes.size(), 1u);
  EXPECT_EQ(verdict.notes[0].level, "built");
}

}  // namespace
}  // namespace dissensus::xrpl
