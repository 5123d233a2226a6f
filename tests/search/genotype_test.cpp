#include "search/genotype.h"

#include <algorithm>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dissensus/faults.h"

#include "problems.h"
#include "systems/simulated/simulated.h"

namespace dissensus::search {
namespace {

using testing::HasSubstr;

/// The tutorial system: two kinds, three nodes, 12 genes.
run::Scenario majority(const std::string& schedule) {
  return run::parse_scenario(
      "format = \"dissensus-scenario/1\"\nname = \"genotypes\"\n[system]\nkind = \"majority\"\n"
      "values = [1, 1, 0]\n" +
          schedule,
      "genotypes.toml", simulated_systems());
}
run::Scenario xrpl(const std::string& schedule, const std::string& kinds = "") {
  return run::parse_scenario(
      "format = \"dissensus-scenario/1\"\nname = \"genotypes\"\n[system]\nkind = \"xrpl\"\n"
      "profile = \"1.7.2\"\n" +
          kinds + "\n" + schedule,
      "genotypes.toml", simulated_systems());
}
const std::string kDelay = "[schedule]\ntype = \"delay\"\nmax_delay = \"250ms\"\n";
const std::string kPriority = "[schedule]\ntype = \"priority\"\n";
const std::string kCommitOnly = "kinds = [\"Commit\"]\n";

template <typename Function>
std::string message_of(Function&& function) {
  try {
    function();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Genotype, SpaceHasTheBoundsAndSubjectsOfTheScenario) {
  const SearchSpace space = make_space(majority(kDelay + kCommitOnly));
  EXPECT_EQ(space.type, SearchSpace::Type::delay);
  ASSERT_EQ(space.size(), 6U);
  EXPECT_EQ(space.low, std::vector<double>(6, 0));
  EXPECT_EQ(space.high, std::vector<double>(6, 250));
  EXPECT_EQ(space.nodes, 3U);
  ASSERT_EQ(space.subjects.size(), 6U);
  EXPECT_EQ(space.subjects[3].from, 1);
  EXPECT_EQ(space.subjects[3].to, 2);
  EXPECT_EQ(space.subjects[3].kind, 1);
  EXPECT_EQ(space.fault_strategy, nullptr);
}

TEST(Genotype, AScenarioWithoutASpaceIsRefused) {
  EXPECT_THAT(message_of([] { make_space(majority("")); }),
              HasSubstr("schedule.type: the scenario names no space to search"));
}

TEST(Genotype, DelaysGoToScheduleAndBack) {
  for (const std::string& kinds : {std::string(), kCommitOnly}) {
    const run::Scenario scenario = majority(kDelay + kinds);
    Random random(1);
    for (int i = 0; i < 20; ++i) {
      const Genotype genotype = random_genotype(make_space(scenario), random);
      const faults::Schedule schedule = to_schedule(genotype, scenario);
      EXPECT_EQ(to_genotype(schedule, scenario), genotype);
      const auto& delays = std::get<faults::DelaySchedule>(schedule.scheduler).delay_ms;
      ASSERT_EQ(delays.size(), 12U);
      if (!kinds.empty()) {
        EXPECT_EQ(std::count(delays.begin(), delays.begin() + 6, 0U), 6) << "proposals stay";
      }
    }
  }
}

TEST(Genotype, PrioritiesGoToScheduleAndBack) {
  for (const std::string& kinds : {std::string(), kCommitOnly}) {
    const run::Scenario scenario = majority(kPriority + kinds);
    Random random(2);
    for (int i = 0; i < 20; ++i) {
      const Genotype genotype = random_genotype(make_space(scenario), random);
      const faults::Schedule schedule = to_schedule(genotype, scenario);
      EXPECT_EQ(to_genotype(schedule, scenario), genotype);
      const auto& priority = std::get<faults::PrioritySchedule>(schedule.scheduler).priority;
      const std::set<std::uint32_t> different(priority.begin(), priority.end());
      EXPECT_EQ(different.size(), 12U);
      EXPECT_EQ(*different.rbegin(), 12U);
      if (!kinds.empty()) {
        // What does not vary has the lowest priorities, in its natural order.
        const std::vector<std::uint32_t> fixed(priority.begin(), priority.begin() + 6);
        EXPECT_EQ(fixed, (std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6}));
      }
    }
  }
}

TEST(Genotype, RandomDelaysReachBothBounds) {
  const SearchSpace space = delay_space(4, 3);
  Random random(3);
  std::vector<int> counts(4, 0);
  for (int i = 0; i < 1000; ++i) {
    for (const double gene : random_genotype(space, random).genes) {
      ++counts[static_cast<std::size_t>(gene)];
    }
  }
  for (const int count : counts) EXPECT_NEAR(count, 1000, 120);
}

// ---- fault plans

const std::string kByzantine =
    "[schedule.byzantine]\nprocess_faults = 2\nnetwork_faults = 1\nnodes = [3, 4]\n";

TEST(Genotype, ByzantineScenariosHaveFaultsToDraw) {
  const run::Scenario scenario = xrpl(kByzantine);
  const SearchSpace space = make_space(scenario);
  EXPECT_EQ(space.size(), 0U);
  ASSERT_NE(space.fault_strategy, nullptr);
  EXPECT_EQ(space.faults_max, 3U);
  Random random(4);
  for (int i = 0; i < 50; ++i) {
    const Genotype genotype = random_genotype(space, random);
    EXPECT_FALSE(genotype.faults.empty());
    EXPECT_LE(genotype.faults.size(), 3U);
    // One liar per plan, whatever single faults came together.
    const faults::Schedule schedule = to_schedule(genotype, scenario);
    EXPECT_LE(faults::byzantine_nodes(schedule.faults).size(), 1U);
  }
}

TEST(Genotype, AdmittedPlansKeepTheLimitsOfTheSpace) {
  const run::Scenario scenario = xrpl(kByzantine);
  const auto lie = [](NodeId node, std::uint64_t round) {
    faults::MutateFault fault;
    fault.node = node;
    fault.round = round;
    fault.receivers = {0};
    return fault;
  };
  const std::vector<faults::Fault> plan{lie(3, 1), lie(4, 2), lie(3, 2), lie(3, 5)};
  EXPECT_EQ(admitted(plan, scenario.space.faults),
            (std::vector<faults::Fault>{lie(3, 1), lie(3, 2)}));
}

TEST(Genotype, VariedFaultsStayInTheirRounds) {
  const run::Scenario scenario = xrpl(kByzantine);
  const SearchSpace space = make_space(scenario);
  Random random(5);
  faults::Fault fault = space.fault_strategy->draw(random);
  std::size_t changed = 0;
  for (int i = 0; i < 200; ++i) {
    const faults::Fault varied = space.fault_strategy->vary(fault, random);
    EXPECT_EQ(&varied.kind(), &fault.kind());
    if (const auto* lie = varied.as<faults::MutateFault>()) {
      EXPECT_GE(lie->round, scenario.space.faults.liars.first_round);
      EXPECT_LE(lie->round, scenario.space.faults.liars.last_round);
      EXPECT_EQ(std::count(lie->receivers.begin(), lie->receivers.end(), lie->node), 0);
    }
    changed += varied == fault ? 0 : 1;
    fault = varied;
  }
  EXPECT_GT(changed, 100U);
}

// ---- Rocket

std::string numbers(std::size_t count, std::string_view separator = ", ") {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) text += separator;
    text += std::to_string(i + 1);
  }
  return text;
}

std::string list(std::size_t count) {
  std::string text(1, '[');
  return text.append(numbers(count)).append("]\n");
}

TEST(Rocket, IndexIsKindThenSenderThenReceiver) {
  const run::Scenario scenario = majority(kDelay);
  const auto schedule = from_rocket(numbers(12), "vector.txt", scenario);
  const auto& delays = std::get<faults::DelaySchedule>(schedule.scheduler).delay_ms;
  // kind * n(n-1) + from * (n-1) + to', where to' skips the sender.
  EXPECT_EQ(delays[scenario.genes().index(1, 2, 1)], 1 * 6 + 1 * 2 + 1 + 1U);
  EXPECT_EQ(delays[scenario.genes().index(2, 0, 0)], 0 * 6 + 2 * 2 + 0 + 1U);
}

TEST(Rocket, VectorsGoAndComeBack) {
  for (const std::string& type : {kDelay, kPriority}) {
    const run::Scenario scenario = majority(type);
    Random random(6);
    const auto schedule = to_schedule(random_genotype(make_space(scenario), random), scenario);
    EXPECT_EQ(from_rocket(to_rocket(schedule, scenario), "x", scenario), schedule);
  }
}

TEST(Rocket, ListsAndPlainNumbersAreEqual) {
  const run::Scenario scenario = majority(kDelay);
  const auto expected = from_rocket(list(12), "x", scenario);
  EXPECT_EQ(from_rocket(numbers(12, " "), "x", scenario), expected);
  EXPECT_EQ(from_rocket(numbers(12, "\n").append("\n"), "x", scenario), expected);
  EXPECT_EQ(from_rocket(numbers(12, ",\n"), "x", scenario), expected);
}

TEST(Rocket, OneDelayPerMessageTypeFitsTheFinerKindsOfTheThesis) {
  // 13 kinds of 7 types: the seven proposal kinds share Rocket's one ProposeSet.
  const run::Scenario scenario = xrpl(kDelay);
  ASSERT_EQ(scenario.system_description().kinds.size(), 13U);
  const std::string text = list(140);
  const auto schedule = from_rocket(text, "x", scenario);
  const auto& delays = std::get<faults::DelaySchedule>(schedule.scheduler).delay_ms;
  ASSERT_EQ(delays.size(), 260U);
  // Transaction, GetLedger, LedgerData, ProposeSet, StatusChange, HaveTransactionSet, Validation.
  EXPECT_EQ(delays[9 * 20], 1U) << "Transaction, from 0 to 1";
  EXPECT_EQ(delays[11 * 20], 21U) << "GetLedger";
  EXPECT_EQ(delays[12 * 20], 41U) << "LedgerData";
  EXPECT_EQ(delays[0], 61U) << "ProposeSet0";
  EXPECT_EQ(delays[6 * 20], 61U) << "bow-out";
  EXPECT_EQ(delays[7 * 20], 81U) << "StatusChange";
  EXPECT_EQ(delays[10 * 20], 101U) << "HaveTransactionSet";
  EXPECT_EQ(delays[8 * 20], 121U) << "Validation";
  EXPECT_EQ(to_rocket(schedule, scenario), text);

  faults::Schedule finer = schedule;
  std::get<faults::DelaySchedule>(finer.scheduler).delay_ms[20] = 999;
  EXPECT_THAT(message_of([&] { to_rocket(finer, scenario); }),
              HasSubstr("one delay per message type, but ProposeSet1 from 0 to 1"));
}

TEST(Rocket, ErrorsNameFileLineAndNumber) {
  const run::Scenario delay = majority(kDelay);
  const run::Scenario priority = majority(kPriority);
  const auto message = [](const std::string& text, const run::Scenario& scenario) {
    return message_of([&] { from_rocket(text, "v.txt", scenario); });
  };
  EXPECT_EQ(message("1 2 3", delay),
            "v.txt: expected 12 numbers (2 message types x 3 x 2 nodes), found 3");
  EXPECT_EQ(message("1,\n2,\nx3", delay), "v.txt:3: number 3: expected a number, found 'x3'");
  EXPECT_EQ(message("[1 2]", delay),
            "v.txt:1: number 2: expected a comma between the numbers of a list");
  EXPECT_THAT(message("[1, 2", delay), HasSubstr("expected ']' at the end of the list"));
  EXPECT_THAT(message("[1, 2] 3", delay), HasSubstr("expected nothing after the last number"));
  EXPECT_THAT(message(numbers(12, " -"), delay),
              HasSubstr("number 2: expected a number from 0 to 3600000, found -2"));
  EXPECT_EQ(message(numbers(11) + ", 11", priority),
            "v.txt:1: number 12: expected each priority once, but 11 is number 11 too");
  EXPECT_EQ(message(numbers(11) + "\n13", priority),
            "v.txt:2: number 12: expected a number from 1 to 12, found 13");
}

}  // namespace
}  // namespace dissensus::search
