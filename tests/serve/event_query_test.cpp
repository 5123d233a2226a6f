// Questions in words give the events that a person means, and what was understood is said.
#include "serve/event_query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dissensus/options.h"

#include "serve/runs.h"

namespace dissensus::serve {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const LoadedRun& overtaken() {
  static const std::shared_ptr<const LoadedRun> run = corpus_run("majority-overtaken-commit");
  return *run;
}

template <class Wanted>
std::vector<std::size_t> expected(const LoadedRun& run, const Wanted& wanted) {
  std::vector<std::size_t> records;
  for (std::size_t i = 0; i < run.records().size(); ++i) {
    if (wanted(run.records()[i])) records.push_back(i);
  }
  return records;
}

std::string error_of(std::string_view question) {
  try {
    ask(overtaken(), question);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(EventQuery, AKindMeansItsMessages) {
  const auto sends = expected(overtaken(), [](const trace::Record& record) {
    return record.type == EventType::send && record.kind == 0 && record.node == 1;
  });
  ASSERT_THAT(sends, Not(IsEmpty()));
  EXPECT_EQ(ask(overtaken(), "proposals of node 1").records, sends);
  EXPECT_EQ(ask(overtaken(), "Proposal n1").records, sends);
  EXPECT_EQ(ask(overtaken(), "send proposal node=1").records, sends);
  EXPECT_EQ(ask(overtaken(), "proposals from 1").records, sends);
}

// Where no kind of message is called so, proposals are what nodes report as proposed.
TEST(EventQuery, ProposalsAreReportsWhereNoMessageIsCalledSo) {
  LoadedRun run = overtaken();
  run.trace.header.kinds[0] = "Vote";
  const auto reported = expected(run, [](const trace::Record& record) {
    return record.type == EventType::propose && record.node == 1;
  });
  ASSERT_THAT(reported, Not(IsEmpty()));
  EXPECT_EQ(ask(run, "proposals of node 1").records, reported);
}

TEST(EventQuery, DirectionAndTypeAreTold) {
  const auto arrived = expected(overtaken(), [](const trace::Record& record) {
    return record.type == EventType::deliver && record.kind == 1 && record.node == 1 &&
           record.peer == 0;
  });
  ASSERT_THAT(arrived, Not(IsEmpty()));
  EXPECT_EQ(ask(overtaken(), "received commit from node 0 to node 1").records, arrived);
  EXPECT_EQ(ask(overtaken(), "deliver commits from 0 at 1").records, arrived);
}

TEST(EventQuery, FieldsRoundsAndTimesNarrow) {
  const auto all = ask(overtaken(), "proposals").records;
  EXPECT_EQ(ask(overtaken(), "proposals round 0").records.size() +
                ask(overtaken(), "proposals round!=0").records.size(),
            all.size());
  EXPECT_THAT(ask(overtaken(), "proposals round 77").records, IsEmpty());
  EXPECT_EQ(ask(overtaken(), "proposals value<100").records, all);
  EXPECT_THAT(ask(overtaken(), "after 1min").records, IsEmpty());
  EXPECT_EQ(ask(overtaken(), "before 1min").records.size(), overtaken().records().size());
}

// Every decision of a node comes after its start; no start comes after anything.
TEST(EventQuery, PrecededByFollowsCausesAndTheOrderAtNodes) {
  const auto decisions = ask(overtaken(), "decisions").records;
  ASSERT_THAT(decisions, Not(IsEmpty()));
  EXPECT_EQ(ask(overtaken(), "decisions preceded by start").records, decisions);
  EXPECT_THAT(ask(overtaken(), "decisions not preceded by start").records, IsEmpty());
  EXPECT_THAT(ask(overtaken(), "start preceded by send").records, IsEmpty());
  const auto followed = ask(overtaken(), "start followed by decisions").records;
  EXPECT_THAT(followed, Not(IsEmpty()));
}

TEST(EventQuery, SaysWhatItUnderstoodAndWhatNot) {
  EXPECT_THAT(ask(overtaken(), "decisions of node 2 not preceded by commit from 0").understood,
              HasSubstr("decide, at node 2; not preceded by: Commit, from node 0"));
  EXPECT_THAT(error_of("proposals of node 9"), HasSubstr("'9' is no node, expected 0 to 2"));
  EXPECT_THAT(error_of("florble"), HasSubstr("'florble' is no type of event"));
  EXPECT_THAT(error_of("send not"), HasSubstr("expected 'preceded by'"));
  EXPECT_THAT(error_of("send preceded by"), HasSubstr("expected which events"));
  EXPECT_THAT(error_of("after soon"), HasSubstr("expected a time"));
  EXPECT_THAT(error_of("round="), HasSubstr("expected NAME=VALUE"));
  EXPECT_THAT(error_of(std::string(3000, 'x')), HasSubstr("at most 2000"));
}

TEST(EventQuery, RandomWordsAreAnsweredOrRefused) {
  const char* words[] = {"send", "not",   "preceded", "by",    "\"", "node", "3",    "=",  "<",
                         "!=",   "round", "n1",       "after", "2s", ",",    "from", "to", "value"};
  Random random(3, "words");
  for (int round = 0; round < 2000; ++round) {
    std::string question;
    for (std::uint64_t i = random.below(8); i > 0; --i) {
      question +=
          std::string(words[random.below(std::size(words))]) + (random.chance(0.7) ? " " : "");
    }
    try {
      EXPECT_LE(ask(overtaken(), question).records.size(), overtaken().records().size());
    } catch (const InputError& error) {
      EXPECT_STRNE(error.what(), "");
    }
  }
}

}  // namespace
}  // namespace dissensus::serve
