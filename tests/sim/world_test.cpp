#include "sim/world.h"

#include <stdexcept>

#include <gtest/gtest.h>

#include "sim/test_system.h"

namespace dissensus::sim {
namespace {

using namespace std::chrono_literals;

struct Bench {
  explicit Bench(std::size_t nodes, Script script, const LinkModel& model = {})
      : system(nodes, std::move(script)), plan(full_mesh(system, model)) {}
  StopReason run(std::uint64_t seed = 1, Interposer* interposer = nullptr) {
    World world(plan, system, seed, sink, interposer, nullptr, memory);
    const StopReason reason = world.run();
    counters = world.counters();
    end = world.now();
    return reason;
  }
  ScriptedSystem system;
  WorldPlan plan;
  Collector sink;
  WorldMemory memory;
  WorldCounters counters;
  Time end{};
};

// Node 0 sends pings 1..count to node 1 at the start.
Script burst(std::uint64_t count) {
  Script script;
  script.start = [count](Context& context) {
    if (context.self() != 0) return;
    for (std::uint64_t i = 1; i <= count; ++i) context.send(1, Ping{i});
  };
  return script;
}

LinkModel constant(Duration latency) {
  LinkModel model;
  model.latency.a = latency;
  return model;
}

/// Stops a node at one time and restarts it at another; passes all messages.
class CrashAndRestart final : public Interposer {
 public:
  CrashAndRestart(NodeId node, Duration crash_at, Duration restart_at)
      : node_(node), crash_at_(crash_at), restart_at_(restart_at) {}
  void attach(World& world) override {
    world.set_alarm(crash_at_, 0);
    world.set_alarm(restart_at_, 1);
  }
  void on_send(World& world, Transmission&& transmission) override {
    world.deliver(std::move(transmission), 0ms);
  }
  void on_alarm(World& world, std::uint64_t tag) override {
    tag == 0 ? world.crash(node_) : world.restart(node_);
  }

 private:
  NodeId node_;
  Duration crash_at_;
  Duration restart_at_;
};

TEST(World, DeliversAfterTheLatencyInOrder) {
  Bench setup(2, burst(3), constant(20ms));
  EXPECT_EQ(setup.run(), StopReason::quiet);
  EXPECT_EQ(setup.sink.delivered(), (std::vector<std::uint64_t>{1, 2, 3}));
  for (const Event& event : setup.sink.of(EventType::deliver)) {
    EXPECT_EQ(event.time, Time{} + 20ms);
    EXPECT_EQ(event.node, 1);
    EXPECT_EQ(event.peer, 0);
  }
}

TEST(World, PlainNetworkIsInstantAndLossless) {
  Bench setup(3, [] {
    Script script;
    script.start = [](Context& context) { context.broadcast(Ping{context.self()}); };
    return script;
  }());
  setup.run();
  EXPECT_EQ(setup.sink.delivered().size(), 6u);
  EXPECT_EQ(setup.end, Time{});
}

// Causes: a send happens during the event that caused it, a delivery is caused by its send.
TEST(World, EveryEventKnowsItsCause) {
  Script script = burst(1);
  script.receive = [](Context& context, NodeId from, std::uint64_t number) {
    if (number < 4) context.send(from, Ping{number + 1});
  };
  Bench setup(2, script, constant(1ms));
  setup.run();
  const auto& events = setup.sink.events;
  ASSERT_EQ(events.size(), 10u);  // 2 starts, 4 sends, 4 deliveries
  for (const Event& event : events) {
    if (event.type == EventType::start) {
      EXPECT_EQ(event.cause, 0u);
      continue;
    }
    ASSERT_GT(event.cause, 0u);
    ASSERT_LT(event.cause, event.id);
    const Event& cause = events[event.cause - 1];
    EXPECT_EQ(cause.type, event.type == EventType::deliver ? EventType::send
                          : event.cause <= 2               ? EventType::start
                                                           : EventType::deliver);
  }
}

TEST(World, FifoLinksKeepTheOrderUnderRandomLatency) {
  LinkModel model;
  model.latency = {Latency::Kind::uniform, 1ms, 50ms};
  Bench fifo(2, burst(100), model);
  fifo.run();
  std::vector<std::uint64_t> expected(100);
  for (std::size_t i = 0; i < 100; ++i) expected[i] = i + 1;
  EXPECT_EQ(fifo.sink.delivered(), expected);

  model.fifo = false;
  Bench any(2, burst(100), model);
  any.run();
  EXPECT_NE(any.sink.delivered(), expected);
  EXPECT_EQ(any.sink.delivered().size(), 100u);
  for (const Event& event : any.sink.of(EventType::deliver)) {
    EXPECT_GE(event.time, Time{} + 1ms);
    EXPECT_LE(event.time, Time{} + 50ms);
  }
}

TEST(World, LossAndDuplicationHappenAtTheirRates) {
  LinkModel model = constant(1ms);
  model.loss = 0.3;
  model.duplicate = 0.2;
  Bench setup(2, burst(10'000), model);
  setup.run();
  const double lost = static_cast<double>(setup.sink.of(EventType::drop).size());
  const double doubled = static_cast<double>(setup.sink.of(EventType::duplicate).size());
  EXPECT_NEAR(lost, 3000, 200);
  EXPECT_NEAR(doubled, 0.2 * 7000, 150);
  EXPECT_EQ(setup.sink.delivered().size(), static_cast<std::size_t>(10'000 - lost + doubled));
  for (const Event& event : setup.sink.of(EventType::drop)) {
    EXPECT_EQ(event.detail, static_cast<std::uint8_t>(DropReason::loss));
  }
}

TEST(World, BoundedBufferDropsTheOverflow) {
  LinkModel model = constant(10ms);
  model.buffer = 4;
  Bench setup(2, burst(10), model);
  setup.run();
  EXPECT_EQ(setup.sink.delivered(), (std::vector<std::uint64_t>{1, 2, 3, 4}));
  EXPECT_EQ(setup.sink.of(EventType::drop).size(), 6u);
  for (const Event& event : setup.sink.of(EventType::drop)) {
    EXPECT_EQ(event.detail, static_cast<std::uint8_t>(DropReason::buffer_full));
  }
}

// Events of one time happen in the order in which they were scheduled, also where broadcasts,
// timers and messages of several nodes fall together, and stopping between them changes nothing.
TEST(World, SimultaneousEventsKeepTheOrderOfScheduling) {
  std::vector<std::string> order;
  Script script;
  script.start = [](Context& context) {
    context.set_timer(10ms, 1);
    context.broadcast(Ping{context.self()});
    context.cancel_timer(context.set_timer(10ms, 2));
    context.set_timer(10ms, 3);
    context.set_timer(5ms, 4);
    context.set_timer(10ms, 5);
  };
  script.receive = [&](Context& context, NodeId from, std::uint64_t) {
    order.push_back("m" + std::to_string(from) + std::to_string(context.self()));
  };
  script.timer = [&](Context& context, std::uint64_t tag) {
    order.push_back("t" + std::to_string(tag) + std::to_string(context.self()));
    if (tag == 1) context.set_timer(0ms, 9);  // now, but after everything that was there before
  };
  const std::vector<std::string> expected{"t40", "t41", "t42", "t10", "m01", "m02", "t30",
                                          "t50", "t11", "m10", "m12", "t31", "t51", "t12",
                                          "m20", "m21", "t32", "t52", "t90", "t91", "t92"};
  Bench whole(3, script, constant(10ms));
  whole.run();
  EXPECT_EQ(order, expected);
  for (EventId stop = 1; stop < whole.sink.events.size(); ++stop) {
    order.clear();
    Bench parts(3, script, constant(10ms));
    World world(parts.plan, parts.system, 1, parts.sink, nullptr, nullptr, parts.memory);
    world.run(stop);
    world.run();
    EXPECT_EQ(order, expected) << stop;
  }
}

TEST(World, TimersFireOnceInOrderAndCanBeCancelled) {
  std::vector<std::uint64_t> fired;
  Script script;
  script.start = [](Context& context) {
    context.set_timer(20ms, 2);
    context.set_timer(10ms, 1);
    const TimerId cancelled = context.set_timer(15ms, 99);
    context.cancel_timer(cancelled);
    context.cancel_timer(cancelled);
    context.cancel_timer(TimerId::none);
  };
  script.timer = [&fired](Context& context, std::uint64_t tag) {
    fired.push_back(tag);
    if (tag == 1) context.set_timer(10ms, 3);  // same time as 2, set later
  };
  Bench setup(1, script);
  setup.run();
  EXPECT_EQ(fired, (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_EQ(setup.end, Time{} + 20ms);
}

// An old TimerId must not cancel a new timer that happens to reuse its slot.
TEST(World, StaleTimerIdsAreHarmless) {
  int fired = 0;
  TimerId first{};
  Script script;
  script.start = [&first](Context& context) { first = context.set_timer(1ms, 1); };
  script.timer = [&](Context& context, std::uint64_t tag) {
    ++fired;
    if (tag == 1) {
      context.set_timer(1ms, 2);
      context.cancel_timer(first);
    }
  };
  Bench setup(1, script);
  setup.run();
  EXPECT_EQ(fired, 2);
}

TEST(World, SkewedClocksReadOffsetAndDrift) {
  std::vector<Time> readings(3);
  Script script;
  script.start = [](Context& context) { context.set_timer(10s, 0); };
  script.timer = [&](Context& context, std::uint64_t) { readings[context.self()] = context.now(); };
  Bench setup(3, script);
  setup.plan.skew = {{}, {5s, 0}, {-1s, 100'000}};
  setup.run();
  EXPECT_EQ(readings[0], Time{} + 10s);
  EXPECT_EQ(readings[1], Time{} + 15s);
  // Node 2's clock runs 10 % fast: its 10-s timer fires after 9.09 s.
  const auto timers = setup.sink.of(EventType::timer);
  ASSERT_EQ(timers.size(), 3u);
  EXPECT_EQ(timers[0].node, 2);
  EXPECT_EQ(timers[0].time, time_of_microseconds(9'090'909));
}

/// Sets node 0's clock 3 s ahead and 10 % fast at 5 s, back again at 15 s, and doubles node 1.
class ClockAndTwin final : public Interposer {
 public:
  void attach(World& world) override {
    twin = world.add_twin(1);
    world.set_alarm(5s, 1);
    world.set_alarm(15s, 2);
  }
  void on_send(World& world, Transmission&& transmission) override {
    senders.push_back(transmission.from_twin);
    world.deliver(std::move(transmission), Duration{});
  }
  void on_alarm(World& world, std::uint64_t tag) override {
    if (tag == 1) world.adjust_clock(0, 3s, 100'000);
    if (tag == 2) {
      world.adjust_clock(0, -4s, -100'000);
      late_twin = world.add_twin(0);
    }
  }
  NodeId twin = kNoNode;
  NodeId late_twin = 0;
  std::vector<NodeId> senders;
};

// An adjusted clock jumps, drifts from then on, and can be set right again.
TEST(World, ClocksCanBeAdjustedInMidRun) {
  std::vector<Time> readings;
  Script script;
  script.start = [](Context& context) {
    if (context.self() != 0) return;
    for (const Duration at : {Duration(4s), Duration(5s) + 1us, Duration(20s)}) {
      context.set_timer(at, 0);
    }
  };
  script.timer = [&](Context& context, std::uint64_t) { readings.push_back(context.now()); };
  ClockAndTwin interposer;
  Bench setup(2, script);
  setup.run(1, &interposer);
  ASSERT_EQ(readings.size(), 3u);
  EXPECT_EQ(readings[0], Time{} + 4s);
  EXPECT_EQ(readings[1], Time{} + 8s + 1us);
  EXPECT_EQ(readings[2], Time{} + 20s) << "10 s of drift made one second, which was taken back";
}

// A twin runs the same code under the same identity, with randomness of its own.
TEST(World, TwinsShareAnIdentityAndNothingElse) {
  std::vector<std::uint64_t> draws;
  std::vector<NodeId> selves;
  Script script;
  script.start = [&](Context& context) {
    if (context.self() != 1) return;
    selves.push_back(context.self());
    draws.push_back(context.random().next());
    context.send(0, Ping{1});
  };
  ClockAndTwin interposer;
  Bench setup(2, script);
  setup.run(1, &interposer);
  EXPECT_EQ(selves, (std::vector<NodeId>{1, 1}));
  ASSERT_EQ(draws.size(), 2u);
  EXPECT_NE(draws[0], draws[1]);
  EXPECT_EQ(interposer.senders, (std::vector<NodeId>{kNoNode, interposer.twin}));
  EXPECT_EQ(interposer.late_twin, kNoNode) << "not once the run has begun";
  for (const auto& event : setup.sink.of(EventType::send)) EXPECT_EQ(event.node, 1);
}

TEST(World, CrashLosesTimersAndMessagesAndRestartStartsAFreshNode) {
  CrashAndRestart crasher(1, 5ms, 50ms);
  int timers = 0;
  int restarts = 0;
  Script script;
  script.start = [](Context& context) {
    if (context.self() == 0) context.send(1, Ping{1});
    if (context.self() == 1) context.set_timer(20ms, 0);
  };
  script.timer = [&](Context&, std::uint64_t) { ++timers; };
  script.restart = [&](Context& context, const Node& before) {
    EXPECT_NE(dynamic_cast<const ScriptedNode*>(&before), nullptr);
    ++restarts;
    context.set_timer(1ms, 7);
  };
  Bench setup(2, script, constant(10ms));
  setup.run(1, &crasher);
  EXPECT_EQ(restarts, 1);
  EXPECT_EQ(timers, 1);  // only the one set after the restart
  EXPECT_TRUE(setup.sink.delivered().empty());
  const auto drops = setup.sink.of(EventType::drop);
  ASSERT_EQ(drops.size(), 1u);
  EXPECT_EQ(drops[0].detail, static_cast<std::uint8_t>(DropReason::crashed));
  EXPECT_EQ(drops[0].node, 0);
  EXPECT_EQ(drops[0].peer, 1);
}

// A node that crashes before its start time has nothing to restart from: it starts, once.
TEST(World, ANodeThatCrashedBeforeItsStartIsStartedByItsRestart) {
  CrashAndRestart crash(0, 0ms, 5ms);
  int starts = 0;
  int restarts = 0;
  Script script;
  script.start = [&](Context&) { ++starts; };
  script.restart = [&](Context&, const Node&) { ++restarts; };
  Bench bench(1, script);
  bench.plan.start = {Time{} + 10ms};
  bench.run(1, &crash);
  EXPECT_EQ(starts, 1);
  EXPECT_EQ(restarts, 0);
}

TEST(World, LimitsStopTheRunAndSayWhich) {
  Script endless;
  endless.start = [](Context& context) { context.set_timer(1ms, 0); };
  endless.timer = [](Context& context, std::uint64_t) { context.set_timer(1ms, 0); };
  Bench time(1, endless);
  time.plan.limits.virtual_time = 100ms;
  EXPECT_EQ(time.run(), StopReason::time_limit);
  EXPECT_EQ(time.sink.of(EventType::timer).size(), 100u);

  Bench events(1, endless);
  events.plan.limits.events = 10;
  EXPECT_EQ(events.run(), StopReason::event_limit);
  EXPECT_EQ(events.sink.events.size(), 10u);

  Script flood;
  flood.start = [](Context& context) { context.set_timer(1ms, 0); };
  flood.timer = [](Context& context, std::uint64_t) {
    for (int i = 0; i < 3; ++i) context.set_timer(1ms, 0);
  };
  Bench queue(1, flood);
  queue.plan.limits.queue = 1000;
  EXPECT_EQ(queue.run(), StopReason::queue_limit);
}

TEST(World, RunCanStopAtAnEventAndContinue) {
  Bench whole(2, burst(5), constant(3ms));
  whole.run();
  Bench parts(2, burst(5), constant(3ms));
  {
    World world(parts.plan, parts.system, 1, parts.sink, nullptr, nullptr, parts.memory);
    EXPECT_EQ(world.run(8), StopReason::event_reached);
    EXPECT_GE(world.last_event(), 8u);
    EXPECT_LT(world.last_event(), whole.sink.events.size());
    EXPECT_EQ(world.run(), StopReason::quiet);
  }
  EXPECT_EQ(parts.sink.events.size(), whole.sink.events.size());
}

// What one run leaves in the reused memory must not reach the next.
TEST(World, ReusedMemoryGivesTheSameRun) {
  LinkModel model;
  model.latency = {Latency::Kind::exponential, 1ms, 20ms};
  model.fifo = false;
  Script script = burst(50);
  script.receive = [](Context& context, NodeId from, std::uint64_t number) {
    if (context.random().chance(0.7)) context.send(from, Ping{number + 100});
  };
  Bench setup(2, script, model);
  setup.run(5);
  const auto first = setup.sink.delivered();
  for (std::uint64_t seed = 6; seed < 10; ++seed) setup.run(seed);
  setup.sink = Collector();
  setup.run(5);
  EXPECT_EQ(setup.sink.delivered(), first);
}

TEST(World, LogLinesAreMadeOnlyWhenWanted) {
  Script script;
  script.start = [](Context& context) {
    if (context.logging()) context.log("hello");
    context.log("there");
  };
  Bench quiet(1, script);
  quiet.run();
  EXPECT_TRUE(quiet.sink.of(EventType::log).empty());
  Bench loud(1, script);
  loud.sink.log = true;
  loud.run();
  EXPECT_EQ(loud.sink.of(EventType::log).size(), 2u);
}

TEST(Latency, SamplesStayWithinBounds) {
  Random random(4);
  const Latency normal{Latency::Kind::normal, 10ms, 20ms, 40ms};
  const Latency exponential{Latency::Kind::exponential, 5ms, 10ms, 60ms};
  bool hit_zero = false;
  bool hit_max = false;
  for (int i = 0; i < 10'000; ++i) {
    const Duration n = normal.sample(random);
    ASSERT_GE(n, 0ms);
    ASSERT_LE(n, 40ms);
    hit_zero = hit_zero || n == 0ms;
    hit_max = hit_max || n == 40ms;
    const Duration e = exponential.sample(random);
    ASSERT_GE(e, 5ms);
    ASSERT_LE(e, 60ms);
  }
  EXPECT_TRUE(hit_zero && hit_max);
}

// The real-time clock takes as long as the virtual time says.
TEST(Clock, SystemClockKeepsPace) {
  SystemClock clock;
  const auto start = std::chrono::steady_clock::now();
  clock.advance_to(Time{} + 1s);
  clock.advance_to(Time{} + 1s + 60ms);
  const auto elapsed = std::chrono::steady_clock::now() - start;
  EXPECT_GE(elapsed, 60ms);
  EXPECT_LT(elapsed, 1s);
}

// These are mistakes of the code under test, so they are thrown through its own code, and whoever
// runs the world learns which node made them.
TEST(World, SendingToOneselfIsAMistakeOfTheNode) {
  Script script;
  script.start = [](Context& context) { context.send(context.self(), Ping{1}); };
  EXPECT_THROW(Bench(1, script).run(), std::logic_error);
  script.start = [](Context& context) { context.send(77, Ping{1}); };
  EXPECT_THROW(Bench(1, script).run(), std::logic_error);
  script.start = [](Context& context) { context.set_timer(Duration{-1}); };
  EXPECT_THROW(Bench(1, script).run(), std::logic_error);
}

TEST(World, EventsWithoutTimePassingStopTheRun) {
  Script script;
  script.start = [](Context& context) { context.set_timer(Duration{}); };
  script.timer = [](Context& context, std::uint64_t) { context.set_timer(Duration{}); };
  Bench still(1, script);
  still.plan.limits.instant = 1000;
  EXPECT_EQ(still.run(), StopReason::standstill);
  // As many steps while time passes are no such thing.
  script.timer = [](Context& context, std::uint64_t) { context.set_timer(Duration{1}); };
  Bench moving(1, script);
  moving.plan.limits.instant = 1000;
  moving.plan.limits.events = 5000;
  EXPECT_EQ(moving.run(), StopReason::event_limit);
}

}  // namespace
}  // namespace dissensus::sim
