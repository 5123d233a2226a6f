#include "history/workloads.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "dissensus/options.h"

#include "history/checker.h"
#include "history/finding_names.h"
#include "history/reader.h"

namespace dissensus::history {
namespace {

/// "0 invoke add 1": one event per line, ten milliseconds apart.
Verdict check_lines(std::string_view model, std::initializer_list<std::string> lines,
                    const CheckOptions& options = {}) {
  std::string text;
  std::int64_t time_ns = 0;
  for (const std::string& line : lines) {
    const std::size_t process = line.find(' ');
    const std::size_t kind = line.find(' ', process + 1);
    const std::size_t function = line.find(' ', kind + 1);
    time_ns += 10'000'000;
    text += "{:process " + line.substr(0, process) +
            " :type :" + line.substr(process + 1, kind - process - 1) +
            " :f :" + line.substr(kind + 1, function - kind - 1) + " :value " +
            line.substr(function + 1) + " :time " + std::to_string(time_ns) + "}\n";
  }
  const History history = parse_history("test", text);
  return check(history, operations_of(history), model, options);
}

std::string figure(const Verdict& verdict, const std::string& name) {
  for (const auto& [key, value] : verdict.figures) {
    if (key == name) return value;
  }
  return "none";
}

using Names = std::vector<std::string>;

TEST(GrowingSet, LateIsFineLostIsNot) {
  const Verdict late = check_lines("g-set", {"0 invoke add 1", "0 ok add 1", "1 invoke read nil",
                                             "1 ok read []", "1 invoke read nil", "1 ok read [1]"});
  EXPECT_EQ(late.outcome, Outcome::pass);
  EXPECT_EQ(figure(late, "of these late"), "1");
  EXPECT_EQ(figure(late, "milliseconds until stable, by quantile"),
            "0: 10.000, 0.5: 10.000, 0.95: 10.000, 0.99: 10.000, 1: 10.000");
  const Verdict lost = check_lines("g-set", {"0 invoke add 1", "0 ok add 1", "1 invoke read nil",
                                             "1 ok read [1]", "1 invoke read nil", "1 ok read []"});
  EXPECT_EQ(lost.outcome, Outcome::fail);
  EXPECT_EQ(names_of(lost), Names{"lost"});
  EXPECT_EQ(lost.findings[0].parts.size(), 3u);
}

TEST(GrowingSet, WhatIsAddedDuringTheLastReadNeedNotBeInIt) {
  const Verdict verdict = check_lines("g-set", {"0 invoke add 1", "0 ok add 1", "1 invoke read nil",
                                                "0 invoke add 2", "0 ok add 2", "1 ok read [1]"});
  EXPECT_EQ(verdict.outcome, Outcome::pass);
  EXPECT_EQ(figure(verdict, "added and not in a read since"), "1");
}

TEST(GrowingSet, NamesUnexpectedDuplicatedAndFailed) {
  EXPECT_EQ(names_of(check_lines("g-set", {"0 invoke read nil", "0 ok read [5]"})),
            Names{"unexpected"});
  EXPECT_EQ(names_of(check_lines(
                "g-set", {"0 invoke read nil", "0 ok read [5]", "0 invoke add 5", "0 ok add 5"})),
            Names{"unexpected"})
      << "seen before it was added";
  EXPECT_EQ(names_of(check_lines(
                "g-set", {"0 invoke add 1", "0 ok add 1", "0 invoke read nil", "0 ok read [1 1]"})),
            Names{"duplicated"});
  EXPECT_EQ(names_of(check_lines(
                "g-set", {"0 invoke add 1", "0 fail add 1", "0 invoke read nil", "0 ok read [1]"})),
            Names{"failed but present"});
}

TEST(GrowingSet, WithoutReadsNothingIsKnown) {
  EXPECT_EQ(check_lines("broadcast", {"0 invoke broadcast 1", "0 ok broadcast 1"}).outcome,
            Outcome::unknown);
}

TEST(Broadcast, AMessageThatOneNodeNeverShowsIsLost) {
  const Verdict verdict =
      check_lines("broadcast", {"0 invoke broadcast 1", "0 ok broadcast 1", "0 invoke read nil",
                                "0 ok read [1]", "1 invoke read nil", "1 ok read []"});
  EXPECT_EQ(names_of(verdict), Names{"lost"});
}

TEST(Counters, FinalReadsShowTheSum) {
  const auto with_read = [](const std::string& model, const std::string& value) {
    return check_lines(model,
                       {"0 invoke add 3", "0 ok add 3", "0 invoke add 5", "0 info add 5",
                        "1 invoke add 2", "1 ok add 2", "1 invoke read nil", "1 ok read " + value})
        .outcome;
  };
  EXPECT_EQ(with_read("g-counter", "5"), Outcome::pass);
  EXPECT_EQ(with_read("g-counter", "10"), Outcome::pass) << "5 may have been added";
  EXPECT_EQ(with_read("g-counter", "8"), Outcome::fail);
  EXPECT_EQ(with_read("pn-counter", "10"), Outcome::pass);
  EXPECT_EQ(with_read("counter", "7"), Outcome::pass) << "within bounds";
  EXPECT_EQ(with_read("counter", "4"), Outcome::fail);
  EXPECT_EQ(with_read("counter", "11"), Outcome::fail);
}

/// Nothing was added, and the first event is a read: it is a final one all the same.
TEST(Counters, AFinalReadMayBeTheFirstEvent) {
  EXPECT_EQ(check_lines("g-counter", {"0 invoke read nil", "0 ok read 2"}).outcome, Outcome::fail);
  EXPECT_EQ(check_lines("pn-counter", {"0 invoke read nil", "0 ok read 0"}).outcome, Outcome::pass);
}

TEST(Counters, EarlyReadsOfEventualCountersMayBeStale) {
  EXPECT_EQ(check_lines("pn-counter",
                        {"0 invoke add -3", "0 ok add -3", "1 invoke read nil", "1 ok read 0",
                         "0 invoke add 1", "0 ok add 1", "1 invoke read nil", "1 ok read -2"})
                .outcome,
            Outcome::pass);
  EXPECT_EQ(check_lines("pn-counter",
                        {"1 invoke read nil", "1 ok read 0", "0 invoke add 1", "0 ok add 1"})
                .outcome,
            Outcome::unknown)
      << "no read after the last addition";
  EXPECT_THROW(check_lines("g-counter", {"0 invoke add -3", "0 ok add -3"}), InputError);
}

TEST(Counters, TooManySumsAreUnknown) {
  CheckOptions options;
  options.limits.memory_bytes = 10'000;
  std::string text;
  for (int i = 0; i < 30; ++i) {
    text += "INFO jepsen.util - " + std::to_string(i) + " :invoke :add " +
            std::to_string(1 << (i % 30)) + "\n";
  }
  text += "INFO jepsen.util - 99 :invoke :read nil\nINFO jepsen.util - 99 :ok :read 7\n";
  const History history = parse_history("test", text);
  const Verdict verdict = check(history, operations_of(history), "pn-counter", options);
  EXPECT_EQ(verdict.outcome, Outcome::unknown);
}

TEST(UniqueIds, TwoOfAKindAreShown) {
  EXPECT_EQ(check_lines("unique-ids", {"0 invoke generate nil", "1 invoke generate nil",
                                       "0 ok generate \"a\"", "1 ok generate \"b\""})
                .outcome,
            Outcome::pass);
  const Verdict verdict =
      check_lines("unique-ids", {"0 invoke generate nil", "1 invoke generate nil",
                                 "0 ok generate [1 2]", "1 ok generate [1 2]"});
  EXPECT_EQ(names_of(verdict), Names{"duplicate"});
  EXPECT_EQ(verdict.findings[0].parts.size(), 2u);
}

TEST(Echo, AnswersRepeatQuestions) {
  EXPECT_EQ(
      check_lines("echo", {"0 invoke echo \"hi\"", "0 ok echo {\"echo\" \"hi\" \"x\" 1}"}).outcome,
      Outcome::pass);
  EXPECT_EQ(check_lines("echo", {"0 invoke echo \"hi\"", "0 ok echo \"ho\""}).outcome,
            Outcome::fail);
}

TEST(Kafka, ACorrectLogPasses) {
  const Verdict verdict = check_lines(
      "kafka", {"0 invoke send [[send 1 10]]", "0 ok send [[send 1 [0 10]]]",
                "0 invoke send [[send 1 11]]", "0 ok send [[send 1 [1 11]]]",
                "1 invoke poll [[poll]]", "1 ok poll [[poll {\"1\" [[0 10] [1 11]]}]]"});
  EXPECT_EQ(verdict.outcome, Outcome::pass);
  EXPECT_EQ(figure(verdict, "messages"), "2");
}

/// Logs that nobody is known to have written to are empty, and that is what polls say.
TEST(Kafka, EmptyPollsOfLogsWithoutAnAcknowledgedMessagePass) {
  EXPECT_EQ(check_lines("kafka", {"0 invoke send [[send 1 10]]", "0 info send [[send 1 10]]",
                                  "1 invoke poll [[poll]]", "1 ok poll [[poll {}]]"})
                .outcome,
            Outcome::pass);
}

TEST(Kafka, WithoutAPollThatTellsSomethingNobodyKnows) {
  const std::string send = "0 invoke send [[send 1 10]]";
  const std::string sent = "0 ok send [[send 1 [0 10]]]";
  EXPECT_EQ(check_lines("kafka", {send, sent}).outcome, Outcome::unknown);
  EXPECT_EQ(
      check_lines("kafka", {send, sent, "1 invoke poll [[poll]]", "1 fail poll [[poll]]"}).outcome,
      Outcome::unknown);
  EXPECT_EQ(
      check_lines("kafka", {send, sent, "1 invoke poll [[poll]]", "1 ok poll [[poll {}]]"}).outcome,
      Outcome::unknown);
}

TEST(Kafka, NamesWhatIsWrong) {
  const auto names = [](std::initializer_list<std::string> lines) {
    return names_of(check_lines("kafka", lines));
  };
  EXPECT_EQ(names({"0 invoke send [[send 1 10]]", "0 ok send [[send 1 [0 10]]]",
                   "0 invoke send [[send 1 11]]", "0 ok send [[send 1 [1 11]]]",
                   "1 invoke poll [[poll]]", "1 ok poll [[poll {1 [[1 11]]}]]"}),
            Names{"lost-write"});
  EXPECT_EQ(names({"0 invoke send [[send 1 10]]", "0 ok send [[send 1 [0 10]]]",
                   "1 invoke send [[send 1 11]]", "1 ok send [[send 1 [0 11]]]",
                   "1 invoke poll [[poll]]", "1 ok poll [[poll {1 [[0 11]]}]]"}),
            Names{"inconsistent-offsets"});
  EXPECT_EQ(names({"0 invoke send [[send 1 10]]", "0 ok send [[send 1 [0 10]]]",
                   "1 invoke poll [[poll]]", "1 ok poll [[poll {1 [[0 10] [1 10]]}]]"}),
            Names{"duplicate"});
  EXPECT_EQ(names({"0 invoke send [[send 1 10]]", "0 fail send [[send 1 10]]",
                   "1 invoke poll [[poll]]", "1 ok poll [[poll {1 [[0 10]]}]]"}),
            Names{"G1a"});
  EXPECT_EQ(names({"1 invoke poll [[poll]]", "1 ok poll [[poll {1 [[0 10]]}]]"}),
            Names{"garbage-read"});
  const std::string send_two = "0 ok txn [[send 1 [0 10]] [send 1 [1 11]]]";
  EXPECT_EQ(names({"0 invoke txn [[send 1 10] [send 1 11]]", send_two, "1 invoke poll [[poll]]",
                   "1 ok poll [[poll {1 [[1 11] [0 10]]}]]"}),
            Names{"nonmonotonic-poll"});
  EXPECT_EQ(names({"0 invoke txn [[send 1 10] [send 1 11] [send 1 12]]",
                   "0 ok txn [[send 1 [0 10]] [send 1 [1 11]] [send 1 [2 12]]]",
                   "1 invoke poll [[poll]]", "1 ok poll [[poll {1 [[0 10] [2 12]]}]]",
                   "2 invoke poll [[poll]]", "2 ok poll [[poll {1 [[0 10] [1 11]]}]]"}),
            Names{"poll-skip"});
  EXPECT_EQ(
      names({"0 invoke txn [[send 1 11] [send 1 10]]", "0 ok txn [[send 1 [1 11]] [send 1 [0 10]]]",
             "1 invoke poll [[poll]]", "1 ok poll [[poll {1 [[0 10] [1 11]]}]]"}),
      Names{"nonmonotonic-send"});
}

TEST(Kafka, ANewAssignmentMayStartAgain) {
  EXPECT_EQ(check_lines("kafka", {"0 invoke send [[send 1 10]]", "0 ok send [[send 1 [0 10]]]",
                                  "1 invoke poll [[poll]]", "1 ok poll [[poll {1 [[0 10]]}]]",
                                  "1 invoke assign [1]", "1 ok assign [1]",
                                  "1 invoke poll [[poll]]", "1 ok poll [[poll {1 [[0 10]]}]]"})
                .outcome,
            Outcome::pass);
}

TEST(Checkers, AreFoundByNameAndSuggestOthers) {
  const History history = parse_history("test", "INFO jepsen.util - 0 :invoke :read nil\n");
  const std::vector<Operation> operations = operations_of(history);
  try {
    check(history, operations, "lin-kw", {});
    FAIL() << "expected an error";
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).find("no model 'lin-kw', did you mean 'lin-kv'? (models: "),
              0u)
        << error.what();
  }
  for (const CheckerDescription& checker : checkers()) {
    const Verdict verdict = check(History(), {}, checker.name, {});
    EXPECT_EQ(verdict.outcome, Outcome::unknown) << checker.name << ": nothing was checked";
    EXPECT_EQ(verdict.model, checker.name);
  }
}

TEST(Checkers, RefuseOperationsOfOthers) {
  for (const CheckerDescription& checker : checkers()) {
    if (checker.name == "kafka") continue;  // its clients also crash and list topics
    EXPECT_THROW(check_lines(checker.name, {"0 invoke dance 1", "0 ok dance 1"}), InputError)
        << checker.name;
  }
}

}  // namespace
}  // namespace dissensus::history
