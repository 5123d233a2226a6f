// The simulator's speed: a flood through the real node and link interfaces, beside a bare loop over
// std::priority_queue that does the same number of pushes and pops and nothing else.
#include <queue>

#include <benchmark/benchmark.h>

#include "bench/flood.h"
#include "run/runner.h"
#include "run/schedule_space.h"
#include "systems/simulated/simulated.h"
#include "trace/trace.h"

namespace dissensus {
namespace {

constexpr std::size_t kNodes = 16;
constexpr std::size_t kWidth = 16;  // tokens per node: 256 messages are always under way
constexpr std::uint64_t kDeliveries = 500'000;  // per iteration

class HashSink final : public EventSink {
 public:
  void on_event(const Event& event) override { hash.add(event); }
  trace::TraceHash hash;
};

/// One event is one delivery: a pop, a call of Node::receive, a send, a push; two trace events.
void BM_Flood(benchmark::State& state) {
  const bench::FloodSystem system(kNodes, kWidth);
  const sim::WorldPlan plan = bench::flood_plan(system, 2 * kDeliveries);
  sim::WorldMemory memory;
  std::uint64_t deliveries = 0;
  for (auto _ : state) {
    HashSink sink;
    sim::World world(plan, system, 1, sink, nullptr, nullptr, memory);
    world.run();
    deliveries += world.counters().deliveries;
    benchmark::DoNotOptimize(sink.hash.value());
  }
  state.counters["events/s"] =
      benchmark::Counter(static_cast<double>(deliveries), benchmark::Counter::kIsRate);
}
BENCHMARK(BM_Flood)->Unit(benchmark::kMillisecond);

/// The lower bound: the same number of entries in the queue, random times, nothing else.
void BM_BarePriorityQueue(benchmark::State& state) {
  struct Entry {
    std::int64_t time;
    std::uint64_t order;
    std::uint32_t slot;
    bool operator<(const Entry& other) const {
      return time > other.time || (time == other.time && order > other.order);
    }
  };
  std::uint64_t pops = 0;
  for (auto _ : state) {
    Random random(1);
    std::priority_queue<Entry> queue;
    std::uint64_t order = 0;
    for (std::uint32_t i = 0; i < kNodes * kWidth; ++i) {
      queue.push({random.between(1000, 100'000), order++, i});
    }
    for (std::uint64_t i = 0; i < kDeliveries; ++i) {
      const Entry top = queue.top();
      queue.pop();
      queue.push({top.time + random.between(1000, 100'000), order++, top.slot});
      benchmark::DoNotOptimize(top);
    }
    pops += kDeliveries;
  }
  state.counters["events/s"] =
      benchmark::Counter(static_cast<double>(pops), benchmark::Counter::kIsRate);
}
BENCHMARK(BM_BarePriorityQueue)->Unit(benchmark::kMillisecond);

/// A whole run of the tutorial scenario: world, schedule, oracle, hash, verdict.
void BM_TutorialRun(benchmark::State& state) {
  const run::Scenario scenario = run::load_scenario(
      DISSENSUS_SOURCE_DIR "/scenarios/majority/overtaken-commit.toml", simulated_systems());
  Random random(1);
  const faults::Schedule schedule = run::random_schedule(scenario, random);
  run::Runner runner;
  std::uint64_t seed = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(runner.run(scenario, schedule, ++seed).hash);
  }
}
BENCHMARK(BM_TutorialRun)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace dissensus

BENCHMARK_MAIN();
