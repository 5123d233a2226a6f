// How links end and come back: disconnects, slow and silent servers, crashes, stopping.
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "systems/live/interceptor/test_network.h"
#include "systems/live/wire/error.h"

namespace dissensus::live::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Bytes kFrame = frame_bytes(33, {1, 2, 3});

// When one server ends its half, the other half ends, too, and both come back; half a frame is lost
// with its link and is not mixed with what comes later.
TEST(Links, HalvesEndAndComeBackTogether) {
  TestNetwork network(2);
  ASSERT_TRUE(network.until_up());
  for (const NodeId culprit : {NodeId{0}, NodeId{1}}) {
    const auto other = static_cast<NodeId>(1 - culprit);
    network.handler.events.clear();
    const std::size_t accepted = network.peers[other].accepted();
    ASSERT_TRUE(network.until([&] {
      return network.peers[culprit].send(other, ByteView(kFrame).first(culprit == 0 ? 4 : 8));
    }));
    run_for(network.io, std::chrono::milliseconds(20));
    network.peers[culprit].close(other);
    ASSERT_TRUE(network.until([&] { return network.handler.events.size() == 2; }));
    EXPECT_FALSE(network.handler.events[0].up);
    EXPECT_EQ(network.handler.events[0].reason,
              fmt::format("node {} closed the connection in the middle of a frame", culprit));
    EXPECT_TRUE(network.handler.events[1].up);
    EXPECT_GT(network.peers[other].accepted(), accepted) << "the other half was dialled anew";
  }
  EXPECT_EQ(network.counters().disconnects, 2u);
  EXPECT_EQ(network.counters().reconnects, 2u);
  ASSERT_TRUE(network.until([&] { return network.peers[0].send(1, kFrame); }));
  ASSERT_TRUE(network.until([&] { return network.peers[1].frames() == 1; }));
  EXPECT_THAT(network.peers[1].inbox(0), ElementsAre(kFrame));
  EXPECT_EQ(network.peers.bad_records(), 0u);
}

// A server refuses a key while it has not noticed that the old link is gone: that passes.
TEST(Links, AreDialledUntilTheServerHasForgottenTheOldOne) {
  TestPeers peers(2);
  MachineLoop loop;
  boost::asio::io_context& io = loop.io;
  PassThrough handler;
  auto old = std::make_unique<TestClient>(peers[0], test_address(1), test_keys(1));
  Interceptor interceptor(io, peers.options(), handler);
  interceptor.start();
  ASSERT_TRUE(run_until(io, [&] { return interceptor.counters().handshakes_refused >= 3; }));
  EXPECT_GE(peers[0].refused_duplicates(), 3u);
  old.reset();
  EXPECT_TRUE(run_until(io, [&] { return interceptor.links_up() == 1; }));
}

// The pause between attempts grows, and is short again for a link that was stable.
TEST(Links, AreDialledMoreAndMoreSlowly) {
  TestPeers peers(2);
  InterceptorOptions options = peers.options();
  options.redial_delay_min = std::chrono::milliseconds(10);
  options.redial_delay_max = std::chrono::milliseconds(80);
  peers.stop(1);
  MachineLoop loop;
  boost::asio::io_context& io = loop.io;
  PassThrough handler;
  Interceptor interceptor(io, options, handler);
  interceptor.start();
  // Attempts at 0, 10, 30, 70, 150, 230, 310, 390...
  run_for(io, std::chrono::milliseconds(400));
  const std::uint64_t attempts = interceptor.counters().links[0].failed_attempts;
  EXPECT_GE(attempts, 2u);
  EXPECT_LE(attempts, 8u);
}

// Frames for a link that is not up are counted, not kept: the network has lost them.
TEST(Links, DropFramesWhileDown) {
  TestNetwork network(2);
  network.interceptor->write(0, 1, std::make_shared<const Bytes>(kFrame));
  EXPECT_EQ(network.counters().dropped_link_down, 1u);
  ASSERT_TRUE(network.until_up());
  const Bytes later = frame_bytes(33, {9});
  network.interceptor->write(0, 1, std::make_shared<const Bytes>(later));
  ASSERT_TRUE(network.until([&] { return network.peers[1].frames() == 1; }));
  EXPECT_THAT(network.peers[1].inbox(0), ElementsAre(later));
}

// A server that does not read cannot make the interceptor grow without end.
TEST(Links, CloseOnASlowServer) {
  Behaviour deaf;
  deaf.deaf = true;
  TestNetwork network(
      2,
      [&](NodeId node, std::size_t connection) {
        return node == 1 && connection == 0 ? deaf : Behaviour{};
      },
      {}, [](InterceptorOptions& options) { options.queue_bytes_max = 1 << 20; });
  ASSERT_TRUE(network.until_up());
  const auto block = std::make_shared<const Bytes>(frame_bytes(32, Bytes(100'000)));
  ASSERT_TRUE(network.until([&] {
    for (int i = 0; i < 5; ++i) network.interceptor->write(0, 1, block);
    return network.counters().disconnects > 0;
  }));
  EXPECT_THAT(network.handler.events.at(1).reason, HasSubstr("node 1 reads too slowly: 1"));
  EXPECT_EQ(network.counters().overflows, 1u);
  EXPECT_GE(network.counters().dropped_with_link, 10u);
  network.peers[1].close(0);
  EXPECT_TRUE(network.until_up());
}

// A frame larger than the limit of the queue still has its way when nothing else waits.
TEST(Links, CarryAFrameAboveTheLimitOfTheQueue) {
  TestNetwork network(2, {}, {},
                      [](InterceptorOptions& options) { options.queue_bytes_max = 1000; });
  ASSERT_TRUE(network.until_up());
  network.interceptor->write(0, 1, std::make_shared<const Bytes>(frame_bytes(32, Bytes(5000))));
  EXPECT_TRUE(network.until([&] { return network.peers[1].frames() == 1; }));
  EXPECT_EQ(network.counters().overflows, 0u);
}

TEST(Links, EndWhenAServerIsSilentForTooLong) {
  TestNetwork network(2, {}, {}, [](InterceptorOptions& options) {
    options.idle_timeout = std::chrono::milliseconds(kSanitized ? 1000 : 200);
  });
  ASSERT_TRUE(network.until_up());
  // Node 0 keeps talking, node 1 does not.
  ASSERT_TRUE(network.until([&] {
    network.peers[0].send(1, kFrame);
    return network.counters().timeouts > 0;
  }));
  EXPECT_THAT(network.handler.events.at(1).reason, HasSubstr("node 1 was silent for "));
}

// A crash: the node's links are closed and stay closed, others stay up; afterwards they come back,
// but not towards a node that is still disconnected.
TEST(Links, OfACrashedNodeStayClosedUntilItIsBack) {
  TestNetwork network(4);
  ASSERT_TRUE(network.until_up());
  network.handler.events.clear();
  network.interceptor->disconnect_node(2);
  EXPECT_EQ(network.handler.events.size(), 3u);
  for (const LinkEvent& event : network.handler.events) {
    EXPECT_FALSE(event.up);
    EXPECT_EQ(event.reason, "node 2 is disconnected on request");
  }
  network.interceptor->disconnect_node(3);
  EXPECT_EQ(network.interceptor->links_up(), 1u);
  const std::uint64_t dialled = network.counters().sessions_dialled;
  run_for(network.io, std::chrono::milliseconds(150));
  EXPECT_EQ(network.counters().sessions_dialled, dialled);
  EXPECT_TRUE(network.until([&] { return network.peers[2].open() == 0; }));
  EXPECT_EQ(network.counters().disconnects, 0u) << "they were asked for";

  network.interceptor->reconnect_node(2);
  ASSERT_TRUE(network.until([&] { return network.interceptor->links_up() == 3; }));
  EXPECT_FALSE(network.interceptor->is_up(2, 3));
  network.interceptor->reconnect_node(3);
  ASSERT_TRUE(network.until_up());
  EXPECT_EQ(network.counters().disconnects, 0u);
}

// A server that dies and starts again at the same address, without a word to the interceptor.
TEST(Links, ComeBackWithTheirServer) {
  TestNetwork network(3);
  ASSERT_TRUE(network.until_up());
  network.peers.stop(1);
  ASSERT_TRUE(network.until([&] { return network.interceptor->links_up() == 1; }));
  EXPECT_TRUE(network.interceptor->is_up(0, 2));
  network.peers.start(1);
  ASSERT_TRUE(network.until_up());
  EXPECT_EQ(network.counters().disconnects, 2u);
  EXPECT_EQ(network.counters().reconnects, 2u);
  EXPECT_EQ(network.counters().links[1].disconnects, 0u);
}

// After stop() there is silence, and start() begins again.
TEST(Links, StopAndStart) {
  TestNetwork network(3);
  ASSERT_TRUE(network.until_up());
  network.handler.events.clear();
  network.handler.passed.clear();
  network.peers[0].send(1, kFrame);
  network.interceptor->stop();
  run_for(network.io, std::chrono::milliseconds(100));
  EXPECT_THAT(network.handler.events, IsEmpty());
  EXPECT_THAT(network.handler.passed, IsEmpty());
  EXPECT_EQ(network.interceptor->links_up(), 0u);
  ASSERT_TRUE(network.until([&] { return network.peers[0].open() == 0; }));
  network.interceptor->start();
  EXPECT_TRUE(network.until_up());
}

// In the middle of dialling, too; and nothing is left in the loop.
TEST(Links, StopWhileDialling) {
  TestNetwork network(5);
  for (int i = 0; i < 20; ++i) {
    network.interceptor->start();
    for (int turn = 0; turn < 4 * i; ++turn) network.io.run_one_for(std::chrono::milliseconds(1));
    network.interceptor->stop();
    network.handler.events.clear();
    network.io.restart();
    network.io.run_for(std::chrono::seconds(20));
    EXPECT_TRUE(network.io.stopped()) << "nothing to do any more";
    EXPECT_THAT(network.handler.events, IsEmpty());
    network.io.restart();
  }
}

// A handler may stop or destroy the interceptor from any of its calls.
TEST(Links, HandlerMayStopTheInterceptor) {
  for (const bool destroys : {false, true}) {
    for (const bool on_link : {false, true}) {
      TestNetwork network(3);
      const auto end = [&] {
        network.handler.interceptor = nullptr;
        if (destroys) {
          network.interceptor.reset();
        } else {
          network.interceptor->stop();
        }
      };
      ASSERT_TRUE(network.until_up());
      if (on_link) {
        network.handler.hears = [&](bool) { end(); };
        network.peers[0].close(1);
      } else {
        network.handler.intervenes = [&](NodeId, NodeId, const Frame&) { end(); };
        Bytes twice = kFrame;
        twice.insert(twice.end(), kFrame.begin(), kFrame.end());
        network.peers[0].send(1, twice);
      }
      ASSERT_TRUE(network.until([&] { return !network.handler.interceptor; }));
      const std::size_t events = network.handler.events.size();
      run_for(network.io, std::chrono::milliseconds(50));
      EXPECT_EQ(network.handler.events.size(), events);
      EXPECT_LE(network.handler.passed.size(), 1u);
    }
  }
}

// Stopped is stopped, even if the handler goes on to throw.
TEST(Links, HandlerMayStopAndThrow) {
  TestNetwork network(2);
  ASSERT_TRUE(network.until_up());
  network.handler.intervenes = [&](NodeId, NodeId, const Frame&) {
    network.interceptor->stop();
    throw std::runtime_error("that was all");
  };
  network.peers[0].send(1, kFrame);
  ASSERT_TRUE(network.until([&] { return network.counters().handler_failures == 1; }));
  run_for(network.io, std::chrono::milliseconds(100));
  EXPECT_EQ(network.counters().sessions_dialled, 2u);
  EXPECT_EQ(network.handler.events.size(), 1u);
}

// Destroyed before the loop, with sessions in every state.
TEST(Links, InterceptorMayGoWithoutTheLoopRunning) {
  for (int turns = 0; turns < 60; turns += 6) {
    TestPeers peers(3);
    MachineLoop loop;
    boost::asio::io_context& io = loop.io;
    PassThrough handler;
    Interceptor interceptor(io, peers.options(), handler);
    interceptor.start();
    for (int i = 0; i < turns; ++i) io.run_one_for(std::chrono::milliseconds(1));
    EXPECT_EQ(interceptor.links(), 3u);
  }
}

// Nothing that a handler throws leaves the loop: a message that it cannot read is the server's
// fault, anything else its own.
TEST(Links, SurviveHandlersThatThrow) {
  TestNetwork network(2);
  ASSERT_TRUE(network.until_up());
  network.handler.interceptor = nullptr;
  network.handler.intervenes = [](NodeId, NodeId, const Frame& frame) {
    if (frame.type == FrameType::validation) throw WireError("no validation");
    throw std::runtime_error("no idea");
  };
  network.peers[0].send(1, frame_bytes(41, {1}));
  ASSERT_TRUE(network.until([&] { return network.counters().disconnects == 1; }));
  EXPECT_EQ(network.last_error(), "node 0 broke the protocol: no validation");
  ASSERT_TRUE(network.until_up());
  ASSERT_TRUE(network.until([&] { return network.peers[1].send(0, kFrame); }));
  ASSERT_TRUE(network.until([&] { return network.counters().disconnects == 2; }));
  EXPECT_EQ(network.last_error(), "a frame of node 1 could not be handled: no idea");
  EXPECT_EQ(network.counters().handler_failures, 1u);
  EXPECT_EQ(network.counters().protocol_errors, 1u);
  EXPECT_TRUE(network.until_up());
}

}  // namespace
}  // namespace dissensus::live::test
