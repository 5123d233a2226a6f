#include "history/linearizability.h"

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "history/brute_force.h"
#include "history/random_history.h"
#include "history/reader.h"

namespace dissensus::history {
namespace {

Verdict check_text(const std::string& text, LinearKind kind, const LinearOptions& options = {}) {
  const History history = parse_history("test", text);
  return check_linearizable(history, operations_of(history), kind, options);
}

/// "0 invoke write 1": one event per line, without the logger's words.
std::string log_of(std::initializer_list<const char*> lines) {
  std::string text;
  for (const char* line : lines) text += std::string("INFO jepsen.util - ") + line + "\n";
  return text;
}

TEST(Register, AReadMaySeeAWriteThatIsStillOpen) {
  const Verdict verdict = check_text(
      log_of({"0 :invoke :write 1", "1 :invoke :read nil", "1 :ok :read 1", "0 :ok :write 1"}),
      LinearKind::single_register);
  EXPECT_EQ(verdict.outcome, Outcome::pass);
}

TEST(Register, AReadOfAnOverwrittenValueIsStaleAndIsNamed) {
  const Verdict verdict =
      check_text(log_of({"0 :invoke :write 1", "0 :ok :write 1", "0 :invoke :write 2",
                         "0 :ok :write 2", "1 :invoke :read nil", "1 :ok :read 1"}),
                 LinearKind::single_register);
  ASSERT_EQ(verdict.outcome, Outcome::fail);
  ASSERT_EQ(verdict.findings.size(), 1u);
  const Finding& finding = verdict.findings[0];
  EXPECT_NE(finding.text.find("read -> 1 of process 1 (lines 5 and 6)"), std::string::npos)
      << finding.text;
  EXPECT_NE(finding.text.find("2 of 3 answered operations and ends in state 2"), std::string::npos)
      << finding.text;
  // Both writes in their order, the second as the last change, and the read that fits nowhere.
  ASSERT_EQ(finding.parts.size(), 3u);
  EXPECT_EQ(finding.parts[0].order, 1u);
  EXPECT_FALSE(finding.parts[0].is_conflict);
  EXPECT_EQ(finding.parts[1].order, 2u);
  EXPECT_TRUE(finding.parts[1].is_conflict);
  EXPECT_EQ(finding.parts[2].operation, 2u);
  EXPECT_TRUE(finding.parts[2].is_conflict);
}

TEST(Register, AWriteThatNobodyWasToldAboutMayHappenLate) {
  const Verdict verdict =
      check_text(log_of({"0 :invoke :write 1", "0 :info :write :timed-out", "1 :invoke :read nil",
                         "1 :ok :read nil", "1 :invoke :read nil", "1 :ok :read 1"}),
                 LinearKind::single_register);
  EXPECT_EQ(verdict.outcome, Outcome::pass);
}

TEST(Register, AWriteThatFailedDidNotHappen) {
  const Verdict verdict = check_text(
      log_of({"0 :invoke :write 1", "0 :fail :write 1", "1 :invoke :read nil", "1 :ok :read 1"}),
      LinearKind::single_register);
  EXPECT_EQ(verdict.outcome, Outcome::fail);
}

TEST(Register, AFailedCasComparesOnlyWhereThatIsSaid) {
  const std::string text = log_of({"0 :invoke :write 1", "0 :ok :write 1", "0 :invoke :cas [1 2]",
                                   "0 :fail :cas [1 2]", "0 :invoke :read nil", "0 :ok :read 1"});
  EXPECT_EQ(check_text(text, LinearKind::single_register).outcome, Outcome::pass);
  LinearOptions options;
  options.failed_cas_compares = true;
  EXPECT_EQ(check_text(text, LinearKind::single_register, options).outcome, Outcome::fail);
  const std::string mismatch =
      "{\"process\":0,\"type\":\"invoke\",\"f\":\"write\",\"value\":1}\n"
      "{\"process\":0,\"type\":\"ok\",\"f\":\"write\",\"value\":1}\n"
      "{\"process\":0,\"type\":\"invoke\",\"f\":\"cas\",\"value\":[1,2]}\n"
      "{\"process\":0,\"type\":\"fail\",\"f\":\"cas\",\"value\":[1,2],\"error\":[22,\"no\"]}\n";
  EXPECT_EQ(check_text(mismatch, LinearKind::single_register).outcome, Outcome::fail)
      << "the error says that the value was not 1";
}

TEST(Register, TheInitialValueCanBeGiven) {
  const std::string text = log_of({"0 :invoke :read nil", "0 :ok :read 0"});
  EXPECT_EQ(check_text(text, LinearKind::single_register).outcome, Outcome::fail);
  LinearOptions options;
  options.initial = Value::integer(0);
  EXPECT_EQ(check_text(text, LinearKind::single_register, options).outcome, Outcome::pass);
}

TEST(KeyValue, KeysAreCheckedApart) {
  const Verdict verdict = check_text(
      "{:process 0, :type :invoke, :f :write, :value [1 10]}\n"
      "{:process 0, :type :ok, :f :write, :value [1 10]}\n"
      "{:process 0, :type :invoke, :f :read, :value [2 nil]}\n"
      "{:process 0, :type :ok, :f :read, :value [2 nil]}\n"
      "{:process 0, :type :invoke, :f :read, :value [1 nil]}\n"
      "{:process 0, :type :ok, :f :read, :value [1 nil]}\n",
      LinearKind::key_value);
  ASSERT_EQ(verdict.outcome, Outcome::fail);
  ASSERT_EQ(verdict.findings.size(), 1u);
  EXPECT_EQ(verdict.findings[0].text.find("object 1:"), 0u) << verdict.findings[0].text;
}

TEST(KeyValue, AppendsGrowTexts) {
  const std::string start =
      "{:process 0, :type :invoke, :f :append, :key \"k\", :value \"ab\"}\n"
      "{:process 1, :type :invoke, :f :append, :key \"k\", :value \"c\"}\n"
      "{:process 0, :type :ok, :f :append, :key \"k\", :value \"ab\"}\n"
      "{:process 1, :type :ok, :f :append, :key \"k\", :value \"c\"}\n"
      "{:process 0, :type :invoke, :f :get, :key \"k\", :value nil}\n";
  const auto with_answer = [&](const std::string& answer) {
    return check_text(
               start + "{:process 0, :type :ok, :f :get, :key \"k\", :value \"" + answer + "\"}\n",
               LinearKind::key_value)
        .outcome;
  };
  EXPECT_EQ(with_answer("abc"), Outcome::pass);
  EXPECT_EQ(with_answer("cab"), Outcome::pass);
  EXPECT_EQ(with_answer("acb"), Outcome::fail);
  EXPECT_EQ(with_answer("ab"), Outcome::fail);
  EXPECT_EQ(with_answer(""), Outcome::fail);
}

TEST(Queue, WhatComesFirstLeavesFirst) {
  const std::string start =
      log_of({"0 :invoke :enqueue 1", "0 :ok :enqueue 1", "0 :invoke :enqueue 2",
              "0 :ok :enqueue 2", "0 :invoke :dequeue nil", "0 :ok :dequeue 2"});
  EXPECT_EQ(check_text(start, LinearKind::queue).outcome, Outcome::fail);
  EXPECT_EQ(check_text(start, LinearKind::bag).outcome, Outcome::pass);
}

TEST(Queue, ADequeueWithoutAnswerTookTheFirstOrNothing) {
  const std::string start =
      log_of({"0 :invoke :enqueue 1", "0 :ok :enqueue 1", "0 :invoke :enqueue 2",
              "0 :ok :enqueue 2", "1 :invoke :dequeue nil", "1 :info :dequeue nil"});
  EXPECT_EQ(
      check_text(start + log_of({"0 :invoke :dequeue nil", "0 :ok :dequeue 2"}), LinearKind::queue)
          .outcome,
      Outcome::pass);
  const Verdict verdict =
      check_text(start + log_of({"0 :invoke :dequeue nil", "0 :ok :dequeue 3"}), LinearKind::bag);
  EXPECT_EQ(verdict.outcome, Outcome::unknown)
      << "what a bag lost to an unanswered dequeue is not searched for";
}

TEST(Set, ElementsAreObjectsUnlessTheWholeIsRead) {
  const std::string text = log_of(
      {"0 :invoke :add 1", "0 :ok :add 1", "0 :invoke :contains 2", "0 :ok :contains false",
       "0 :invoke :remove 1", "0 :ok :remove 1", "0 :invoke :contains 1", "0 :ok :contains true"});
  const Verdict verdict = check_text(text, LinearKind::set);
  EXPECT_EQ(verdict.outcome, Outcome::fail);
  EXPECT_EQ(verdict.figures[1], (std::pair<std::string, std::string>{"objects", "2"}));
  EXPECT_EQ(check_text(log_of({"0 :invoke :add 1", "1 :invoke :add 2", "2 :invoke :read nil",
                               "2 :ok :read #{2}", "0 :ok :add 1", "1 :ok :add 2",
                               "2 :invoke :read nil", "2 :ok :read #{1 2}"}),
                       LinearKind::set)
                .outcome,
            Outcome::pass);
}

TEST(Mutex, TwoCannotHoldIt) {
  EXPECT_EQ(check_text(log_of({"0 :invoke :acquire nil", "0 :ok :acquire nil",
                               "1 :invoke :acquire nil", "1 :ok :acquire nil"}),
                       LinearKind::mutex)
                .outcome,
            Outcome::fail);
}

TEST(Limits, ASearchThatNeedsMoreSaysUnknown) {
  // Forty concurrent writes and reads of values that come and go: many orders, none of which works.
  std::string text;
  for (int i = 0; i < 20; ++i) {
    text += log_of({(std::to_string(i) + " :invoke :write " + std::to_string(i)).c_str()});
  }
  for (int i = 0; i < 20; ++i) {
    text += log_of({(std::to_string(i) + " :ok :write " + std::to_string(i)).c_str()});
  }
  for (int i = 0; i < 2; ++i) {
    text += log_of({"90 :invoke :cas [1 2]", "90 :ok :cas [1 2]"});
  }
  LinearOptions options;
  options.limits.steps = 100'000;
  const Verdict few_steps = check_text(text, LinearKind::single_register, options);
  EXPECT_EQ(few_steps.outcome, Outcome::unknown);
  EXPECT_NE(few_steps.reason.find("100000 steps"), std::string::npos) << few_steps.reason;
  options.limits.steps = 1'000'000'000;
  options.limits.memory_bytes = 1u << 20;
  const Verdict little_memory = check_text(text, LinearKind::single_register, options);
  EXPECT_EQ(little_memory.outcome, Outcome::unknown);
  EXPECT_NE(little_memory.reason.find("memory"), std::string::npos) << little_memory.reason;
}

/// A counter that gives the value before an increment, as a model of a user.
class TicketModel : public Model {
 public:
  std::string initial() const override { return "0"; }
  std::optional<std::string> step(const std::string& state, const Request& request) const override {
    const std::int64_t value = std::stoll(state);
    if (request.is_answered && request.result.integer() != value) return std::nullopt;
    return std::to_string(value + 1);
  }
};

TEST(UserModel, IsSearchedLikeTheOthers) {
  const auto outcome = [](const std::string& text) {
    const History history = parse_history("test", text);
    return check_linearizable(history, operations_of(history), TicketModel(), CheckLimits{})
        .outcome;
  };
  EXPECT_EQ(outcome(log_of({"0 :invoke :ticket nil", "1 :invoke :ticket nil", "0 :ok :ticket 1",
                            "1 :ok :ticket 0"})),
            Outcome::pass);
  EXPECT_EQ(outcome(log_of({"0 :invoke :ticket nil", "0 :ok :ticket 1", "1 :invoke :ticket nil",
                            "1 :ok :ticket 0"})),
            Outcome::fail);
}

// Against every order that there is, on small histories of which some are damaged.

struct Differential {
  LinearKind kind = LinearKind::single_register;
  RandomHistory generator = {};
  BruteStep step = {};
  std::string initial = {};
  std::function<void()> reset = {};
  LinearOptions options = {};
};

void compare(Differential& differential, std::uint64_t histories) {
  std::size_t passed = 0;
  std::size_t failed = 0;
  for (std::uint64_t seed = 0; seed < histories; ++seed) {
    differential.reset();
    const History made = differential.generator.make(seed);
    // Half of them are damaged: one answer is replaced by that of another operation.
    Random random(seed, "damage");
    History history("damaged");
    std::vector<std::size_t> answers;
    for (std::size_t i = 0; i < made.events().size(); ++i) {
      if (made.events()[i].kind == EventKind::ok) answers.push_back(i);
    }
    std::size_t damaged = made.events().size();
    Value replacement;
    if (random.chance(0.5) && answers.size() > 1) {
      damaged = answers[random.below(answers.size())];
      for (const std::size_t other : answers) {
        const bool same = made.events()[other].function == made.events()[damaged].function;
        if (same && other != damaged && random.chance(0.5))
          replacement = made.events()[other].value;
      }
      if (replacement.is_nil()) damaged = made.events().size();
    }
    for (std::size_t i = 0; i < made.events().size(); ++i) {
      Event event = made.events()[i];
      if (i == damaged) event.value = replacement;
      history.add(event);
    }
    const std::vector<Operation> operations = operations_of(history);
    BruteForce brute(history, operations, differential.step);
    const bool expected = brute.is_linearizable(differential.initial);
    const Verdict verdict =
        check_linearizable(history, operations, differential.kind, differential.options);
    (expected ? passed : failed) += 1;
    ASSERT_EQ(verdict.outcome, expected ? Outcome::pass : Outcome::fail) << [&] {
      std::string text = "seed " + std::to_string(seed) + "\n";
      for (const Event& event : history.events()) text += to_json_line(event) + "\n";
      return text;
    }();
  }
  // Both outcomes must be common, or the comparison says nothing.
  EXPECT_GT(passed, histories / 10);
  EXPECT_GT(failed, histories / 50);
}

constexpr std::uint64_t kComparisons = 4000;

TEST(Differential, Registers) {
  std::int64_t value = -1;
  Differential differential;
  differential.kind = LinearKind::single_register;
  differential.generator.processes = 3;
  differential.generator.operations = 8;
  differential.reset = [&] { value = -1; };
  differential.generator.ask = [](History& history, Random& random, std::string& function) {
    const std::uint64_t draw = random.below(3);
    function = draw == 0 ? "read" : draw == 1 ? "write" : "cas";
    if (draw == 0) return Value{};
    const Value number = Value::integer(random.between(0, 2));
    if (draw == 1) return number;
    return history.list({number, Value::integer(random.between(0, 2))});
  };
  differential.generator.act = [&](History&, Random&, const std::string& function,
                                   const Value& asked) {
    if (function == "read") return value < 0 ? Value{} : Value::integer(value);
    if (function == "write") value = asked.integer();
    // A cas that does not match is answered all the same: a mistake that the checker must see.
    if (function == "cas" && asked.items()[0].integer() == value) {
      value = asked.items()[1].integer();
    }
    return asked;
  };
  differential.initial = "nil";
  differential.step = [](const std::string& state, const std::string& function, const Value& asked,
                         const Value* answer) -> std::optional<std::string> {
    if (function == "write") return to_string(asked);
    if (function == "cas") {
      if (to_string(asked.items()[0]) != state) return std::nullopt;
      return to_string(asked.items()[1]);
    }
    if (answer != nullptr && to_string(*answer) != state) return std::nullopt;
    return state;
  };
  compare(differential, kComparisons);
}

TEST(Differential, TextsThatGrow) {
  std::map<std::string, std::string> store;
  Differential differential;
  differential.kind = LinearKind::key_value;
  differential.generator.processes = 4;
  differential.generator.operations = 8;
  differential.options.initial = History::view(Value::Type::text, "");
  differential.reset = [&] { store.clear(); };
  differential.generator.ask = [](History& history, Random& random, std::string& function) {
    const std::uint64_t draw = random.below(5);
    function = draw < 2 ? "get" : draw < 4 ? "append" : "put";
    const char letter = static_cast<char>('a' + random.below(3));
    const Value text = draw < 2 ? Value{} : history.text(std::string(1 + random.below(2), letter));
    return history.list({history.text("k"), text});
  };
  differential.generator.act = [&](History& history, Random&, const std::string& function,
                                   const Value& asked) {
    std::string& text = store["k"];
    if (function == "get") return history.list({asked.items()[0], history.text(text)});
    if (function == "put") text.clear();
    text += asked.items()[1].text();
    return asked;
  };
  differential.step = [](const std::string& state, const std::string& function, const Value& asked,
                         const Value* answer) -> std::optional<std::string> {
    if (function == "put") return std::string(asked.items()[1].text());
    if (function == "append") return state + std::string(asked.items()[1].text());
    if (answer != nullptr && answer->items()[1].text() != state) return std::nullopt;
    return state;
  };
  compare(differential, kComparisons);
}

TEST(Differential, Queues) {
  std::vector<std::int64_t> queue;
  Differential differential;
  differential.kind = LinearKind::queue;
  differential.generator.processes = 3;
  differential.generator.operations = 7;
  differential.generator.fail = 0;
  differential.reset = [&] { queue.clear(); };
  differential.generator.ask = [](History&, Random& random, std::string& function) {
    function = random.chance(0.5) ? "enqueue" : "dequeue";
    return function == "enqueue" ? Value::integer(random.between(1, 3)) : Value{};
  };
  differential.generator.act = [&](History&, Random&, const std::string& function,
                                   const Value& asked) {
    if (function == "enqueue") {
      queue.push_back(asked.integer());
      return asked;
    }
    if (queue.empty()) return Value{};
    const Value first = Value::integer(queue.front());
    queue.erase(queue.begin());
    return first;
  };
  differential.step = [](const std::string& state, const std::string& function, const Value& asked,
                         const Value* answer) -> std::optional<std::string> {
    if (function == "enqueue") return state + to_string(asked);
    if (answer == nullptr) return state.empty() ? state : state.substr(1);
    if (answer->is_nil()) return state.empty() ? std::optional(state) : std::nullopt;
    if (state.empty() || state.substr(0, 1) != to_string(*answer)) return std::nullopt;
    return state.substr(1);
  };
  compare(differential, kComparisons);
}

TEST(Differential, SetsThatAreReadAsAWhole) {
  std::vector<std::int64_t> set;
  Differential differential;
  differential.kind = LinearKind::set;
  differential.generator.processes = 3;
  differential.generator.operations = 7;
  differential.reset = [&] { set.clear(); };
  differential.generator.ask = [](History&, Random& random, std::string& function) {
    const std::uint64_t draw = random.below(4);
    function = draw == 0 ? "add" : draw == 1 ? "remove" : "read";
    return draw < 2 ? Value::integer(random.between(1, 3)) : Value{};
  };
  differential.generator.act = [&](History& history, Random&, const std::string& function,
                                   const Value& asked) {
    if (function != "read") {
      std::erase(set, asked.integer());
      if (function == "add") set.push_back(asked.integer());
      return asked;
    }
    std::vector<Value> items;
    for (const std::int64_t item : set) items.push_back(Value::integer(item));
    return history.set(items);
  };
  differential.step = [](const std::string& state, const std::string& function, const Value& asked,
                         const Value* answer) -> std::optional<std::string> {
    std::string after = state;
    if (function != "read") {
      std::erase(after, to_string(asked)[0]);
      if (function == "add") after += to_string(asked);
      std::sort(after.begin(), after.end());
      return after;
    }
    if (answer == nullptr) return state;
    std::string shown;
    for (const Value& item : answer->items()) shown += to_string(item);
    return shown == state ? std::optional(state) : std::nullopt;
  };
  compare(differential, kComparisons);
}

}  // namespace
}  // namespace dissensus::history
