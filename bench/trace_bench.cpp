// Distances between traces: the XRP Ledger test case under random delays, cut after 1,000
// deliveries, as a pair and as the matrix of 200 such traces.
#include <algorithm>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "dissensus/random.h"

#include "run/runner.h"
#include "run/schedule_space.h"
#include "systems/simulated/simulated.h"
#include "trace/graph_distance.h"

namespace dissensus {
namespace {

constexpr std::size_t kDeliveries = 1000;

/// The records up to and with the delivery of this number.
void cut_after(std::vector<trace::Record>& records, std::size_t deliveries) {
  std::size_t seen = 0;
  const auto end = std::find_if(records.begin(), records.end(), [&](const trace::Record& record) {
    return record.type == EventType::deliver && seen++ == deliveries;
  });
  records.erase(end, records.end());
}

std::vector<trace::Trace> make_traces(std::size_t count) {
  const run::Scenario scenario =
      run::load_scenario(DISSENSUS_SOURCE_DIR "/scenarios/xrpl/thesis.toml", simulated_systems());
  run::Runner runner;
  run::RunOptions options;
  options.detail = trace::Detail::everything;
  std::vector<trace::Trace> traces(count);
  for (std::size_t index = 0; index < count; ++index) {
    Random random(1, "schedule", index);
    const faults::Schedule schedule = run::random_schedule(scenario, random);
    run::RunResult result = runner.run(scenario, schedule, index + 1, options);
    traces[index].header.nodes = scenario.nodes();
    traces[index].records = std::move(result.records);
    cut_after(traces[index].records, kDeliveries);
  }
  return traces;
}

std::vector<trace::LabelledGraph> make_graphs(std::size_t count, trace::EventLabel label) {
  std::vector<trace::LabelledGraph> graphs;
  for (const trace::Trace& trace : make_traces(count)) {
    graphs.push_back(trace::trace_graph(trace, {.label = label}));
  }
  return graphs;
}

void report_size(benchmark::State& state, const trace::LabelledGraph& graph) {
  state.counters["vertices"] = static_cast<double>(graph.vertices());
  state.counters["edges"] = static_cast<double>(graph.edges.size());
}

/// From records to the distance: graphs, profiles, comparison. Argument: contents in the labels.
void BM_TwoTraces(benchmark::State& state) {
  const trace::TraceGraphOptions options{.label = static_cast<trace::EventLabel>(state.range(0))};
  const std::vector<trace::Trace> traces = make_traces(2);
  for (auto _ : state) {
    const trace::LabelledGraph first = trace::trace_graph(traces[0], options);
    const trace::LabelledGraph second = trace::trace_graph(traces[1], options);
    benchmark::DoNotOptimize(trace::hausdorff_edit_distance(first, second));
  }
  report_size(state, trace::trace_graph(traces[0], options));
}
BENCHMARK(BM_TwoTraces)->Unit(benchmark::kMillisecond)->ArgName("contents")->Arg(0)->Arg(1);

void BM_EditPath(benchmark::State& state) {
  const std::vector<trace::LabelledGraph> graphs = make_graphs(2, trace::EventLabel::event);
  for (auto _ : state) benchmark::DoNotOptimize(trace::edit_path_cost(graphs[0], graphs[1]));
  report_size(state, graphs[0]);
}
BENCHMARK(BM_EditPath)->Unit(benchmark::kMillisecond);

/// All 200 x 200 distances, profiles included, on one core.
void BM_Matrix(benchmark::State& state) {
  constexpr std::size_t kTraces = 200;
  const std::vector<trace::LabelledGraph> graphs =
      make_graphs(kTraces, static_cast<trace::EventLabel>(state.range(0)));
  for (auto _ : state) {
    std::vector<trace::GraphProfile> profiles;
    for (const trace::LabelledGraph& graph : graphs) profiles.emplace_back(graph);
    double sum = 0;
    for (const trace::GraphProfile& one : profiles) {
      for (const trace::GraphProfile& other : profiles) {
        sum += trace::hausdorff_edit_distance(one, other);
      }
    }
    benchmark::DoNotOptimize(sum);
  }
  report_size(state, graphs[0]);
}
BENCHMARK(BM_Matrix)->Unit(benchmark::kMillisecond)->ArgName("contents")->Arg(0)->Arg(1);

}  // namespace
}  // namespace dissensus

BENCHMARK_MAIN();
