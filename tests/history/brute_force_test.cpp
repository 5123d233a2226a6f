// Checkers against brute force: every small history is judged by the definition of what was
// promised as well, and the two must agree. DISSENSUS_SOAK=1 compares fifty times as many.
#include <array>
#include <map>
#include <memory>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "amount.h"
#include "history/checker.h"
#include "history/model_judges.h"
#include "history/random_history.h"
#include "history/reader.h"
#include "history/transaction_generator.h"
#include "history/transaction_judge.h"

namespace dissensus::history {
namespace {

/// What two judges said of the same histories.
struct Comparison {
  std::uint64_t histories = 0;
  std::uint64_t bad = 0;
  std::uint64_t missed = 0;
  std::uint64_t false_alarms = 0;
  std::uint64_t empty = 0;      ///< nothing was there to be judged
  std::uint64_t undecided = 0;  ///< unknown for another reason
  std::string example;

  void add(const History& history, bool is_good, const Verdict& verdict) {
    ++histories;
    bad += is_good ? 0 : 1;
    const bool is_missed = !is_good && verdict.outcome == Outcome::pass;
    const bool is_false = is_good && verdict.outcome == Outcome::fail;
    const bool is_empty = verdict.reason.find("nothing was checked") != std::string::npos;
    if (verdict.outcome == Outcome::unknown) ++(is_empty ? empty : undecided);
    missed += is_missed ? 1 : 0;
    false_alarms += is_false ? 1 : 0;
    if (!(is_missed || is_false) || !example.empty()) return;
    for (const Event& event : history.events()) example += to_json_line(event) + "\n";
    for (const Finding& finding : verdict.findings) {
      example += finding.name + ": " + finding.text + "\n";
    }
  }

  void expect_agreement(std::string_view what) const {
    EXPECT_EQ(missed, 0u) << what << "\n" << example;
    EXPECT_EQ(false_alarms, 0u) << what << "\n" << example;
    fmt::print(
        "{:<48} {:>7} histories, {:>6} bad, {} missed, {} false alarms, {} undecided, {} empty\n",
        what, histories, bad, missed, false_alarms, undecided, empty);
    // Both kinds are common, or the comparison says nothing.
    EXPECT_LT(bad, histories) << what;
  }
};

class BruteForceTransactions : public testing::TestWithParam<TransactionKind> {};

TEST_P(BruteForceTransactions, AgreeAtEveryLevel) {
  const bool is_list = GetParam() == TransactionKind::list_append;
  const std::uint64_t histories = test::tries(2'000, 100'000);
  std::vector<Comparison> comparisons(kIsolationLevels);
  for (std::uint64_t seed = 0; seed < histories; ++seed) {
    const History history = TransactionGenerator(seed, is_list).make();
    const std::vector<Operation> operations = operations_of(history);
    TransactionJudge judge(history, operations, is_list);
    for (std::size_t i = 0; i < kIsolationLevels; ++i) {
      TransactionOptions options;
      options.promised = static_cast<Isolation>(i);
      const Verdict verdict = check_transactions(history, operations, GetParam(), options);
      comparisons[i].add(history, judge.allows(options.promised), verdict);
    }
  }
  for (std::size_t i = 0; i < kIsolationLevels; ++i) {
    comparisons[i].expect_agreement(fmt::format("{} {}",
                                                is_list ? "txn-list-append" : "txn-rw-register",
                                                to_string(static_cast<Isolation>(i))));
  }
}

INSTANTIATE_TEST_SUITE_P(Both, BruteForceTransactions,
                         testing::Values(TransactionKind::list_append,
                                         TransactionKind::rw_register));

// ---- the other models

using Numbers = std::vector<std::int64_t>;

Value list_of(History& history, const Numbers& numbers) {
  std::vector<Value> items;
  for (const std::int64_t number : numbers) items.push_back(Value::integer(number));
  return history.list(items);
}
std::vector<std::string> when(bool is_possible, std::string state) {
  if (!is_possible) return {};
  return {std::move(state)};
}

/// A model with a store that carries it out, and the definition of what it promises.
struct SmallModel {
  const char* name;
  RandomHistory generator = {};
  std::function<bool(const std::vector<Done>&)> allows = {};
};

std::function<bool(const std::vector<Done>&)> in_some_order(std::string initial, ObjectStep step) {
  return [initial, step](const std::vector<Done>& all) {
    return ObjectJudge(all, step).allows(initial);
  };
}

SmallModel registers(bool has_keys) {
  SmallModel model{has_keys ? "lin-kv" : "lin-register"};
  const auto store = std::make_shared<std::map<std::int64_t, std::int64_t>>();
  const auto with_key = [has_keys](History& history, std::int64_t key, Value value) {
    return has_keys ? history.list({Value::integer(key), value}) : value;
  };
  const auto key_of = [has_keys](const Value& value) {
    return has_keys ? value.items()[0].integer() : 1;
  };
  const auto content_of = [has_keys](const Value& value) {
    return has_keys ? value.items()[1] : value;
  };
  model.generator.ask = [=](History& history, Random& random, std::string& function) {
    function = std::array{"read", "write", "cas"}[random.below(3)];
    const auto number = [&] { return Value::integer(random.between(1, 3)); };
    const Value value = function == "read"    ? Value{}
                        : function == "write" ? number()
                                              : history.list({number(), number()});
    return with_key(history, random.between(1, 2), value);
  };
  model.generator.act = [=](History& history, Random&, const std::string& function,
                            const Value& asked) {
    std::int64_t& now = (*store)[key_of(asked)];
    const Value content = content_of(asked);
    if (function == "write") now = content.integer();
    // A cas that does not match is answered all the same: a mistake that is to be seen.
    if (function == "cas" && content.items()[0].integer() == now)
      now = content.items()[1].integer();
    if (function != "read") return asked;
    return with_key(history, key_of(asked), now == 0 ? Value{} : Value::integer(now));
  };
  model.allows = in_some_order("000", [=](const std::string& state, const std::string& function,
                                          const Value& asked, const Value* answer) {
    std::string after = state;
    char& now = after[static_cast<std::size_t>(key_of(asked))];
    const auto digit = [](const Value& value) { return static_cast<char>('0' + value.integer()); };
    const Value content = content_of(asked);
    if (function == "read") {
      return when(answer == nullptr || digit(content_of(*answer)) == now, state);
    }
    const bool is_cas = function == "cas";
    const bool is_possible = !is_cas || digit(content.items()[0]) == now;
    now = digit(is_cas ? content.items()[1] : content);
    return when(is_possible, after);
  });
  return model;
}

SmallModel queues(bool is_ordered) {
  SmallModel model{is_ordered ? "lin-queue" : "lin-bag"};
  const auto queue = std::make_shared<Numbers>();
  model.generator.ask = [](History&, Random& random, std::string& function) {
    function = random.chance(0.5) ? "enqueue" : "dequeue";
    return function == "enqueue" ? Value::integer(random.between(1, 3)) : Value{};
  };
  model.generator.act = [=](History&, Random& random, const std::string& function,
                            const Value& asked) {
    if (function == "enqueue") {
      queue->push_back(asked.integer());
      return asked;
    }
    if (queue->empty()) return Value{};
    const std::size_t place = is_ordered ? 0 : random.below(queue->size());
    const Value taken = Value::integer((*queue)[place]);
    queue->erase(queue->begin() + static_cast<std::ptrdiff_t>(place));
    return taken;
  };
  model.allows = in_some_order("", [=](const std::string& state, const std::string& function,
                                       const Value& asked, const Value* answer) {
    if (function == "enqueue") return std::vector{state + to_string(asked)};
    if (answer != nullptr && answer->is_nil()) return when(state.empty(), state);
    std::vector<std::string> after;
    if (answer == nullptr && state.empty()) after.push_back(state);
    for (std::size_t i = 0; i < state.size() && (i == 0 || !is_ordered); ++i) {
      if (answer != nullptr && state.substr(i, 1) != to_string(*answer)) continue;
      after.push_back(state.substr(0, i) + state.substr(i + 1));
    }
    return after;
  });
  return model;
}

SmallModel sets(bool is_whole) {
  SmallModel model{"lin-set"};
  const auto set = std::make_shared<std::set<std::int64_t>>();
  model.generator.ask = [=](History&, Random& random, std::string& function) {
    const std::uint64_t draw = random.below(4);
    function = draw == 0               ? "add"
               : draw == 1             ? "remove"
               : is_whole && draw == 2 ? "read"
                                       : "contains";
    return function == "read" ? Value{} : Value::integer(random.between(1, 3));
  };
  model.generator.act = [=](History& history, Random&, const std::string& function,
                            const Value& asked) {
    if (function == "add") set->insert(asked.integer());
    if (function == "remove") set->erase(asked.integer());
    if (function == "contains") return Value::boolean(set->contains(asked.integer()));
    if (function == "read") return list_of(history, Numbers(set->begin(), set->end()));
    return asked;
  };
  model.allows = in_some_order("", [](const std::string& state, const std::string& function,
                                      const Value& asked, const Value* answer) {
    if (function == "read") {
      std::string shown;
      if (answer != nullptr) {
        for (const Value& item : answer->items()) shown += to_string(item);
      }
      return when(answer == nullptr || shown == state, state);
    }
    const bool has = state.find(to_string(asked)) != std::string::npos;
    if (function == "contains") return when(answer == nullptr || answer->boolean() == has, state);
    std::string after = state;
    if (has) std::erase(after, to_string(asked)[0]);
    if (function == "add") after += to_string(asked);
    std::sort(after.begin(), after.end());
    return std::vector{after};
  });
  return model;
}

SmallModel mutexes() {
  SmallModel model{"lin-mutex"};
  const auto is_held = std::make_shared<bool>(false);
  model.generator.ask = [](History&, Random& random, std::string& function) {
    function = random.chance(0.5) ? "acquire" : "release";
    return Value{};
  };
  model.generator.act = [=](History&, Random&, const std::string& function, const Value& asked) {
    *is_held = function == "acquire";
    return asked;
  };
  // Often refuses what cannot be; the rest is to be seen.
  model.generator.refuses = [=](const std::string& function, const Value&) {
    return *is_held == (function == "acquire");
  };
  model.allows = in_some_order("free", [](const std::string& state, const std::string& function,
                                          const Value&, const Value*) {
    return function == "acquire" ? when(state == "free", "held") : when(state == "held", "free");
  });
  return model;
}

SmallModel growing_sets(const char* name, const char* add) {
  SmallModel model{name};
  const auto set = std::make_shared<Numbers>();
  const auto next = std::make_shared<std::int64_t>(0);
  model.generator.ask = [=](History&, Random& random, std::string& function) {
    function = random.chance(0.4) ? add : "read";
    return function == "read" ? Value{} : Value::integer(++*next);
  };
  model.generator.act = [=](History& history, Random& random, const std::string& function,
                            const Value& asked) {
    if (function != "read") {
      set->push_back(asked.integer());
      return asked;
    }
    Numbers shown = *set;
    if (!shown.empty() && random.chance(0.3)) shown.erase(shown.begin());  // late
    return list_of(history, shown);
  };
  model.allows = allows_set;
  return model;
}

SmallModel counters(const char* name, std::int64_t least) {
  SmallModel model{name};
  const auto sum = std::make_shared<std::int64_t>(0);
  model.generator.ask = [=](History&, Random& random, std::string& function) {
    function = random.chance(0.5) ? "add" : "read";
    return function == "read" ? Value{} : Value::integer(random.between(least, 3));
  };
  model.generator.act = [=](History&, Random&, const std::string& function, const Value& asked) {
    if (function == "add") *sum += asked.integer();
    return function == "add" ? asked : Value::integer(*sum);
  };
  const bool is_bounded = std::string_view(name) == "counter";
  model.allows = is_bounded ? allows_bounds : allows_sum;
  return model;
}

SmallModel ids() {
  SmallModel model{"unique-ids"};
  const auto next = std::make_shared<std::int64_t>(3);
  model.generator.ask = [](History&, Random&, std::string& function) {
    function = "generate";
    return Value{};
  };
  model.generator.act = [=](History&, Random&, const std::string&, const Value&) {
    return Value::integer(++*next);
  };
  model.allows = allows_ids;
  return model;
}

SmallModel echoes() {
  SmallModel model{"echo"};
  model.generator.ask = [](History&, Random& random, std::string& function) {
    function = "echo";
    return Value::integer(random.between(1, 3));
  };
  model.generator.act = [](History&, Random&, const std::string&, const Value& asked) {
    return asked;
  };
  model.allows = allows_echoes;
  return model;
}

SmallModel logs() {
  SmallModel model{"kafka"};
  const auto log = std::make_shared<Numbers>();
  const auto next = std::make_shared<std::int64_t>(0);
  model.generator.ask = [=](History& history, Random& random, std::string& function) {
    function = random.chance(0.5) ? "send" : "poll";
    if (function == "poll") return history.list({history.list({history.word("poll")})});
    return history.list(
        {history.list({history.word("send"), Value::integer(1), Value::integer(++*next)})});
  };
  model.generator.act = [=](History& history, Random& random, const std::string& function,
                            const Value& asked) {
    const auto pair = [&](std::size_t offset) {
      const bool is_lie = random.chance(0.04);
      return history.list({Value::integer(static_cast<std::int64_t>(offset) + (is_lie ? 1 : 0)),
                           Value::integer((*log)[offset])});
    };
    if (function == "send") {
      log->push_back(asked.items()[0].items()[2].integer());
      return history.list(
          {history.list({history.word("send"), Value::integer(1), pair(log->size() - 1)})});
    }
    std::vector<Value> pairs;
    for (std::size_t i = random.chance(0.8) ? 0 : random.below(log->size() + 1); i < log->size();
         ++i) {
      pairs.push_back(pair(i));
    }
    return history.list({history.list(
        {history.word("poll"), history.map(std::vector{Value::integer(1), history.list(pairs)})})});
  };
  model.allows = allows_log;
  return model;
}

/// A false answer in the place of a true one.
Value lie(History& history, Random& random, const SmallModel& model, const std::string& function,
          const Value& asked, const Value& answer) {
  const std::string_view name = model.name;
  const Value number = Value::integer(random.between(1, 4));
  if (name == "kafka" || name == "lin-mutex") return answer;
  if (function == "contains") return Value::boolean(!answer.boolean());
  if (name == "lin-kv" && function == "read") return history.list({asked.items()[0], number});
  if (function == "read" && answer.is_list()) {
    Numbers shown;
    for (const Value& item : answer.items()) shown.push_back(item.integer());
    if (!shown.empty() && random.chance(0.6)) {
      shown.pop_back();
    } else if (!std::ranges::count(shown, number.integer()) || name != "lin-set") {
      shown.push_back(number.integer());
      if (name == "lin-set") std::ranges::sort(shown);
    }
    return list_of(history, shown);
  }
  const bool has_answer =
      function == "read" || function == "dequeue" || function == "generate" || function == "echo";
  return has_answer ? number : answer;
}

struct ModelCase {
  const char* name;
  std::function<SmallModel()> make;
};

class BruteForceModels : public testing::TestWithParam<ModelCase> {};

TEST_P(BruteForceModels, AgreeOnSmallHistories) {
  const std::uint64_t histories = test::tries(2'000, 100'000);
  Comparison comparison;
  for (std::uint64_t seed = 0; seed < histories; ++seed) {
    SmallModel model = GetParam().make();
    Random shape(seed, "shape");
    model.generator.processes = 1 + shape.below(4);
    model.generator.operations = 2 + shape.below(6);
    const double lies = shape.chance(0.5) ? 0 : 0.15;
    const auto act = model.generator.act;
    model.generator.act = [&](History& history, Random& random, const std::string& function,
                              const Value& asked) {
      const Value answer = act(history, random, function, asked);
      return random.chance(lies) ? lie(history, random, model, function, asked, answer) : answer;
    };
    const auto refuses = model.generator.refuses;
    if (refuses) {
      model.generator.refuses = [&](const std::string& function, const Value& asked) {
        return refuses(function, asked) && !shape.chance(lies);
      };
    }
    const History history = model.generator.make(seed);
    const std::vector<Operation> operations = operations_of(history);
    const Verdict verdict = check(history, operations, model.name, {});
    comparison.add(history, model.allows(all_done(history, operations)), verdict);
  }
  comparison.expect_agreement(GetParam().name);
  EXPECT_GT(comparison.bad, histories / 100) << GetParam().name;
}

INSTANTIATE_TEST_SUITE_P(
    All, BruteForceModels,
    testing::Values(ModelCase{"lin_register", [] { return registers(false); }},
                    ModelCase{"lin_kv", [] { return registers(true); }},
                    ModelCase{"lin_queue", [] { return queues(true); }},
                    ModelCase{"lin_bag", [] { return queues(false); }},
                    ModelCase{"lin_set_whole", [] { return sets(true); }},
                    ModelCase{"lin_set_by_element", [] { return sets(false); }},
                    ModelCase{"lin_mutex", [] { return mutexes(); }},
                    ModelCase{"g_set", [] { return growing_sets("g-set", "add"); }},
                    ModelCase{"broadcast", [] { return growing_sets("broadcast", "broadcast"); }},
                    ModelCase{"counter", [] { return counters("counter", -2); }},
                    ModelCase{"g_counter", [] { return counters("g-counter", 0); }},
                    ModelCase{"pn_counter", [] { return counters("pn-counter", -2); }},
                    ModelCase{"unique_ids", [] { return ids(); }},
                    ModelCase{"kafka", [] { return logs(); }},
                    ModelCase{"echo", [] { return echoes(); }}),
    [](const testing::TestParamInfo<ModelCase>& model) { return model.param.name; });

}  // namespace
}  // namespace dissensus::history
