#include "oracle/oracle.h"

#include <gtest/gtest.h>

#include "dissensus/options.h"

namespace dissensus::oracle {
namespace {

using namespace std::chrono_literals;

/// Feeds an oracle by hand.
class Script {
 public:
  explicit Script(OracleConfig config, std::size_t nodes = 3, bool is_expected = false)
      : config_(std::move(config)) {
    description_.levels = {
        {.name = "ledger", .is_expected = is_expected},
        {.name = "built", .final = false, .validity = false, .verb = "built", .noun = "ledger"}};
    description_.observables = {"applied"};
    oracle_.emplace(config_, description_, nodes);
  }
  Script& propose(NodeId node, std::uint64_t instance, Digest value, Level level = 0) {
    return feed(EventType::propose, node, level, instance, value);
  }
  Script& decide(NodeId node, std::uint64_t instance, Digest value, Level level = 0) {
    return feed(EventType::decide, node, level, instance, value);
  }
  Script& observe(NodeId node, std::int64_t value) {
    return feed(EventType::observe, node, 0, static_cast<std::uint64_t>(value), {});
  }
  Script& crash(NodeId node) { return feed(EventType::crash, node, 0, 0, {}); }
  Script& restart(NodeId node) { return feed(EventType::restart, node, 0, 0, {}); }
  Script& phase_end() { return feed(EventType::phase_end, kNoNode, 0, 0, {}); }
  Script& at(Duration time) {
    now_ = Time{} + time;
    return *this;
  }
  /// Something that is no report, only to let the oracle see the time.
  Script& tick() { return feed(EventType::timer, 0, 0, 0, {}); }
  Oracle& oracle() { return *oracle_; }
  Verdict finish(RunEnd end = {}) {
    end.time = now_;
    return oracle_->finish(end);
  }
  const SystemDescription& description() const { return description_; }

 private:
  Script& feed(EventType type, NodeId node, std::uint8_t detail, std::uint64_t number,
               Digest value) {
    Event event;
    event.id = ++id_;
    event.time = now_;
    event.type = type;
    event.node = node;
    event.detail = detail;
    event.number = number;
    event.value = value;
    oracle_->on_event(event);
    return *this;
  }
  OracleConfig config_;
  SystemDescription description_;
  std::optional<Oracle> oracle_;
  Time now_{};
  EventId id_ = 0;
};

Outcome outcome_of(const Verdict& verdict, const std::string& property) {
  for (const PropertyVerdict& judged : verdict.properties) {
    if (judged.property == property) return judged.outcome;
  }
  ADD_FAILURE() << "no verdict on " << property;
  return Outcome::unknown;
}

OracleConfig with_revival(Duration heal, Duration bound) {
  OracleConfig config;
  config.termination = TerminationDemand{0, true, std::nullopt, bound};
  config.has_fault_phase = true;
  config.heal = heal;
  return config;
}

OracleConfig with_termination(std::optional<std::uint64_t> goal, Duration bound) {
  OracleConfig config;
  config.termination = TerminationDemand{0, false, goal, bound};
  return config;
}

OptionValue place() {
  return Options::from_toml("check = \"x\"", "rules.toml").at("check");
}
Rule make_rule(const Script& script, const std::string& check, Rule::When when) {
  return {"r", "balance", when, Expression::parse(check, script.description(), place())};
}

TEST(Oracle, PassesWhenAllDecideAProposedValueOnce) {
  Script script({});
  script.propose(0, 1, 7).decide(0, 1, 7).decide(1, 1, 7).decide(2, 1, 7);
  const Verdict verdict = script.finish();
  EXPECT_EQ(verdict.outcome, Outcome::pass);
  EXPECT_TRUE(verdict.violations.empty());
}

TEST(Oracle, AgreementNamesNodesValuesAndEvent) {
  Script script({});
  script.propose(0, 1, 7).propose(1, 1, 8).decide(0, 1, 7).at(3ms).decide(2, 1, 8);
  EXPECT_TRUE(script.oracle().violated());
  const Verdict verdict = script.finish();
  ASSERT_EQ(verdict.violations.size(), 1u);
  const Violation& violation = verdict.violations[0];
  EXPECT_EQ(violation.signature(), "agreement/decided-differently/ledger");
  EXPECT_EQ(violation.nodes, (std::vector<NodeId>{0, 2}));
  EXPECT_EQ(violation.values, (std::vector<Digest>{7, 8}));
  EXPECT_EQ(violation.instance, 1u);
  EXPECT_EQ(violation.event, 4u);
  EXPECT_EQ(violation.time, Time{} + 3ms);
  EXPECT_EQ(outcome_of(verdict, "agreement"), Outcome::fail);
  EXPECT_EQ(outcome_of(verdict, "validity"), Outcome::pass);
  EXPECT_EQ(outcome_of(verdict, "integrity"), Outcome::pass);
}

TEST(Oracle, ValidityNeedsAnEarlierProposalForThatInstance) {
  Script script({});
  script.propose(0, 1, 7).decide(0, 2, 7);
  const Verdict verdict = script.finish();
  ASSERT_EQ(verdict.violations.size(), 1u);
  EXPECT_EQ(verdict.violations[0].signature(), "validity/never-proposed/ledger");
  EXPECT_EQ(outcome_of(verdict, "agreement"), Outcome::pass);
}

TEST(Oracle, IntegrityForbidsASecondDecisionEvenOfTheSameValue) {
  Script script({});
  script.propose(0, 1, 7).decide(0, 1, 7).decide(0, 1, 7);
  const Verdict verdict = script.finish();
  ASSERT_EQ(verdict.violations.size(), 1u);
  EXPECT_EQ(verdict.violations[0].signature(), "integrity/decided-twice/ledger");
}

TEST(Oracle, DifferencesOnALevelThatIsNotFinalAreNotes) {
  Script script({});
  script.decide(0, 1, 7, 1).decide(1, 1, 8, 1);
  const Verdict verdict = script.finish();
  EXPECT_EQ(verdict.outcome, Outcome::pass);
  ASSERT_EQ(verdict.notes.size(), 1u);
  EXPECT_EQ(verdict.notes[0].rule, "transient-difference");
}

TEST(Oracle, FaultyNodesDoNotCount) {
  Script script({});
  script.oracle().mark_faulty(2);
  script.propose(0, 1, 7).decide(0, 1, 7).decide(2, 1, 9);
  EXPECT_EQ(script.finish().outcome, Outcome::pass);
}

TEST(Oracle, TerminationPassesWhenEveryNodeReachesTheGoal) {
  Script script(with_termination(2, 10s));
  for (NodeId node = 0; node < 3; ++node) script.propose(0, 2, 7).decide(node, 2, 7);
  EXPECT_TRUE(script.oracle().goal_reached());
  EXPECT_EQ(script.finish().outcome, Outcome::pass);
}

TEST(Oracle, TerminationFailsWhenANodeIsSilentForLongerThanTheBound) {
  Script script(with_termination(5, 10s));
  script.propose(0, 1, 7);
  script.at(6s).decide(0, 1, 7).decide(1, 1, 7);
  script.at(10s).tick();
  EXPECT_FALSE(script.oracle().violated()) << "exactly at the bound is in time";
  script.at(10s + 1us).tick();
  EXPECT_TRUE(script.oracle().violated());
  const Verdict verdict = script.finish();
  ASSERT_EQ(verdict.violations.size(), 1u);
  EXPECT_EQ(verdict.violations[0].rule, "no-progress");
  EXPECT_EQ(verdict.violations[0].nodes, (std::vector<NodeId>{2}));
  EXPECT_EQ(verdict.violations[0].text, "node 2 decided no ledger within 10s");
}

TEST(Oracle, TerminationSpeaksAsTheLevelDoes) {
  OracleConfig config = with_termination(5, 10s);
  config.termination->level = 1;
  Script script(config);
  script.propose(0, 1, 7).decide(0, 1, 7, 1).at(11s).tick();
  const Verdict verdict = script.finish();
  ASSERT_EQ(verdict.violations.size(), 1u);
  EXPECT_EQ(verdict.violations[0].text, "nodes 0, 1, 2 built no ledger within 10s");
}

// Progress resets the clock of the node that made it.
TEST(Oracle, TerminationMeasuresFromTheLastDecision) {
  Script script(with_termination(std::nullopt, 10s), 1);
  for (int i = 1; i <= 5; ++i) {
    const auto instance = static_cast<std::uint64_t>(i);
    script.at(i * 9s).propose(0, instance, 7).decide(0, instance, 7);
  }
  EXPECT_EQ(outcome_of(script.finish(), "termination"), Outcome::pass);
}

TEST(Oracle, DemandStartsAfterFaultAndHealingPhase) {
  OracleConfig config = with_termination(1, 10s);
  config.has_fault_phase = true;
  config.heal = 5s;
  Script script(config, 1);
  script.at(60s).tick();
  EXPECT_FALSE(script.oracle().violated()) << "nothing is demanded while faults act";
  script.phase_end();
  script.at(75s).tick();
  EXPECT_FALSE(script.oracle().violated());
  script.at(76s).tick();
  EXPECT_TRUE(script.oracle().violated());
}

TEST(Oracle, AStallThatRecoversIsReportedAsSuch) {
  OracleConfig config = with_termination(1, 10s);
  config.has_fault_phase = true;
  Script script(config, 1);
  script.at(30s).propose(0, 1, 7).decide(0, 1, 7);
  const Verdict verdict = script.finish();
  EXPECT_EQ(verdict.outcome, Outcome::pass);
  ASSERT_EQ(verdict.notes.size(), 1u);
  EXPECT_EQ(verdict.notes[0].rule, "stall-recovered");
}

TEST(Oracle, ACutRunIsUnknownNotPassed) {
  Script script(with_termination(5, 10s));
  script.at(2s).tick();
  RunEnd end;
  end.cut_by = "limits.events";
  const Verdict verdict = script.finish(end);
  EXPECT_EQ(verdict.outcome, Outcome::unknown);
  EXPECT_EQ(verdict.cut_by, "limits.events");
  EXPECT_EQ(outcome_of(verdict, "agreement"), Outcome::unknown)
      << "it held until the cut, and nobody knows for how long";
}

// Also where nothing is demanded of progress: what had not happened yet might have.
TEST(Oracle, NoPropertyPassesInACutRun) {
  OracleConfig config;
  for (const auto& [name, when] :
       {std::pair{"always", Rule::When::always}, std::pair{"end", Rule::When::end},
        std::pair{"eventually", Rule::When::eventually}}) {
    Rule rule = make_rule(Script({}), "max(applied) == 1", when);
    rule.name = name;
    config.rules.push_back(rule);
  }
  RunEnd end;
  end.cut_by = "limits.events";
  Script script(config);
  script.observe(0, 1).propose(0, 1, 7).decide(0, 1, 7).decide(1, 1, 7);
  const Verdict verdict = script.finish(end);
  EXPECT_EQ(verdict.outcome, Outcome::unknown);
  for (const char* property :
       {"agreement", "validity", "integrity", "balance/always", "balance/end"}) {
    EXPECT_EQ(outcome_of(verdict, property), Outcome::unknown) << property;
  }
  EXPECT_EQ(outcome_of(verdict, "balance/eventually"), Outcome::pass) << "that has been seen";
}

TEST(Oracle, AViolationBeforeTheCutStaysAFailure) {
  OracleConfig config;
  Script script(config);
  script.propose(0, 1, 7).propose(1, 1, 8).decide(0, 1, 7).decide(1, 1, 8);
  RunEnd end;
  end.cut_by = "limits.events";
  const Verdict verdict = script.finish(end);
  EXPECT_EQ(verdict.outcome, Outcome::fail);
  EXPECT_EQ(outcome_of(verdict, "agreement"), Outcome::fail);
  EXPECT_EQ(outcome_of(verdict, "integrity"), Outcome::unknown);
}

// Where the scenario says where decisions come from, a run without any has judged nothing.
TEST(Oracle, WhereDecisionsWereAnnouncedSilenceIsUnknown) {
  Script silent({}, 3, true);
  const Verdict verdict = silent.finish();
  EXPECT_EQ(verdict.outcome, Outcome::unknown);
  EXPECT_EQ(verdict.properties.back().property, kEvidence);
  EXPECT_EQ(verdict.properties.back().reason, "no node decided anything (ledger)");
  Script heard({}, 3, true);
  heard.propose(1, 1, 7).decide(1, 1, 7);
  EXPECT_EQ(heard.finish().outcome, Outcome::pass);
  OracleConfig nothing;
  nothing.agreement = nothing.validity = nothing.integrity = false;
  Script unasked(nothing, 3, true);
  EXPECT_EQ(unasked.finish().outcome, Outcome::pass);
}

// Decisions of a liar are nobody's, also those from before; what was broken before stands.
TEST(Oracle, ALiarIsPassedOverFromItsFirstLieOn) {
  Script script((OracleConfig()));
  script.propose(0, 1, 7).propose(1, 1, 8).decide(0, 1, 7);
  script.oracle().mark_faulty(0);
  script.decide(1, 1, 8).decide(2, 1, 8);
  EXPECT_EQ(script.finish().outcome, Outcome::pass);

  Script earlier((OracleConfig()));
  earlier.propose(0, 1, 7).propose(1, 1, 8).decide(0, 1, 7).decide(1, 1, 8);
  earlier.oracle().mark_faulty(0);
  EXPECT_EQ(earlier.finish().outcome, Outcome::fail);
}

TEST(Oracle, ANodeThatTurnsOutToLieOwesNoProgress) {
  Script script(with_termination(1, 10s), 2);
  script.propose(0, 1, 7).decide(0, 1, 7);
  EXPECT_FALSE(script.oracle().goal_reached());
  script.oracle().mark_faulty(1);
  EXPECT_TRUE(script.oracle().goal_reached());
}

TEST(Oracle, AQuietRunBeforeTheGoalIsStuck) {
  Script script(with_termination(5, 10s));
  script.at(2s).tick();
  RunEnd end;
  end.quiet = true;
  const Verdict verdict = script.finish(end);
  ASSERT_EQ(verdict.violations.size(), 1u);
  EXPECT_EQ(verdict.violations[0].rule, "stuck");
}

TEST(Oracle, NodesThatAreDownOweNothingAndGetTheWholeBoundAfterRestart) {
  Script script(with_termination(1, 10s), 2);
  script.propose(0, 1, 7).decide(0, 1, 7).crash(1);
  EXPECT_TRUE(script.oracle().goal_reached());
  script.at(50s).tick();
  EXPECT_FALSE(script.oracle().violated());
  script.restart(1);
  EXPECT_FALSE(script.oracle().goal_reached());
  script.at(59s).tick();
  EXPECT_FALSE(script.oracle().violated());
  script.at(61s).tick();
  EXPECT_TRUE(script.oracle().violated());
}

// ---- revival: what only a dead network breaks

TEST(Revival, ANetworkThatSlowsDownByDoublingIsAlive) {
  Script script(with_revival(30s, 180s));
  std::uint64_t instance = 0;
  for (const Duration time : {7s, 15s, 37s}) {
    ++instance;
    script.at(time).propose(0, instance, 7);
    for (NodeId node = 0; node < 3; ++node) script.decide(node, instance, 7);
  }
  script.at(60s).phase_end();
  EXPECT_FALSE(script.oracle().goal_reached());
  ++instance;
  script.at(169s).propose(0, instance, 7).decide(1, instance, 7);
  EXPECT_TRUE(script.oracle().goal_reached()) << "one node is enough, and the run can end";
  EXPECT_EQ(outcome_of(script.finish(), "termination"), Outcome::pass);
}

TEST(Revival, ADeadNetworkIsOneViolationOfItsOwn) {
  Script script(with_revival(30s, 180s));
  script.at(4s).propose(0, 1, 7);
  for (NodeId node = 0; node < 3; ++node) script.decide(node, 1, 7);
  script.at(60s).phase_end();
  script.at(270s).tick();
  EXPECT_FALSE(script.oracle().violated()) << "exactly at the bound is in time";
  script.at(271s).tick();
  const Verdict verdict = script.finish();
  ASSERT_EQ(verdict.violations.size(), 1u);
  EXPECT_EQ(verdict.violations[0].signature(), "termination/dead/ledger");
  EXPECT_EQ(verdict.violations[0].nodes, (std::vector<NodeId>{0, 1, 2}));
  EXPECT_EQ(outcome_of(verdict, "termination"), Outcome::fail);
}

// A node that learns late of what others decided long ago brings nothing back to life.
TEST(Revival, CatchingUpIsNoRevival) {
  Script script(with_revival(0s, 100s));
  script.at(4s).propose(0, 1, 7).propose(0, 2, 7).decide(0, 1, 7).decide(0, 2, 7);
  script.at(10s).phase_end();
  script.at(50s).decide(1, 1, 7).decide(1, 2, 7);
  EXPECT_FALSE(script.oracle().goal_reached());
  script.at(111s).tick();
  EXPECT_TRUE(script.oracle().violated());
}

TEST(Revival, ARunThatIsCutBeforeTheBoundIsUnknown) {
  Script script(with_revival(0s, 100s));
  script.at(10s).phase_end();
  script.at(90s).tick();
  RunEnd end;
  end.cut_by = "limits.events";
  EXPECT_EQ(script.finish(end).outcome, Outcome::unknown);
}

TEST(Revival, WhereNothingIsLeftToHappenTheNetworkIsDead) {
  Script script(with_revival(0s, 100s));
  script.at(10s).phase_end();
  RunEnd end;
  end.quiet = true;
  const Verdict verdict = script.finish(end);
  ASSERT_EQ(verdict.violations.size(), 1u);
  EXPECT_EQ(verdict.violations[0].signature(), "termination/dead/ledger");
}

// ---- rules

TEST(Rules, AlwaysIsViolatedAtTheFirstReportThatBreaksIt) {
  OracleConfig config;
  config.rules.push_back(make_rule(Script({}), "max(applied) <= 1", Rule::When::always));
  Script script(config);
  script.observe(0, 1).observe(1, 1);
  EXPECT_FALSE(script.oracle().violated());
  script.observe(1, 2);
  EXPECT_TRUE(script.oracle().violated());
  const Verdict verdict = script.finish();
  EXPECT_EQ(verdict.violations[0].signature(), "balance/r");
  EXPECT_EQ(outcome_of(verdict, "balance/r"), Outcome::fail);
}

TEST(Rules, EndAndEventuallyAreJudgedAtTheEnd) {
  for (const bool reached : {false, true}) {
    OracleConfig config;
    config.rules.push_back(make_rule(Script({}), "sum(applied) == 3", Rule::When::end));
    Script script(config);
    script.observe(0, 1).observe(1, 1).observe(2, reached ? 1 : 0);
    EXPECT_EQ(script.finish().outcome, reached ? Outcome::pass : Outcome::fail);
  }
  OracleConfig config;
  config.rules.push_back(make_rule(Script({}), "min(applied) > 0", Rule::When::eventually));
  Script passing(config, 1);
  passing.observe(0, 1).observe(0, 0);
  EXPECT_EQ(passing.finish().outcome, Outcome::pass);
  Script cut(config, 1);
  RunEnd end;
  end.cut_by = "limits.events";
  EXPECT_EQ(cut.finish(end).outcome, Outcome::unknown);
}

TEST(Rules, OverIsJudgedHoweverTheRunEnded) {
  for (const auto& [when, outcome] :
       {std::pair{Rule::When::end, Outcome::unknown}, std::pair{Rule::When::over, Outcome::fail}}) {
    OracleConfig config;
    config.rules.push_back(make_rule(Script({}), "sum(applied) == 3", when));
    Script script(config);
    script.observe(0, 1);
    RunEnd end;
    end.cut_by = "limits.events";
    EXPECT_EQ(script.finish(end).outcome, outcome);
  }
}

// A run that a violation ended has no end of its own either.
TEST(Rules, WhatHoldsAtAViolationHasNotHeldAtTheEnd) {
  OracleConfig config;
  config.rules.push_back(make_rule(Script({}), "sum(applied) == 1", Rule::When::end));
  Script script(config);
  script.observe(0, 1).propose(0, 1, 7).propose(1, 1, 8).decide(0, 1, 7).decide(1, 1, 8);
  RunEnd end;
  end.violated = true;
  end.reason = "violation";
  const Verdict verdict = script.finish(end);
  EXPECT_EQ(verdict.outcome, Outcome::fail);
  EXPECT_EQ(verdict.cut_by, "");
  EXPECT_EQ(verdict.properties.back().outcome, Outcome::unknown);
  EXPECT_EQ(verdict.properties.back().reason, "the run was cut by a violation");
}

std::int64_t evaluate(const std::string& text) {
  const Script script({});
  const NodeId nodes[] = {0, 1, 2};
  return Expression::parse(text, script.description(), place())
      .evaluate(nodes, [](const Quantity& quantity, NodeId node) {
        return quantity.source == Quantity::Source::observable ? std::int64_t{node} * 10
                                                               : std::int64_t{node};
      });
}

TEST(Rules, ExpressionsHaveTheUsualPrecedence) {
  EXPECT_EQ(evaluate("1 + 2 * 3"), 7);
  EXPECT_EQ(evaluate("(1 + 2) * 3"), 9);
  EXPECT_EQ(evaluate("10 - 3 - 2"), 5);
  EXPECT_EQ(evaluate("-2 * -3"), 6);
  EXPECT_EQ(evaluate("1 < 2 and 2 <= 2 and 3 > 2 and 2 >= 2 and 1 == 1 and 1 != 2"), 1);
  EXPECT_EQ(evaluate("0 and 0 or 1"), 1);
  EXPECT_EQ(evaluate("not 1 == 2"), 1);
  EXPECT_EQ(evaluate("min(applied) + max(applied) + sum(applied)"), 0 + 20 + 30);
  EXPECT_EQ(evaluate("max(decided.ledger)"), 2);
  EXPECT_EQ(evaluate("9223372036854775807 + 1 < 0"), 1) << "wraps, never undefined";
}

TEST(Rules, AggregatesCanBeLimitedToNodes) {
  EXPECT_EQ(evaluate("count(applied)"), 2) << "node 0 has nothing applied";
  EXPECT_EQ(evaluate("count(applied, [0, 1])"), 1);
  EXPECT_EQ(evaluate("sum(applied, [1, 2]) + max(applied, [0, 1])"), 30 + 10);
  EXPECT_EQ(evaluate("min(applied, [1, 2])"), 10);
  EXPECT_EQ(evaluate("count(applied, [9])"), 0) << "no such node is correct";
}

// Two groups have split when enough of each stand behind different values of one instance.
TEST(Rules, SplitTellsHowFarTwoGroupsHaveFallenApart) {
  const auto outcome = [](const std::vector<std::pair<NodeId, std::uint64_t>>& decisions,
                          std::optional<NodeId> liar) {
    OracleConfig config;
    config.integrity = false;
    config.rules.push_back(
        make_rule(Script({}), "split(built, [0, 1, 2], [2, 3, 4]) <= 1", Rule::When::end));
    Script script(config, 5);
    if (liar) script.oracle().mark_faulty(*liar);
    for (const auto& [node, value] : decisions) script.decide(node, 7, value, 1);
    return script.finish().outcome;
  };
  EXPECT_EQ(outcome({{0, 1}, {1, 1}, {2, 1}, {3, 2}, {4, 2}}, std::nullopt), Outcome::fail);
  EXPECT_EQ(outcome({{0, 1}, {1, 1}, {2, 1}, {3, 1}, {4, 2}}, std::nullopt), Outcome::pass);
  EXPECT_EQ(outcome({{0, 1}, {1, 1}, {3, 2}, {4, 2}, {4, 1}}, std::nullopt), Outcome::pass)
      << "the last decision of a node counts";
  EXPECT_EQ(outcome({{0, 1}, {1, 1}, {3, 2}, {4, 2}}, NodeId{4}), Outcome::pass)
      << "liars do not count";
}

TEST(Oracle, LiarsAreNamedInTheVerdictAndNothingIsDemandedOfThem) {
  Script script({});
  script.oracle().mark_faulty(2);
  script.propose(0, 1, 7).decide(0, 1, 7).decide(1, 1, 7).decide(2, 1, 8).decide(2, 1, 9);
  const Verdict verdict = script.finish();
  EXPECT_EQ(verdict.outcome, Outcome::pass);
  EXPECT_EQ(verdict.faulty, std::vector<NodeId>{2});
  EXPECT_NE(to_json(verdict, -1).find("\"faulty_nodes\":[2]"), std::string::npos);
}

TEST(Rules, BadExpressionsNameTheColumn) {
  const auto error_of = [](const std::string& text) -> std::string {
    try {
      evaluate(text);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(error_of("max(aplied) < 1"),
            "rules.toml:1: check: rule 'max(aplied) < 1': unknown quantity 'aplied', did you mean "
            "'applied'? (known: "
            "applied, decided.ledger, decided.built) at column 5");
  EXPECT_NE(error_of("").find("found the end at column 1"), std::string::npos);
  EXPECT_NE(error_of("1 +").find("column 4"), std::string::npos);
  EXPECT_NE(error_of("1 2").find("expected an operator"), std::string::npos);
  EXPECT_NE(error_of("(1").find("expected ')'"), std::string::npos);
  EXPECT_NE(error_of("99999999999999999999").find("too large"), std::string::npos);
  EXPECT_NE(error_of("count(applied, [x])").find("expected a node"), std::string::npos);
  EXPECT_NE(error_of("split(bilt, [0], [1])").find("did you mean 'built'"), std::string::npos);
  EXPECT_NE(error_of("split(built, [0])").find("expected ','"), std::string::npos);
  EXPECT_NE(error_of(std::string(10'000, '(')).find("nested too deeply"), std::string::npos);
  EXPECT_NE(error_of(std::string(10'000, '-') + "1").find("nested too deeply"), std::string::npos);
}

TEST(Verdict, JsonHasOneEntryPerProperty) {
  Script script({});
  script.propose(0, 1, 7).decide(0, 1, 7).decide(1, 1, 8);
  const std::string json = to_json(script.finish());
  EXPECT_NE(json.find("\"outcome\": \"fail\""), std::string::npos);
  EXPECT_NE(json.find("\"never-proposed\""), std::string::npos);
  EXPECT_NE(json.find("\"decided-differently\""), std::string::npos);
}

// Live runs are kept with their verdict, which must come back as it was.
TEST(Verdict, IsReadBackFromItsDocument) {
  Verdict verdict;
  verdict.outcome = Outcome::fail;
  verdict.properties = {{"agreement", Outcome::pass, ""},
                        {"termination", Outcome::fail, "node 1 decided nothing within 5s"}};
  Violation violation;
  violation.property = "termination";
  violation.rule = "no-progress";
  violation.level = "ledger";
  violation.instance = 8;
  violation.nodes = {1, 2};
  violation.values = {Digest(7), Digest(3, 4)};
  violation.event = 120;
  violation.time = Time{} + std::chrono::milliseconds(1500);
  violation.text = "node 1 decided nothing within 5s";
  verdict.violations = {violation};
  verdict.violations_left_out = 3;
  verdict.faulty = {4};
  verdict.cut_by = "limits.events";
  verdict.notes = {violation};
  const Verdict read = parse_verdict(to_json(verdict), "verdict.json");
  EXPECT_EQ(to_json(read), to_json(verdict));
  EXPECT_EQ(read.violations.front().signature(), violation.signature());
  EXPECT_EQ(read.violations.front().values, violation.values);
}

TEST(Verdict, ADamagedDocumentIsRefused) {
  EXPECT_THROW(parse_verdict("{\"format\": \"dissensus-verdict/9\"}", "verdict.json"), InputError);
  EXPECT_THROW(parse_verdict("{", "verdict.json"), InputError);
}

}  // namespace
}  // namespace dissensus::oracle
