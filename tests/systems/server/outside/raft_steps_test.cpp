// Raft servers seen from outside: one step per message, however often it is sent; what a message
// says, of whichever protocol; nothing of what is no message of Raft.
#include "systems/server/outside/raft_steps.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "dissensus/options.h"

#include "hosted/protocols/raft.h"
#include "hosted/segment.h"
#include "systems/server/system.h"

namespace dissensus::server {
namespace {

using hosted::PeerSegment;
using protocols::RaftFields;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::unique_ptr<System> servers_that_speak(const std::string& protocol) {
  return server_entry().make(Options::from_toml(
      "nodes = 2\ncommand = [\"/bin/true\"]\nprotocol = \"" + protocol + "\"", "s.toml"));
}

class RaftLogWriterTest : public testing::Test {
 protected:
  RaftLogWriterTest()
      : folder_(std::filesystem::temp_directory_path() /
                ("dissensus-raft-outside-" + std::to_string(getpid()))) {}
  ~RaftLogWriterTest() override { std::filesystem::remove_all(folder_); }

  void given(const std::string& protocol) {
    system_ = servers_that_speak(protocol);
    files_ = std::make_unique<trace::NodeLogFiles>(folder_.string(), 2);
    writer_ = std::make_unique<RaftLogWriter>(*files_, system_->description());
  }
  PeerSegment message(const std::string& kind, const RaftFields& fields, std::uint32_t number = 0) {
    PeerSegment segment;
    segment.message_kind = system_->description().find_kind(kind);
    segment.connection = 7;
    segment.number = number;
    segment.content = std::make_shared<const RaftFields>(fields);
    return segment;
  }
  void tell(EventType type, NodeId node, std::uint64_t id, const PeerSegment& segment) {
    const Message message = pool_.make(segment, system_->description());
    Event event;
    event.set(type, 0, node, static_cast<NodeId>(1 - node));
    event.id = event.cause = id;
    event.time = Time{} + std::chrono::seconds(id);
    event.message = &message;
    writer_->on_event(event);
  }
  void send(NodeId node, std::uint64_t id, const PeerSegment& segment) {
    tell(EventType::send, node, id, segment);
  }
  void deliver(NodeId node, std::uint64_t id, const PeerSegment& segment) {
    tell(EventType::deliver, node, id, segment);
  }
  /// Without the line that names the format.
  std::vector<std::string> lines(NodeId node) const {
    std::ifstream file(folder_ / ("node-" + std::to_string(node) + ".jsonl"));
    std::vector<std::string> found;
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) found.push_back(line);
    return found;
  }
  static RaftFields from_a_to_b() {
    RaftFields fields;
    fields.term = 3;
    fields.from = 0xA;
    fields.to = 0xB;
    return fields;
  }

  std::filesystem::path folder_;
  MessagePool pool_;
  std::unique_ptr<System> system_;
  std::unique_ptr<trace::NodeLogFiles> files_;
  std::unique_ptr<RaftLogWriter> writer_;
};

TEST_F(RaftLogWriterTest, AMessageThatIsSentAgainIsOneStepAndOrdersOthers) {
  given("ovsdb");
  RaftFields fields = from_a_to_b();
  fields.index = 5;
  fields.log_term = 2;
  const PeerSegment vote = message("vote", fields);
  send(0, 1, vote);
  send(0, 2, vote);
  deliver(1, 2, vote);
  deliver(1, 1, vote);
  EXPECT_THAT(
      lines(0),
      ElementsAre(
          R"({"node":0,"at":1.000000,"step":"ask","args":{"from":"000000000000000a","term":3,"line":"7>","index":5,"last":2},"sends":[1]})",
          R"({"node":0,"at":2.000000,"sends":[2]})"));
  EXPECT_THAT(
      lines(1),
      ElementsAre(
          R"({"node":1,"at":2.000000,"receives":[2],"step":"hear-ask","args":{"from":"000000000000000a","term":3,"to":"000000000000000b","index":5,"last":2}})",
          R"({"node":1,"at":1.000000,"receives":[1]})"));
}

TEST_F(RaftLogWriterTest, AnAppendTellsItsEntriesAndChangesOfMembers) {
  given("etcd");
  RaftFields fields = from_a_to_b();
  fields.commit = 4;
  fields.log.push_back({2, Digest(1, 2), {}});
  fields.log.push_back({3, Digest(3, 4), protocols::RaftChange{}});
  fields.log.back().change->type = protocols::RaftChange::Type::learner;
  fields.log.back().change->servers = {0xC};
  send(0, 1, message("append", fields));
  ASSERT_EQ(lines(0).size(), 1u);
  EXPECT_THAT(lines(0)[0], AllOf(HasSubstr(R"("step":"append")"), HasSubstr(R"("commit":4)"),
                                 HasSubstr(R"({"term":2,"content":"000000000000","change":[]})"),
                                 HasSubstr(R"("change":["learner","000000000000000c"])")));
}

// etcd posts some of its messages from several threads: those have no order.
TEST_F(RaftLogWriterTest, OnlyStreamsHaveAnOrder) {
  given("etcd");
  PeerSegment posted = message("heartbeat", from_a_to_b());
  send(0, 1, posted);
  posted.to_acceptor = false;
  send(0, 2, posted);
  EXPECT_THAT(lines(0), ElementsAre(HasSubstr(R"("line":"")"), HasSubstr(R"("line":"7<")")));
}

TEST_F(RaftLogWriterTest, ARefusalTellsATermAndNothingElseUnlessItNamesAVote) {
  given("ovsdb");
  RaftFields no = from_a_to_b();
  no.is_refused = true;
  no.index = 9;
  send(0, 1, message("append-reply", no, 1));
  deliver(1, 1, message("append-reply", no, 1));
  send(0, 2, message("vote-reply", no, 2));
  no.vote = 0xD;
  send(0, 3, message("vote-reply", no, 3));
  EXPECT_THAT(lines(0), ElementsAre(AllOf(HasSubstr(R"("step":"speak")"), Not(HasSubstr("index"))),
                                    HasSubstr(R"("step":"speak")"),
                                    AllOf(HasSubstr(R"("step":"vote")"),
                                          HasSubstr(R"("candidate":"000000000000000d")"))));
  EXPECT_THAT(lines(1), ElementsAre(Not(HasSubstr("step"))));
}

TEST_F(RaftLogWriterTest, RestartsAreToldAndMessagesOfNobodyAreNot) {
  given("etcd");
  send(0, 1, message("heartbeat", RaftFields{}));  // keeps a stream alive
  EXPECT_THAT(lines(0), IsEmpty());
  Event restart;
  restart.set(EventType::restart, 0, 1, kNoNode);
  writer_->on_event(restart);
  EXPECT_THAT(lines(1), ElementsAre(HasSubstr(R"("step":"restart")")));
}

TEST(RaftLogWriter, UnderstandsServersWhoseMessagesOfRaftAreRead) {
  EXPECT_TRUE(RaftLogWriter::understands(servers_that_speak("etcd")->description()));
  EXPECT_TRUE(RaftLogWriter::understands(servers_that_speak("ovsdb")->description()));
  const auto others =
      server_entry().make(Options::from_toml("nodes = 1\ncommand = [\"/bin/true\"]", "s.toml"));
  EXPECT_FALSE(RaftLogWriter::understands(others->description()));
}

}  // namespace
}  // namespace dissensus::server
