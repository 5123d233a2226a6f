// Real servers against specs/raft/Outside.tla. What they said was recorded (dissensus run SCENARIO
// --node-logs LOGS --from-outside) and cut: etcd 3.4.23, whose leader is killed and forgets
// nothing, up to the next election, without heartbeats; ovsdb-server 3.1.0, up to a vote that is
// none.
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conform/follow.h"

namespace dissensus::conform {
namespace {

using testing::HasSubstr;
using Result = FollowReport::Result;
using Constants = std::vector<std::pair<std::string, std::string>>;
using RecordedLines = std::vector<std::vector<std::string>>;  ///< of each node

RecordedLines recorded(const std::string& name) {
  RecordedLines logs(3);
  for (std::size_t node = 0; node < logs.size(); ++node) {
    std::ifstream file(DISSENSUS_SOURCE_DIR "/tests/conform/raft_from_outside/" + name + "/node-" +
                       std::to_string(node) + ".jsonl");
    for (std::string line; std::getline(file, line);) logs[node].push_back(line);
  }
  return logs;
}

FollowReport follow(const std::string& name, const RecordedLines& logs,
                    const Constants& constants = {}) {
  const Mapping mapping =
      load_mapping(DISSENSUS_SOURCE_DIR "/specs/raft/outside-" + name + ".toml");
  Variant variant;
  variant.constants = constants;
  Follower follower(mapping, variant, SystemRegistry{}, {"0", "1", "2"});
  for (std::size_t node = 0; node < logs.size(); ++node) {
    for (const std::string& line : logs[node]) follower.add(node, line);
    follower.end(node);
  }
  follower.advance();
  return follower.report();
}

TEST(OutsideRaft, ServersThatFollowRaftConform) {
  const FollowReport report = follow("etcd", recorded("etcd"));
  EXPECT_EQ(report.result, Result::conforms);
  EXPECT_EQ(report.steps, 207u);
  EXPECT_EQ(report.waiting, 0u);
}

TEST(OutsideRaft, AModelWhoseQuorumsAreTooLargeRefusesThem) {
  const FollowReport report = follow("etcd", recorded("etcd"), {{"More", "1"}});
  ASSERT_EQ(report.result, Result::violation);
  EXPECT_THAT(report.refusal->violation.action, HasSubstr("Append("));
  EXPECT_THAT(report.refusal->violation.guards.at(0).text, HasSubstr("More"));
}

// A vote request that it wants to ignore it answers after all, in its own term: 5 instead of 6
// (docs/results/ovsdb.md).
TEST(OutsideRaft, AVoteInAnotherTermThanTheRequestIsADeviation) {
  const RecordedLines logs = recorded("ovsdb");
  const FollowReport report = follow("ovsdb", logs);
  ASSERT_EQ(report.result, Result::violation);
  EXPECT_THAT(report.refusal->violation.action, HasSubstr("Vote(0, \"118897ef54a64461\", 5"));
  EXPECT_EQ(follow("ovsdb", logs, {{"AnswersAnyTerm", "TRUE"}}).result, Result::conforms);
}

// ovsdb-server, to a server that lacks what the leader has only as a snapshot.
TEST(OutsideRaft, TheTermOfASnapshotForAnEarlierEntryIsADeviation) {
  RecordedLines logs = recorded("etcd");
  logs[2].push_back(
      R"({"node":2,"step":"append","args":{"from":"529db48efa3805ee","term":3,"line":"27<","index":5,"last":3,"brought":[],"commit":12}})");
  const FollowReport report = follow("etcd", logs);
  ASSERT_EQ(report.result, Result::violation);
  EXPECT_THAT(report.refusal->violation.guards.at(0).text, HasSubstr("chosen[i].term"));
  EXPECT_EQ(follow("etcd", logs, {{"NamesSnapshotTerm", "TRUE"}}).result, Result::conforms);
}

struct ForgedLine {
  const char* what;
  std::size_t node;
  const char* line;  ///< the first that contains this
  const char* from;  ///< is replaced; empty: a line is added after it
  const char* to;
  const char* guard;
};

TEST(OutsideRaft, OneChangedLineIsRefused) {
  const std::vector<ForgedLine> forged{
      {"a second vote", 0, R"("step":"vote","args":{"from":"34e58aba34864a97","term":3)", "",
       R"({"node":0,"step":"vote","args":{"from":"34e58aba34864a97","term":3,"line":"","candidate":"cbec0e4dfa4b134b"}})",
       "Of(voted, <<s, t>>, candidate) = candidate"},
      {"the old leader leads the new term", 0, R"("step":"hear-append","args":{"from":"529d)", "",
       R"({"node":0,"step":"append","args":{"from":"34e58aba34864a97","term":3,"line":"","index":13,"last":3,"brought":[],"commit":12}})",
       "leader[t] = s"},
      {"a leader nobody voted for", 1, R"("step":"ask")", "",
       R"({"node":1,"step":"append","args":{"from":"cbec0e4dfa4b134b","term":4,"line":"","index":12,"last":2,"brought":[],"commit":3}})",
       "Cardinality(servers"},
      {"a commit that nobody has acknowledged", 2, R"("step":"append")", R"("commit":12)",
       R"("commit":13)", "Cardinality(servers"},
      {"another entry for the second follower", 2, R"("line":"56<","index":12)", "eed62000ed87",
       "eed62000ed88", "Of(entries, "},
      {"an acknowledgement of what was not sent", 1, R"("line":"25<","index":14})",
       R"("index":14})", R"("index":15})", "index <= Max(Of(reach"},
      {"a candidate that has lost its log", 2,
       R"("step":"ask","args":{"from":"529db48efa3805ee","term":3)", R"("index":12,"last":2)",
       R"("index":3,"last":1)", "last > known"},
      {"a restart that forgets the term", 0, R"("step":"restart")", "",
       R"({"node":0,"step":"speak","args":{"from":"34e58aba34864a97","term":1,"line":""}})",
       "t >= Of(floor, s, 0)"},
      {"a term that goes back", 1, R"("term":3,"line":"25<","index":14)", "",
       R"({"node":1,"step":"speak","args":{"from":"cbec0e4dfa4b134b","term":2,"line":"25<"}})",
       "t >= Of(lines, line, 0)"},
      {"another server's name", 0, R"("step":"hear-append","args":{"from":"529d)", "",
       R"({"node":0,"step":"speak","args":{"from":"529db48efa3805ee","term":3,"line":""}})",
       "Of(home, s, n) = n"},
  };
  const RecordedLines good = recorded("etcd");
  for (const ForgedLine& change : forged) {
    RecordedLines logs = good;
    std::size_t number = 0;
    std::vector<std::string>& log = logs[change.node];
    while (number < log.size() && log[number].find(change.line) == std::string::npos) ++number;
    ASSERT_LT(number, log.size()) << change.what;
    const std::string from = change.from;
    if (from.empty()) {
      log.insert(log.begin() + static_cast<std::ptrdiff_t>(++number), change.to);
    } else {
      log[number].replace(log[number].find(from), from.size(), change.to);
    }
    const FollowReport report = follow("etcd", logs);
    ASSERT_EQ(report.result, Result::violation) << change.what;
    EXPECT_EQ(report.refusal->node, change.node) << change.what;
    EXPECT_EQ(report.refusal->line, number + 1) << change.what;
    EXPECT_THAT(report.refusal->violation.guards.at(0).text, HasSubstr(change.guard))
        << change.what;
  }
}

}  // namespace
}  // namespace dissensus::conform
