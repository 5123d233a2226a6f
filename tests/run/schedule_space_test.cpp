// Random schedules draw from what the scenario's [schedule] names, and from nothing else.
#include "run/schedule_space.h"

#include <algorithm>
#include <numeric>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run/scenario.h"
#include "systems/simulated/simulated.h"

namespace dissensus::run {
namespace {

Scenario majority(const std::string& schedule) {
  return parse_scenario(
      "format = \"dissensus-scenario/1\"\nname = \"x\"\n[system]\nkind = \"majority\"\n"
      "values = [1, 1, 0]\n[schedule]\n" +
          schedule,
      "s.toml", simulated_systems());
}

std::string error_of(const std::string& schedule) {
  try {
    majority(schedule);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(RandomSchedule, DelaysOfOtherKindsStayZero) {
  const Scenario scenario =
      majority("type = \"delay\"\nkinds = [\"Commit\"]\nmax_delay = \"9s\"\n");
  Random random(1);
  const faults::Schedule schedule = random_schedule(scenario, random);
  const auto& delays = std::get<faults::DelaySchedule>(schedule.scheduler).delay_ms;
  ASSERT_EQ(delays.size(), 12u);
  EXPECT_EQ(std::count(delays.begin(), delays.begin() + 6, 0u), 6) << "proposals stay";
  EXPECT_EQ(std::count(delays.begin() + 6, delays.end(), 0u), 0);
}

TEST(RandomSchedule, PrioritiesOfOtherKindsStayTheLowestInTheirOrder) {
  const Scenario scenario = majority("type = \"priority\"\nkinds = [\"Commit\"]\n");
  std::set<std::vector<std::uint32_t>> different;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed);
    const faults::Schedule schedule = random_schedule(scenario, random);
    const auto& priority = std::get<faults::PrioritySchedule>(schedule.scheduler).priority;
    ASSERT_EQ(priority.size(), 12u);
    const std::vector<std::uint32_t> fixed(priority.begin(), priority.begin() + 6);
    EXPECT_EQ(fixed, (std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6}));
    const std::vector<std::uint32_t> drawn(priority.begin() + 6, priority.end());
    EXPECT_THAT(drawn, testing::UnorderedElementsAre(7, 8, 9, 10, 11, 12));
    different.insert(drawn);
  }
  EXPECT_GT(different.size(), 40u) << "of 720 permutations";
}

TEST(RandomSchedule, AllKindsMakeAPermutationOfAllGenes) {
  const Scenario scenario = majority("type = \"priority\"\n");
  Random random(3);
  const faults::Schedule schedule = random_schedule(scenario, random);
  std::vector<std::uint32_t> sorted =
      std::get<faults::PrioritySchedule>(schedule.scheduler).priority;
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::uint32_t> all(12);
  std::iota(all.begin(), all.end(), 1u);
  EXPECT_EQ(sorted, all);
}

// The same reader as for schedules: a rate that no scheduler could keep is refused when it is read.
TEST(ScheduleSpace, RatesMustBeInOrder) {
  const std::string priority = "type = \"priority\"\n[schedule.rate]\n";
  EXPECT_EQ(error_of(priority + "min = 9\nmax = 8\n"),
            "s.toml:8: schedule.rate: expected min <= base <= max, found min 9, base 0.5, max 8");
  EXPECT_EQ(error_of(priority + "base = 0.5\nmin = 0.6\n"),
            "s.toml:8: schedule.rate: expected min <= base <= max, found min 0.6, base 0.5, max 1");
  EXPECT_EQ(error_of(priority + "min = 0\n"),
            "s.toml:9: schedule.rate.min: expected a number from 1e-06 to 1e+06, found 0");
}

}  // namespace
}  // namespace dissensus::run
