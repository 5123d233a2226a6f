// TLA+ values: interning, sets, functions, and giving memory back.
#include <array>
#include <cstdint>
#include <vector>

#include <benchmark/benchmark.h>

#include "tla/values/value.h"

namespace dissensus::tla {
namespace {

/// Cells that are not there yet: pairs of numbers, in a store that is emptied now and then.
void BM_NewCells(benchmark::State& state) {
  Store store;
  const Store::Mark mark = store.mark();
  std::int64_t number = 0;
  for (auto _ : state) {
    const std::array pair{Value::integer(number), Value::integer(number ^ 5)};
    benchmark::DoNotOptimize(store.tuple(pair));
    if (++number % 1'000'000 == 0) store.release(mark);
  }
  state.counters["cells/s"] =
      benchmark::Counter(static_cast<double>(number), benchmark::Counter::kIsRate);
}
BENCHMARK(BM_NewCells);

/// Cells that are found in the table.
void BM_KnownCells(benchmark::State& state) {
  Store store;
  std::int64_t number = 0;
  for (auto _ : state) {
    const std::int64_t known = number++ % state.range(0);
    const std::array pair{Value::integer(known), Value::integer(known ^ 5)};
    benchmark::DoNotOptimize(store.tuple(pair));
  }
  state.counters["cells/s"] =
      benchmark::Counter(static_cast<double>(number), benchmark::Counter::kIsRate);
}
BENCHMARK(BM_KnownCells)->Arg(1000)->Arg(1'000'000);

/// One successor of a state as a checker makes it: a function changed at one place, a message put
/// into a set of `messages`, and all of it forgotten.
void BM_Successor(benchmark::State& state) {
  Store store;
  const auto message = [&](std::int64_t from, std::int64_t to) {
    const std::array names{store.text("kind"), store.text("from"), store.text("to")};
    const std::array values{store.text("vote"), Value::integer(from), Value::integer(to)};
    return store.record(names, values);
  };
  const Value nodes = store.set(std::array{store.model_value("n1"), store.model_value("n2"),
                                           store.model_value("n3"), store.model_value("n4")});
  Value rounds = store.function(nodes, std::vector<Value>(4, Value::integer(0)));
  std::vector<Value> messages;
  for (std::int64_t i = 0; i < state.range(0); ++i) messages.push_back(message(i, i + 1));
  const Value sent = store.set(messages);
  std::int64_t count = 0;
  for (auto _ : state) {
    const Store::Mark mark = store.mark();
    ++count;
    const Value node = store.element(nodes, static_cast<std::uint64_t>(count % 4));
    benchmark::DoNotOptimize(store.with(rounds, node, Value::integer(count % 7)));
    const Value added = message(count % 1000, -1);
    benchmark::DoNotOptimize(store.set_union(sent, store.set({&added, 1})));
    store.release(mark);
  }
  state.counters["successors/s"] =
      benchmark::Counter(static_cast<double>(count), benchmark::Counter::kIsRate);
}
BENCHMARK(BM_Successor)->ArgName("messages")->Arg(4)->Arg(32)->Arg(256);

/// Through the subsets of 16 elements without listing them.
void BM_Subsets(benchmark::State& state) {
  Store store;
  std::int64_t count = 0;
  for (auto _ : state) {
    const Store::Mark mark = store.mark();
    SetCursor cursor(store, store.powerset(store.interval(1, 16)));
    for (Value subset; cursor.next(subset);) ++count;
    store.release(mark);
  }
  state.counters["subsets/s"] =
      benchmark::Counter(static_cast<double>(count), benchmark::Counter::kIsRate);
}
BENCHMARK(BM_Subsets)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace dissensus::tla

BENCHMARK_MAIN();
