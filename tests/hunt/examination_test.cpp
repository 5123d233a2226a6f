// Findings that wait for a worker to examine them.
#include "hunt/examination.h"

#include <chrono>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hunt/fleet.h"
#include "hunt/store_care.h"

namespace dissensus::hunt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ExaminationTest : public FleetTest {
 protected:
  void SetUp() override {
    FleetTest::SetUp();
    if (IsSkipped()) return;
    scenario_ = run::load_scenario(kOvertaken, simulated_systems());
    open_store(url_);
    BackgroundWorker worker(url_, patience_);
    const HuntResult result = coordinate(scenario_, options(300, "random"), false);
    ASSERT_TRUE(result.found());
    finding_ = result.progress.findings.front();
  }
  static Examined state_of(const std::string& location) {
    return StoreReader(location).findings(1).front().examined;
  }
  /// Says what it was given, and gives something back.
  Examiner pretend() {
    return [this](const run::Recipe& recipe, const std::function<bool()>&) {
      seen_.push_back(recipe);
      return ExaminationResult{"scenario", "{}", 5, "shrink", "curves"};
    };
  }
  static bool forever() { return true; }

  run::Scenario scenario_;
  Finding finding_;
  std::vector<run::Recipe> seen_;
};

TEST_F(ExaminationTest, IsDoneOnceByAWorkerAndKept) {
  WorkQueue queue(url_, patience_);
  EXPECT_EQ(state_of(url_), Examined::no);
  queue.put_examination(1, finding_.signature, finding_.item);
  queue.put_examination(1, finding_.signature, finding_.item);
  EXPECT_EQ(state_of(url_), Examined::waiting);
  EXPECT_FALSE(queue.examination_of(1, finding_.item));
  {
    // The hunt is over: a worker that comes later does it all the same.
    BackgroundWorker worker(url_, patience_, pretend());
    for (int i = 0; i < 1000 && worker.progress.examinations == 0; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_EQ(worker.progress.examinations, 1u);
  }
  ASSERT_EQ(seen_.size(), 1u);
  EXPECT_EQ(seen_[0].schedule, finding_.schedule);
  EXPECT_EQ(seen_[0].seed, finding_.seed);
  EXPECT_EQ(state_of(url_), Examined::done);
  const auto result = queue.examination_of(1, finding_.item);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->shrink, "shrink");
  EXPECT_EQ(result->seed, 5u);
  const std::vector<KnownFinding> known = list_findings(url_);
  EXPECT_EQ(known.front().examined, Examined::done);
  EXPECT_EQ(known.front().row, fmt::format("1/{}", finding_.item + 1));
  copy_store(url_, file("copy"));
  EXPECT_EQ(state_of(file("copy")), Examined::done);
  StoreReader copy(file("copy"));
  EXPECT_EQ(read_examination(copy.connection(), 1, finding_.item)->curves, "curves");
}

TEST_F(ExaminationTest, WhatAVanishedWorkerHadIsDoneByAnother) {
  WorkQueue queue(url_, patience_);
  queue.put_examination(1, finding_.signature, finding_.item);
  ASSERT_TRUE(queue.lease_examination(1, "gone", 1000));
  ASSERT_TRUE(queue.lease_examination(1, "gone", 0.2)) << "who asks has none";
  const Tenant other{"other", 10, [](const std::string& text) { ADD_FAILURE() << text; }};
  EXPECT_FALSE(examine_next(queue, 1, scenario_, other, pretend(), forever));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_TRUE(examine_next(queue, 1, scenario_, other, pretend(), forever));
  EXPECT_EQ(state_of(url_), Examined::done);
}

TEST_F(ExaminationTest, WhoIsInterruptedLeavesItToOthersAtOnce) {
  WorkQueue queue(url_, patience_);
  queue.put_examination(1, finding_.signature, finding_.item);
  const Tenant tenant{"us", 1000, [](const std::string& text) { ADD_FAILURE() << text; }};
  EXPECT_TRUE(examine_next(queue, 1, scenario_, tenant, pretend(), [] { return false; }));
  EXPECT_EQ(state_of(url_), Examined::waiting);
  EXPECT_TRUE(queue.lease_examination(1, "others", 1));
}

TEST_F(ExaminationTest, WhatCannotBeExaminedIsSaidOnceAndStopsNobody) {
  WorkQueue queue(url_, patience_);
  queue.put_examination(1, "of a liar", 123'456);
  std::vector<std::string> notices;
  const Tenant tenant{"us", 10, [&](const std::string& text) { notices.push_back(text); }};
  EXPECT_TRUE(examine_next(queue, 1, scenario_, tenant, pretend(), forever));
  EXPECT_FALSE(examine_next(queue, 1, scenario_, tenant, pretend(), forever));
  EXPECT_THAT(notices, ElementsAre(HasSubstr("item 123456 of hunt 1 is not in the store")));
  EXPECT_EQ(queue.examination_of(1, 123'456)->shrink, "");
}

/// A store of version 2.
void make_older(const std::string& location) {
  const auto connection = open_store(location);
  for (const std::string index :
       {"failed", "failed_by_disagreement", "failed_by_termination", "unknown", "by_disagreement",
        "by_termination", "by_length", "by_events", "by_origin"}) {
    connection->execute("DROP INDEX items_" + index);
  }
  for (const std::string table : {"yields", "examinations", "shipments", "islands"}) {
    connection->execute("DROP TABLE " + table);
  }
  for (const std::string table : {"hunts", "items", "findings"}) {
    connection->execute("ALTER TABLE " + table + " DROP COLUMN checksum");
  }
  connection->execute("ALTER TABLE hunts DROP COLUMN islands");
  connection->execute("ALTER TABLE hunts DROP COLUMN unkept");
  connection->execute(connection->engine() == sql::Engine::sqlite
                          ? "PRAGMA user_version = 2"
                          : "UPDATE store_version SET version = 2");
}

class OlderStoreTest : public EngineTest {};

TEST_P(OlderStoreTest, IsReadAsItIsAndBroughtToThisVersion) {
  const std::string store_location = location("store");
  const run::Scenario scenario = run::load_scenario(kOvertaken, simulated_systems());
  const HuntOptions options = run_budget(7, 1500);
  const Registry registry = test_registry();
  {
    HuntParts parts = sampling_parts(scenario, 7);
    HuntOptions all = options;
    all.all = true;
    Store store(store_location);
    store.begin(describe_hunt(scenario, all));
    hunt(scenario, parts, all, nullptr, &store);
  }
  const auto sums = [&] {
    std::vector<std::int64_t> result;
    const auto connection = sql::open(store_location, sql::Access::read);
    for (const std::string column : {"runs", "failed", "unknown", "new_states", "virtual_us"}) {
      result.push_back(connection->integer(
          fmt::format("SELECT CAST(sum({}) AS BIGINT) FROM yields WHERE thousand = 1", column)));
    }
    return result;
  };
  const std::vector<std::int64_t> before = sums();
  EXPECT_EQ(before[0], 500);
  const HuntTotals totals = StoreReader(store_location).totals(1);
  make_older(store_location);
  EXPECT_EQ(StoreReader(store_location).totals(1).failed, totals.failed);
  EXPECT_THAT(check_store(store_location), testing::IsEmpty());
  EXPECT_EQ(StoreReader(store_location).findings(1).front().examined, Examined::no);
  open_store(store_location);
  EXPECT_EQ(sums(), before);
  EXPECT_THAT(check_store(store_location), testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Engines, OlderStoreTest, kEngines, engine_name);

}  // namespace
}  // namespace dissensus::hunt
