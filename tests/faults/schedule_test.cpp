#include "faults/schedule.h"

#include <algorithm>
#include <fstream>
#include <numeric>
#include <sstream>

#include <gtest/gtest.h>

#include "dissensus/faults.h"
#include "dissensus/random.h"

#include "faults/schedule_interposer.h"
#include "faults/scripted_system.h"
#include "systems/majority/majority.h"

namespace dissensus::faults {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

Schedule parse(std::string_view json, std::size_t nodes = 3) {
  return parse_schedule(json, "s.json", scripted_description(), nodes);
}

std::string document(std::string_view rest) {
  return fmt::format(R"({{"format": "dissensus-schedule/1", "system": "scripted", "nodes": 3{}}})",
                     rest);
}

std::uint32_t delay(const Schedule& schedule, NodeId from, NodeId to, MessageKind kind) {
  const GeneSpace genes{3, 2};
  return std::get<DelaySchedule>(schedule.scheduler).delay_ms.at(genes.index(from, to, kind));
}

// index and gene are inverse, and indices are dense: no two genes share one.
TEST(GeneSpace, IndexAndGeneAreInverse) {
  for (const std::size_t nodes : {2u, 3u, 7u}) {
    const GeneSpace genes{nodes, 3};
    std::size_t expected = 0;
    for (MessageKind kind = 0; kind < 3; ++kind) {
      for (NodeId from = 0; from < nodes; ++from) {
        for (NodeId to = 0; to < nodes; ++to) {
          if (from == to) continue;
          EXPECT_EQ(genes.index(from, to, kind), expected);
          const GeneSpace::Gene gene = genes.gene(expected++);
          EXPECT_EQ(gene.from, from);
          EXPECT_EQ(gene.to, to);
          EXPECT_EQ(gene.kind, kind);
        }
      }
    }
    EXPECT_EQ(genes.size(), expected);
  }
}

TEST(GeneSpace, ASingleNodeHasNoGenes) {
  EXPECT_EQ((GeneSpace{1, 5}.size()), 0u);
}

TEST(ReadSchedule, ADocumentWithoutContentIsTheEmptySchedule) {
  EXPECT_TRUE(parse(document("")).empty());
}

// A delay scheduler without delays is not the same as none: search mutates it.
TEST(ReadSchedule, EmptyDelaysAreADelaySchedule) {
  const Schedule schedule = parse(document(R"(, "delays_ms": {})"));
  EXPECT_EQ(std::get<DelaySchedule>(schedule.scheduler).delay_ms,
            std::vector<std::uint32_t>(12, 0));
}

TEST(ReadSchedule, TheMostSpecificDelayKeyWinsWhateverTheOrder) {
  const Schedule schedule = parse(document(
      R"(, "delays_ms": {"Commit": {"0>1": 4, "*>1": 2, "0>*": 3, "*>*": 1}, "Proposal": {"*>*": 9}})"));
  EXPECT_EQ(delay(schedule, 0, 1, kCommit), 4u);
  EXPECT_EQ(delay(schedule, 0, 2, kCommit), 3u);
  EXPECT_EQ(delay(schedule, 2, 1, kCommit), 2u);
  EXPECT_EQ(delay(schedule, 1, 0, kCommit), 1u);
  EXPECT_EQ(delay(schedule, 2, 0, kCommit), 1u);
  EXPECT_EQ(delay(schedule, 2, 1, kProposal), 9u);
}

TEST(ReadSchedule, ANamedSenderWinsOverANamedReceiver) {
  const Schedule schedule = parse(document(R"(, "delays_ms": {"Commit": {"0>*": 3, "*>1": 2}})"));
  EXPECT_EQ(delay(schedule, 0, 1, kCommit), 3u);
}

TEST(ReadSchedule, AnExplicitZeroOverridesAWildcard) {
  const Schedule schedule = parse(document(R"(, "delays_ms": {"Commit": {"1>2": 0, "*>*": 5}})"));
  EXPECT_EQ(delay(schedule, 1, 2, kCommit), 0u);
  EXPECT_EQ(delay(schedule, 2, 1, kCommit), 5u);
}

TEST(ReadSchedule, FaultsAreReadAsWritten) {
  const Schedule schedule = parse(document(R"(, "faults": [
    {"type": "partition", "groups": [[0, 1], [2]], "from": "100ms", "until": "2s"},
    {"type": "crash", "node": 2, "at": "1s", "restart_after": "500ms"},
    {"type": "crash", "node": 1, "at_round": 7},
    {"type": "drop", "message": "Commit", "sender": 1, "receiver": 2, "rounds": [3, 5], "count": 1},
    {"type": "drop", "rounds": [6]},
    {"type": "duplicate", "message": "Proposal", "from": "0s", "gap": "30ms"},
    {"type": "delay", "message": "Commit", "sender": 0, "receiver": 1, "from": "2ms", "until": "3ms", "count": 1, "by": "1.5s"}])"));
  Window from_round_6;
  from_round_6.from_round = 6;
  const std::vector<Fault> expected{
      PartitionFault{{{0, 1}, {2}}, during(100, 2000)},
      CrashFault{2, seconds(1), std::nullopt, milliseconds(500)},
      CrashFault{1, std::nullopt, 7, std::nullopt},
      DropFault{{1, 2, kCommit}, in_rounds(3, 5), 1},
      DropFault{{}, from_round_6, std::nullopt},
      DuplicateFault{{std::nullopt, std::nullopt, kProposal}, {}, std::nullopt, milliseconds(30)},
      DelayFault{{0, 1, kCommit}, during(2, 3), 1, milliseconds(1500)}};
  EXPECT_EQ(schedule.faults, expected);
}

// ---- writing

// People read and diff these documents: the layout is part of the contract.
TEST(WriteSchedule, TheLayoutIsStable) {
  Schedule schedule =
      parse(document(R"(, "delays_ms": {"Commit": {"1>2": 40, "0>2": 0}, "Proposal": {"*>*": 7}},
    "faults": [{"type": "partition", "groups": [[0, 1], [2]], "from": "100ms", "until": "2s"},
      {"type": "crash", "node": 2, "at": "1s", "restart_after": "500ms"},
      {"type": "drop", "message": "Commit", "sender": 1, "receiver": 2, "rounds": [3, 5], "count": 1},
      {"type": "duplicate", "message": "Proposal", "from": "0s", "gap": "30ms"}])"));
  EXPECT_EQ(to_json(schedule, scripted_description(), 3), R"({
  "format": "dissensus-schedule/1",
  "system": "scripted",
  "nodes": 3,
  "delays_ms": {"Proposal": {"*>*": 7}, "Commit": {"1>2": 40}},
  "faults": [
    {"type": "partition", "groups": [[0, 1], [2]], "from": "100ms", "until": "2s"},
    {"type": "crash", "node": 2, "at": "1s", "restart_after": "500ms"},
    {"type": "drop", "message": "Commit", "sender": 1, "receiver": 2, "rounds": [3, 5], "count": 1},
    {"type": "duplicate", "message": "Proposal", "gap": "30ms"}
  ]
}
)");
}

TEST(WriteSchedule, KindsWithoutDelayAreLeftOut) {
  const Schedule schedule = parse(document(R"(, "delays_ms": {"Commit": {"*>*": 0}})"));
  EXPECT_EQ(to_json(schedule, scripted_description(), 3), R"({
  "format": "dissensus-schedule/1",
  "system": "scripted",
  "nodes": 3,
  "delays_ms": {}
}
)");
}

TEST(WriteSchedule, LongTablesAreFilledTo100Columns) {
  const std::size_t nodes = 5;
  PrioritySchedule priorities;
  priorities.priority.resize(GeneSpace{nodes, 2}.size());
  std::iota(priorities.priority.begin(), priorities.priority.end(), 1u);
  Schedule schedule;
  schedule.scheduler = priorities;
  const std::string json = to_json(schedule, scripted_description(), nodes);
  std::istringstream lines(json);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, line.size());
  EXPECT_LE(widest, 100u);
  EXPECT_GE(widest, 90u);
  EXPECT_EQ(parse(json, nodes), schedule);
}

Window random_window(Random& random) {
  Window window;
  if (random.chance(0.5)) {
    window.from = Duration{random.between(0, 5'000'000)};
    if (random.chance(0.5)) window.until = window.from + Duration{random.between(1, 5'000'000)};
  } else {
    window.from_round = random.below(10);
    if (random.chance(0.5)) window.until_round = *window.from_round + 1 + random.below(5);
  }
  return window;
}

template <class T>
std::optional<T> maybe(Random& random, std::uint64_t bound) {
  if (random.chance(0.5)) return std::nullopt;
  return static_cast<T>(random.below(bound));
}

Fault random_fault(Random& random, std::size_t nodes) {
  MessageFilter filter{maybe<NodeId>(random, nodes), maybe<NodeId>(random, nodes),
                       maybe<MessageKind>(random, 2)};
  if (filter.from == filter.to) filter.to.reset();
  std::optional<std::uint32_t> count;
  if (random.chance(0.5)) count = static_cast<std::uint32_t>(1 + random.below(0xFFFFFFFF));
  switch (random.below(5)) {
    case 4:
      return DelayFault{filter, random_window(random), count, Duration{random.between(0, 100'000)}};
    case 0:
      return DropFault{filter, random_window(random), count};
    case 1:
      return DuplicateFault{filter, random_window(random), count,
                            Duration{random.between(0, 100'000)}};
    case 2: {
      const NodeId alone = static_cast<NodeId>(random.below(nodes));
      return PartitionFault{{{alone}}, random_window(random)};
    }
    default: {
      CrashFault crash;
      crash.node = static_cast<NodeId>(random.below(nodes));
      if (random.chance(0.5)) {
        crash.at = Duration{random.between(0, 9'999'999)};
      } else {
        crash.at_round = random.below(100);
      }
      if (random.chance(0.5)) crash.restart_after = Duration{random.between(0, 9'999'999)};
      return crash;
    }
  }
}

Schedule random_schedule(Random& random, std::size_t nodes) {
  Schedule schedule;
  const std::size_t size = GeneSpace{nodes, 2}.size();
  const std::uint64_t type = random.below(3);
  if (type == 1) {
    DelaySchedule delays;
    const bool uniform = random.chance(0.2);
    const auto common = static_cast<std::uint32_t>(random.below(kDelayMsMax + 1));
    for (std::size_t i = 0; i < size; ++i) {
      const auto own = static_cast<std::uint32_t>(random.below(4) * random.below(1'000));
      delays.delay_ms.push_back(uniform ? common : own);
    }
    schedule.scheduler = delays;
  } else if (type == 2) {
    PrioritySchedule priorities;
    priorities.priority.resize(size);
    std::iota(priorities.priority.begin(), priorities.priority.end(), 1u);
    for (std::size_t i = size; i > 1; --i) {
      std::swap(priorities.priority[i - 1], priorities.priority[random.below(i)]);
    }
    priorities.rate.min = 0.1 * (0.1 + random.unit());
    priorities.rate.base = 0.2 + random.unit();
    priorities.rate.max = 1.2 + random.unit();
    priorities.rate.target = 20 * random.unit();
    priorities.rate.overflow = 1 + random.unit();
    priorities.rate.underflow = random.unit();
    priorities.rate.sensitivity = 1 + random.unit();
    schedule.scheduler = priorities;
  }
  for (std::uint64_t i = random.below(6); i > 0; --i) {
    schedule.faults.push_back(random_fault(random, nodes));
  }
  return schedule;
}

// What is written reads back equal, to the last bit of every rate, and is written the same again.
TEST(WriteSchedule, RandomSchedulesSurviveTheRoundTrip) {
  Random random(2022);
  for (int i = 0; i < 500; ++i) {
    const std::size_t nodes = 2 + random.below(4);
    const Schedule schedule = random_schedule(random, nodes);
    const std::string json = to_json(schedule, scripted_description(), nodes);
    const Schedule again = parse(json, nodes);
    ASSERT_EQ(again, schedule) << json;
    ASSERT_EQ(to_json(again, scripted_description(), nodes), json);
  }
}

// ---- the specification's examples

std::vector<std::string> json_blocks(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> blocks;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line == "```json") {
      blocks.emplace_back();
      inside = true;
    } else if (line == "```") {
      inside = false;
    } else if (inside) {
      blocks.back() += line + "\n";
    }
  }
  return blocks;
}

// The examples of the specification are valid, and are what the text around them says they are.
TEST(ScheduleFormat, TheExamplesOfTheSpecificationAreValid) {
  const auto system =
      majority::majority_entry().make(Options::from_toml("values = [0, 1, 1]", "scenario.toml"));
  const std::vector<std::string> blocks =
      json_blocks(DISSENSUS_SOURCE_DIR "/docs/formats/schedule.md");
  ASSERT_EQ(blocks.size(), 5u);
  std::vector<Schedule> schedules;
  for (const std::string& block : blocks) {
    schedules.push_back(parse_schedule(block, "schedule.md", system->description(), 3));
    const std::string written = to_json(schedules.back(), system->description(), 3);
    EXPECT_EQ(parse_schedule(written, "written", system->description(), 3), schedules.back());
  }
  EXPECT_TRUE(std::holds_alternative<DelaySchedule>(schedules[0].scheduler));
  EXPECT_EQ(schedules[0].faults.size(), 4u);
  EXPECT_TRUE(std::holds_alternative<PrioritySchedule>(schedules[1].scheduler));
  EXPECT_EQ(std::get<PrioritySchedule>(schedules[1].scheduler).rate, PriorityRate{});
  EXPECT_EQ(to_json(schedules[1], system->description(), 3), blocks[1]);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(schedules[2].scheduler));
  EXPECT_EQ(schedules[2].faults.size(), 2u);
  EXPECT_TRUE(std::holds_alternative<MessageSchedule>(schedules[3].scheduler));
  EXPECT_EQ(byzantine_nodes(schedules[4].faults), (NodeSet{1, 2}));
  EXPECT_EQ(to_json(schedules[4], system->description(), 3), blocks[4]);
}

}  // namespace
}  // namespace dissensus::faults
