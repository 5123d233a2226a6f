#include "sim/disk.h"

#include <algorithm>
#include <deque>

#include <gtest/gtest.h>

namespace dissensus::sim {
namespace {

using namespace std::chrono_literals;

/// A world of one disk: time stands still until a sync is let through.
class Bench final : public DiskHost {
 public:
  explicit Bench(const DiskModel& disk_model = {}, std::uint64_t seed = 1)
      : model(disk_model), disk(*this, 0, model, seed) {}
  Time disk_now() const override { return now; }
  void disk_alarm(NodeId, Duration delay, std::uint64_t sync) override {
    alarms.push_back({now + delay, sync});
  }
  void disk_event(NodeId, DiskEvent event, std::uint64_t bytes) override {
    events.emplace_back(event, bytes);
  }
  DiskCompletion end_sync() {
    const auto [time, sync] = alarms.front();
    alarms.pop_front();
    now = time;
    return disk.complete(sync);
  }
  static std::vector<std::byte> bytes(std::size_t count, int value) {
    return std::vector<std::byte>(count, static_cast<std::byte>(value));
  }
  void crash_and_restart() {
    disk.crash();
    alarms.clear();
    disk.restart();
  }

  Time now{};
  DiskModel model;
  std::deque<std::pair<Time, std::uint64_t>> alarms;
  std::vector<std::pair<DiskEvent, std::uint64_t>> events;
  SimulatedDisk disk;
};

DiskModel losing() {
  DiskModel model;
  model.keep_all = 0;
  model.lose_all = 1;
  return model;
}

TEST(Disk, WhatWasSyncedSurvivesACrashAndTheRestMayNot) {
  Bench bench(losing());
  EXPECT_EQ(bench.disk.write(7, 0, Bench::bytes(3, 1)), DiskStatus::ok);
  bench.disk.sync(7, 42);
  EXPECT_EQ(bench.end_sync().tag, 42u);
  bench.disk.write(7, 3, Bench::bytes(2, 2));
  EXPECT_EQ(bench.disk.read(7).size(), 5u) << "a program sees what it wrote";
  bench.crash_and_restart();
  EXPECT_EQ(bench.disk.read(7), Bench::bytes(3, 1));
}

TEST(Disk, ASyncThatHasNotEndedProtectsNothing) {
  Bench bench(losing());
  bench.disk.write(0, 0, Bench::bytes(8, 9));
  bench.disk.sync(0, 1);
  bench.crash_and_restart();
  EXPECT_TRUE(bench.disk.read(0).empty());
}

TEST(Disk, ACrashTearsAWriteAtASector) {
  DiskModel model;
  model.keep_all = model.lose_all = 0;
  model.sector = 16;
  bool torn = false;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Bench bench(model, seed);
    bench.disk.write(0, 0, Bench::bytes(100, 1));
    bench.crash_and_restart();
    const std::size_t left = bench.disk.read(0).size();
    EXPECT_TRUE(left == 100 || left % 16 == 0) << left;
    torn = torn || (left > 0 && left < 100);
  }
  EXPECT_TRUE(torn);
}

TEST(Disk, WritesThroughAreNeverLost) {
  Bench bench(losing());
  EXPECT_EQ(bench.disk.write_through(0, 4, Bench::bytes(4, 5)), DiskStatus::ok);
  bench.crash_and_restart();
  EXPECT_EQ(bench.disk.read(0).size(), 8u);
}

TEST(Disk, SyncsTakeTimeAndEndInOrder) {
  DiskModel model;
  model.write.a = 1ms;
  model.sync.a = 5ms;
  Bench bench(model);
  bench.disk.write(0, 0, Bench::bytes(1, 1));
  bench.disk.sync(0, 1);
  bench.disk.sync(1, 2);
  ASSERT_EQ(bench.alarms.size(), 2u);
  EXPECT_EQ(bench.alarms[0].first, Time{} + 6ms);
  EXPECT_EQ(bench.alarms[1].first, Time{} + 11ms);
}

TEST(Disk, SyncsThatWaitForTheirTurnShareIt) {
  DiskModel model;
  model.sync.a = 5ms;
  Bench bench(model);
  for (std::uint64_t tag = 1; tag <= 10; ++tag) bench.disk.sync(0, tag);
  EXPECT_EQ(bench.alarms.back().first, Time{} + 10ms) << "the first, then all others together";
}

TEST(Disk, FailsWhereAFaultSaysSo) {
  Bench bench;
  ++bench.disk.trouble().no_space;
  EXPECT_EQ(bench.disk.write(0, 0, Bench::bytes(1, 1)), DiskStatus::no_space);
  --bench.disk.trouble().no_space;
  EXPECT_EQ(bench.disk.write(0, 0, Bench::bytes(1, 1)), DiskStatus::ok);
  ++bench.disk.trouble().io_errors;
  EXPECT_EQ(bench.disk.write_through(0, 0, Bench::bytes(1, 1)), DiskStatus::io_error);
  bench.disk.sync(0, 3);
  EXPECT_EQ(bench.end_sync().status, DiskStatus::io_error);
}

TEST(Disk, AWrongBitIsReadOnlyWhereAllowed) {
  Bench bench;
  bench.disk.write(0, 0, Bench::bytes(64, 0));
  EXPECT_EQ(bench.disk.read(0), Bench::bytes(64, 0));
  ++bench.disk.trouble().corrupt;
  const std::vector<std::byte> wrong = bench.disk.read(0);
  EXPECT_EQ(std::count_if(wrong.begin(), wrong.end(), [](std::byte b) { return b != std::byte{}; }),
            1);
  EXPECT_EQ(bench.events.back().first, DiskEvent::corrupted);
}

TEST(Disk, TheSameSeedGivesTheSameDisk) {
  DiskModel model;
  model.sync = {Latency::Kind::uniform, 1ms, 9ms};
  const auto story = [&model] {
    Bench bench(model, 5);
    std::vector<std::size_t> left;
    for (int i = 0; i < 20; ++i) {
      bench.disk.write(0, static_cast<std::uint64_t>(i) * 700, Bench::bytes(700, i + 1));
      bench.disk.sync(0, 1);
      if (i % 3 == 0) bench.crash_and_restart();
      left.push_back(bench.disk.read(0).size());
    }
    return left;
  };
  EXPECT_EQ(story(), story());
}

}  // namespace
}  // namespace dissensus::sim
