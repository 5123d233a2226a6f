#include "history/transactional.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dissensus/options.h"

#include "amount.h"
#include "history/finding_names.h"
#include "history/random_history.h"
#include "history/reader.h"

namespace dissensus::history {
namespace {

struct Step {
  std::string_view process_and_kind;  ///< "0 invoke"
  std::string_view value;             ///< "[[append 1 2] [r 1 nil]]"
};

std::string edn_of(std::initializer_list<Step> steps) {
  std::string text;
  for (const Step& step : steps) {
    const std::size_t space = step.process_and_kind.find(' ');
    text += fmt::format("{{:process {}, :type :{}, :f :txn, :value {}}}\n",
                        step.process_and_kind.substr(0, space),
                        step.process_and_kind.substr(space + 1), step.value);
  }
  return text;
}

Verdict check_text(const std::string& text, TransactionKind kind,
                   const TransactionOptions& options = {}) {
  const History history = parse_history("test", text);
  return check_transactions(history, operations_of(history), kind, options);
}

/// Transactions that are all open at the same time, each of a process of its own, so that neither
/// sessions nor real time order them.
std::string concurrent(std::initializer_list<std::string_view> committed) {
  std::string invocations;
  std::string answers;
  int process = 0;
  for (const std::string_view value : committed) {
    invocations += edn_of({{fmt::format("{} invoke", process), value}});
    answers += edn_of({{fmt::format("{} ok", process), value}});
    ++process;
  }
  return invocations + answers;
}

struct Seeded {
  const char* name;
  TransactionKind kind;
  std::string text;
  std::vector<std::string> anomalies;  ///< all that are to be found
  std::string excluded;                ///< weakest levels
};

class SeededAnomalies : public testing::TestWithParam<Seeded> {};

TEST_P(SeededAnomalies, AreFoundAndNamed) {
  const Seeded& seeded = GetParam();
  const Verdict verdict = check_text(seeded.text, seeded.kind);
  EXPECT_EQ(verdict.outcome, Outcome::fail);
  EXPECT_EQ(names_of(verdict), seeded.anomalies);
  const auto excluded = std::ranges::find(verdict.figures, "weakest level excluded",
                                          &std::pair<std::string, std::string>::first);
  ASSERT_NE(excluded, verdict.figures.end());
  EXPECT_EQ(excluded->second, seeded.excluded);
  for (const Finding& finding : verdict.findings) {
    EXPECT_FALSE(finding.parts.empty()) << finding.name;
    EXPECT_FALSE(finding.text.empty()) << finding.name;
  }
}

constexpr auto kList = TransactionKind::list_append;
constexpr auto kRegister = TransactionKind::rw_register;
const char* const kSnapshots = "snapshot-isolation, repeatable-read";

std::vector<Seeded> seeded() {
  std::vector<Seeded> all;
  // Appends to two keys in opposite orders.
  all.push_back({"G0",
                 kList,
                 concurrent({"[[append 1 1] [append 2 1]]", "[[append 1 2] [append 2 2]]",
                             "[[r 1 [1 2]]]", "[[r 2 [2 1]]]"}),
                 {"G0"},
                 "read-uncommitted"});
  all.push_back({"G1a",
                 kList,
                 edn_of({{"0 invoke", "[[append 1 1]]"},
                         {"1 invoke", "[[r 1 nil]]"},
                         {"0 fail", "[[append 1 1]]"},
                         {"1 ok", "[[r 1 [1]]]"}}),
                 {"G1a"},
                 "read-committed"});
  all.push_back({"G1b",
                 kList,
                 concurrent({"[[append 1 1] [append 1 2]]", "[[r 1 [1]]]", "[[r 1 [1 2]]]"}),
                 // Having seen half of the transaction, the reader is before and after it.
                 {"G-single", "G1b", "fractured-read"},
                 "read-committed"});
  // Each reads what the other wrote.
  all.push_back({"G1c",
                 kList,
                 concurrent({"[[append 1 1] [r 2 [1]]]", "[[append 2 1] [r 1 [1]]]"}),
                 {"G1c"},
                 "read-committed"});
  // Sees one write of a transaction and misses the other.
  all.push_back({"GSingle",
                 kList,
                 concurrent({"[[append 1 1] [append 2 1]]", "[[r 1 [1]] [r 2 []]]", "[[r 2 [1]]]"}),
                 {"G-single", "fractured-read"},
                 "read-atomic, repeatable-read"});
  // The writer of what it sees had seen the other write: no half, and no snapshot.
  all.push_back({"GSingleThroughAnother",
                 kList,
                 concurrent({"[[append 1 1]]", "[[r 1 [1]] [append 2 1]]", "[[r 2 [1]] [r 1 []]]"}),
                 {"G-single"},
                 kSnapshots});
  // Each reads what the other is about to write.
  all.push_back({"G2Item",
                 kList,
                 concurrent({"[[r 1 []] [append 2 1]]", "[[r 2 []] [append 1 1]]", "[[r 1 [1]]]",
                             "[[r 2 [1]]]"}),
                 {"G2-item"},
                 "repeatable-read"});
  // Two readers see two writes in opposite orders.
  all.push_back({"GNonadjacent",
                 kList,
                 concurrent({"[[append 1 1]]", "[[append 2 1]]", "[[r 1 [1]] [r 2 []]]",
                             "[[r 1 []] [r 2 [1]]]"}),
                 {"G-nonadjacent"},
                 kSnapshots});
  all.push_back({"LostUpdate",
                 kList,
                 concurrent({"[[append 1 1]]", "[[r 1 [1]] [append 1 2]]",
                             "[[r 1 [1]] [append 1 3]]", "[[r 1 [1 2 3]]]"}),
                 {"G-single", "lost-update"},
                 kSnapshots});
  // Adya asks of every history that transactions see their own writes.
  all.push_back({"OwnWrite",
                 kList,
                 concurrent({"[[append 1 1] [r 1 []]]", "[[r 1 [1]]]"}),
                 {"own-write"},
                 "read-committed"});
  all.push_back({"Internal",
                 kList,
                 concurrent({"[[r 1 []] [r 1 [1]]]", "[[append 1 1]]"}),
                 {"G-single", "internal"},
                 "read-atomic, repeatable-read"});
  all.push_back({"IncompatibleOrder",
                 kList,
                 concurrent({"[[append 1 1]]", "[[append 1 2]]", "[[r 1 [1 2]]]", "[[r 1 [2]]]"}),
                 {"incompatible-order"},
                 "read-committed"});
  all.push_back({"DuplicateElements",
                 kList,
                 concurrent({"[[append 1 1]]", "[[r 1 [1 1]]]"}),
                 {"duplicate-elements"},
                 "read-committed"});
  all.push_back({"GarbageRead",
                 kList,
                 concurrent({"[[append 1 1]]", "[[r 1 [1 7]]]"}),
                 {"garbage-read"},
                 "read-committed"});
  all.push_back({"DirtyUpdate",
                 kList,
                 edn_of({{"0 invoke", "[[append 1 1]]"},
                         {"1 invoke", "[[append 1 2]]"},
                         {"2 invoke", "[[r 1 nil]]"},
                         {"0 fail", "[[append 1 1]]"},
                         {"1 ok", "[[append 1 2]]"},
                         {"2 ok", "[[r 1 [1 2]]]"}}),
                 {"G1a", "dirty-update"},
                 "read-committed"});
  // A client misses its own write.
  all.push_back({"GSingleProcess",
                 kList,
                 edn_of({{"0 invoke", "[[append 1 1]]"},
                         {"1 invoke", "[[r 1 nil]]"},
                         {"0 ok", "[[append 1 1]]"},
                         {"0 invoke", "[[r 1 nil]]"},
                         {"0 ok", "[[r 1 []]]"},
                         {"1 ok", "[[r 1 [1]]]"}}),
                 {"G-single-process"},
                 "strong-session-snapshot-isolation"});
  // Another client misses it, later.
  all.push_back({"GSingleRealtime",
                 kList,
                 edn_of({{"2 invoke", "[[r 1 nil]]"},
                         {"0 invoke", "[[append 1 1]]"},
                         {"0 ok", "[[append 1 1]]"},
                         {"1 invoke", "[[r 1 nil]]"},
                         {"1 ok", "[[r 1 []]]"},
                         {"2 ok", "[[r 1 [1]]]"}}),
                 {"G-single-realtime"},
                 "strong-snapshot-isolation"});
  all.push_back({"RegisterG1a",
                 kRegister,
                 edn_of({{"0 invoke", "[[w 1 1]]"},
                         {"0 fail", "[[w 1 1]]"},
                         {"1 invoke", "[[r 1 nil]]"},
                         {"1 ok", "[[r 1 1]]"}}),
                 {"G1a"},
                 "read-committed"});
  all.push_back({"RegisterG1b",
                 kRegister,
                 concurrent({"[[w 1 1] [w 1 2]]", "[[r 1 1]]"}),
                 {"G1b"},
                 "read-committed"});
  all.push_back({"RegisterG1c",
                 kRegister,
                 concurrent({"[[w 1 1] [r 2 1]]", "[[w 2 1] [r 1 1]]"}),
                 {"G1c"},
                 "read-committed"});
  all.push_back({"RegisterLostUpdate",
                 kRegister,
                 concurrent({"[[w 1 1]]", "[[r 1 1] [w 1 2]]", "[[r 1 1] [w 1 3]]"}),
                 {"G2-item", "lost-update"},
                 kSnapshots});
  all.push_back({"RegisterGSingle",
                 kRegister,
                 concurrent({"[[w 1 1] [w 2 1]]", "[[r 1 1] [r 2 nil]]"}),
                 {"G-single", "fractured-read"},
                 "read-atomic, repeatable-read"});
  // Two writers of the same two registers, and each is seen as the last of one.
  all.push_back({"RegisterFracturedRead",
                 kRegister,
                 concurrent({"[[w 1 1] [w 2 1]]", "[[w 1 2] [w 2 2]]", "[[r 1 1] [r 2 2]]"}),
                 {"fractured-read"},
                 "read-atomic, repeatable-read"});
  all.push_back({"RegisterG2Item",
                 kRegister,
                 concurrent({"[[r 1 nil] [w 2 1]]", "[[r 2 nil] [w 1 1]]"}),
                 {"G2-item"},
                 "repeatable-read"});
  all.push_back(
      {"RegisterGNonadjacent",
       kRegister,
       concurrent({"[[w 1 1]]", "[[w 2 1]]", "[[r 1 1] [r 2 nil]]", "[[r 1 nil] [r 2 1]]"}),
       {"G-nonadjacent"},
       kSnapshots});
  all.push_back({"RegisterInternal",
                 kRegister,
                 concurrent({"[[r 1 nil] [r 1 1]]", "[[w 1 1]]"}),
                 {"G-single", "internal"},
                 "read-atomic, repeatable-read"});
  all.push_back({"RegisterOwnWrite",
                 kRegister,
                 concurrent({"[[w 1 1] [r 1 nil]]"}),
                 {"own-write"},
                 "read-committed"});
  all.push_back({"RegisterGarbage",
                 kRegister,
                 concurrent({"[[w 1 1]]", "[[r 1 9]]"}),
                 {"garbage-read"},
                 "read-committed"});
  // The order of versions comes from who read which before writing.
  all.push_back({"RegisterGSingleThroughVersions",
                 kRegister,
                 concurrent({"[[w 1 1] [w 2 1]]", "[[r 1 1] [w 1 2] [w 2 2]]", "[[r 2 2] [w 2 3]]",
                             "[[r 2 3] [r 1 1]]"}),
                 {"G-single"},
                 kSnapshots});
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, SeededAnomalies, testing::ValuesIn(seeded()),
                         [](const testing::TestParamInfo<Seeded>& seeded_case) {
                           return seeded_case.param.name;
                         });

TEST(Transactions, OnlyWhatExcludesThePromisedLevelIsAViolation) {
  const std::string skew = concurrent(
      {"[[r 1 []] [append 2 1]]", "[[r 2 []] [append 1 1]]", "[[r 1 [1]]]", "[[r 2 [1]]]"});
  TransactionOptions options;
  options.promised = Isolation::snapshot_isolation;
  const Verdict verdict = check_text(skew, kList, options);
  EXPECT_EQ(verdict.outcome, Outcome::pass);
  EXPECT_EQ(names_of(verdict), std::vector<std::string>{"G2-item"}) << "and it is still told";
  options.promised = Isolation::repeatable_read;
  EXPECT_EQ(check_text(skew, kList, options).outcome, Outcome::fail);
}

TEST(Transactions, TheShortestCycleIsShownWithItsReasons) {
  const Verdict verdict = check_text(
      concurrent({"[[append 1 1] [append 2 1]]", "[[r 1 [1]] [r 2 []]]", "[[r 2 [1]]]"}), kList);
  ASSERT_EQ(names_of(verdict), (std::vector<std::string>{"G-single", "fractured-read"}));
  const Finding& finding = verdict.findings[0];
  ASSERT_EQ(finding.links.size(), 2u);
  EXPECT_EQ(finding.links[0].label, "rw");
  EXPECT_EQ(finding.links[0].text, "T1 did not see what T2 wrote to key 2");
  EXPECT_EQ(finding.links[1].label, "wr");
  EXPECT_EQ(finding.links[1].text, "T2 wrote what T1 read of key 1");
  EXPECT_EQ(finding.links[0].from, 1u);
  EXPECT_EQ(finding.links[0].to, 0u);
}

Outcome outcome_at(Isolation level, const std::string& text, TransactionKind kind) {
  TransactionOptions options;
  options.promised = level;
  return check_text(text, kind, options).outcome;
}

constexpr auto kStrict = Isolation::strict_serializable;
constexpr auto kCommitted = Isolation::read_committed;

/// However many acknowledged appends a read misses, it misses them.
TEST(Transactions, ManyAppendsThatNoReadShowsAreMissed) {
  std::string text;
  for (int i = 1; i <= 40; ++i) {
    const std::string append = fmt::format("[[append 1 {}]]", i);
    text += edn_of({{"0 invoke", append}, {"0 ok", append}});
    if (i < 4) continue;
    const std::string late = edn_of({{"1 invoke", "[[r 1 nil]]"}, {"1 ok", "[[r 1 []]]"}});
    EXPECT_EQ(outcome_at(kStrict, text + late, kList), Outcome::fail) << i;
    EXPECT_EQ(outcome_at(Isolation::strong_session_serializable, text + late, kList), Outcome::pass)
        << i;
    const std::string own = edn_of({{"0 invoke", "[[r 1 nil]]"}, {"0 ok", "[[r 1 []]]"}});
    EXPECT_EQ(outcome_at(Isolation::strong_session_serializable, text + own, kList), Outcome::fail)
        << i;
    EXPECT_EQ(outcome_at(Isolation::serializable, text + own, kList), Outcome::pass) << i;
  }
}

TEST(Transactions, WithoutAReadNothingIsKnown) {
  for (const auto& [text, kind] : {std::pair(concurrent({"[[append 1 1]]"}), kList),
                                   std::pair(concurrent({"[[w 1 1]]", "[[w 1 2]]"}), kRegister),
                                   std::pair(edn_of({{"0 invoke", "[[r 1 nil]]"}}), kList)}) {
    const Verdict verdict = check_text(text, kind);
    EXPECT_EQ(verdict.outcome, Outcome::unknown) << text;
    EXPECT_NE(verdict.reason.find("nothing was checked"), std::string::npos) << verdict.reason;
  }
}

/// What is seen of a transaction that nobody answered tells that all of it happened.
TEST(Transactions, AnUnansweredTransactionHappensAsAWhole) {
  const std::string list = edn_of({{"0 invoke", "[[append 1 1] [append 2 1]]"},
                                   {"0 info", "[[append 1 1] [append 2 1]]"},
                                   {"1 invoke", "[[r 1 nil] [r 2 nil]]"}});
  EXPECT_EQ(outcome_at(kStrict, list + edn_of({{"1 ok", "[[r 1 [1]] [r 2 []]]"}}), kList),
            Outcome::fail);
  EXPECT_EQ(outcome_at(kStrict, list + edn_of({{"1 ok", "[[r 1 [1]] [r 2 [1]]]"}}), kList),
            Outcome::pass);
  EXPECT_EQ(outcome_at(kStrict, list + edn_of({{"1 ok", "[[r 1 []] [r 2 []]]"}}), kList),
            Outcome::pass);
  const std::string registers = edn_of({{"0 invoke", "[[w 1 1] [w 2 1]]"},
                                        {"0 info", "[[w 1 1] [w 2 1]]"},
                                        {"1 invoke", "[[r 1 nil] [r 2 nil]]"}});
  EXPECT_EQ(outcome_at(kStrict, registers + edn_of({{"1 ok", "[[r 1 1] [r 2 nil]]"}}), kRegister),
            Outcome::fail);
  EXPECT_EQ(outcome_at(kStrict, registers + edn_of({{"1 ok", "[[r 1 1] [r 2 1]]"}}), kRegister),
            Outcome::pass);
  EXPECT_EQ(outcome_at(kStrict, registers + edn_of({{"1 ok", "[[r 1 nil] [r 2 nil]]"}}), kRegister),
            Outcome::pass);
  // Two reads, one after the other, in which the second knows less.
  const std::string later =
      edn_of({{"1 ok", "[[r 1 1] [r 2 1]]"}, {"1 invoke", "[[r 2 nil]]"}, {"1 ok", "[[r 2 nil]]"}});
  EXPECT_EQ(outcome_at(kStrict, registers + later, kRegister), Outcome::fail);
}

/// Wherever in a transaction it is read: first, again, or beside an append of its own.
TEST(Transactions, AnAppendThatFailedIsInNoReadOfReadCommitted) {
  const std::string failed = edn_of({{"0 invoke", "[[append 1 1]]"}, {"0 fail", "[[append 1 1]]"}});
  for (const char* const reader :
       {"[[r 1 [1]]]", "[[r 1 []] [r 1 [1]]]", "[[append 1 2] [r 1 [1 2]]]",
        "[[r 1 []] [append 1 2] [r 1 [1 2]]]", "[[r 2 []] [r 1 [1]]]"}) {
    const std::string text = failed + concurrent({reader, "[[append 1 3]]"});
    TransactionOptions options;
    options.promised = kCommitted;
    const Verdict verdict = check_text(text, kList, options);
    EXPECT_EQ(verdict.outcome, Outcome::fail) << reader;
    EXPECT_THAT(names_of(verdict), testing::Contains("G1a")) << reader;
  }
  const std::string registers = edn_of({{"0 invoke", "[[w 1 1]]"}, {"0 fail", "[[w 1 1]]"}});
  EXPECT_EQ(outcome_at(kCommitted, registers + concurrent({"[[r 1 nil] [r 1 1]]"}), kRegister),
            Outcome::fail);
}

TEST(Transactions, BlindWritesOfOneProcessAreInItsOrder) {
  const std::string text = edn_of({{"0 invoke", "[[w 1 1]]"},
                                   {"0 ok", "[[w 1 1]]"},
                                   {"0 invoke", "[[w 1 2]]"},
                                   {"0 ok", "[[w 1 2]]"},
                                   {"0 invoke", "[[r 1 nil]]"},
                                   {"0 ok", "[[r 1 1]]"}});
  for (const Isolation level :
       {kStrict, Isolation::strong_session_serializable, Isolation::strong_snapshot_isolation,
        Isolation::strong_session_snapshot_isolation}) {
    EXPECT_EQ(outcome_at(level, text, kRegister), Outcome::fail) << to_string(level);
  }
  EXPECT_EQ(outcome_at(Isolation::serializable, text, kRegister), Outcome::pass);
  const Verdict verdict = check_text(text, kRegister);
  ASSERT_EQ(names_of(verdict), (std::vector<std::string>{"G-single-process", "G1c-process"}));
  EXPECT_EQ(verdict.findings[0].links.size(), 2u);
}

/// Two readers see two blind writes in opposite orders, one after the other.
TEST(Transactions, BlindWritesAreInOneOrderForAll) {
  const std::string writes = concurrent({"[[w 1 1]]", "[[w 1 2]]"});
  const auto read = [](int process, int value) {
    return edn_of({{fmt::format("{} invoke", process), "[[r 1 nil]]"},
                   {fmt::format("{} ok", process), fmt::format("[[r 1 {}]]", value)}});
  };
  EXPECT_EQ(outcome_at(kStrict, writes + read(2, 1) + read(3, 1), kRegister), Outcome::pass);
  EXPECT_EQ(outcome_at(kStrict, writes + read(2, 1) + read(3, 2), kRegister), Outcome::fail);
  EXPECT_EQ(outcome_at(Isolation::serializable, writes + read(2, 1) + read(3, 2), kRegister),
            Outcome::pass);
}

/// PostgreSQL at READ COMMITTED: T1 reads a register, T2 writes it and another one and commits, T1
/// reads the other one and then writes the first. T1's version may well be the second.
TEST(Transactions, ReadCommittedLetsAReadBeOutOfDateWhenItsReaderWrites) {
  const std::string text = concurrent({"[[r 1 nil] [r 2 1] [w 1 2]]", "[[w 1 1] [w 2 1]]"});
  EXPECT_EQ(outcome_at(kCommitted, text, kRegister), Outcome::pass);
  EXPECT_EQ(outcome_at(Isolation::read_atomic, text, kRegister), Outcome::fail);
  EXPECT_EQ(outcome_at(Isolation::snapshot_isolation, text, kRegister), Outcome::fail);
  // The same without the fractured read: T3 carries the news.
  const std::string carried =
      concurrent({"[[r 1 nil] [r 3 1] [w 1 2]]", "[[w 1 1] [w 2 1]]", "[[r 2 1] [w 3 1]]"});
  EXPECT_EQ(outcome_at(kCommitted, carried, kRegister), Outcome::pass);
  EXPECT_EQ(outcome_at(Isolation::read_atomic, carried, kRegister), Outcome::pass);
  EXPECT_EQ(outcome_at(Isolation::snapshot_isolation, carried, kRegister), Outcome::fail);
}

/// Two that wrote the same key must not overlap, though nobody read what they wrote.
TEST(Transactions, SnapshotsDoNotOverlapInUnreadWrites) {
  const std::string skew =
      concurrent({"[[r 1 []] [append 2 1] [append 3 1]]", "[[r 2 []] [append 1 1] [append 3 2]]"});
  EXPECT_EQ(outcome_at(Isolation::snapshot_isolation, skew, kList), Outcome::fail);
  const std::string apart =
      concurrent({"[[r 1 []] [append 2 1] [append 3 1]]", "[[r 2 []] [append 1 1] [append 4 2]]"});
  EXPECT_EQ(outcome_at(Isolation::snapshot_isolation, apart, kList), Outcome::pass);
}

TEST(Transactions, AValueThatIsWrittenTwiceIsRefused) {
  try {
    check_text(concurrent({"[[append 1 1]]", "[[append 1 1]]"}), kList);
    FAIL() << "expected an error";
  } catch (const InputError& error) {
    EXPECT_STREQ(
        error.what(),
        "test:2: 1 is written to key 1 a second time (first in line 1); expected that every "
        "value is written to a key once");
  }
}

TEST(Transactions, OtherFormsAreRefused) {
  for (const char* value : {"7", "[7]", "[[x 1 2]]", "[[append 1]]", "[[w 1 2]]"}) {
    EXPECT_THROW(check_text(edn_of({{"0 invoke", value}, {"0 ok", value}}), kList), InputError)
        << value;
  }
  EXPECT_THROW(check_text(concurrent({"[[r 1 5]]"}), kList), InputError);
  // Nobody could tell it from a key without a version.
  EXPECT_THROW(check_text(concurrent({"[[w 1 nil]]"}), kRegister), InputError);
}

/// A store with strict serializability. Transactions have one to four micro-operations.
struct SerialStore {
  TransactionKind kind;
  std::map<std::int64_t, std::vector<Value>> lists;
  std::int64_t next_value = 1;
  std::int64_t keys = 4;

  RandomHistory generator() {
    RandomHistory result;
    result.ask = [this](History& history, Random& random, std::string& function) {
      function = "txn";
      std::vector<Value> micros;
      const std::int64_t count = random.between(1, 4);
      const bool is_list = kind == TransactionKind::list_append;
      for (std::int64_t i = 0; i < count; ++i) {
        const Value key = Value::integer(random.between(1, keys));
        const bool is_read = random.chance(0.5);
        micros.push_back(history.list({history.word(is_read   ? "r"
                                                    : is_list ? "append"
                                                              : "w"),
                                       key, is_read ? Value{} : Value::integer(next_value++)}));
      }
      return history.list(micros);
    };
    result.act = [this](History& history, Random&, const std::string&, const Value& asked) {
      std::vector<Value> micros;
      for (const Value& micro : asked.items()) {
        std::vector<Value>& list = lists[micro.items()[1].integer()];
        if (micro.items()[0].text() != "r") {
          list.push_back(micro.items()[2]);
          micros.push_back(micro);
          continue;
        }
        const Value last = list.empty() ? Value{} : list.back();
        micros.push_back(
            history.list({micro.items()[0], micro.items()[1],
                          kind == TransactionKind::list_append ? history.list(list) : last}));
      }
      return history.list(micros);
    };
    return result;
  }
};

class CorrectStores : public testing::TestWithParam<TransactionKind> {};

TEST_P(CorrectStores, NeverRaiseAnAlarm) {
  for (std::uint64_t seed = 0; seed < test::tries(10'000); ++seed) {
    SerialStore store{GetParam(), {}, 1, 4};
    RandomHistory generator = store.generator();
    Random random(seed, "shape");
    generator.processes = static_cast<std::size_t>(random.between(1, 8));
    generator.operations = static_cast<std::size_t>(random.between(5, 60));
    const History history = generator.make(seed);
    const Verdict verdict =
        check_transactions(history, operations_of(history), GetParam(), TransactionOptions{});
    const bool is_empty = verdict.reason.find("nothing was checked") != std::string::npos;
    ASSERT_EQ(verdict.outcome, is_empty ? Outcome::unknown : Outcome::pass)
        << "seed " << seed << ": " << verdict.reason
        << (verdict.findings.empty() ? "" : verdict.findings[0].text);
    ASSERT_TRUE(verdict.findings.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Both, CorrectStores,
                         testing::Values(TransactionKind::list_append,
                                         TransactionKind::rw_register));

/// A store with strong snapshot isolation: the first of two writers that overlap commits, and the
/// other one fails.
History snapshot_history(std::uint64_t seed, TransactionKind kind, std::size_t transactions) {
  const bool is_list = kind == TransactionKind::list_append;
  Random random(seed, "snapshots");
  History history("snapshots");
  struct Client {
    bool is_busy = false;
    std::map<std::int64_t, std::vector<Value>> view;
    std::size_t begun = 0;
    Value asked;
  };
  std::vector<Client> clients(1 + random.below(6));
  std::map<std::int64_t, std::vector<Value>> store;
  std::map<std::int64_t, std::size_t> changed;
  std::int64_t next = 0;
  std::size_t asked = 0;
  for (std::size_t now = 1; asked < transactions; ++now) {
    const std::size_t process = random.below(clients.size());
    Client& client = clients[process];
    if (!client.is_busy) {
      std::vector<Value> micros;
      for (std::uint64_t i = 0; i <= random.below(4); ++i) {
        const bool is_read = random.chance(0.5);
        const char* const write = is_list ? "append" : "w";
        micros.push_back(
            history.list({history.word(is_read ? "r" : write), Value::integer(random.between(1, 5)),
                          is_read ? Value{} : Value::integer(++next)}));
      }
      client = {true, store, now, history.list(micros)};
      history.invoke(static_cast<std::int64_t>(process), "txn", client.asked);
      ++asked;
      continue;
    }
    client.is_busy = false;
    bool commits = true;
    std::vector<Value> answer;
    for (const Value& micro : client.asked.items()) {
      const std::int64_t key = micro.items()[1].integer();
      std::vector<Value>& content = client.view[key];
      if (micro.items()[0].text() != "r") {
        commits = commits && changed[key] < client.begun;
        content.push_back(micro.items()[2]);
        answer.push_back(micro);
        continue;
      }
      const Value last = content.empty() ? Value{} : content.back();
      answer.push_back(history.list(
          {micro.items()[0], micro.items()[1], is_list ? history.list(content) : last}));
    }
    for (const Value& micro : client.asked.items()) {
      if (!commits || micro.items()[0].text() == "r") continue;
      const std::int64_t key = micro.items()[1].integer();
      store[key] = client.view[key];
      changed[key] = now;
    }
    history.complete(commits ? EventKind::ok : EventKind::fail, static_cast<std::int64_t>(process),
                     "txn", commits ? history.list(answer) : client.asked);
  }
  return history;
}

TEST_P(CorrectStores, OfSnapshotsAreFoundToBeSuch) {
  for (std::uint64_t seed = 0; seed < test::tries(100); ++seed) {
    const History history = snapshot_history(seed, GetParam(), 10 + seed % 60);
    for (const Isolation level : {Isolation::strong_snapshot_isolation,
                                  Isolation::snapshot_isolation, Isolation::read_atomic}) {
      TransactionOptions options;
      options.promised = level;
      const Verdict verdict =
          check_transactions(history, operations_of(history), GetParam(), options);
      const bool is_empty = verdict.reason.find("nothing was checked") != std::string::npos;
      ASSERT_EQ(verdict.outcome, is_empty ? Outcome::unknown : Outcome::pass)
          << "seed " << seed << " " << to_string(level) << ": " << verdict.reason
          << (verdict.findings.empty() ? "" : verdict.findings.back().text);
    }
  }
}

/// Reads that are late by a few transactions: most such histories are not strictly serializable,
/// and many not serializable. If the checker passes one, it must be passed by luck alone.
TEST(BrokenStores, AreFoundMostOfTheTime) {
  std::size_t found = 0;
  constexpr std::uint64_t kHistories = 200;
  for (std::uint64_t seed = 0; seed < kHistories; ++seed) {
    SerialStore store{TransactionKind::list_append, {}, 1, 4};
    RandomHistory generator = store.generator();
    generator.operations = 100;
    const auto correct = generator.act;
    generator.act = [&](History& history, Random& random, const std::string& function,
                        const Value& asked) {
      const auto before = store.lists;
      Value answer = correct(history, random, function, asked);
      // Every tenth transaction loses what it wrote.
      if (random.chance(0.1)) store.lists = before;
      return answer;
    };
    const History history = generator.make(seed);
    const Verdict verdict = check_transactions(history, operations_of(history),
                                               TransactionKind::list_append, TransactionOptions{});
    found += verdict.outcome == Outcome::fail ? 1 : 0;
  }
  EXPECT_GT(found, kHistories * 9 / 10);
}

TEST(Levels, LeaveTheStrongestThatIsNotExcluded) {
  ExcludedLevels excluded;
  EXPECT_EQ(excluded.strongest_left(), std::vector{Isolation::strict_serializable});
  excluded.add("G2-item-realtime");
  EXPECT_EQ(excluded.strongest_left(), (std::vector{Isolation::strong_session_serializable,
                                                    Isolation::strong_snapshot_isolation}));
  excluded.add("G-single");
  EXPECT_EQ(excluded.strongest_left(), std::vector{Isolation::read_atomic});
  excluded.add("G0");
  EXPECT_TRUE(excluded.strongest_left().empty());
  for (const std::string& name : isolation_names()) {
    EXPECT_EQ(to_string(*isolation_named(name)), name);
  }
}

}  // namespace
}  // namespace dissensus::history
