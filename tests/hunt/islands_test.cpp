// Islands: what they find is shared, counted once, and can be repeated run by run.
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/bytes.h"
#include "faults/schedule_bytes.h"
#include "hunt/fleet.h"
#include "hunt/island.h"
#include "hunt/shipment.h"
#include "hunt/store_care.h"
#include "hunt/summary.h"
#include "search/genotype.h"
#include "search/immigration.h"

namespace dissensus::hunt {
namespace {

using testing::IsEmpty;

class IslandsTest : public FleetTest {
 protected:
  static HuntOptions islands(std::size_t runs, const std::string& search = "portfolio") {
    HuntOptions result = options(runs, search);
    result.window = 0;
    result.islands = true;
    return result;
  }
  static run::Scenario overtaken() { return run::load_scenario(kOvertaken, simulated_systems()); }

  /// A server that goes away before anything was gathered ends a hunt at once.
  void wait_for_runs() {
    StoreReader reader(url_);
    while (reader.connection().integer("SELECT count(*) FROM items") == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }

  /// Each failing run that was kept fails again in the same way, with the same trace.
  static void expect_repeatable(const run::Scenario& scenario,
                                const std::vector<ItemRecord>& items) {
    run::Runner runner;
    for (const ItemRecord& item : items) {
      if (item.outcome != oracle::Outcome::fail) continue;
      const run::RunResult again =
          runner.run(scenario,
                     faults::decode_schedule(item.schedule, "test", scenario.system_description(),
                                             scenario.nodes()),
                     item.seed);
      EXPECT_EQ(again.hash, item.hash) << item.number;
      ASSERT_FALSE(again.verdict.violations.empty()) << item.number;
      EXPECT_EQ(again.verdict.violations.front().signature(), item.signature);
    }
  }
};

TEST_F(IslandsTest, ShareWhatTheyFindAndEveryFindingRepeats) {
  const run::Scenario scenario = overtaken();
  open_store(url_);
  HuntResult result;
  {
    BackgroundWorker first(url_, patience_);
    BackgroundWorker second(url_, patience_);
    result = coordinate(scenario, islands(20'000), false);
  }
  EXPECT_EQ(result.end, HuntEnd::budget);
  EXPECT_GE(result.progress.runs, 20'000u);
  ASSERT_TRUE(result.found());
  EXPECT_TRUE(result.progress.findings.front().reproduced);
  EXPECT_EQ(result.progress.repeated, result.progress.equal);

  StoreReader reader(url_);
  const HuntTotals totals = reader.totals(1);
  EXPECT_EQ(totals.runs(), result.progress.runs);
  EXPECT_EQ(totals.failed, result.progress.failed);
  const std::vector<ItemRecord> items = items_of(url_);
  EXPECT_EQ(items.size(), totals.items);
  EXPECT_LT(items.size(), 10'000u) << "what taught nothing is counted, not kept";
  expect_repeatable(scenario, items);
  std::set<std::uint64_t> states;
  for (const ItemRecord& item : items) {
    for (const std::uint64_t state : item.new_states) {
      EXPECT_TRUE(states.insert(state).second) << "new to the hunt only once";
    }
  }
  EXPECT_EQ(states.size(), result.progress.states);
  EXPECT_EQ(reader.connection().integer("SELECT count(*) FROM islands"), 4) << "one per thread";
  EXPECT_GT(reader.connection().integer("SELECT min(turns) FROM islands"), 0) << "each has sent";
  EXPECT_THAT(check_store(url_), IsEmpty());
}

TEST_F(IslandsTest, AreGatheredByAnotherCoordinator) {
  const run::Scenario scenario = overtaken();
  open_store(url_);
  BackgroundWorker worker(url_, patience_);
  StopAfter early(2000);
  const HuntResult first = coordinate(scenario, islands(20'000), false, &early);
  EXPECT_EQ(first.end, HuntEnd::stopped);
  const HuntResult second = coordinate(scenario, islands(20'000), true);
  EXPECT_EQ(second.end, HuntEnd::budget);
  EXPECT_GE(second.progress.known, 2000u);
  ASSERT_TRUE(second.found());
  EXPECT_EQ(StoreReader(url_).totals(1).runs(), second.progress.runs);
  EXPECT_EQ(StoreReader(url_).findings(1).front().count, second.progress.findings.front().count);
  EXPECT_THAT(check_store(url_), IsEmpty());
  // And into a file, with the runs that were counted and not kept.
  copy_store(url_, file("copy"));
  EXPECT_EQ(StoreReader(file("copy")).totals(1).runs(), second.progress.runs);
  EXPECT_THAT(check_store(file("copy")), IsEmpty());
}

TEST_F(IslandsTest, SurviveARestartOfTheServer) {
  const run::Scenario scenario = overtaken();
  open_store(url_);
  HuntResult result;
  {
    BackgroundWorker worker(url_, patience_);
    std::jthread coordinator([&] { result = coordinate(scenario, islands(30'000), false); });
    wait_for_runs();
    for (int i = 0; i < 3; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(150));
      test::PrivatePostgres::instance().restart();
    }
  }
  EXPECT_GT(patience_.waits, 0);
  EXPECT_EQ(StoreReader(url_).totals(1).runs(), result.progress.runs) << "each shipment once";
  EXPECT_THAT(check_store(url_), IsEmpty());
}

TEST_F(IslandsTest, ATurnIsSentOnce) {
  Store store(url_);
  store.begin(describe_hunt(overtaken(), islands(10)));
  WorkQueue queue(url_, patience_);
  const std::int64_t island = queue.found_island(store.hunt(), "me");
  Shipment shipment;
  shipment.sums[{"", "random"}].runs = 3;
  // The answer may be lost: the same turn again.
  queue.ship(store.hunt(), island, 1, to_bytes(shipment));
  queue.ship(store.hunt(), island, 1, to_bytes(shipment));
  ASSERT_EQ(queue.shipments(store.hunt()).size(), 1u);
  store.add({queue.shipments(store.hunt()).front().id, 0, shipment, {}});
  queue.ship(store.hunt(), island, 1, to_bytes(shipment));
  EXPECT_THAT(queue.shipments(store.hunt()), IsEmpty()) << "it has arrived before";
  EXPECT_EQ(StoreReader(url_).totals(1).runs(), 3u);
  EXPECT_EQ(queue.state(store.hunt()).workers, 1u);
}

TEST_F(IslandsTest, AnIslandKnowsWhatOthersHaveSeen) {
  const run::Scenario scenario = overtaken();
  const HuntRecord record = describe_hunt(scenario, islands(10, "coverage"));
  const Registry registry = test_registry();
  Island first(record, 1, "test", registry);
  Island second(record, 2, "test", registry);
  int runs = 0;
  const Shipment found = first.run_turn([&] { return ++runs < 300; });
  EXPECT_EQ(runs, 300);
  std::size_t heard = 0;
  for (ItemRecord item : found.items) {
    item.number = heard++;
    second.hear(item);
  }
  EXPECT_EQ(second.news_from(), heard);
  runs = 0;
  const Shipment after = second.run_turn([&] { return ++runs < 300; });
  std::set<std::uint64_t> known;
  for (const ItemRecord& item : found.items)
    known.insert(item.new_states.begin(), item.new_states.end());
  for (const ItemRecord& item : after.items) {
    EXPECT_NE(item.seed, found.items.front().seed) << "seeds of its own";
    for (const std::uint64_t state : item.new_states) EXPECT_FALSE(known.contains(state));
  }
}

TEST(Immigration, ASeedOfOthersIsGrownFrom) {
  const run::Scenario scenario = run::load_scenario(kOvertaken, simulated_systems());
  const Registry registry = test_registry();
  HuntOptions options = run_budget(3, 100);
  options.search = "coverage";
  options.parameters = "initial = 1\nfresh = 0\n";
  HuntParts parts = make_parts(scenario, registry, options);
  const Candidate own = *parts.search->ask();
  parts.search->tell(own, {});
  EXPECT_EQ(parts.search->ask()->origin, "random") << "nothing is known to grow from";
  Evaluation theirs;
  theirs.new_states = 5;
  EXPECT_TRUE(search::welcome(*parts.search, own.genotype, theirs));
  EXPECT_EQ(parts.search->ask()->origin, "coverage");
}

TEST(Immigration, AClimberGoesOnFromABetterPlaceAlone) {
  const run::Scenario scenario = run::load_scenario(kOvertaken, simulated_systems());
  const Registry registry = test_registry();
  HuntOptions options = run_budget(3, 100);
  options.search = "hill-climbing";
  HuntParts parts = make_parts(scenario, registry, options);
  const auto distance = [](const Genotype& a, const Genotype& b) {
    std::size_t different = 0;
    for (std::size_t i = 0; i < a.genes.size(); ++i) different += a.genes[i] != b.genes[i] ? 1 : 0;
    return different;
  };
  const Candidate own = *parts.search->ask();
  Evaluation here;
  here.objectives = {5};
  parts.search->tell(own, here);
  Genotype other = own.genotype;
  for (double& gene : other.genes) gene = gene == 0 ? 1 : 0;
  Evaluation worse;
  worse.objectives = {6};
  search::welcome(*parts.search, other, worse);
  const Genotype before = parts.search->ask()->genotype;
  EXPECT_LT(distance(before, own.genotype), distance(before, other));
  Evaluation better;
  better.objectives = {4};
  search::welcome(*parts.search, other, better);
  const Genotype after = parts.search->ask()->genotype;
  EXPECT_LT(distance(after, other), distance(after, own.genotype));
}

TEST(ShipmentCodec, DamageIsNoticed) {
  Shipment shipment;
  shipment.sums[{"member", "origin"}] = {10, 2, 1, 5, Duration(77)};
  shipment.failures["agreement/x"] = 2;
  shipment.events = 12345;
  shipment.best = {-1.5};
  shipment.items.resize(2);
  shipment.items[1].schedule = "schedule";
  shipment.items[1].origin = "origin";
  shipment.items[1].new_states = {1, 2, 3};
  const std::string bytes = to_bytes(shipment);
  const Shipment back = from_bytes<Shipment>(bytes, "test");
  EXPECT_EQ(back.sums.at({"member", "origin"}).virtual_time, Duration(77));
  EXPECT_EQ(back.failures, shipment.failures);
  EXPECT_EQ(back.best, shipment.best);
  ASSERT_EQ(back.items.size(), 2u);
  EXPECT_EQ(back.items[1].schedule, "schedule");
  EXPECT_EQ(back.items[1].new_states, shipment.items[1].new_states);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    EXPECT_THROW(from_bytes<Shipment>(bytes.substr(0, i), "test"), InputError) << i;
  }
  EXPECT_THROW(from_bytes<Shipment>(bytes + "x", "test"), InputError);
}

}  // namespace
}  // namespace dissensus::hunt
