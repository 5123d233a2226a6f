// Much traffic: nothing lost or out of order, nothing leaked.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <random>
#include <thread>

#include <dirent.h>
#include <gtest/gtest.h>

#include "systems/live/interceptor/test_network.h"

namespace dissensus::live::test {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr std::array<unsigned, 7> kScheduledTypes = {30, 31, 32, 33, 34, 35, 41};

/// A numbered message: its number twice, then bytes that follow from it.
Bytes numbered_frame(std::uint64_t number, std::size_t bytes) {
  Bytes payload(std::max<std::size_t>(bytes, 16));
  std::memcpy(payload.data(), &number, sizeof number);
  std::memcpy(payload.data() + 8, &number, sizeof number);
  for (std::size_t i = 16; i < payload.size(); ++i) {
    payload[i] = static_cast<std::uint8_t>(number * 7 + i);
  }
  return frame_bytes(kScheduledTypes[number % kScheduledTypes.size()], payload);
}

std::uint64_t number_of(ByteView frame) {
  std::uint64_t number = 0;
  std::memcpy(&number, frame.data() + 6, sizeof number);
  return number;
}

bool is_intact(ByteView frame) {
  const std::uint64_t number = number_of(frame);
  for (std::size_t i = 16; i + 6 < frame.size(); ++i) {
    if (frame[i + 6] != static_cast<std::uint8_t>(number * 7 + i)) return false;
  }
  return frame[5] == kScheduledTypes[number % kScheduledTypes.size()];
}

struct Direction {
  NodeId from;
  NodeId to;
};

std::vector<Direction> directions_of(const InterceptorOptions& options) {
  std::vector<Direction> result;
  for (const auto& [a, b] : options.links) {
    result.push_back({a, b});
    result.push_back({b, a});
  }
  return result;
}

/// Peers behind an interceptor that delays.
struct DelayedNetwork {
  DelayedNetwork(std::size_t nodes, std::size_t links, DelayingHandler::DelayOf delay_of,
                 SinkOf sink = {})
      : peers(nodes, {}, std::move(sink)), handler(io, std::move(delay_of)) {
    InterceptorOptions options = peers.options();
    options.links.resize(std::min(links, options.links.size()));
    directions = directions_of(options);
    interceptor = std::make_unique<Interceptor>(io, std::move(options), handler);
    handler.interceptor = interceptor.get();
    interceptor->start();
  }
  bool until_up() {
    return run_until(io, [this] { return interceptor->links_up() == interceptor->links(); });
  }
  std::size_t received() {
    std::size_t sum = 0;
    for (std::size_t node = 0; node < peers.size(); ++node) sum += peers[node].frames();
    return sum;
  }

  TestPeers peers;
  MachineLoop loop;
  boost::asio::io_context& io = loop.io;
  DelayingHandler handler;
  std::vector<Direction> directions;
  std::unique_ptr<Interceptor> interceptor;
};

std::size_t open_descriptors() {
  DIR* const folder = opendir("/proc/self/fd");
  std::size_t count = 0;
  while (readdir(folder)) ++count;
  closedir(folder);
  return count;
}

// 10,000 messages over 20 directed links, several in a record, each held for one of four times: all
// arrive once and unchanged, and those held equally long in the order in which they were sent.
TEST(Load, TenThousandMessagesThroughDelays) {
  constexpr std::size_t kMessages = 10'000;
  constexpr std::array<int, 4> kDelaysMs = {0, 1, 7, 20};
  const auto delay_class = [](std::uint64_t number) { return (number * 2654435761u >> 7) % 4; };
  DelayedNetwork network(5, 10, [&](const Frame& frame) {
    return milliseconds(kDelaysMs[delay_class(number_of(frame.bytes))]);
  });
  ASSERT_TRUE(network.until_up());
  ASSERT_EQ(network.directions.size(), 20u);

  std::vector<std::thread> senders;
  for (NodeId node = 0; node < 5; ++node) {
    senders.emplace_back([&network, node] {
      std::vector<Bytes> records(20);
      for (std::uint64_t number = 0; number < kMessages; ++number) {
        const std::size_t place = number % 20;
        const Direction& direction = network.directions[place];
        if (direction.from != node) continue;
        const Bytes frame = numbered_frame(number, 16 + number * 37 % 900);
        Bytes& record = records[place];
        record.insert(record.end(), frame.begin(), frame.end());
        if (number / 20 % 3 != 2 && number + 20 < kMessages) continue;
        network.peers[node].send(direction.to, record);
        record.clear();
      }
    });
  }
  const bool all = run_until(network.io, [&] { return network.received() >= kMessages; });
  for (std::thread& sender : senders) sender.join();
  ASSERT_TRUE(all) << network.received();

  std::vector<int> seen(kMessages);
  for (std::size_t place = 0; place < network.directions.size(); ++place) {
    const Direction& direction = network.directions[place];
    std::array<std::int64_t, 4> last{-1, -1, -1, -1};
    for (const Bytes& frame : network.peers[direction.to].inbox(direction.from)) {
      const std::uint64_t number = number_of(frame);
      ASSERT_LT(number, kMessages);
      ASSERT_EQ(number % 20, place);
      ASSERT_TRUE(is_intact(frame)) << number;
      ++seen[number];
      std::int64_t& before = last[delay_class(number)];
      EXPECT_LT(before, static_cast<std::int64_t>(number));
      before = static_cast<std::int64_t>(number);
    }
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<std::ptrdiff_t>(kMessages));
  EXPECT_EQ(network.peers.bad_records(), 0u);
  EXPECT_EQ(network.interceptor->counters().frames_handled, kMessages);
  EXPECT_EQ(network.interceptor->counters().disconnects, 0u);
}

std::chrono::seconds soak_time() {
  const char* const text = std::getenv("DISSENSUS_SOAK_SECONDS");
  return std::chrono::seconds(text ? std::atoi(text) : 5);
}

// 20 links (40 sessions, 7 servers) under steady traffic through random delays: every message
// arrives, no link ends, and no descriptor is left. DISSENSUS_SOAK_SECONDS says for how long.
TEST(Load, TwentyLinksForAWhile) {
  const std::size_t descriptors = open_descriptors();
  {
    std::mt19937_64 random(8);
    std::atomic<std::size_t> damaged = 0;
    DelayedNetwork network(
        7, 20, [&](const Frame&) { return microseconds(random() % 50'000); },
        [&](NodeId, NodeId, ByteView frame, Clock::time_point) { damaged += !is_intact(frame); });
    ASSERT_TRUE(network.until_up());
    ASSERT_EQ(network.interceptor->links(), 20u);
    std::atomic<std::size_t> sent = 0;
    std::atomic<bool> done = false;
    std::thread sender([&] {
      const Clock::time_point begin = Clock::now();
      for (std::uint64_t turn = 0; Clock::now() < begin + soak_time(); ++turn) {
        for (const Direction& direction : network.directions) {
          const std::uint64_t number = sent;
          if (network.peers[direction.from].send(direction.to, numbered_frame(number, 250))) ++sent;
        }
        std::this_thread::sleep_until(begin + turn * milliseconds(40));
      }
      done = true;
    });
    const bool all = run_until(
        network.io, [&] { return done && network.received() >= sent; },
        soak_time() + std::chrono::seconds(kSanitized ? 120 : 30));
    sender.join();
    EXPECT_TRUE(all) << network.received() << " of " << sent;
    EXPECT_EQ(network.received(), sent);
    EXPECT_GT(sent, 100u * static_cast<std::size_t>(soak_time().count()));
    EXPECT_EQ(network.interceptor->links_up(), 20u);
    EXPECT_EQ(network.interceptor->counters().disconnects, 0u);
    EXPECT_EQ(network.handler.held(), 0u);
    EXPECT_EQ(network.peers.bad_records(), 0u);
    EXPECT_EQ(damaged, 0u);
    std::printf("%zu messages over 40 directed links in %lld s\n", sent.load(),
                static_cast<long long>(soak_time().count()));
  }
  EXPECT_EQ(open_descriptors(), descriptors);
}

// Connections that break all the time, under traffic: nothing is damaged, nothing hangs or leaks,
// and all links are up again once it is over.
TEST(Load, BreakingLinks) {
  const std::size_t descriptors = open_descriptors();
  {
    std::mt19937_64 random(9);
    std::atomic<std::size_t> damaged = 0;
    DelayedNetwork network(
        7, 20, [&](const Frame&) { return microseconds(random() % 5'000); },
        [&](NodeId, NodeId, ByteView frame, Clock::time_point) { damaged += !is_intact(frame); });
    ASSERT_TRUE(network.until_up());
    std::atomic<bool> done = false;
    std::thread sender([&] {
      std::mt19937_64 choices(10);
      for (std::uint64_t number = 0; number < 2000; ++number) {
        const Direction& direction = network.directions[choices() % network.directions.size()];
        network.peers[direction.from].send(direction.to, numbered_frame(number, 300));
        if (number % 25 == 0) network.peers[direction.to].close(direction.from);
        std::this_thread::sleep_for(milliseconds(1));
      }
      done = true;
    });
    EXPECT_TRUE(run_until(network.io, [&] { return done.load(); }));
    sender.join();
    EXPECT_TRUE(network.until_up());
    EXPECT_GT(network.interceptor->counters().reconnects, 10u);
    EXPECT_EQ(network.peers.bad_records(), 0u);
    EXPECT_EQ(damaged, 0u);
  }
  EXPECT_EQ(open_descriptors(), descriptors);
}

}  // namespace
}  // namespace dissensus::live::test
