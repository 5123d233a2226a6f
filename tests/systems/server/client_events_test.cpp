// What clients write becomes a history; what is none is refused with a line that says why.
#include "systems/server/client_events.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dissensus/outside.h"

#include "run/runner.h"
#include "systems/built_in/built_in.h"

namespace dissensus::server {
namespace {

using ::testing::HasSubstr;

std::string refusal(ClientEvents& events, const std::string& line) {
  try {
    events.read(line);
  } catch (const OutsideError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ClientEvents, ALineIsAnEventOrALineLikeAnyOther) {
  ClientEvents events;
  const auto asked =
      events.read(R"({"process":3,"type":"invoke","f":"cas","value":["k",[1,2]],"time":5})");
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->kind, history::EventKind::invoke);
  EXPECT_EQ(asked->process, 3);
  EXPECT_EQ(asked->function, "cas");
  EXPECT_EQ(asked->value, R"(["k",[1,2]])");
  EXPECT_EQ(asked->error, "");
  const auto told = events.read(R"({"process":3,"type":"fail","f":"cas","key":"k","error":"no"})");
  ASSERT_TRUE(told);
  EXPECT_EQ(told->kind, history::EventKind::fail);
  EXPECT_EQ(told->value, R"(["k",null])");
  EXPECT_EQ(told->error, "\"no\"");
  EXPECT_FALSE(told->is_final);
  EXPECT_TRUE(events.read(" \t{\"process\":4,\"type\":\"invoke\",\"f\":\"read\"}\r"))
      << "blanks around it do not count";
  for (const std::string line : {"", " ", "hello", "{", "{}", "[1]", R"({"process":1,"f":"read"})",
                                 R"({"type":"ok","uuid":"x"})", "{\"process\":\xff}"}) {
    EXPECT_FALSE(events.read(line)) << line;
  }
}

TEST(ClientEvents, HalfAnEventIsDamaged) {
  const std::string event = R"({"process":1,"type":"ok","f":"read","value":[1,7]})";
  EXPECT_FALSE(ClientEvents::is_damaged(event));
  EXPECT_FALSE(ClientEvents::is_damaged("hello"));
  EXPECT_FALSE(ClientEvents::is_damaged("{\"process\": 1}"));
  EXPECT_TRUE(ClientEvents::is_damaged(event.substr(0, 40)));
  EXPECT_TRUE(ClientEvents::is_damaged(event + event));
  EXPECT_TRUE(ClientEvents::is_damaged("info: " + event));
}

TEST(ClientEvents, WhatCannotFollowIsRefused) {
  ClientEvents events;
  EXPECT_THAT(refusal(events, R"({"process":"a","type":"ok","f":"read"})"),
              HasSubstr("has no number of a process"));
  EXPECT_THAT(refusal(events, R"({"process":1,"type":"ok","f":2})"),
              HasSubstr("names no operation"));
  EXPECT_THAT(refusal(events, R"({"process":1,"type":"begin","f":"read"})"),
              HasSubstr("is neither invoke, ok, fail nor info"));
  EXPECT_THAT(refusal(events, R"({"process":1,"type":"ok","f":"read"})"),
              HasSubstr("answers what its process did not ask"));
  EXPECT_EQ(refusal(events, R"({"process":1,"type":"invoke","f":"read"})"), "accepted");
  EXPECT_THAT(refusal(events, R"({"process":1,"type":"invoke","f":"read"})"),
              HasSubstr("asks although its process waits"));
  EXPECT_EQ(refusal(events, R"({"process":2,"type":"invoke","f":"read"})"), "accepted");
}

/// A server of two shells: node 2 is a machine for clients, on which nothing is started.
std::string scenario_with(const std::string& script, const std::string& words = "") {
  return "format = \"dissensus-scenario/1\"\nname = \"told\"\n"
         "[system]\nkind = \"server\"\nnodes = 2\nclients = 1\nhistory = true\n"
         "command = [\"/bin/sh\", \"-c\", \"while sleep 1; do echo tick; done\"]\n"
         "[[system.observe]]\nname = \"ticks\"\npattern = \"tick\"\ncount = true\n"
         "[[workload]]\nat = \"1s\"\nnode = 2\n" +
         words + "command = [\"/bin/sh\", \"-c\", '''" + script +
         "''']\n[oracle.history]\nmodel = \"lin-kv\"\n"
         "[[oracle.rule]]\nname = \"ticks\"\nproperty = \"progress\"\nwhen = \"end\"\n"
         "check = \"sum(ticks) == 12\"\n[limits]\nvirtual_time = \"6500ms\"\n";
}

constexpr const char* kWrite =
    R"(echo '{"process":0,"type":"invoke","f":"write","value":[1,7]}'
echo '{"process":0,"type":"ok","f":"write","value":[1,7]}'
echo '{"process":1,"type":"invoke","f":"read","value":[1,null]}'
)";

run::RunResult run_told(const std::string& script, const faults::Schedule& schedule = {}) {
  const run::Scenario scenario =
      run::parse_scenario(scenario_with(script), "told.toml", built_in_systems());
  run::Runner runner;
  return runner.run(scenario, schedule, 1);
}

TEST(ClientEvents, HistoriesOfClientProgramsAreJudged) {
  const std::string good = R"(echo '{"process":1,"type":"ok","f":"read","value":[1,7]}')";
  const std::string bad = R"(echo '{"process":1,"type":"ok","f":"read","value":[1,null]}')";
  EXPECT_EQ(run_told(kWrite + good).verdict.outcome, oracle::Outcome::pass);
  const run::RunResult stale = run_told(kWrite + bad);
  ASSERT_EQ(stale.verdict.outcome, oracle::Outcome::fail);
  EXPECT_THAT(stale.verdict.violations.front().signature(), HasSubstr("history/"));
}

constexpr const char* kStale = R"({"process":1,"type":"ok","f":"read","value":[1,null]})";

// What a client says last is said, also without an end of line, and behind blanks.
TEST(ClientEvents, NoLineOfAClientIsLost) {
  const std::string stale = kStale;
  EXPECT_EQ(run_told(kWrite + ("printf '" + stale + "'")).verdict.outcome, oracle::Outcome::fail);
  EXPECT_EQ(run_told(kWrite + ("echo '   " + stale + "'")).verdict.outcome, oracle::Outcome::fail);
  EXPECT_EQ(run_told(kWrite + ("printf half >&2; echo '" + stale + "'")).verdict.outcome,
            oracle::Outcome::fail)
      << "its errors are lines of their own";
}

std::string missed(const oracle::Verdict& verdict) {
  EXPECT_EQ(verdict.outcome, oracle::Outcome::unknown);
  const oracle::PropertyVerdict& last = verdict.properties.back();
  EXPECT_EQ(last.property, oracle::kEvidence);
  EXPECT_EQ(last.outcome, oracle::Outcome::unknown);
  return last.reason;
}

// What was to be judged and did not come is said, and the run does not pass.
TEST(ClientEvents, AClientThatFailsLeavesTheRunUnknown) {
  const std::string good =
      "echo '{\"process\":1,\"type\":\"ok\",\"f\":\"read\",\"value\":[1,7]}'\n";
  EXPECT_EQ(run_told(kWrite + good).verdict.outcome, oracle::Outcome::pass);
  EXPECT_THAT(missed(run_told(kWrite + good + "kill -SEGV $$").verdict),
              HasSubstr("a client on node 2"));
  EXPECT_THAT(missed(run_told(kWrite + good + "exit 3").verdict), HasSubstr("3"));
  EXPECT_THAT(missed(run_told(kWrite + good + "echo '{\"process\":1,\"type\":\"ok\"'").verdict),
              HasSubstr("is no event"));
  EXPECT_THAT(missed(run_told(kWrite + good + "printf '{\"process\":1'; sleep 100").verdict),
              HasSubstr("has no end"));
  EXPECT_EQ(
      run_told(kWrite + ("echo '" + std::string(kStale) + "'; kill -SEGV $$")).verdict.outcome,
      oracle::Outcome::fail)
      << "what was seen stays seen";
}

TEST(ClientEvents, AClientMayFailWhereTheScenarioSaysSo) {
  const auto outcome = [](const std::string& last) {
    const std::string script = kWrite + last;
    const run::Scenario scenario = run::parse_scenario(scenario_with(script, "may_fail = true\n"),
                                                       "told.toml", built_in_systems());
    return run::Runner().run(scenario, {}, 1).verdict.outcome;
  };
  EXPECT_EQ(outcome("exit 3"), oracle::Outcome::pass);
  EXPECT_EQ(outcome("kill -SEGV $$"), oracle::Outcome::unknown) << "no signal is an answer";
}

TEST(ClientEvents, AHistoryWithoutAnythingDoneDoesNotPass) {
  EXPECT_EQ(run_told("true").verdict.outcome, oracle::Outcome::unknown);
  const run::RunResult asked =
      run_told(R"(echo '{"process":0,"type":"invoke","f":"write","value":[1,7]}')");
  EXPECT_EQ(asked.verdict.outcome, oracle::Outcome::unknown);
}

}  // namespace
}  // namespace dissensus::server
