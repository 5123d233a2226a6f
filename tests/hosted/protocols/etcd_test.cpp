// Bytes that etcd 3.4.23 wrote, read message by message; and bytes that nobody should write.

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hosted/protocols/parts.h"
#include "hosted/protocols/raft_message.h"

namespace dissensus::protocols {
namespace {

using ::testing::ElementsAre;

constexpr char kAppendsRequest[] =
    "GET /raft/stream/msgapp/cbec0e4dfa4b134b HTTP/1.1\r\nHost: 127.0.0.10:2380\r"
    "\nUser-Agent: Go-http-client/1.1\r\nX-Etcd-Cluster-Id: f792de3589fb32d3\r\nX"
    "-Min-Cluster-Version: 3.0.0\r\nX-Peerurls: http://127.0.0.11:2380\r\nX-Raft-"
    "To: 34e58aba34864a97\r\nX-Server-From: cbec0e4dfa4b134b\r\nX-Server-Version:"
    " 3.4.23\r\nAccept-Encoding: gzip\r\n\r\n";
constexpr char kStreamAnswer[] =
    "HTTP/1.1 200 OK\r\nX-Etcd-Cluster-Id: f792de3589fb32d3\r\nX-Server-Version: "
    "3.4.23\r\nDate: Fri, 01 Jan 2027 00:00:00 GMT\r\nTransfer-Encoding: chunked\r"
    "\n\r\n";
constexpr char kWholeAppend[] =
    "40\r\n\002\000\000\000\000\000\000\0007\010\003\020\313\246\254\322\337\311\203"
    "\366\313\001\030\227\225\231\244\243\327\342\3624 \002(\0010\003:\006\010\000"
    "\020\002\030\004@\003J\n\022\010\n\002(\000\020\000\030\000P\000X\000\r\n";
constexpr char kOneEntry[] =
    "a7\r\n\001\000\000\000\000\000\000\000\001\000\000\000\000\000\000\000\216\010"
    "\000\020\002\030\007\"\205\001\010\201\210\322\336\350\331\350\245\023\022\003"
    "PUT\032&/0/members/cbec0e4dfa4b134b/attributes\"5{\"name\":\"n1\",\"clientUR"
    "Ls\":[\"http://127.0.0.11:2379\"]}(\0002\0008\000H\000P\000X\000`\000h\000p\000"
    "x\000\200\001\000\000\000\000\000\000\000\000\004\r\n";
constexpr char kNoEntry[] =
    "11\r\n\001\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\005\r"
    "\n";
constexpr char kMessagesRequest[] =
    "GET /raft/stream/message/cbec0e4dfa4b134b HTTP/1.1\r\nHost: 127.0.0.10:2380\r"
    "\nUser-Agent: Go-http-client/1.1\r\nX-Etcd-Cluster-Id: f792de3589fb32d3\r\nX"
    "-Min-Cluster-Version: 3.0.0\r\nX-Peerurls: http://127.0.0.11:2380\r\nX-Raft-"
    "To: 34e58aba34864a97\r\nX-Server-From: cbec0e4dfa4b134b\r\nX-Server-Version:"
    " 3.4.23\r\nAccept-Encoding: gzip\r\n\r\n";
constexpr char kVote[] =
    "37\r\n\000\000\000\000\000\000\000/\010\005\020\313\246\254\322\337\311\203\366"
    "\313\001\030\227\225\231\244\243\327\342\3624 \002(\0010\003@\000J\n\022\010"
    "\n\002(\000\020\000\030\000P\000X\000\r\n";
constexpr char kHeartbeat[] =
    "37\r\n\000\000\000\000\000\000\000/\010\010\020\313\246\254\322\337\311\203\366"
    "\313\001\030\227\225\231\244\243\327\342\3624 \002(\0000\000@\007J\n\022\010"
    "\n\002(\000\020\000\030\000P\000X\000\r\n";

template <std::size_t N>
std::string bytes(const char (&text)[N]) {
  return std::string(text, N - 1);
}

std::unique_ptr<ConnectionReader> etcd_reader() {
  return named("etcd").make_reader();
}

std::vector<std::string> etcd_names(const std::vector<Part>& parts) {
  return names(named("etcd"), parts);
}

TEST(EtcdProtocol, AppendsAreToldApartAndFollowEachOther) {
  const auto reader = etcd_reader();
  EXPECT_THAT(etcd_names(reader->add(true, bytes(kAppendsRequest))), ElementsAre("bytes"));
  EXPECT_THAT(etcd_names(reader->add(false, bytes(kStreamAnswer))), ElementsAre("bytes"));
  const std::vector<Part> first = reader->add(false, bytes(kWholeAppend));
  ASSERT_THAT(etcd_names(first), ElementsAre("append"));
  EXPECT_EQ(first[0].bytes, bytes(kWholeAppend));
  EXPECT_EQ(raft(first[0]).term, 2U);
  EXPECT_EQ(raft(first[0]).index, 3U);
  EXPECT_EQ(raft(first[0]).log_term, 1U);
  EXPECT_EQ(raft(first[0]).commit, 3U);
  EXPECT_EQ(raft(first[0]).entries, 1U);
  // Two writes at one moment: two messages. The first brings entry 5, the second none.
  const std::string both = bytes(kOneEntry) + bytes(kNoEntry);
  const std::vector<Part> next = reader->add(false, both);
  ASSERT_THAT(etcd_names(next), ElementsAre("append", "append"));
  EXPECT_EQ(joined(next), both);
  EXPECT_EQ(raft(next[0]).term, 2U);
  EXPECT_EQ(raft(next[0]).index, 4U);
  EXPECT_EQ(raft(next[0]).entries, 1U);
  EXPECT_EQ(raft(next[0]).commit, 4U);
  EXPECT_EQ(raft(next[1]).index, 5U);
  EXPECT_EQ(raft(next[1]).entries, 0U);
  EXPECT_EQ(raft(next[1]).commit, 5U);
}

// A server's own name is the one that it has in its logs and in its requests.
TEST(EtcdProtocol, EntriesAndNamesAreReadInBothNotations) {
  const auto reader = etcd_reader();
  reader->add(true, bytes(kAppendsRequest));
  reader->add(false, bytes(kStreamAnswer));
  const std::vector<Part> parts = reader->add(false, bytes(kWholeAppend) + bytes(kOneEntry));
  ASSERT_THAT(etcd_names(parts), ElementsAre("append", "append"));
  for (const Part& part : parts) {
    EXPECT_EQ(raft(part).from, 0x34e58aba34864a97U);
    EXPECT_EQ(raft(part).to, 0xcbec0e4dfa4b134bU);
    ASSERT_EQ(raft(part).log.size(), 1U);
    EXPECT_EQ(raft(part).log[0].term, 2U);
    EXPECT_FALSE(raft(part).log[0].change);
  }
  EXPECT_NE(raft(parts[0]).log[0].content, raft(parts[1]).log[0].content);
}

TEST(EtcdProtocol, ChangesOfMembersAreToldFromOtherEntries) {
  // An append with one entry of the given type, whose data says: do this with server 9.
  const auto change = [](char entry_type, char change_type) {
    const std::string data{'\x10', change_type, '\x18', 9};
    const std::string entry =
        std::string{'\x08', entry_type, '\x10', 2, '\x18', 5, '\x22', 4} + data;
    return read_raft_message(std::string{'\x08', 3, '\x3a', static_cast<char>(entry.size())} +
                             entry)
        ->fields.log.at(0)
        .change;
  };
  EXPECT_FALSE(change(0, 0));
  EXPECT_EQ(change(1, 0)->type, RaftChange::Type::add);
  EXPECT_EQ(change(1, 1)->type, RaftChange::Type::remove);
  EXPECT_FALSE(change(1, 2));  // another address
  EXPECT_EQ(change(1, 3)->type, RaftChange::Type::learner);
  EXPECT_THAT(change(1, 3)->servers, ElementsAre(9U));
  EXPECT_FALSE(change(1, 77));
}

TEST(EtcdProtocol, AGrantedVoteSaysForWhom) {
  const auto vote = [](bool is_refused) {
    return read_raft_message(std::string{'\x08', 6, '\x10', 7, '\x18', 8, '\x50', is_refused})
        ->fields.vote;
  };
  EXPECT_EQ(vote(false), 7U);
  EXPECT_EQ(vote(true), 0U);
}

TEST(EtcdProtocol, MessagesAreReadWhereverTheyAreCut) {
  const std::string stream = bytes(kStreamAnswer) + bytes(kVote) + bytes(kHeartbeat);
  for (std::size_t cut = 1; cut < stream.size(); ++cut) {
    const auto reader = etcd_reader();
    reader->add(true, bytes(kMessagesRequest));
    std::vector<Part> parts = reader->add(false, stream.substr(0, cut));
    for (Part& part : reader->add(false, stream.substr(cut))) parts.push_back(std::move(part));
    EXPECT_EQ(joined(parts) + reader->rest(false), stream);
    ASSERT_THAT(etcd_names(parts), ElementsAre("bytes", "vote", "heartbeat")) << cut;
    EXPECT_EQ(raft(parts[1]).term, 2U);
    EXPECT_EQ(raft(parts[1]).index, 3U);
    EXPECT_EQ(raft(parts[2]).commit, 7U);
  }
}

TEST(EtcdProtocol, APostedMessageIsNamedAndOtherRequestsAreWholes) {
  const std::string message = bytes(kVote).substr(12, 47);
  ASSERT_TRUE(read_raft_message(message));
  const std::string post =
      "POST /raft HTTP/1.1\r\nContent-Length: " + std::to_string(message.size()) + "\r\n\r\n" +
      message;
  const std::string get = "GET /version HTTP/1.1\r\nHost: a\r\n\r\n";
  const auto reader = etcd_reader();
  EXPECT_THAT(etcd_names(reader->add(true, post + get + post.substr(0, 60))),
              ElementsAre("vote", "bytes"));
  EXPECT_EQ(reader->rest(true), post.substr(0, 60));
  EXPECT_THAT(etcd_names(reader->add(false,
                                     "HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 200 OK\r\n"
                                     "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n")),
              ElementsAre("bytes", "bytes"));
}

TEST(EtcdProtocol, WhatIsSomethingElsePassesAsItComes) {
  const std::string preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
  for (const std::string& strange : std::vector<std::string>{
           preface, std::string("HTTP/1.1 200 OK\r\n\r\nup to the end"), "x: y\r\n\r\n" + preface,
           "POST /raft HTTP/1.1\r\nContent-Length: 12x\r\n\r\n" + preface,
           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"}) {
    const auto reader = etcd_reader();
    EXPECT_EQ(joined(reader->add(true, strange)), strange);
  }
  // Who answers in HTTP/2 begins with a frame, not with a head.
  const std::string settings("\0\0\0\4\0\0\0\0\0", 9);
  EXPECT_EQ(joined(etcd_reader()->add(false, settings)), settings);
  // A stream whose next message would be larger than any.
  const auto reader = etcd_reader();
  reader->add(true, bytes(kAppendsRequest));
  reader->add(false, bytes(kStreamAnswer));
  const std::string huge = "9\r\n\002\xff\xff\xff\xff\xff\xff\xff\xff\r\n";
  EXPECT_EQ(joined(reader->add(false, huge)), huge);
}

TEST(EtcdProtocol, DamagedStreamsLoseNoByte) {
  const std::string good = bytes(kStreamAnswer) + bytes(kWholeAppend) + bytes(kOneEntry) +
                           bytes(kNoEntry) + bytes(kVote) + bytes(kHeartbeat);
  expect_no_byte_lost(named("etcd"), bytes(kAppendsRequest), good, 1);
  expect_no_byte_lost(named("etcd"), bytes(kMessagesRequest), good, 2);
}

}  // namespace
}  // namespace dissensus::protocols
