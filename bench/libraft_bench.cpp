// libraft in the simulated world beside the library's own fixture, on the same work: five servers
// for ten virtual seconds, latencies and disk as in scenarios/libraft/quiet.toml, and a command or
// a barrier every 40 ms once there is a leader. The fixture hands out messages in a fixed latency
// per server, checks two properties, and keeps neither trace nor hash.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

extern "C" {
#include <raft.h>
#include <raft/fixture.h>
}

#include "core/assert.h"
#include "run/runner.h"
#include "systems/simulated/simulated.h"

namespace dissensus {
namespace {

constexpr unsigned kServers = 5;
constexpr raft_time kMilliseconds = 10'000;
constexpr raft_time kEvery = 40;
constexpr unsigned kReadsOneIn = 6;  // weights 1 and 0.2

raft_fsm machine() {
  raft_fsm fsm{};
  fsm.version = 1;
  fsm.apply = [](raft_fsm*, const raft_buffer*, void** result) {
    *result = nullptr;
    return 0;
  };
  fsm.snapshot = [](raft_fsm*, raft_buffer**, unsigned*) { return 0; };
  fsm.restore = [](raft_fsm*, raft_buffer*) { return 0; };
  return fsm;
}

struct Requests {
  std::vector<std::unique_ptr<struct raft_apply>> commands;
  std::vector<std::unique_ptr<struct raft_barrier>> barriers;

  void ask(raft* leader) {
    if (++asked_ % kReadsOneIn == 0) {
      auto& barrier = barriers.emplace_back(std::make_unique<struct raft_barrier>());
      raft_barrier(leader, barrier.get(), [](struct raft_barrier*, int) {});
      return;
    }
    raft_buffer buffer{raft_malloc(sizeof asked_), sizeof asked_};
    std::copy_n(reinterpret_cast<const char*>(&asked_), sizeof asked_,
                static_cast<char*>(buffer.base));
    auto& command = commands.emplace_back(std::make_unique<struct raft_apply>());
    const int result =
        raft_apply(leader, command.get(), &buffer, 1, [](struct raft_apply*, int, void*) {});
    if (result != 0) raft_free(buffer.base);
  }

 private:
  std::uint64_t asked_ = 0;
};

/// One run of the fixture; how many events it stepped through.
std::uint64_t fixture_run(std::uint64_t seed) {
  raft_fixture fixture;
  raft_fsm machines[kServers];
  std::fill(std::begin(machines), std::end(machines), machine());
  DISSENSUS_ASSERT(raft_fixture_initialize(&fixture) == 0, "fixture_run : initialized");
  DISSENSUS_ASSERT(raft_fixture_grow(&fixture, &machines[0]) == 0, "fixture_run : the first");
  for (unsigned i = 1; i < kServers; ++i) {
    DISSENSUS_ASSERT(raft_fixture_grow(&fixture, &machines[i]) == 0, "fixture_run : another");
  }
  raft_configuration configuration;
  DISSENSUS_ASSERT(raft_fixture_configuration(&fixture, kServers, &configuration) == 0 &&
                       raft_fixture_bootstrap(&fixture, &configuration) == 0,
                   "fixture_run : bootstrapped");
  raft_configuration_close(&configuration);
  for (unsigned i = 0; i < kServers; ++i) {
    const auto shift = static_cast<unsigned>((seed * 7 + i * 13) % 10);
    raft_fixture_set_randomized_election_timeout(&fixture, i, 1000 + 90 * shift);
    raft_fixture_set_network_latency(&fixture, i, 1 + shift);
    raft_fixture_set_disk_latency(&fixture, i, 2);
  }
  DISSENSUS_ASSERT(raft_fixture_start(&fixture) == 0, "fixture_run : started");
  Requests requests;
  std::uint64_t events = 0;
  raft_time next = 0;
  while (raft_fixture_time(&fixture) < kMilliseconds) {
    raft_fixture_step(&fixture);
    ++events;
    if (raft_fixture_time(&fixture) < next) continue;
    next = raft_fixture_time(&fixture) + kEvery;
    const unsigned leader = raft_fixture_leader_index(&fixture);
    if (leader < kServers) requests.ask(raft_fixture_get(&fixture, leader));
  }
  DISSENSUS_ASSERT(raft_fixture_leader_index(&fixture) < kServers, "fixture_run : somebody leads");
  raft_fixture_close(&fixture);
  return events;
}

// First: the system below gives the library its own heap.
void fixture(benchmark::State& state) {
  std::uint64_t events = 0;
  std::uint64_t seed = 0;
  for (auto _ : state) events += fixture_run(++seed);
  state.counters["runs"] =
      benchmark::Counter(static_cast<double>(seed), benchmark::Counter::kIsRate);
  state.counters["events"] =
      benchmark::Counter(static_cast<double>(events), benchmark::Counter::kIsRate);
}
BENCHMARK(fixture)->Unit(benchmark::kMillisecond);

void quiet(benchmark::State& state) {
  const run::Scenario scenario =
      run::load_scenario(DISSENSUS_SOURCE_DIR "/scenarios/libraft/quiet.toml", simulated_systems());
  std::string text = scenario.text;
  const std::size_t place = text.find("servers = 5");
  DISSENSUS_ASSERT(place != std::string::npos, "quiet : five servers");
  if (state.range(0) == 0) text.insert(place, "forked = false\n");
  const run::Scenario used = run::parse_scenario(text, "quiet", simulated_systems());
  run::Runner runner;
  std::uint64_t events = 0;
  std::uint64_t seed = 0;
  for (auto _ : state) {
    const run::RunResult result = runner.run(used, {}, ++seed);
    DISSENSUS_ASSERT(result.verdict.outcome == oracle::Outcome::pass, "quiet : nothing fails");
    events += result.events;
  }
  state.counters["runs"] =
      benchmark::Counter(static_cast<double>(seed), benchmark::Counter::kIsRate);
  state.counters["events"] =
      benchmark::Counter(static_cast<double>(events), benchmark::Counter::kIsRate);
}
// In this process, and in a worker process, whose time is not this one's: wall time.
BENCHMARK(quiet)->Arg(0)->Arg(1)->ArgName("worker")->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace dissensus

BENCHMARK_MAIN();
