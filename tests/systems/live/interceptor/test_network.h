// Some test peers, an interceptor between them, and handlers for its frames.
#pragma once

#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>

#include "amount.h"
#include "systems/live/interceptor/interceptor.h"
#include "systems/live/interceptor/machine_surroundings.h"
#include "systems/live/interceptor/test_peer.h"

namespace dissensus::live::test {

using dissensus::test::kSanitized;

inline KeyPair test_keys(std::size_t node) {
  return node_keys(Seed::from_passphrase(fmt::format("test node {}", node)));
}

inline std::string test_address(std::size_t node) {
  return fmt::format("127.21.7.{}", 11 + node);
}

using BehaviourOf = std::function<Behaviour(NodeId node, std::size_t connection)>;
/// `from` is the node that was played to `node`.
using SinkOf = std::function<void(NodeId node, NodeId from, ByteView frame, Clock::time_point at)>;

/// Peers 0 to n - 1, each at its own loopback address.
class TestPeers {
 public:
  explicit TestPeers(std::size_t nodes, BehaviourOf behaviour = {}, SinkOf sink = {})
      : behaviour_(std::move(behaviour)), sink_(std::move(sink)) {
    for (std::size_t node = 0; node < nodes; ++node) {
      names_[test_keys(node).public_key] = static_cast<NodeId>(node);
    }
    for (std::size_t node = 0; node < nodes; ++node) peers_.push_back(make(node, 0));
  }

  TestPeer& operator[](std::size_t node) { return *peers_[node]; }
  std::size_t size() const { return peers_.size(); }
  /// As a server that dies and comes back at the same address.
  void stop(std::size_t node) {
    ports_[node] = peers_[node]->port();
    peers_[node].reset();
  }
  void start(std::size_t node) { peers_[node] = make(node, ports_.at(node)); }

  std::size_t bad_records() const {
    std::size_t sum = 0;
    for (const auto& peer : peers_) sum += peer->bad_records();
    return sum;
  }

  /// All pairs; short delays, so that tests of failures are fast.
  InterceptorOptions options() const {
    InterceptorOptions options;
    for (std::size_t node = 0; node < peers_.size(); ++node) {
      options.peers.push_back({test_address(node), peers_[node]->port(), test_keys(node)});
      for (std::size_t other = node + 1; other < peers_.size(); ++other) {
        options.links.emplace_back(static_cast<NodeId>(node), static_cast<NodeId>(other));
      }
    }
    options.redial_delay_min = std::chrono::milliseconds(10);
    options.redial_delay_max = std::chrono::milliseconds(100);
    return options;
  }

 private:
  std::unique_ptr<TestPeer> make(std::size_t node, std::uint16_t port) const {
    TestPeer::Setup setup;
    setup.address = test_address(node);
    setup.port = port;
    setup.keys = test_keys(node);
    setup.names = names_;
    const auto id = static_cast<NodeId>(node);
    if (behaviour_) {
      setup.behaviour = [this, id](std::size_t connection) { return behaviour_(id, connection); };
    }
    if (sink_) {
      setup.sink = [this, id](NodeId from, ByteView frame, Clock::time_point at) {
        sink_(id, from, frame, at);
      };
    }
    return std::make_unique<TestPeer>(std::move(setup));
  }

  const BehaviourOf behaviour_;
  const SinkOf sink_;
  std::map<PublicKey, NodeId> names_;
  std::vector<std::unique_ptr<TestPeer>> peers_;
  std::map<std::size_t, std::uint16_t> ports_;
};

struct LinkEvent {
  NodeId a;
  NodeId b;
  bool up;
  std::string reason;
};

/// Writes every frame at once, and keeps what it hears.
class PassThrough : public InterceptorHandler {
 public:
  struct Passed {
    NodeId from;
    NodeId to;
    Frame frame;
  };

  void on_frame(NodeId from, NodeId to, Frame&& frame) override {
    if (keeps) passed.push_back({from, to, frame});
    if (intervenes) intervenes(from, to, frame);
    if (interceptor) {
      interceptor->write(from, to, std::make_shared<const Bytes>(std::move(frame.bytes)));
    }
  }
  void on_link(NodeId a, NodeId b, bool up, std::string_view reason) override {
    events.push_back({a, b, up, std::string(reason)});
    if (hears) hears(up);
  }

  std::vector<Passed> passed;
  std::vector<LinkEvent> events;
  bool keeps = true;
  std::function<void(NodeId, NodeId, const Frame&)> intervenes;
  std::function<void(bool)> hears;
  Interceptor* interceptor = nullptr;
};

/// Holds every frame for a time that depends on it; equal times keep their order.
class DelayingHandler : public InterceptorHandler {
 public:
  using DelayOf = std::function<std::chrono::nanoseconds(const Frame&)>;
  DelayingHandler(boost::asio::io_context& io, DelayOf delay_of)
      : timer_(io), delay_of_(std::move(delay_of)) {}

  void on_frame(NodeId from, NodeId to, Frame&& frame) override {
    const Clock::time_point due = Clock::now() + delay_of_(frame);
    held_.emplace(due, Held{from, to, std::make_shared<const Bytes>(std::move(frame.bytes))});
    release();
  }
  void on_link(NodeId, NodeId, bool up, std::string_view) override { downs += up ? 0 : 1; }

  std::size_t held() const { return held_.size(); }
  std::size_t downs = 0;
  Interceptor* interceptor = nullptr;

 private:
  struct Held {
    NodeId from;
    NodeId to;
    std::shared_ptr<const Bytes> frame;
  };

  void release() {
    while (!held_.empty() && held_.begin()->first <= Clock::now()) {
      Held held = std::move(held_.begin()->second);
      held_.erase(held_.begin());
      interceptor->write(held.from, held.to, std::move(held.frame));
    }
    if (held_.empty()) return;
    timer_.expires_at(held_.begin()->first);
    timer_.async_wait([this](const boost::system::error_code& error) {
      if (!error) release();
    });
  }

  boost::asio::steady_timer timer_;
  const DelayOf delay_of_;
  std::multimap<Clock::time_point, Held> held_;
};

/// Runs the loop until the condition holds; false if it does not within the time.
inline bool run_until(boost::asio::io_context& io, const std::function<bool()>& condition,
                      std::chrono::milliseconds limit = std::chrono::seconds(kSanitized ? 60
                                                                                        : 20)) {
  // A condition may send; the loop has time for what was sent before it is asked again.
  const Clock::time_point end = Clock::now() + limit;
  while (!condition()) {
    const Clock::time_point now = Clock::now();
    if (now > end) return false;
    drive(io, now + std::chrono::milliseconds(2), [] { return false; });
  }
  return true;
}

inline void run_for(boost::asio::io_context& io, std::chrono::milliseconds time) {
  run_until(
      io, [] { return false; }, time);
}

/// Peers with a pass-through interceptor between them.
struct TestNetwork {
  explicit TestNetwork(std::size_t nodes, BehaviourOf behaviour = {}, SinkOf sink = {},
                       const std::function<void(InterceptorOptions&)>& adjust = {})
      : peers(nodes, std::move(behaviour), std::move(sink)) {
    InterceptorOptions options = peers.options();
    if (adjust) adjust(options);
    interceptor = std::make_unique<Interceptor>(io, std::move(options), handler);
    handler.interceptor = interceptor.get();
    interceptor->start();
  }

  bool until(const std::function<bool()>& condition) { return run_until(io, condition); }
  bool until_up() {
    return until([this] { return interceptor->links_up() == interceptor->links(); });
  }
  const InterceptorCounters& counters() const { return interceptor->counters(); }
  const std::string& last_error() const { return counters().links[0].last_error; }

  TestPeers peers;
  MachineLoop loop;
  boost::asio::io_context& io = loop.io;
  PassThrough handler;
  std::unique_ptr<Interceptor> interceptor;
};

}  // namespace dissensus::live::test
