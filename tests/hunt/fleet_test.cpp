// A hunt whose runs are made by workers through a store is the hunt of one machine, whatever
// happens to the workers.
#include "hunt/fleet.h"

#include <atomic>
#include <chrono>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/bytes.h"
#include "hunt/batch.h"
#include "hunt/evaluator.h"
#include "hunt/evidence.h"
#include "hunt/hunting.h"
#include "hunt/parts.h"
#include "hunt/queue.h"
#include "hunt/store_care.h"
#include "hunt/summary.h"
#include "hunt/work.h"
#include "search/registry.h"
#include "trace/trace.h"

namespace dissensus::hunt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(FleetTest, HuntsAsOneMachineDoes) {
  const run::Scenario scenario = run::load_scenario(kOvertaken, simulated_systems());
  for (const std::string search : {"random", "portfolio", "pct"}) {
    const HuntOptions hunt_options = options(700, search);
    hunt_locally(scenario, hunt_options);
    HuntResult result;
    {
      // A store must be there before its workers.
      open_store(url_);
      BackgroundWorker first(url_, patience_);
      BackgroundWorker second(url_, patience_);
      result = coordinate(scenario, hunt_options, false);
    }
    EXPECT_EQ(result.progress.runs, 700u);
    const std::int64_t hunt = StoreReader(url_).hunts().back().id;
    expect_equal(items_of(file("local")), items_of(url_, hunt));
    const auto local = StoreReader(file("local")).findings(1);
    const auto shared = StoreReader(url_).findings(hunt);
    ASSERT_EQ(local.size(), shared.size()) << search;
    for (std::size_t i = 0; i < local.size(); ++i) {
      EXPECT_EQ(local[i].signature, shared[i].signature);
      EXPECT_EQ(local[i].count, shared[i].count);
      EXPECT_EQ(local[i].first_item, shared[i].first_item);
    }
    std::filesystem::remove(file("local"));
  }
  EXPECT_THAT(check_store(url_), IsEmpty());
}

TEST_F(FleetTest, ACoordinatorThatEndsIsTakenOver) {
  const run::Scenario scenario = run::load_scenario(kOvertaken, simulated_systems());
  const HuntOptions hunt_options = options(500, "portfolio");
  hunt_locally(scenario, hunt_options);
  open_store(url_);
  BackgroundWorker worker(url_, patience_);
  StopAfter first(100);
  EXPECT_EQ(coordinate(scenario, hunt_options, false, &first).end, HuntEnd::stopped);
  StopAfter second(333);
  coordinate(scenario, hunt_options, true, &second);
  coordinate(scenario, hunt_options, true);
  expect_equal(items_of(file("local")), items_of(url_));
}

TEST_F(FleetTest, AServerThatRestartsIsWaitedFor) {
  const run::Scenario scenario = run::load_scenario(kOvertaken, simulated_systems());
  const HuntOptions hunt_options = options(3000, "random");
  hunt_locally(scenario, hunt_options);
  open_store(url_);
  {
    BackgroundWorker worker(url_, patience_);
    // The server belongs to this thread and would end with any other.
    std::jthread coordinator([&] { coordinate(scenario, hunt_options, false); });
    for (int i = 0; i < 3; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(150));
      test::PrivatePostgres::instance().restart();
    }
  }
  EXPECT_GT(patience_.waits, 0);
  expect_equal(items_of(file("local")), items_of(url_));
  EXPECT_THAT(check_store(url_), IsEmpty());
}

TEST_F(FleetTest, OneCoordinatorHasAHunt) {
  const run::Scenario scenario = run::load_scenario(kOvertaken, simulated_systems());
  const HuntRecord record = describe_hunt(scenario, options(10, "random"));
  Store first(url_);
  first.begin(record);
  Store second(url_);
  EXPECT_THAT([&] { second.resume(record); },
              testing::ThrowsMessage<InputError>(HasSubstr("another program coordinates hunt 1")));
}

TEST_F(FleetTest, WhatAVanishedWorkerHadIsDoneByAnother) {
  open_store(url_);
  Store store(url_);
  store.begin({0, "name", "", "{}", ""});
  WorkQueue queue(url_, patience_);
  queue.put(1, to_bytes(std::vector<Order>{{5, 99, "s"}}));
  const std::optional<Lease> vanished = queue.lease(1, "gone", 0.2);
  ASSERT_TRUE(vanished);
  EXPECT_FALSE(queue.lease(1, "other", 10)) << "it belongs to somebody";
  EXPECT_EQ(queue.state(1).workers, 1u);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const std::optional<Lease> other = queue.lease(1, "other", 10);
  ASSERT_TRUE(other);
  EXPECT_EQ(other->batch, vanished->batch);
  EXPECT_TRUE(queue.complete(*other, "theirs"));
  EXPECT_FALSE(queue.complete(*vanished, "late"));
  EXPECT_EQ(queue.results_of(other->batch), "theirs");
  ASSERT_EQ(queue.done(1).size(), 1u);
  queue.remove(other->batch);
  EXPECT_THAT(queue.done(1), IsEmpty());
}

TEST_F(FleetTest, ASignOfLifeKeepsALease) {
  open_store(url_);
  Store store(url_);
  store.begin({0, "name", "", "{}", ""});
  WorkQueue queue(url_, patience_);
  queue.put(1, "items");
  ASSERT_TRUE(queue.lease(1, "alive", 0.3));
  for (int i = 0; i < 4; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    queue.renew("alive", 0.3);
  }
  EXPECT_FALSE(queue.lease(1, "other", 10));
}

// A server that ends between granting a lease and answering leaves it with somebody who does not
// know of it, and who goes on saying that they are alive.
TEST_F(FleetTest, WhoAsksAgainGetsTheBatchOfTheAnswerThatNeverCame) {
  open_store(url_);
  Store store(url_);
  store.begin({0, "name", "", "{}", ""});
  WorkQueue queue(url_, patience_);
  queue.put(1, "first");
  queue.put(1, "second");
  const std::optional<Lease> lost = queue.lease(1, "slot", 1000);
  ASSERT_TRUE(lost);
  queue.renew("slot", 1000);
  const std::optional<Lease> again = queue.lease(1, "slot", 1000);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->batch, lost->batch);
  EXPECT_TRUE(queue.complete(*again, "results"));
  const std::optional<Lease> next = queue.lease(1, "slot", 1000);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->items, "second");
}

/// Called in the middle of a worker's run.
std::function<void()> in_the_middle;
class Interruption final : public Fitness {
 public:
  double score(const RunSummary&, const faults::Schedule&) const override {
    in_the_middle();
    return 0;
  }
};

TEST_F(FleetTest, ARunThatDiffersElsewhereIsReported) {
  const run::Scenario scenario = run::load_scenario(kOvertaken, simulated_systems());
  HuntOptions hunt_options = options(64, "random");
  hunt_options.fitness = {"interruption"};
  Registry registry = test_registry();
  registry.fitness.push_back({"interruption", "", [](const SystemDescription&) {
                                return std::unique_ptr<Fitness>(new Interruption);
                              }});
  Store store(url_);
  store.begin(describe_hunt(scenario, hunt_options));
  HuntParts parts = make_parts(scenario, registry, hunt_options);
  const EvaluationPlan plan{scenario, parts, 7, 1, "test", make_evidence(scenario, 0, "")};
  Item item;
  item.candidate = *parts.search->ask();
  prepare(plan, item);
  WorkQueue queue(url_, patience_);
  queue.put(store.hunt(), to_bytes(std::vector<Order>{{0, run_seed(7, 0), item.record.schedule}}));
  in_the_middle = [&] {
    DoneWork forged;
    forged.deliveries.resize(1);
    forged.deliveries[0].facts.hash = 0x1234;
    EXPECT_TRUE(queue.complete({1, store.hunt(), ""}, to_bytes(forged)));
  };
  WorkOptions work_options;
  work_options.store = url_;
  work_options.idle_seconds = 0;
  std::vector<std::string> notices;
  WorkProgress progress;
  NoPatience impatient;
  work(
      work_options, registry, impatient, [] { return false; },
      [&notices](const std::string& text) { notices.push_back(text); }, progress);
  EXPECT_EQ(progress.wasted, 1u);
  EXPECT_EQ(progress.mismatches, 1u);
  EXPECT_EQ(queue.mismatches(store.hunt()), 1u);
  ASSERT_EQ(notices.size(), 1u);
  EXPECT_THAT(notices[0], HasSubstr("NOT DETERMINISTIC: run 0 of hunt 1"));
  EXPECT_THAT(check_store(url_),
              ElementsAre("hunt 1: 1 runs gave different hashes on different workers"));
}

TEST_F(FleetTest, AnotherBuildIsRefusedUnlessToldOtherwise) {
  const run::Scenario scenario = run::load_scenario(kOvertaken, simulated_systems());
  HuntRecord record = describe_hunt(scenario, options(10, "random"));
  record.program = "dissensus 99";
  Store store(url_);
  store.begin(record);
  WorkQueue queue(url_, patience_);
  queue.put(store.hunt(), to_bytes(std::vector<Order>{}));
  const Registry registry = test_registry();
  WorkOptions work_options;
  work_options.store = url_;
  work_options.idle_seconds = 0;
  NoPatience impatient;
  WorkProgress progress;
  std::vector<std::string> notices;
  const auto go = [&] {
    work(
        work_options, registry, impatient, [] { return false; },
        [&notices](const std::string& text) { notices.push_back(text); }, progress);
  };
  go();
  EXPECT_EQ(progress.batches, 0u);
  ASSERT_EQ(notices.size(), 1u);
  EXPECT_THAT(notices[0], HasSubstr("it was made by dissensus 99"));
  work_options.any_build = true;
  go();
  EXPECT_EQ(progress.batches, 1u);
}

TEST_F(FleetTest, APluginThatIsMissingOrAnotherIsNamed) {
  const run::Scenario scenario = run::load_scenario(kOvertaken, simulated_systems());
  HuntOptions hunt_options = options(10, "random");
  hunt_options.plugins = {"mine.so 1234"};
  Store store(url_);
  store.begin(describe_hunt(scenario, hunt_options));
  WorkQueue queue(url_, patience_);
  queue.put(store.hunt(), to_bytes(std::vector<Order>{}));
  const Registry registry = test_registry();
  NoPatience impatient;
  const auto notices_with = [&](std::vector<std::string> plugins) {
    WorkOptions work_options;
    work_options.store = url_;
    work_options.idle_seconds = 0;
    work_options.plugins = std::move(plugins);
    WorkProgress progress;
    std::vector<std::string> notices;
    work(
        work_options, registry, impatient, [] { return false; },
        [&notices](const std::string& text) { notices.push_back(text); }, progress);
    return notices;
  };
  EXPECT_THAT(
      notices_with({}),
      ElementsAre(HasSubstr("left to others: it needs the plugin mine.so 1234 (--plugin)")));
  EXPECT_THAT(notices_with({"mine.so 5678"}),
              ElementsAre(HasSubstr("needs the plugin mine.so 1234, here is mine.so 5678")));
  EXPECT_THAT(notices_with({"mine.so 1234"}), IsEmpty());
  EXPECT_EQ(queue.state(store.hunt()).done, 1u);
}

TEST_F(FleetTest, StoresAreCopiedBetweenEnginesAndPruned) {
  const run::Scenario scenario = run::load_scenario(kOvertaken, simulated_systems());
  hunt_locally(scenario, options(1500, "random"));
  {
    Store store(file("local"));
    store.resume(describe_hunt(scenario, options(1500, "random")));
    store.finish();
  }
  EXPECT_EQ(copy_store(file("local"), url_).items, 1500u);
  EXPECT_EQ(copy_store(url_, file("back")).items, 1500u);
  expect_equal(items_of(file("local")), items_of(file("back")));
  const auto before = StoreReader(file("local")).findings(1);
  const auto after = StoreReader(file("back")).findings(1);
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(before[i].count, after[i].count);
    EXPECT_EQ(before[i].first_seen, after[i].first_seen);
  }
  const HuntTotals totals = StoreReader(url_).totals(1);
  EXPECT_EQ(totals.items, 1500u);
  EXPECT_EQ(totals.failed, StoreReader(file("local")).totals(1).failed);
  EXPECT_EQ(totals.virtual_time, StoreReader(file("local")).totals(1).virtual_time);
  for (const std::string& store : {url_, file("back")}) {
    EXPECT_THAT(check_store(store), IsEmpty());
    EXPECT_EQ(prune_store(store, {30, 0}).hunts, 0u) << "it is young";
    EXPECT_EQ(prune_store(store, {-1, 2000}).hunts, 0u) << "it is small";
    EXPECT_EQ(prune_store(store, {-1, 1000}).items, 1500u);
    EXPECT_THAT(StoreReader(store).hunts(), IsEmpty());
  }
}

TEST_F(FleetTest, AWorkerNeedsNoMoreRightsThanItsOwn) {
  const run::Scenario scenario = run::load_scenario(kOvertaken, simulated_systems());
  const HuntOptions hunt_options = options(200, "random");
  {
    const auto connection = open_store(url_);
    connection->execute("DROP ROLE IF EXISTS \"a worker\"; CREATE ROLE \"a worker\" LOGIN");
  }
  allow_worker(url_, "a worker");
  std::string as_worker = url_;
  as_worker.replace(as_worker.find("dissensus@"), 10, "a%20worker@");
  {
    BackgroundWorker worker(as_worker, patience_);
    EXPECT_EQ(coordinate(scenario, hunt_options, false).progress.runs, 200u);
    HuntOptions islands = hunt_options;
    islands.window = 0;
    islands.islands = true;
    EXPECT_GE(coordinate(scenario, islands, false).progress.runs, 200u);
  }
  {
    Store store(url_);
    store.resume(describe_hunt(scenario, hunt_options));
    WorkQueue queue(url_, patience_);
    queue.put_examination(1, "signature", 0);
    WorkQueue workers(as_worker, patience_);
    EXPECT_TRUE(examine_next(
        workers, 1, scenario, {"worker", 1, {}},
        [](const run::Recipe&, const std::function<bool()>&) {
          return ExaminationResult{"a", "b", 1, "c", "d"};
        },
        [] { return true; }));
  }
  const auto connection = sql::open(as_worker, sql::Access::create);
  for (const std::string statement :
       {"DELETE FROM items", "UPDATE hunts SET scenario = ''", "UPDATE batches SET items = ''",
        "DELETE FROM batches", "DELETE FROM shipments", "SELECT cargo FROM shipments",
        "UPDATE examinations SET signature = ''", "UPDATE findings SET count = 0",
        "UPDATE islands SET owner = ''", "DROP TABLE hunts"}) {
    EXPECT_THROW(connection->execute(statement), InputError) << statement;
  }
}

TEST_F(FleetTest, WhatIsNoStoreIsRefusedInOneLine) {
  const auto message = [](const std::string& location) {
    try {
      Store store(location);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(message("postgresql://%"), HasSubstr("no URL of PostgreSQL"));
  EXPECT_THAT(message("postgresql:///x?host=/nowhere"), HasSubstr("cannot be reached"));
  EXPECT_THAT(message(test::PrivatePostgres::instance().url("absent")),
              HasSubstr("does not exist"));
  std::string secret = url_;
  secret.replace(secret.find("dissensus@"), 10, "dissensus:hush@nowhere.invalid");
  secret.replace(secret.find("?host="), std::string::npos, "?connect_timeout=1");
  EXPECT_THAT(message(secret), testing::Not(HasSubstr("hush")));
  {
    const auto connection = sql::open(url_, sql::Access::create);
    connection->execute("CREATE SCHEMA dissensus; CREATE TABLE dissensus.hunts (cats INTEGER)");
  }
  EXPECT_THAT(message(url_), HasSubstr("not a Dissensus store"));
  const std::string later = test::PrivatePostgres::instance().create_database();
  open_store(later)->execute("UPDATE store_version SET version = 9");
  EXPECT_THAT(message(later), HasSubstr("format version 9, expected at most 4"));
}

TEST(BatchCodec, DamageIsNoticed) {
  const std::vector<Order> orders{{1, 2, "abc"}, {300, ~std::uint64_t{0}, ""}};
  const std::string bytes = to_bytes(orders);
  const std::vector<Order> back = from_bytes<std::vector<Order>>(bytes, "test");
  ASSERT_EQ(back.size(), 2u);
  EXPECT_EQ(back[1].seed, ~std::uint64_t{0});
  EXPECT_EQ(back[0].schedule, "abc");
  DoneWork work;
  work.seconds = 0.5;
  work.deliveries.resize(2);
  work.deliveries[1].facts.signature = "agreement/x";
  work.deliveries[1].facts.objectives = {1.5, -2};
  work.deliveries[1].states = {7, 8};
  const std::string done = to_bytes(work);
  EXPECT_EQ(from_bytes<DoneWork>(done, "test").deliveries[1].states, work.deliveries[1].states);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    EXPECT_THROW(from_bytes<std::vector<Order>>(bytes.substr(0, i), "test"), InputError) << i;
  }
  for (std::size_t i = 0; i < done.size(); ++i) {
    EXPECT_THROW(from_bytes<DoneWork>(done.substr(0, i), "test"), InputError) << i;
  }
  EXPECT_THROW(from_bytes<std::vector<Order>>(bytes + "x", "test"), InputError);
}

TEST(StoreName, HasNoPassword) {
  EXPECT_EQ(sql::without_password("postgresql://me:secret@host/db"), "postgresql://me@host/db");
  EXPECT_EQ(sql::without_password("postgresql:///db"), "postgresql:///db");
  EXPECT_EQ(sql::without_password("postgresql:///db?password=a&sslpassword=b&user=c"),
            "postgresql:///db?password=&sslpassword=&user=c");
}

}  // namespace
}  // namespace dissensus::hunt
