// What links carry: frames cut from the byte stream of either server, handed on, forwarded,
// answered or dropped by their type, and written one per record.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "systems/live/interceptor/test_network.h"

namespace dissensus::live::test {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

Bytes pattern(std::size_t bytes, std::size_t salt) {
  Bytes result(bytes);
  for (std::size_t i = 0; i < bytes; ++i) result[i] = static_cast<std::uint8_t>(i * 31 + salt);
  return result;
}

Bytes joined(const std::vector<Bytes>& parts) {
  Bytes result;
  for (const Bytes& part : parts) result.insert(result.end(), part.begin(), part.end());
  return result;
}

// The seven types that schedules act on reach the handler, with the bytes as they came and the
// names of both servers; all others go to the other server without it. Both ways.
TEST(Stream, HandsOnOrForwardsByType) {
  TestNetwork network(2);
  ASSERT_TRUE(network.until_up());
  const std::vector<unsigned> scheduled = {30, 31, 32, 33, 34, 35, 41};
  const std::vector<unsigned> forwarded = {2, 5, 42, 52, 54, 56, 57, 63, 64, 99, 65535};
  for (const NodeId from : {NodeId{0}, NodeId{1}}) {
    const auto to = static_cast<NodeId>(1 - from);
    network.handler.passed.clear();
    std::vector<Bytes> sent;
    for (const unsigned type : scheduled) sent.push_back(frame_bytes(type, pattern(type, from)));
    for (const unsigned type : forwarded) sent.push_back(frame_bytes(type, pattern(300, type)));
    for (const Bytes& frame : sent) ASSERT_TRUE(network.peers[from].send(to, frame));
    ASSERT_TRUE(network.until([&] { return network.peers[to].frames() == sent.size(); }));
    EXPECT_THAT(network.peers[to].inbox(from), ElementsAreArray(sent));
    ASSERT_EQ(network.handler.passed.size(), scheduled.size());
    for (std::size_t i = 0; i < scheduled.size(); ++i) {
      const PassThrough::Passed& passed = network.handler.passed[i];
      EXPECT_EQ(passed.from, from);
      EXPECT_EQ(passed.to, to);
      EXPECT_EQ(static_cast<unsigned>(passed.frame.type), scheduled[i]);
      EXPECT_EQ(passed.frame.bytes, sent[i]);
    }
  }
  EXPECT_EQ(network.counters().frames_handled, 2 * scheduled.size());
  EXPECT_EQ(network.counters().frames_forwarded, 2 * forwarded.size());
  EXPECT_EQ(network.counters().frames_written, network.counters().frames_read);
  EXPECT_EQ(network.counters().bytes_written, network.counters().bytes_read);
  EXPECT_EQ(network.peers.bad_records(), 0u);
}

// Endpoints would make servers dial each other past the interceptor, squelches would silence them.
TEST(Stream, DropsEndpointsAndSquelches) {
  TestNetwork network(2);
  ASSERT_TRUE(network.until_up());
  const Bytes last = frame_bytes(2, {1});
  for (const Bytes& frame : {frame_bytes(15, {8, 2}), frame_bytes(55, {8, 1}), last}) {
    network.peers[0].send(1, frame);
  }
  ASSERT_TRUE(network.until([&] { return network.peers[1].frames() > 0; }));
  EXPECT_THAT(network.peers[1].inbox(0), ElementsAre(last));
  EXPECT_EQ(network.counters().endpoints_dropped, 1u);
  EXPECT_EQ(network.counters().squelches_dropped, 1u);
  EXPECT_TRUE(network.handler.passed.empty());
}

// A ping comes back as a pong with its number, to the server that sent it; the other server never
// sees it, whatever the schedule does. Pongs are not passed on.
TEST(Stream, AnswersPings) {
  TestNetwork network(2);
  ASSERT_TRUE(network.until_up());
  for (const NodeId node : {NodeId{0}, NodeId{1}}) {
    const auto other = static_cast<NodeId>(1 - node);
    const auto sequence = static_cast<std::uint8_t>(42 + node);
    network.peers[node].send(other, frame_bytes(3, {0x08, 0x01, 0x10, 0x63}));  // a pong
    network.peers[node].send(other, frame_bytes(3, {0x08, 0x00, 0x10, sequence}));
    ASSERT_TRUE(network.until([&] { return network.peers[node].frames() > 0; }));
    EXPECT_THAT(network.peers[node].inbox(other),
                ElementsAre(frame_bytes(3, {0x08, 0x01, 0x10, sequence})));
    EXPECT_EQ(network.counters().pings_answered, node + 1u);
    EXPECT_EQ(network.counters().pongs_dropped, node + 1u);
  }
  EXPECT_EQ(network.peers[0].frames() + network.peers[1].frames(), 2u);
}

// TLS records have nothing to do with frames on the way in: all in one, cut anywhere, byte by byte.
TEST(Stream, ReadsAByteStream) {
  TestNetwork network(2);
  ASSERT_TRUE(network.until_up());
  std::vector<Bytes> sent;
  for (std::size_t i = 0; i < 12; ++i) {
    sent.push_back(frame_bytes(i % 3 == 0 ? 2 : 33, pattern(i * 7, i)));
  }
  const Bytes stream = joined(sent);
  std::size_t rounds = 0;
  for (const std::size_t piece :
       {stream.size(), std::size_t{1}, std::size_t{5}, std::size_t{100}}) {
    for (std::size_t i = 0; i < stream.size(); i += piece) {
      const std::size_t bytes = std::min(piece, stream.size() - i);
      ASSERT_TRUE(network.peers[0].send(1, ByteView(stream).subspan(i, bytes)));
    }
    ++rounds;
    ASSERT_TRUE(network.until([&] { return network.peers[1].frames() == rounds * sent.size(); }));
  }
  std::vector<Bytes> expected;
  for (std::size_t i = 0; i < rounds; ++i)
    expected.insert(expected.end(), sent.begin(), sent.end());
  EXPECT_THAT(network.peers[1].inbox(0), ElementsAreArray(expected));
  EXPECT_EQ(network.peers.bad_records(), 0u);
}

// A server takes two messages in one record for a broken one. However many are written at once,
// each has its own record; a frame of more than 16 KiB has several that it shares with no other.
TEST(Stream, WritesOneFramePerRecord) {
  TestNetwork network(2);
  ASSERT_TRUE(network.until_up());
  std::vector<Bytes> sent;
  for (std::size_t i = 0; i < 2000; ++i) sent.push_back(frame_bytes(33, pattern(i % 200, i)));
  for (const std::size_t bytes : {16378u, 16379u, 16384u, 100'000u, 1u, 1'500'000u, 0u, 32762u}) {
    sent.push_back(frame_bytes(32, pattern(bytes, 3)));
  }
  for (const Bytes& frame : sent) {
    network.interceptor->write(0, 1, std::make_shared<const Bytes>(frame));
  }
  ASSERT_TRUE(network.until([&] { return network.peers[1].frames() >= sent.size(); }));
  EXPECT_EQ(network.peers.bad_records(), 0u);
  EXPECT_EQ(network.peers[1].inbox(0), sent);
  EXPECT_EQ(network.counters().frames_written, sent.size());
}

// Large frames in both directions at once.
TEST(Stream, CarriesLargeFrames) {
  TestNetwork network(2);
  ASSERT_TRUE(network.until_up());
  const Bytes large = frame_bytes(32, pattern(3'000'000, 1));
  std::thread other([&] { network.peers[1].send(0, large); });
  std::thread one([&] { network.peers[0].send(1, large); });
  EXPECT_TRUE(network.until(
      [&] { return network.peers[0].frames() == 1 && network.peers[1].frames() == 1; }));
  one.join();
  other.join();
  EXPECT_EQ(network.peers[0].inbox(1).at(0), large);
  EXPECT_EQ(network.peers[1].inbox(0).at(0), large);
  EXPECT_EQ(network.peers.bad_records(), 0u);
}

struct Malformed {
  const char* name;
  Bytes bytes;
};

class MalformedStream : public testing::TestWithParam<std::tuple<Malformed, NodeId>> {};

// Bytes that are no frames close the link, are counted with a reason that names the server, and
// harm nothing else: frames before them arrive, other links stay up, the link comes back and works.
TEST_P(MalformedStream, ClosesTheLinkForAWhile) {
  const Malformed& malformed = std::get<0>(GetParam());
  const NodeId culprit = std::get<1>(GetParam());
  TestNetwork network(3, {}, {},
                      [](InterceptorOptions& options) { options.frame_payload_max = 1 << 20; });
  ASSERT_TRUE(network.until_up());
  const auto victim = static_cast<NodeId>(1 - culprit);
  const Bytes good = frame_bytes(33, {1, 2, 3});
  ASSERT_TRUE(network.peers[culprit].send(victim, joined({good, malformed.bytes})));
  ASSERT_TRUE(network.until([&] { return network.counters().disconnects == 1; }));
  EXPECT_THAT(network.last_error(), HasSubstr(fmt::format("node {} broke the protocol", culprit)));
  EXPECT_EQ(network.counters().protocol_errors, 1u);
  ASSERT_TRUE(network.until([&] { return network.counters().reconnects == 1; }));
  EXPECT_EQ(network.counters().links[1].disconnects + network.counters().links[2].disconnects, 0u);
  const Bytes again = frame_bytes(33, {4, 5, 6});
  ASSERT_TRUE(network.until([&] { return network.peers[culprit].send(victim, again); }));
  ASSERT_TRUE(network.until([&] {
    const std::vector<Bytes> inbox = network.peers[victim].inbox(culprit);
    return !inbox.empty() && inbox.back() == again;
  }));
}

INSTANTIATE_TEST_SUITE_P(
    , MalformedStream,
    testing::Combine(
        testing::Values(Malformed{"BadFirstByte", {0x04, 0, 0, 0, 0, 33}},
                        Malformed{"AllBits", Bytes(40, 0xFF)},
                        Malformed{"Compressed", {0x90, 0, 0, 5, 0, 30, 0, 0, 0, 9, 1, 2, 3, 4, 5}},
                        Malformed{"Oversized", {0x03, 0xFF, 0xFF, 0xFF, 0, 30}},
                        Malformed{"Text", Bytes{'H', 'T', 'T', 'P', '/', '1', '.', '1', ' ', '4'}},
                        Malformed{"PingThatIsNone", frame_bytes(3, {0xFF, 0xFF, 0xFF})}),
        testing::Values(NodeId{0}, NodeId{1})),
    [](const auto& each) {
      return fmt::format("{}ByNode{}", std::get<0>(each.param).name, std::get<1>(each.param));
    });

}  // namespace
}  // namespace dissensus::live::test
