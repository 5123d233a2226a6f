// Bytes that ovsdb-server 3.1.0 wrote, read object by object; and bytes that nobody should write.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hosted/protocols/parts.h"

namespace dissensus::protocols {
namespace {

using ::testing::ElementsAre;

constexpr std::string_view kOvsdbAppend =
    R"({"id":null,"method":"append_request","params":[{"log":[],"comment":"initialize new serve)"
    R"(r","prev_log_term":1,"to":"0c51f5c4-6825-46a1-a19c-226570e203c2","leader_commit":2,"from)"
    R"(":"9655267d-75fc-4eb3-8642-24b23873b8a8","cluster":"5593e4e0-5811-4a24-8d33-e4bed90b9eda)"
    R"(","term":1,"prev_log_index":2}]})";
constexpr std::string_view kOvsdbAppendReply =
    R"({"id":null,"method":"append_reply","params":[{"comment":"mismatch past end of log","prev)"
    R"(_log_term":1,"to":"9655267d-75fc-4eb3-8642-24b23873b8a8","log_end":1,"from":"0c51f5c4-68)"
    R"(25-46a1-a19c-226570e203c2","result":"inconsistency","n_entries":0,"cluster":"5593e4e0-58)"
    R"(11-4a24-8d33-e4bed90b9eda","term":1,"prev_log_index":2}]})";
constexpr std::string_view kOvsdbSnapshot =
    R"({"id":null,"method":"install_snapshot_request","params":[{"last_servers":{"9655267d-75fc)"
    R"(-4eb3-8642-24b23873b8a8":"tcp:127.0.0.10:6644"},"election_timer":1000,"last_term":1,"dat)"
    R"(a":[{"name":"S","tables":{"T":{"columns":{"k":{"type":"string"}}}},"version":"1.0.0"},{})"
    R"(],"to":"0c51f5c4-6825-46a1-a19c-226570e203c2","from":"9655267d-75fc-4eb3-8642-24b23873b8)"
    R"(a8","last_eid":"40ec6d8c-91b7-4a80-b269-f28c639fb7cf","last_index":1,"cluster":"5593e4e0)"
    R"(-5811-4a24-8d33-e4bed90b9eda","term":1}]})";
constexpr std::string_view kOvsdbExecuteReply =
    R"({"id":null,"method":"execute_command_reply","params":[{"from":"9655267d-75fc-4eb3-8642-2)"
    R"(4b23873b8a8","commit_index":5,"status":"success","result":"f687f5fb-8d90-4643-beec-55962)"
    R"(28f2cb3","cluster":"5593e4e0-5811-4a24-8d33-e4bed90b9eda","to":"1802d32f-ce23-4fd6-8561-)"
    R"(d43cd7ccd103"}]})";
constexpr std::string_view kOvsdbAdd =
    R"({"id":null,"method":"add_server_request","params":[{"from":"0c51f5c4-6825-46a1-a19c-2265)"
    R"(70e203c2","address":"tcp:127.0.0.12:6644"}]})";

std::unique_ptr<ConnectionReader> ovsdb_reader() {
  return named("ovsdb").make_reader();
}

std::vector<std::string> ovsdb_names(const std::vector<Part>& parts) {
  return names(named("ovsdb"), parts);
}

TEST(OvsdbProtocol, ObjectsHaveKindsAndFields) {
  const auto reader = ovsdb_reader();
  const std::string stream = std::string(kOvsdbAppend) + std::string(kOvsdbSnapshot) +
                             R"({"id":"echo","method":"echo","params":[]})" +
                             std::string(kOvsdbExecuteReply) + std::string(kOvsdbAdd);
  const std::vector<Part> parts = reader->add(false, stream);
  ASSERT_THAT(ovsdb_names(parts), ElementsAre("append", "install-snapshot", "bytes",
                                              "execute-command-reply", "add-server"));
  EXPECT_EQ(joined(parts), stream);
  EXPECT_EQ(raft(parts[0]).term, 1U);
  EXPECT_EQ(raft(parts[0]).index, 2U);
  EXPECT_EQ(raft(parts[0]).log_term, 1U);
  EXPECT_EQ(raft(parts[0]).commit, 2U);
  EXPECT_EQ(raft(parts[0]).entries, 0U);
  EXPECT_EQ(raft(parts[1]).index, 1U);
  EXPECT_EQ(raft(parts[3]).commit, 5U);
  EXPECT_FALSE(raft(parts[3]).is_refused);
  const std::vector<Part> reply = reader->add(true, kOvsdbAppendReply);
  ASSERT_THAT(ovsdb_names(reply), ElementsAre("append-reply"));
  EXPECT_TRUE(raft(reply[0]).is_refused);  // "inconsistency"
  EXPECT_EQ(raft(reply[0]).index, 2U);     // what it does not have
}

TEST(OvsdbProtocol, EntriesMembersAndNamesAreRead) {
  const std::string append =
      R"({"method":"append_request","params":[{"from":"9655267d-75fc-4eb3-8642-24b23873b8a8","log":[)"
      R"({"term":3,"data":[null,{}],"eid":"a"},)"
      R"({"term":4,"data":[null,{}],"eid":"a"},)"
      R"({"term":4,"servers":{"0c51f5c4-6825-46a1-a19c-226570e203c2":"tcp:127.0.0.12:6644"}},7]}]})";
  const std::vector<Part> parts = ovsdb_reader()->add(true, append + std::string(kOvsdbSnapshot));
  ASSERT_THAT(ovsdb_names(parts), ElementsAre("append", "install-snapshot"));
  const RaftFields& fields = raft(parts[0]);
  EXPECT_EQ(fields.from, 0x9655267d75fc4eb3U);
  ASSERT_EQ(fields.log.size(), 4U);
  EXPECT_EQ(fields.log[0].term, 3U);
  EXPECT_EQ(fields.log[0].content, fields.log[1].content);  // the term is not part of it
  EXPECT_NE(fields.log[0].content, fields.log[2].content);
  EXPECT_FALSE(fields.log[0].change);
  EXPECT_EQ(fields.log[2].change->type, RaftChange::Type::exactly);
  EXPECT_THAT(fields.log[2].change->servers, ElementsAre(0x0c51f5c4682546a1U));
  EXPECT_THAT(raft(parts[1]).members->servers, ElementsAre(0x9655267d75fc4eb3U));
}

// The leader goes by what came before the entries and how many there were.
TEST(OvsdbProtocol, AnAnswerSaysUpToWhereItHasTheLog) {
  const auto index = [](const std::string& result) {
    const std::vector<Part> parts = ovsdb_reader()->add(
        true, R"({"method":"append_reply","params":[{"log_end":99,"prev_log_index":4,)"
              R"("n_entries":3,"result":")" +
                  result + R"("}]})");
    return raft(parts.at(0)).index;
  };
  EXPECT_EQ(index("OK"), 7U);
  EXPECT_EQ(index("inconsistency"), 4U);
}

TEST(OvsdbProtocol, AVoteForAnotherIsARefusal) {
  const auto refused = [](const std::string& vote) {
    const std::vector<Part> parts = ovsdb_reader()->add(
        true, R"({"method":"vote_reply","params":[{"from":"a","to":"b","term":7,"vote":")" + vote +
                  R"("}]})");
    EXPECT_EQ(raft(parts.at(0)).term, 7U);
    return raft(parts.at(0)).is_refused;
  };
  EXPECT_FALSE(refused("b"));
  EXPECT_TRUE(refused("a"));
  const std::vector<Part> parts =
      ovsdb_reader()->add(true, R"({"method":"vote_reply","params":[{"to":"b","vote":"a0"}]})");
  EXPECT_EQ(raft(parts.at(0)).vote, 0xa0U);
}

TEST(OvsdbProtocol, ObjectsAreReadWhereverTheyAreCut) {
  const std::string stream = std::string(kOvsdbAppend) + "\n" + std::string(kOvsdbAppendReply);
  for (std::size_t cut = 1; cut < stream.size(); ++cut) {
    const auto reader = ovsdb_reader();
    std::vector<Part> parts = reader->add(true, stream.substr(0, cut));
    for (Part& part : reader->add(true, stream.substr(cut))) parts.push_back(std::move(part));
    ASSERT_THAT(ovsdb_names(parts), ElementsAre("append", "append-reply")) << cut;
    EXPECT_EQ(joined(parts) + reader->rest(true), stream);
  }
}

TEST(OvsdbProtocol, WhatIsNoJsonPassesAsItComes) {
  const std::string tls("\x16\x03\x01\x02{\x00", 6);
  const auto reader = ovsdb_reader();
  EXPECT_EQ(joined(reader->add(true, tls)), tls);
  EXPECT_EQ(joined(reader->add(true, "{\"a\":1")), "{\"a\":1");
  EXPECT_THAT(
      ovsdb_names(ovsdb_reader()->add(true, R"({"method":7}{"method":"append_request"}[]})")),
      ElementsAre("bytes", "append", "bytes", "bytes"));
  const std::string deep(kMessageBytesMax + 10, '[');
  EXPECT_EQ(joined(ovsdb_reader()->add(true, deep)), deep);
}

TEST(OvsdbProtocol, DamagedStreamsLoseNoByte) {
  const std::string good =
      std::string(kOvsdbAppend) + std::string(kOvsdbSnapshot) + std::string(kOvsdbExecuteReply);
  expect_no_byte_lost(named("ovsdb"), "", good, 1);
}

}  // namespace
}  // namespace dissensus::protocols
