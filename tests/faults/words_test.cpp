#include "faults/words.h"

#include <algorithm>
#include <map>
#include <regex>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dissensus/faults.h"
#include "dissensus/random.h"

namespace dissensus::faults {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Lines = std::vector<std::string>;

SystemDescription description() {
  SystemDescription result;
  result.kinds = {{"GetLedger"}, {"LedgerData"}, {"Validation"}};
  return result;
}

struct DelayEntry {
  NodeId from;
  NodeId to;
  MessageKind kind;
  std::uint32_t delay_ms;
};
Lines words_of_delays(const std::vector<DelayEntry>& entries) {
  const GeneSpace genes{4, 3};
  DelaySchedule delays;
  delays.delay_ms.assign(genes.size(), 0);
  for (const DelayEntry& entry : entries) {
    delays.delay_ms[genes.index(entry.from, entry.to, entry.kind)] = entry.delay_ms;
  }
  Schedule schedule;
  schedule.scheduler = delays;
  return in_words(schedule, description(), 4);
}

Lines words_of_faults(const std::vector<Fault>& faults) {
  Schedule schedule;
  schedule.faults = faults;
  return in_words(schedule, description(), 4);
}

// The sentence that the report promises.
TEST(Words, GenesOfOneSenderKindAndDelayShareASentence) {
  EXPECT_EQ(words_of_delays({{3, 1, 1, 5'400}, {3, 2, 1, 5'400}}),
            Lines{"messages LedgerData from 3 to 1 and 2 arrive 5.4 s late"});
}

TEST(Words, SendersAndKindsJoinWhereTheRestIsEqual) {
  EXPECT_EQ(words_of_delays({{2, 1, 1, 500}, {3, 1, 1, 500}, {2, 1, 0, 500}, {3, 1, 0, 500}}),
            Lines{"messages GetLedger and LedgerData from 2 and 3 to 1 arrive 500 ms late"});
}

TEST(Words, WholeKindsAndAllOthersAreNamedAsSuch) {
  std::vector<DelayEntry> entries;
  for (NodeId from = 0; from < 4; ++from) {
    for (NodeId to = 0; to < 4; ++to) {
      if (from != to) entries.push_back({from, to, 2, 1'000});
    }
  }
  EXPECT_EQ(words_of_delays(entries), Lines{"messages Validation arrive 1 s late"});
  EXPECT_EQ(words_of_delays({{1, 0, 0, 20}, {1, 2, 0, 20}, {1, 3, 0, 20}}),
            Lines{"messages GetLedger from 1 to all others arrive 20 ms late"});
}

TEST(Words, LongestDelaysComeFirst) {
  EXPECT_EQ(words_of_delays({{0, 1, 0, 20}, {0, 2, 0, 3'000}}),
            (Lines{"messages GetLedger from 0 to 2 arrive 3 s late",
                   "messages GetLedger from 0 to 1 arrive 20 ms late"}));
}

TEST(Words, NothingIsSaidToBeNothing) {
  EXPECT_EQ(words_of_faults({}),
            Lines{"no delay and no fault beyond what the scenario itself draws"});
  EXPECT_EQ(words_of_delays({}),
            Lines{"no delay and no fault beyond what the scenario itself draws"});
}

TEST(Words, SingleMessagesAreCounted) {
  Schedule schedule;
  MessageSchedule messages;
  const auto gene = static_cast<std::uint32_t>(GeneSpace{4, 3}.index(3, 1, 1));
  messages.delays = {{gene, 0, seconds(2)}, {gene, 2, milliseconds(1'500)}, {gene, 10, seconds(2)}};
  schedule.scheduler = messages;
  EXPECT_EQ(in_words(schedule, description(), 4),
            (Lines{"the 3rd message LedgerData from 3 to 1 arrives 1.5 s late",
                   "the 1st and 11th message LedgerData from 3 to 1 arrive 2 s late"}));
}

TEST(Words, FaultsHaveASentenceEach) {
  DropFault drop{{NodeId{0}, NodeId{1}, MessageKind{1}}, {}, 2};
  DropFault other = drop;
  other.messages.to = NodeId{2};
  EXPECT_EQ(words_of_faults({drop}), Lines{"messages LedgerData from 0 to 1 are lost, at most 2"});
  EXPECT_EQ(words_of_faults({drop, other}),
            Lines{"messages LedgerData from 0 to 1 and 2 are lost, at most 2 each"});
  PartitionFault partition;
  partition.groups = {{0, 1}};
  partition.when.from = seconds(1);
  partition.when.until = milliseconds(2'500);
  EXPECT_EQ(words_of_faults({partition}),
            Lines{"a partition separates 0 and 1 | the others from 1 s to 2.5 s"});
  CrashFault crash;
  crash.node = 2;
  crash.at = seconds(3);
  crash.restart_after = milliseconds(500);
  EXPECT_EQ(words_of_faults({crash}), Lines{"node 2 crashes at 3 s and restarts 500 ms later"});
  crash.at = Duration{};
  crash.restart_after.reset();
  EXPECT_EQ(words_of_faults({crash}), Lines{"node 2 is down from the start"});
  MutateFault mutate;
  mutate.node = 1;
  mutate.round = 4;
  mutate.receivers = {0, 2, 3};
  EXPECT_EQ(words_of_faults({mutate}),
            Lines{"in protocol round 4 node 1 lies to 0, 2 and 3: one field is changed a little "
                  "(seed 0)"});
}

TEST(Words, DurationsAreExact) {
  EXPECT_EQ(in_words(Duration{250}), "250 us");
  EXPECT_EQ(in_words(Duration{20'000}), "20 ms");
  EXPECT_EQ(in_words(Duration{1'500}), "1.5 ms");
  EXPECT_EQ(in_words(Duration{5'400'000}), "5.4 s");
  EXPECT_EQ(in_words(Duration{}), "0 s");
}

// As few genes as possible are called out of order.
TEST(Words, OnlyGenesThatLeftTheNaturalOrderAreNamed) {
  PrioritySchedule schedule;
  schedule.priority = {6, 5, 1, 4, 3, 2};
  EXPECT_EQ(out_of_order(schedule), std::vector<std::size_t>{2});
  schedule.priority = {6, 5, 4, 3, 2, 1};
  EXPECT_TRUE(out_of_order(schedule).empty());
}

/// What a list of sentences says, read back: the delay of each gene.
std::map<std::size_t, Duration> read_delays(const Lines& lines, const SystemDescription& system,
                                            std::size_t nodes) {
  const GeneSpace genes{nodes, system.kinds.size()};
  std::map<std::size_t, Duration> delays;
  const std::regex sentence(
      "(?:all messages|messages ([A-Za-z, ]+?))(?: from ([0-9, and]+))?"
      "(?: to (all others|[0-9, and]+))? arrive ([0-9.]+) (us|ms|s) late");
  const std::regex word("[A-Za-z]+|[0-9]+");
  for (const std::string& line : lines) {
    std::smatch parts;
    if (!std::regex_match(line, parts, sentence)) {
      ADD_FAILURE() << line;
      continue;
    }
    const auto numbers = [&](const std::string& text) {
      std::vector<std::size_t> all;
      for (std::sregex_iterator it(text.begin(), text.end(), word), end; it != end; ++it) {
        if (it->str() != "and") all.push_back(std::stoul(it->str()));
      }
      if (all.empty()) {
        for (std::size_t node = 0; node < nodes; ++node) all.push_back(node);
      }
      return all;
    };
    std::vector<std::size_t> kinds;
    for (std::size_t kind = 0; kind < system.kinds.size(); ++kind) {
      const std::string named = parts[1];
      const bool is_named =
          std::regex_search(named, std::regex("\\b" + system.kinds[kind].name + "\\b"));
      if (named.empty() || is_named) kinds.push_back(kind);
    }
    const double unit = parts[5] == "us" ? 1 : parts[5] == "ms" ? 1e3 : 1e6;
    const Duration delay(std::llround(std::stod(parts[4]) * unit));
    const std::string to = parts[3] == "all others" ? "" : parts[3].str();
    for (const std::size_t kind : kinds) {
      for (const std::size_t sender : numbers(parts[2])) {
        for (const std::size_t receiver : numbers(to)) {
          if (sender == receiver) continue;
          const std::size_t gene =
              genes.index(static_cast<NodeId>(sender), static_cast<NodeId>(receiver),
                          static_cast<MessageKind>(kind));
          EXPECT_TRUE(delays.emplace(gene, delay).second) << "twice: " << line;
        }
      }
    }
  }
  return delays;
}

// The line above the list, the list, and the schedule are one: over random schedules, of few
// different delays so that sentences are shared.
TEST(Words, TheSummaryAndTheListSayWhatTheScheduleIs) {
  const SystemDescription system = description();
  Random random(1, "words");
  const std::vector<std::uint32_t> values{0, 0, 1, 394, 4'000, 5'500, 8'000};
  for (std::size_t round = 0; round < 100; ++round) {
    const std::size_t nodes = 2 + random.below(4);
    const GeneSpace genes{nodes, system.kinds.size()};
    DelaySchedule delays;
    // From all genes alike to each by itself.
    const std::size_t choices = 1 + random.below(values.size());
    const std::size_t stretch = 1 + random.below(genes.size());
    while (delays.delay_ms.size() < genes.size()) {
      delays.delay_ms.resize(std::min(genes.size(), delays.delay_ms.size() + stretch),
                             values[values.size() - 1 - random.below(choices)]);
    }
    Schedule schedule;
    schedule.scheduler = delays;
    std::map<std::size_t, Duration> expected;
    Duration longest{};
    for (std::size_t gene = 0; gene < genes.size(); ++gene) {
      if (delays.delay_ms[gene] == 0) continue;
      expected[gene] = milliseconds(delays.delay_ms[gene]);
      longest = std::max(longest, expected[gene]);
    }
    if (expected.empty()) continue;
    EXPECT_EQ(read_delays(in_words(schedule, system, nodes), system, nodes), expected);
    EXPECT_EQ(summary(schedule),
              fmt::format("delays on {} of {} genes (kind of message, sender, receiver), up to {}",
                          expected.size(), genes.size(), in_words(longest)));
  }
}

TEST(Words, TheSummaryOfOtherSchedules) {
  EXPECT_EQ(summary({}), "none");
  Schedule schedule;
  schedule.scheduler =
      MessageSchedule{{{3, 0, milliseconds(40)}, {3, 1, milliseconds(5'500)}, {4, 0, {}}}};
  EXPECT_EQ(summary(schedule), "delays of 2 single messages, up to 5.5 s");
  schedule.faults = {CrashFault{}};
  EXPECT_EQ(summary(schedule), "delays of 2 single messages, up to 5.5 s, 1 fault");
  schedule.scheduler = PrioritySchedule{{2, 1}, {}};
  EXPECT_EQ(summary(schedule),
            "priorities of 2 genes (kind of message, sender, receiver), 1 fault");
  schedule.scheduler = std::monostate{};
  EXPECT_EQ(summary(schedule), "1 fault");
}

}  // namespace
}  // namespace dissensus::faults
