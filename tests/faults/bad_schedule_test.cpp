// Every kind of bad schedule is refused with one line that says where, what, and what was expected.
#include <gtest/gtest.h>

#include "core/limits.h"
#include "faults/schedule.h"
#include "faults/scripted_system.h"

namespace dissensus::faults {
namespace {

std::string error_of(std::string_view json) {
  try {
    parse_schedule(json, "s.json", scripted_description(), 3);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

/// The error for a document whose line 5 is `line`.
std::string error_on_line_5(std::string_view line) {
  return error_of(fmt::format(
      "{{\n\"format\": \"dissensus-schedule/1\",\n\"system\": \"scripted\",\n\"nodes\": 3,\n{}\n}}",
      line));
}

struct Case {
  std::string_view line;
  std::string_view error;
};

void check(std::span<const Case> cases) {
  for (const Case& bad : cases) EXPECT_EQ(error_on_line_5(bad.line), bad.error) << bad.line;
}

TEST(BadSchedule, Header) {
  EXPECT_EQ(error_of("{}"), "s.json:1: format: missing, expected 'dissensus-schedule/1'");
  EXPECT_EQ(error_of(R"({"format": "dissensus-schedule/2"})"),
            "s.json:1: format: expected 'dissensus-schedule/1', found 'dissensus-schedule/2'");
  EXPECT_EQ(error_of(R"({"format": 1})"), "s.json:1: format: expected a text, found an integer");
  EXPECT_EQ(error_of("{\"format\": \"dissensus-schedule/1\",\n\"system\": \"xrpl\"}"),
            "s.json:2: system: the schedule is for system 'xrpl', expected 'scripted'");
  EXPECT_EQ(
      error_of("{\"format\": \"dissensus-schedule/1\",\n\"system\": \"scripted\",\n\"nodes\": 4}"),
      "s.json:3: nodes: the schedule is for 4 nodes, expected 3");
  EXPECT_EQ(
      error_of("{\"format\": \"dissensus-schedule/1\", \"system\": \"scripted\", \"nodes\": -3}"),
      "s.json:1: nodes: expected an integer from 1 to 1000, found -3");
  EXPECT_EQ(error_of("{\"format\": \"dissensus-schedule/1\", \"system\": \"scripted\"}"),
            "s.json:1: nodes: missing, but it is required");
}

TEST(BadSchedule, UnknownKeysAreNamedWithTheNearestKnownOne) {
  const Case cases[] = {
      {R"("delay_ms": {})", "s.json:5: delay_ms: unknown key, did you mean 'delays_ms'?"},
      {R"("faults": [{"type": "drop", "recevier": 1}])",
       "s.json:5: faults[0].recevier: unknown key, did you mean 'receiver'?"},
      {R"("faults": [{"type": "drop", "gap": "1s"}])", "s.json:5: faults[0].gap: unknown key"},
  };
  check(cases);
}

TEST(BadSchedule, Delays) {
  const Case cases[] = {
      {R"("delays_ms": [])", "s.json:5: delays_ms: expected a table, found a list"},
      {R"("delays_ms": {"Comit": {}})",
       "s.json:5: delays_ms.Comit: unknown message kind, did you mean 'Commit'?"},
      {R"("delays_ms": {"Heartbeat": {}})",
       "s.json:5: delays_ms.Heartbeat: unknown message kind, expected one of Proposal, Commit"},
      {R"("delays_ms": {"Commit": 4})",
       "s.json:5: delays_ms.Commit: expected a table, found an integer"},
      {R"("delays_ms": {"Commit": {"0>3": 4}})",
       "s.json:5: delays_ms.Commit.0>3: there is no node 3, expected 0 to 2"},
      {R"("delays_ms": {"Commit": {"99999999999999999999999>0": 4}})",
       "s.json:5: delays_ms.Commit.99999999999999999999999>0: there is no node "
       "99999999999999999999999, expected 0 to 2"},
      {R"("delays_ms": {"Commit": {"1>1": 4}})",
       "s.json:5: delays_ms.Commit.1>1: a node does not send to itself, expected two different "
       "nodes"},
      {R"("delays_ms": {"Commit": {"0>1": -4}})",
       "s.json:5: delays_ms.Commit.0>1: expected an integer from 0 to 3600000, found -4"},
      {R"("delays_ms": {"Commit": {"0>1": 3600001}})",
       "s.json:5: delays_ms.Commit.0>1: expected an integer from 0 to 3600000, found 3600001"},
      {R"("delays_ms": {"Commit": {"0>1": 1.5}})",
       "s.json:5: delays_ms.Commit.0>1: expected an integer, found a number"},
      {R"("delays_ms": {"Commit": {"0>1": "4ms"}})",
       "s.json:5: delays_ms.Commit.0>1: expected an integer, found a text"},
      {R"("delays_ms": {"Commit": {"0>1": null}})",
       "s.json:5: delays_ms.Commit.0>1: expected an integer, found nothing"},
      {R"("delays_ms": {"Commit": {"0>1": 4, "0>1": 5}})", "s.json:5: 0>1: key appears twice"},
      {R"("delays_ms": {}, "priorities": {})",
       "s.json:5: priorities: expected 'delays_ms' or 'priorities', found both"},
      {R"("delays_ms": {}, "rate": {})",
       "s.json:5: rate: expected 'priorities' beside it, found none"},
  };
  check(cases);
}

// Anything that is not exactly a pair is refused, also what a number parser would let pass.
TEST(BadSchedule, MalformedPairs) {
  for (const std::string_view key :
       {"", ">", "0", "0>", ">1", "0>1>2", "01>2", "0 >1", "+0>1", "-1>0", "0->1", "**>1", "a>b"}) {
    EXPECT_EQ(error_on_line_5(fmt::format(R"("delays_ms": {{"Commit": {{"{}": 1}}}})", key)),
              fmt::format("s.json:5: delays_ms.Commit.{}: expected a key such as '0>2', '*>2', "
                          "'0>*' or '*>*'",
                          key));
  }
}

TEST(BadSchedule, Priorities) {
  const Case cases[] = {
      {R"("priorities": {"Commit": {"*>1": 1}})",
       "s.json:5: priorities.Commit.*>1: expected a key such as '0>2'"},
      {R"("priorities": {"Commit": {"0>1": 0}})",
       "s.json:5: priorities.Commit.0>1: expected an integer from 1 to 12, found 0"},
      {R"("priorities": {"Commit": {"0>1": 13}})",
       "s.json:5: priorities.Commit.0>1: expected an integer from 1 to 12, found 13"},
      {R"("priorities": {"Commit": {"0>1": 5, "0>2": 5}})",
       "s.json:5: priorities.Commit.0>2: priority 5 is that of Commit 0>1 already, expected each "
       "of 1 to 12 once"},
      {R"("priorities": {"Proposal": {"0>1": 5}})",
       "s.json:5: priorities: Proposal 0>2 has no priority, expected each of 1 to 12 once"},
      {R"("priorities": {})",
       "s.json:5: priorities: Proposal 0>1 has no priority, expected each of 1 to 12 once"},
  };
  check(cases);
}

TEST(BadSchedule, Rate) {
  const std::string_view priorities =
      R"("priorities": {
  "Proposal": {"0>1": 1, "0>2": 2, "1>0": 3, "1>2": 4, "2>0": 5, "2>1": 6},
  "Commit": {"0>1": 7, "0>2": 8, "1>0": 9, "1>2": 10, "2>0": 11, "2>1": 12}},)";
  const Case cases[] = {
      {R"({"base": 2})",
       "expected min <= base <= max, found min 0.16666666666666666, base 2, max 1"},
      {R"({"underflow": 1.5})",
       "expected underflow <= overflow, found underflow 1.5, overflow 1.2"},
      {"7", "expected a table, found an integer"},
  };
  for (const Case& bad : cases) {
    EXPECT_EQ(error_on_line_5(fmt::format("{}\n\"rate\": {}", priorities, bad.line)),
              fmt::format("s.json:8: rate: {}", bad.error));
  }
  const Case members[] = {
      {R"("min": 0)", "rate.min: expected a number from 1e-06 to 1e+06, found 0"},
      {R"("target": -1)", "rate.target: expected a number from 0 to 1e+09, found -1"},
      {R"("sensitivity": 0.5)", "rate.sensitivity: expected a number from 1 to 1e+09, found 0.5"},
      {R"("max": "1")", "rate.max: expected a number, found a text"},
      {R"("speed": 1)", "rate.speed: unknown key"},
  };
  for (const Case& bad : members) {
    EXPECT_EQ(error_on_line_5(fmt::format("{}\n\"rate\": {{{}}}", priorities, bad.line)),
              fmt::format("s.json:8: {}", bad.error));
  }
}

// Whatever kinds there are.
TEST(BadSchedule, KindsOfFaults) {
  const std::string error = error_on_line_5(R"("faults": [{"type": "drip"}])");
  EXPECT_EQ(error.find("s.json:5: faults[0].type: expected one of "), 0u) << error;
  EXPECT_NE(error.find(", found 'drip', did you mean 'drop'?"), std::string::npos) << error;
}

TEST(BadSchedule, MessageFaults) {
  const Case cases[] = {
      {R"("faults": {})", "s.json:5: faults: expected a list, found a table"},
      {R"("faults": [3])", "s.json:5: faults[0]: expected a table, found an integer"},
      {R"("faults": [{}])", "s.json:5: faults[0].type: missing, but it is required"},
      {R"("faults": [{"type": "drop", "message": "Propose"}])",
       "s.json:5: faults[0].message: unknown message kind, did you mean 'Proposal'?"},
      {R"("faults": [{"type": "drop", "sender": 3}])",
       "s.json:5: faults[0].sender: expected an integer from 0 to 2, found 3"},
      {R"("faults": [{"type": "drop", "sender": 1, "receiver": 1}])",
       "s.json:5: faults[0].receiver: a node does not send to itself, expected another node than "
       "the sender"},
      {R"("faults": [{"type": "drop", "count": 0}])",
       "s.json:5: faults[0].count: expected an integer from 1 to 4294967295, found 0"},
      {R"("faults": [{"type": "drop", "count": 18446744073709551615}])",
       "s.json:5: count: number too large"},
      {R"("faults": [{"type": "drop", "count": 99999999999999999999}])",
       "s.json:5: faults[0].count: expected an integer, found a number"},
      {R"("faults": [{"type": "drop", "from": 5}])",
       "s.json:5: faults[0].from: expected a duration such as \"250ms\" or \"2s\" (us, ms, s, min, "
       "h), found an "
       "integer"},
      {R"("faults": [{"type": "drop", "from": "-5s"}])",
       "s.json:5: faults[0].from: expected a duration that is not negative, found '-5s'"},
      {R"("faults": [{"type": "drop", "until": "9000h"}])",
       "s.json:5: faults[0].until: expected a duration of at most 8760h, found '9000h'"},
      {R"("faults": [{"type": "drop", "from": "2s", "until": "2s"}])",
       "s.json:5: faults[0].until: expected a time after 2s, found '2s'"},
      {R"("faults": [{"type": "drop", "from": "2s", "rounds": [1, 2]}])",
       "s.json:5: faults[0].rounds: expected a span of rounds or of time, found both"},
      {R"("faults": [{"type": "drop", "rounds": []}])",
       "s.json:5: faults[0].rounds: expected [first, end] or [first], found 0 numbers"},
      {R"("faults": [{"type": "drop", "rounds": [3, 3]}])",
       "s.json:5: faults[0].rounds: expected an end after round 3, which is not part of the span, "
       "found 3"},
      {R"("faults": [{"type": "drop", "rounds": [-1]}])",
       "s.json:5: faults[0].rounds[0]: expected an integer from 0 to 1000000000000, found -1"},
      {R"("faults": [{"type": "duplicate", "gap": "soon"}])",
       "s.json:5: faults[0].gap: expected a duration such as \"250ms\" or \"2s\" (us, ms, s, min, "
       "h), found 'soon'"},
  };
  check(cases);
}

TEST(BadSchedule, PartitionsAndCrashes) {
  const Case cases[] = {
      {R"("faults": [{"type": "partition"}])",
       "s.json:5: faults[0].groups: missing, but it is required"},
      {R"("faults": [{"type": "partition", "groups": []}])",
       "s.json:5: faults[0].groups: expected groups that separate some nodes from others"},
      {R"("faults": [{"type": "partition", "groups": [[0, 1, 2]]}])",
       "s.json:5: faults[0].groups: expected groups that separate some nodes from others"},
      {R"("faults": [{"type": "partition", "groups": [[0], []]}])",
       "s.json:5: faults[0].groups[1]: expected at least one node, found none"},
      {R"("faults": [{"type": "partition", "groups": [[0], [1, 0]]}])",
       "s.json:5: faults[0].groups[1][1]: node 0 is in two groups, expected one"},
      {R"("faults": [{"type": "partition", "groups": [[0], [3]]}])",
       "s.json:5: faults[0].groups[1][0]: expected an integer from 0 to 2, found 3"},
      {R"("faults": [{"type": "partition", "groups": [0, 1]}])",
       "s.json:5: faults[0].groups[0]: expected a list, found an integer"},
      {R"("faults": [{"type": "crash", "at": "1s"}])",
       "s.json:5: faults[0].node: missing, but it is required"},
      {R"("faults": [{"type": "crash", "node": 1}])",
       "s.json:5: faults[0].at: missing, but it is required"},
      {R"("faults": [{"type": "crash", "node": 1, "at": "1s", "at_round": 2}])",
       "s.json:5: faults[0].at_round: expected 'at' or 'at_round', found both"},
      {R"("faults": [{"type": "crash", "node": 1, "at": "1s", "restart_after": 2}])",
       "s.json:5: faults[0].restart_after: expected a duration such as \"250ms\" or \"2s\" (us, "
       "ms, s, min, h), found "
       "an integer"},
  };
  check(cases);
}

TEST(BadSchedule, TooManyFaultsAreRefused) {
  std::string faults = R"({"type": "drop"})";
  for (std::size_t i = 0; i < kFaultsMax; ++i) faults += R"(, {"type": "drop"})";
  EXPECT_EQ(error_on_line_5(fmt::format("\"faults\": [{}]", faults)),
            "s.json:5: faults: expected at most 10000 faults, found 10001");
}

TEST(BadSchedule, NotADocument) {
  EXPECT_EQ(error_of("[]"), "s.json:1: expected a JSON object, found a list");
  EXPECT_EQ(error_of("3"), "s.json:1: expected a JSON object, found an integer");
  const std::string_view garbage[] = {"",
                                      "{",
                                      "hello",
                                      "{\"format\": }",
                                      "\xff\xfe\x00z",
                                      "{\"format\": \"dissensus-schedule/1\"} trailing"};
  for (const std::string_view text : garbage) {
    EXPECT_EQ(error_of(text).substr(0, 25), "s.json:1: not valid JSON:") << text;
  }
  EXPECT_EQ(error_of("{\n\"format\":\n}").substr(0, 25), "s.json:3: not valid JSON:");
}

// A hostile file must not exhaust the stack or the memory.
TEST(BadSchedule, DeepNestingAndGiantFilesAreRefused) {
  EXPECT_EQ(error_of("{\"faults\": " + std::string(100'000, '[')),
            "s.json:1: nested too deeply, expected at most 64 levels");
  EXPECT_EQ(error_of(std::string(kScheduleBytesMax + 1, ' ')),
            "s.json: expected at most 67108864 bytes, found 67108865");
}

}  // namespace
}  // namespace dissensus::faults
