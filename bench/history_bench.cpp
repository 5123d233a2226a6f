// Checkers of histories: generated ones of a store that works, and files.
//   bench_history                    100,000 operations on 100 keys; 1,000,000 transactions
//   bench_history MODEL FILE...      the best of twenty checks of each file, reading not counted
#include <algorithm>
#include <ctime>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "dissensus/options.h"
#include "dissensus/random.h"

#include "history/checker.h"
#include "history/reader.h"
#include "tests/history/random_history.h"

namespace {

using namespace dissensus;
using namespace dissensus::history;

/// CPU time, since the machine may be busy.
double seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

double check_once(const History& history, const std::string& model, Verdict& verdict) {
  const double begin = seconds();
  verdict = check(history, operations_of(history), model, {});
  return seconds() - begin;
}

/// Reads, writes and compare-and-sets of registers by key, by 50 clients.
History key_value_history(std::size_t operations, std::int64_t keys) {
  std::map<std::int64_t, std::int64_t> store;
  RandomHistory generator;
  generator.processes = 50;
  generator.operations = operations;
  generator.info = 0.001;
  generator.fail = 0.01;
  generator.ask = [keys](History& history, Random& random, std::string& function) {
    const std::uint64_t draw = random.below(3);
    function = draw == 0 ? "read" : draw == 1 ? "write" : "cas";
    const Value key = Value::integer(random.between(1, keys));
    const Value number = Value::integer(random.between(1, 5));
    if (draw == 0) return history.list({key, Value{}});
    if (draw == 1) return history.list({key, number});
    return history.list({key, history.list({number, Value::integer(random.between(1, 5))})});
  };
  generator.act = [&store](History& history, Random&, const std::string& function,
                           const Value& asked) {
    const Value key = asked.items()[0];
    const Value content = asked.items()[1];
    const auto found = store.find(key.integer());
    const Value now = found == store.end() ? Value{} : Value::integer(found->second);
    if (function == "write") store[key.integer()] = content.integer();
    if (function == "read") return history.list({key, now});
    if (function == "cas") store[key.integer()] = content.items()[1].integer();
    return asked;
  };
  generator.refuses = [&store](const std::string& function, const Value& asked) {
    if (function != "cas") return false;
    const auto found = store.find(asked.items()[0].integer());
    return found == store.end() || found->second != asked.items()[1].items()[0].integer();
  };
  return generator.make(1);
}

/// Transactions of one to four micro-operations on keys that change over time, as Jepsen's do, so
/// that lists stay short.
History transaction_history(std::size_t transactions, bool is_list) {
  std::map<std::int64_t, std::vector<Value>> lists;
  std::int64_t next_value = 0;
  RandomHistory generator;
  generator.processes = 50;
  generator.operations = transactions;
  generator.info = 0.01;
  generator.fail = 0.01;
  generator.ask = [&](History& history, Random& random, std::string& function) {
    function = "txn";
    std::vector<Value> micros;
    const std::int64_t count = random.between(1, 4);
    for (std::int64_t i = 0; i < count; ++i) {
      const bool is_read = random.chance(0.5);
      const Value key = Value::integer(next_value / 300 * 3 + random.between(0, 9));
      micros.push_back(history.list({History::view(Value::Type::word, is_read   ? "r"
                                                                      : is_list ? "append"
                                                                                : "w"),
                                     key, is_read ? Value{} : Value::integer(next_value++)}));
    }
    return history.list(micros);
  };
  generator.act = [&](History& history, Random&, const std::string&, const Value& asked) {
    std::vector<Value> micros;
    for (const Value& micro : asked.items()) {
      std::vector<Value>& list = lists[micro.items()[1].integer()];
      const bool is_read = micro.items()[0].text() == "r";
      if (!is_read) list.push_back(micro.items()[2]);
      const Value last = list.empty() ? Value{} : list.back();
      micros.push_back(is_read ? history.list({micro.items()[0], micro.items()[1],
                                               is_list ? history.list(list) : last})
                               : micro);
    }
    return history.list(micros);
  };
  return generator.make(1);
}

void print(const std::string& name, double time, const Verdict& verdict) {
  fmt::print("{:<44} {:>12.1f} us  {}\n", name, time * 1e6, to_string(verdict.outcome));
}

void run_generated() {
  Verdict verdict;
  const History keys = key_value_history(100'000, 100);
  print("100,000 operations on 100 keys, lin-kv", check_once(keys, "lin-kv", verdict), verdict);
  const History lists = transaction_history(1'000'000, true);
  print("1,000,000 transactions, txn-list-append", check_once(lists, "txn-list-append", verdict),
        verdict);
  for (const auto& [name, value] : verdict.figures) fmt::print("    {}: {}\n", name, value);
  const History registers = transaction_history(1'000'000, false);
  print("1,000,000 transactions, txn-rw-register",
        check_once(registers, "txn-rw-register", verdict), verdict);
  for (const auto& [name, value] : verdict.figures) fmt::print("    {}: {}\n", name, value);
}

void run_files(const std::string& model, const std::vector<std::string>& files) {
  constexpr int kRepeats = 20;
  constexpr double kSecondsMax = 2;
  double total = 0;
  for (const std::string& file : files) {
    const History history = read_history(file);
    Verdict verdict;
    double best = check_once(history, model, verdict);
    for (int i = 1; i < kRepeats && best < kSecondsMax; ++i) {
      best = std::min(best, check_once(history, model, verdict));
    }
    print(file, best, verdict);
    total += best;
  }
  fmt::print("total {:.1f} us\n", total * 1e6);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc > 2) {
      run_files(argv[1], std::vector<std::string>(argv + 2, argv + argc));
    } else {
      run_generated();
    }
  } catch (const InputError& error) {
    fmt::print(stderr, "bench_history: {}\n", error.what());
    return 2;
  }
}
