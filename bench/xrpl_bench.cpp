// The XRP Ledger system's speed: the thesis's test case under random delays in runs per second,
// and a quiet network in ledgers per second and nanoseconds per delivered message.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "dissensus/options.h"
#include "dissensus/random.h"

#include "faults/schedule_interposer.h"
#include "sim/world.h"
#include "systems/xrpl/system.h"
#include "trace/trace.h"

namespace dissensus {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// What every search run pays for: the trace hash. Also counts ledgers.
class LedgerSink final : public EventSink {
 public:
  explicit LedgerSink(Level level) : level_(level) {}
  void on_event(const Event& event) override {
    hash.add(event);
    if (event.type == EventType::decide && event.detail == level_ && event.node == 0) ++ledgers;
  }
  trace::TraceHash hash;
  std::uint64_t ledgers = 0;

 private:
  Level level_;
};

Level ledger_level(const System& system) {
  const auto& levels = system.description().levels;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (levels[i].name == "ledger") return static_cast<Level>(i);
  }
  return 0;
}

struct Setup {
  std::unique_ptr<System> system;
  sim::WorldPlan plan;
};

Setup make_setup(const std::string& text, Duration latency, Duration virtual_time) {
  const Options options = Options::from_toml(text, "bench");
  Setup setup;
  setup.system = xrpl::xrpl_entry().make(options);
  sim::WorldPlan& plan = setup.plan;
  plan.nodes = setup.system->node_count();
  for (std::size_t node = 0; node < plan.nodes; ++node) {
    plan.peers.push_back(setup.system->links_of(static_cast<NodeId>(node)));
  }
  sim::LinkModel model;
  model.latency.a = latency;
  plan.models = {model};
  plan.link_model.assign(plan.nodes * plan.nodes, 0);
  plan.limits.virtual_time = virtual_time;
  for (const Options& entry : options.tables("workload")) {
    plan.submissions.push_back({Time{entry.at("at").duration()},
                                static_cast<NodeId>(entry.at("node").integer()),
                                setup.system->make_request(entry)});
  }
  return setup;
}

std::string thesis_text() {
  std::string text = "accounts = { a = \"290.0001\", b = \"210.0001\", c = \"210.0001\" }\n";
  constexpr std::string_view kTo[] = {"b", "c", "c", "b"};
  for (int node = 0; node < 4; ++node) {
    text += fmt::format(
        "[[workload]]\nat = \"2s\"\nnode = {}\nfrom = \"a\"\nto = \"{}\"\namount = 80\n"
        "sequence = \"same\"\n",
        node, kTo[node]);
  }
  return text;
}

/// Five nodes, four conflicting payments, twenty virtual seconds, 260 delays of up to 4 s.
void BM_ThesisCase(benchmark::State& state) {
  const Setup setup = make_setup(thesis_text(), milliseconds(1), seconds(20));
  const std::size_t kinds = setup.system->description().kinds.size();
  sim::WorldMemory memory;
  std::uint64_t deliveries = 0;
  std::uint64_t seed = 0;
  for (auto _ : state) {
    Random random(++seed, "delays");
    faults::DelaySchedule delays;
    for (std::size_t gene = 0; gene < kinds * 20; ++gene) {
      delays.delay_ms.push_back(static_cast<std::uint32_t>(random.below(4001)));
    }
    faults::Schedule schedule;
    schedule.scheduler = std::move(delays);
    const auto interposer = faults::make_interposer(schedule, 5, kinds);
    LedgerSink sink(ledger_level(*setup.system));
    sim::World world(setup.plan, *setup.system, seed, sink, interposer.get(), nullptr, memory);
    world.run();
    deliveries += world.counters().deliveries;
    benchmark::DoNotOptimize(sink.hash.value());
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["runs/s"] =
      benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
  state.counters["deliveries/s"] =
      benchmark::Counter(static_cast<double>(deliveries), benchmark::Counter::kIsRate);
}
BENCHMARK(BM_ThesisCase)->Unit(benchmark::kMillisecond);

/// Links to the next `degree / 2` nodes of a ring of random order, both ways.
std::string sparse_topology(std::size_t nodes, std::size_t degree) {
  std::vector<std::size_t> order(nodes);
  for (std::size_t i = 0; i < nodes; ++i) order[i] = i;
  Random random(7);
  for (std::size_t i = nodes; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  std::vector<std::string> lists(nodes);
  for (std::size_t i = 0; i < nodes; ++i) {
    for (std::size_t step = 1; step <= degree / 2; ++step) {
      lists[order[i]] += fmt::format("{}, ", order[(i + step) % nodes]);
    }
  }
  std::string text = "topology = [";
  for (const std::string& list : lists) text += "[" + list + "], ";
  return text + "]\n";
}

/// arguments: validators; links per node, 0 = full mesh.
void BM_QuietNetwork(benchmark::State& state) {
  const auto nodes = static_cast<std::size_t>(state.range(0));
  const auto degree = static_cast<std::size_t>(state.range(1));
  std::string text = fmt::format("nodes = {}\n", nodes);
  if (degree != 0) text += sparse_topology(nodes, degree);
  const Duration span = seconds(nodes >= 40 ? 33 : 303);
  const Setup setup = make_setup(text, milliseconds(50), span);
  sim::WorldMemory memory;
  std::uint64_t ledgers = 0;
  std::uint64_t deliveries = 0;
  for (auto _ : state) {
    LedgerSink sink(ledger_level(*setup.system));
    sim::World world(setup.plan, *setup.system, 1, sink, nullptr, nullptr, memory);
    world.run();
    ledgers += sink.ledgers;
    deliveries += world.counters().deliveries;
  }
  state.counters["ledgers/s"] =
      benchmark::Counter(static_cast<double>(ledgers), benchmark::Counter::kIsRate);
  state.counters["deliveries/s"] =
      benchmark::Counter(static_cast<double>(deliveries), benchmark::Counter::kIsRate);
  state.counters["deliveries/ledger"] =
      static_cast<double>(deliveries) / static_cast<double>(std::max<std::uint64_t>(ledgers, 1));
}
BENCHMARK(BM_QuietNetwork)
    ->Unit(benchmark::kMillisecond)
    ->ArgNames({"validators", "links"})
    ->Args({5, 0})
    ->Args({10, 0})
    ->Args({20, 0})
    ->Args({40, 0})
    ->Args({80, 0})
    ->Args({40, 10})
    ->Args({80, 10});

}  // namespace
}  // namespace dissensus

BENCHMARK_MAIN();
