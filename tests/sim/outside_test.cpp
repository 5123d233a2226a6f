// The world and nodes that live outside it: a scripted outside in the place of real servers.
#include "dissensus/outside.h"

#include <deque>

#include <gtest/gtest.h>

#include "sim/test_system.h"
#include "sim/world.h"

namespace dissensus::sim {
namespace {

using namespace std::chrono_literals;

/// At each moment one node has a number to send to another.
struct News {
  Duration at{};
  NodeId node = 0;
  NodeId to = 0;
  std::uint64_t number = 0;
};

/// Time passes as fast as the world asks for it.
class ScriptedOutside final : public Outside {
 public:
  explicit ScriptedOutside(std::deque<News> script) : news(std::move(script)) {}

  void begin() override { begun = true; }
  Happening wait(Time until) override {
    if (!news.empty() && Time{} + news.front().at <= until) {
      now = std::max(now, Time{} + news.front().at);
      return {now, news.front().node};
    }
    if (fails_at && *fails_at <= until) reason = "server 1 died";
    now = std::max(now, until);
    return {now + lateness, kNoNode};
  }
  void crashed(NodeId node) override { crashes.push_back(node); }
  void paused(NodeId, bool) override {}
  void disk_slowed(NodeId, Duration) override {}
  std::string trouble() const override { return reason; }

  std::deque<News> news;
  Duration lateness{};
  std::optional<Time> fails_at;
  bool begun = false;
  Time now{};
  std::string reason;
  std::vector<NodeId> crashes;
};

struct Delivery {
  Time time{};
  NodeId node = 0;
  std::uint64_t number = 0;
};

class StandIn final : public Node {
 public:
  StandIn(ScriptedOutside& outside, std::vector<Delivery>& received)
      : outside_(outside), received_(received) {}
  void start(Context&) override {}
  void happened(Context& context) override {
    const News news = outside_.news.front();
    outside_.news.pop_front();
    context.send(news.to, Ping{news.number});
  }
  void receive(Context& context, NodeId, const Message& message) override {
    received_.push_back({context.now(), context.self(), message.get<Ping>()->number});
  }

 private:
  ScriptedOutside& outside_;
  std::vector<Delivery>& received_;
};

class OutsideSystem final : public System {
 public:
  OutsideSystem(std::size_t nodes, ScriptedOutside& outside, std::vector<Delivery>& received)
      : plain_(nodes, Script{}), outside_(outside), received_(received) {}
  const SystemDescription& description() const override { return plain_.description(); }
  std::size_t node_count() const override { return plain_.node_count(); }
  SystemTraits traits() const override {
    SystemTraits traits;
    traits.repeatable = false;
    traits.outside = true;
    return traits;
  }
  std::unique_ptr<Cluster> make_cluster(std::uint64_t) const override {
    return std::make_unique<OutsideCluster>(outside_, received_);
  }

 private:
  class OutsideCluster final : public Cluster {
   public:
    OutsideCluster(ScriptedOutside& outside, std::vector<Delivery>& received)
        : outside_(outside), received_(received) {}
    std::unique_ptr<Node> make_node(NodeId) override {
      return std::make_unique<StandIn>(outside_, received_);
    }
    Outside* outside() override { return &outside_; }

   private:
    ScriptedOutside& outside_;
    std::vector<Delivery>& received_;
  };
  ScriptedSystem plain_;
  ScriptedOutside& outside_;
  std::vector<Delivery>& received_;
};

struct OutsideBench {
  explicit OutsideBench(std::deque<News> news)
      : outside(std::move(news)), system(3, outside, received), plan(full_mesh(system, {})) {
    plan.limits.virtual_time = 10s;
  }
  StopReason run(Interposer* interposer = nullptr) {
    World world(plan, system, 1, sink, interposer, nullptr, memory);
    const StopReason reason = world.run();
    end = world.now();
    return reason;
  }
  ScriptedOutside outside;
  std::vector<Delivery> received;
  OutsideSystem system;
  WorldPlan plan;
  Collector sink;
  WorldMemory memory;
  Time end{};
};

/// Every message waits.
class Hold final : public Interposer {
 public:
  explicit Hold(Duration delay) : delay_(delay) {}
  void on_send(World& world, Transmission&& transmission) override {
    world.deliver(std::move(transmission), delay_);
  }

 private:
  Duration delay_;
};

TEST(Outside, WhatAServerSendsReachesTheOtherAtTheTimeOfItsArrival) {
  OutsideBench bench({{1s, 0, 1, 7}, {1500ms, 1, 2, 8}});
  EXPECT_EQ(bench.run(), StopReason::time_limit);
  EXPECT_TRUE(bench.outside.begun);
  ASSERT_EQ(bench.received.size(), 2u);
  EXPECT_EQ(bench.received[0].number, 7u);
  EXPECT_EQ(bench.received[0].node, 1);
  EXPECT_EQ(bench.received[0].time, Time{} + 1s);
  EXPECT_EQ(bench.received[1].time, Time{} + 1500ms);
}

// A delayed message is due while others arrive: real time decides the order.
TEST(Outside, DelaysAndArrivalsInterleaveByTime) {
  OutsideBench bench({{100ms, 0, 1, 1}, {400ms, 0, 1, 2}, {1200ms, 2, 1, 3}});
  Hold hold(1s);
  bench.run(&hold);
  ASSERT_EQ(bench.received.size(), 3u);
  EXPECT_EQ(bench.received[0].time, Time{} + 1100ms);
  EXPECT_EQ(bench.received[1].time, Time{} + 1400ms);
  EXPECT_EQ(bench.received[2].time, Time{} + 2200ms);
  EXPECT_EQ(bench.received[2].number, 3u);
}

TEST(Outside, ARunThatCannotGoOnSaysSo) {
  OutsideBench bench({{1s, 0, 1, 7}});
  bench.outside.fails_at = Time{} + 3s;
  EXPECT_EQ(bench.run(), StopReason::outside);
  EXPECT_EQ(bench.outside.trouble(), "server 1 died");
  EXPECT_EQ(bench.received.size(), 1u);
}

TEST(Outside, LateWakingDoesNotLoseTheTimeLimit) {
  OutsideBench bench({});
  bench.outside.lateness = 300ms;
  EXPECT_EQ(bench.run(), StopReason::time_limit);
}

/// Crashes node 1 after a second.
class CrashOne final : public Interposer {
 public:
  void attach(World& world) override { world.set_alarm(1s, 0); }
  void on_send(World& world, Transmission&& transmission) override {
    world.deliver(std::move(transmission), Duration{});
  }
  void on_alarm(World& world, std::uint64_t) override { world.crash(1); }
};

TEST(Outside, ACrashOfTheScheduleReachesTheServer) {
  OutsideBench bench({{500ms, 0, 1, 1}, {2s, 0, 1, 2}});
  CrashOne crash;
  bench.run(&crash);
  EXPECT_EQ(bench.outside.crashes, std::vector<NodeId>{1});
  ASSERT_EQ(bench.received.size(), 1u);  // the second finds the node down
}

}  // namespace
}  // namespace dissensus::sim
