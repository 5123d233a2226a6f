#include "faults/schedule_bytes.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dissensus/options.h"

#include "faults/fault_space.h"
#include "faults/kinds.h"
#include "faults/schedule.h"
#include "faults/scripted_system.h"

namespace dissensus::faults {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kNodes = 7;

Schedule decoded(const std::string& bytes) {
  return decode_schedule(bytes, "test", scripted_description(), kNodes);
}

Schedule random_plan(Random& random) {
  const FaultSpace::Liars space = read_liars(
      Options::from_toml("process_faults = 2\nnetwork_faults = 2\nreplays = 1\nsilences = 2\n"
                         "twins = 1\ndrop = 0.1\nskew = \"2s\"\n",
                         "space"),
      scripted_description(), kNodes);
  Schedule schedule;
  schedule.faults = random_lies(space, kNodes, random);
  return schedule;
}

// A kind whose parts share a name could not be read back.
TEST(ScheduleBytes, EveryKindSurvives) {
  for (const FaultKind* const kind : fault_kinds()) {
    std::set<std::string_view> keys;
    for (const PartPtr& part : kind->parts) {
      EXPECT_TRUE(keys.insert(part->key).second) << kind->name << ": " << part->key;
    }
    Schedule schedule;
    schedule.faults.emplace_back(*kind, kind->copy(nullptr));
    EXPECT_EQ(from_bytes<Schedule>(to_bytes(schedule), "test"), schedule) << kind->name;
  }
}

TEST(ScheduleBytes, RandomPlansSurvive) {
  Random random(2023);
  for (int i = 0; i < 100; ++i) {
    const Schedule schedule = random_plan(random);
    ASSERT_EQ(decoded(encode_schedule(schedule)), schedule) << i;
    ASSERT_EQ(from_bytes<Schedule>(to_bytes(schedule), "test"), schedule) << i;
  }
}

TEST(ScheduleBytes, WhatEarlierVersionsWroteIsRead) {
  Schedule schedule;
  schedule.scheduler = MessageSchedule{{{0, 3, Duration(5)}, {2, 0, Duration(1'234'567)}}};
  const std::string bytes = encode_schedule(schedule);
  schedule.faults.emplace_back(CrashFault{1, milliseconds(5), {}, milliseconds(70)});
  const std::string document =
      to_json({std::monostate{}, schedule.faults}, scripted_description(), kNodes);
  EXPECT_EQ(decoded(bytes + document), schedule);
  EXPECT_LT(encode_schedule(schedule).size(), (bytes + document).size() / 2);
}

// Whoever can write to a store may have written it: it is a schedule of this system, or refused.
TEST(ScheduleBytes, NoBytesDoHarm) {
  Random random(7);
  int refused = 0;
  int taken = 0;
  for (int i = 0; i < 1000; ++i) {
    std::string bytes = encode_schedule(random_plan(random));
    char& byte = bytes[random.below(bytes.size())];
    byte = static_cast<char>(byte ^ (1 << random.below(8)));
    try {
      const Schedule schedule = decoded(bytes);
      const std::string json = to_json(schedule, scripted_description(), kNodes);
      EXPECT_EQ(parse_schedule(json, "test", scripted_description(), kNodes), schedule);
      ++taken;
    } catch (const InputError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 100);
  EXPECT_GT(taken, 10);
}

}  // namespace
}  // namespace dissensus::faults
