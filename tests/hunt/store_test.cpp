// A store keeps what it was given, refuses what it cannot read with a clear line, and an
// interrupted hunt goes on as if nothing had happened.
#include "hunt/store.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dissensus/faults.h"
#include "dissensus/scheduler.h"

#include "faults/schedule_bytes.h"
#include "hunt/hunting.h"
#include "hunt/parts.h"
#include "hunt/sqlite.h"
#include "systems/simulated/simulated.h"

namespace dissensus::hunt {
namespace {

using testing::HasSubstr;

template <class Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "no error";
}

ItemRecord sample_item(std::uint64_t number) {
  ItemRecord item;
  item.number = number;
  item.seed = (std::uint64_t{1} << 53) - 1 - number;
  item.hash = 0xFEDCBA9876543210 + number;
  item.schedule = std::string("\x00\x01\xFF", 3);
  item.outcome = oracle::Outcome::fail;
  item.signature = "agreement/decided-differently/ledger";
  item.violations = 2;
  item.objectives = {0.1, -1.0 / 3, 1e300, 5};
  item.disagreement_margin = 0.7;
  item.termination_margin = 1.0 / 7;
  item.new_states = {1, ~std::uint64_t{0}};
  item.virtual_time = Duration(123'456'789);
  item.events = 4711;
  item.member = "nsga2";
  item.origin = "sbx+gaussian";
  item.stability = Stability::equal;
  return item;
}

INSTANTIATE_TEST_SUITE_P(Both, EngineTest, kEngines, engine_name);

TEST_P(EngineTest, GivesBackExactlyWhatItGot) {
  {
    Store store(location("store"));
    store.begin({0, "name", "text = 1\n", "{}", "program 1"});
    store.add(sample_item(0));
    store.add(sample_item(1));
    store.set_folder("agreement/decided-differently/ledger", "runs/x");
    EXPECT_EQ(store.folder_of("agreement/decided-differently/ledger"), "runs/x");
    EXPECT_EQ(store.folder_of("other"), "");
  }
  const std::vector<ItemRecord> items = items_of(location("store"));
  expect_equal(items, {sample_item(0), sample_item(1)});
  EXPECT_EQ(items[0].virtual_time, Duration(123'456'789));
  EXPECT_EQ(items[0].events, 4711u);
  EXPECT_EQ(items[0].violations, 2u);
  EXPECT_EQ(items[0].member, "nsga2");
  EXPECT_EQ(items[0].origin, "sbx+gaussian");
  EXPECT_EQ(items[0].disagreement_margin, 0.7);
  EXPECT_EQ(items[0].termination_margin, 1.0 / 7);
  StoreReader reader(location("store"));
  ASSERT_EQ(reader.hunts().size(), 1u);
  EXPECT_EQ(reader.hunts()[0].scenario, "text = 1\n");
  EXPECT_EQ(reader.item_count(1), 2u);
  const std::vector<FindingRecord> findings = reader.findings(1);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].count, 2u);
  EXPECT_EQ(findings[0].first_item, 0u);
  EXPECT_EQ(findings[0].folder, "runs/x");
}

TEST_P(EngineTest, AnItemIsNeverCountedTwice) {
  Store store(location("store"));
  store.begin({0, "name", "", "{}", ""});
  store.add(sample_item(0));
  const auto again = [&] {
    store.add(sample_item(0));
    store.flush();
  };
  EXPECT_THROW(again(), InputError);
}

TEST_F(StoreTest, RefusesWhatIsNoStore) {
  std::ofstream(file("text")) << "This is a text that is long enough to be looked at as a file.\n";
  EXPECT_THAT(message_of([&] { Store(file("text")); }), HasSubstr("text: not a Dissensus store"));
  EXPECT_THAT(message_of([&] { StoreReader(file("text")); }), HasSubstr("not a Dissensus store"));
  EXPECT_THAT(message_of([&] { StoreReader(file("missing")); }), HasSubstr("cannot be opened"));
  EXPECT_THAT(message_of([&] { Store(file("no/folder")); }), HasSubstr("cannot be opened"));
  EXPECT_THAT(message_of([&] { Store(file("")); }), HasSubstr("cannot be opened"));
}

TEST_F(StoreTest, RefusesAnotherProgramsDatabaseAndLeavesItAlone) {
  {
    sqlite::Database other(file("other"), sqlite::Database::Mode::create);
    other.execute("CREATE TABLE accounts (id INTEGER)");
  }
  EXPECT_THAT(message_of([&] { Store(file("other")); }), HasSubstr("not a Dissensus store"));
  sqlite::Database other(file("other"), sqlite::Database::Mode::read);
  EXPECT_EQ(other.integer("SELECT count(*) FROM sqlite_schema"), 1);
  EXPECT_FALSE(std::filesystem::exists(file("other-wal")));
}

TEST_F(StoreTest, RefusesAnotherVersion) {
  Store(file("store")).begin({0, "name", "", "{}", ""});
  {
    sqlite::Database later(file("store"), sqlite::Database::Mode::write);
    later.execute("PRAGMA user_version = 7");
  }
  for (const std::string& message : {message_of([&] { Store(file("store")); }),
                                     message_of([&] { StoreReader(file("store")); })}) {
    EXPECT_THAT(message, HasSubstr("format version 7, expected at most 4"));
  }
}

TEST_F(StoreTest, RefusesASecondWriter) {
  const Store first(file("store"));
  EXPECT_THAT(message_of([&] { Store(file("store")); }), HasSubstr("another hunt is writing"));
  EXPECT_TRUE(StoreReader(file("store")).hunts().empty()) << "readers are welcome";
}

TEST_F(StoreTest, ReportsALockThatAnotherProgramKeeps) {
  Store store(file("store"));
  store.begin({0, "name", "", "{}", ""});
  sqlite::Database other(file("store"), sqlite::Database::Mode::write);
  other.execute("BEGIN IMMEDIATE");
  EXPECT_THAT(message_of([&] {
                store.add(sample_item(0));
                store.flush();
              }),
              HasSubstr("another program keeps it locked"));
  other.execute("ROLLBACK");
  store.flush();
  EXPECT_EQ(items_of(file("store")).size(), 1u);
}

TEST_F(StoreTest, AFullDiskKeepsWhatWasCommitted) {
  {
    Store store(file("store"));
    store.begin({0, "name", "", "{}", ""});
    store.add(sample_item(0));
    store.flush();
    ItemRecord large = sample_item(1);
    large.schedule.assign(1u << 20, 'x');
    // The file may not grow any more: what a full disk looks like to the program.
    store.limit_pages_for_tests(16);
    EXPECT_THAT(message_of([&] {
                  store.add(large);
                  store.flush();
                }),
                HasSubstr("the disk is full"));
  }
  EXPECT_EQ(items_of(file("store")).size(), 1u);
}

// Every kind of schedule survives; damage is noticed.
TEST(ScheduleCodec, RoundTrip) {
  const run::Scenario scenario = run::load_scenario(kOvertaken, simulated_systems());
  const SystemDescription& description = scenario.system_description();
  const std::size_t genes = scenario.genes().size();
  std::vector<faults::Schedule> schedules(5);
  faults::DelaySchedule delays;
  faults::PrioritySchedule priorities;
  for (std::size_t i = 0; i < genes; ++i) {
    delays.delay_ms.push_back(static_cast<std::uint32_t>(i * i * i * 997 % faults::kDelayMsMax));
    priorities.priority.push_back(static_cast<std::uint32_t>(genes - i));
  }
  priorities.rate.target = 1.0 / 3;
  schedules[1].scheduler = delays;
  schedules[2].scheduler = priorities;
  schedules[3].scheduler =
      faults::MessageSchedule{{{0, 3, Duration(5)}, {2, 0, Duration(1'234'567)}}};
  schedules[4].scheduler = delays;
  schedules[4].faults.emplace_back(faults::CrashFault{1, Duration(5'000), {}, Duration(70)});
  for (const faults::Schedule& schedule : schedules) {
    const std::string bytes = faults::encode_schedule(schedule);
    EXPECT_EQ(faults::decode_schedule(bytes, "test", description, scenario.nodes()), schedule);
    if (schedule.scheduler.index() == 0) continue;
    EXPECT_THROW(faults::decode_schedule(bytes.substr(0, 3), "test", description, scenario.nodes()),
                 InputError);
  }
  EXPECT_THROW(faults::decode_schedule("", "test", description, scenario.nodes()), InputError);
  EXPECT_THROW(faults::decode_schedule("\x09", "test", description, scenario.nodes()), InputError);
}

class ResumeTest : public EngineTest {
 protected:
  using MakeParts = std::function<HuntParts(const run::Scenario&, std::uint64_t)>;

  /// A whole hunt, and one that is stopped after each of `stops` runs and resumed.
  void compare(const run::Scenario& scenario, const MakeParts& make_parts,
               const std::vector<std::uint64_t>& stops, std::size_t jobs) {
    HuntOptions options = run_budget(4, 600, jobs);
    options.all = true;
    const HuntRecord record = describe_hunt(scenario, options);
    HuntParts whole_parts = make_parts(scenario, 4);
    Store whole_store(location("whole"));
    whole_store.begin(record);
    const HuntResult whole = hunt(scenario, whole_parts, options, nullptr, &whole_store);
    whole_store.flush();

    HuntResult last;
    for (std::size_t i = 0; i <= stops.size(); ++i) {
      Store store(location("parts"));
      i == 0 ? store.begin(record) : store.resume(record);
      EXPECT_EQ(store.known_count(), i == 0 ? 0 : stops[i - 1]);
      HuntParts parts = make_parts(scenario, 4);
      StopAfter observer(i < stops.size() ? stops[i] : UINT64_MAX);
      last = hunt(scenario, parts, options, &observer, &store);
      EXPECT_EQ(last.progress.known, store.known_count());
    }
    expect_equal(items_of(location("whole")), items_of(location("parts")));
    EXPECT_EQ(last.progress.runs, whole.progress.runs);
    EXPECT_EQ(last.progress.events, whole.progress.events);
    EXPECT_EQ(last.progress.states, whole.progress.states);
    EXPECT_EQ(last.progress.best, whole.progress.best);
    EXPECT_EQ(last.progress.repeated, whole.progress.repeated);
    ASSERT_EQ(last.progress.findings.size(), whole.progress.findings.size());
    for (std::size_t i = 0; i < whole.progress.findings.size(); ++i) {
      const Finding& a = last.progress.findings[i];
      const Finding& b = whole.progress.findings[i];
      EXPECT_EQ(a.signature, b.signature);
      EXPECT_EQ(a.item, b.item);
      EXPECT_EQ(a.count, b.count);
      EXPECT_EQ(a.hash, b.hash);
      EXPECT_EQ(a.schedule, b.schedule);
      EXPECT_EQ(a.verdict.violations.size(), b.verdict.violations.size());
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Both, ResumeTest, kEngines, engine_name);

TEST_P(ResumeTest, AnInterruptedHuntEndsAsIfItHadNotBeen) {
  compare(run::load_scenario(kOvertaken, simulated_systems()), learning_parts,
          {1, 2, 17, 150, 151, 599}, 1);
}

TEST_P(ResumeTest, WithSeveralJobs) {
  compare(run::load_scenario(kOvertaken, simulated_systems()), learning_parts, {5, 333}, 3);
}

/// Learns from what its schedulers saw, as Q-learning does.
class CountingScheduler final : public Scheduler {
 public:
  explicit CountingScheduler(std::uint64_t step) : step_(step) {}
  bool picks() const override { return false; }
  Duration delay(const PendingMessage&) override {
    return std::chrono::milliseconds((++messages * step_) % 37);
  }
  std::uint64_t messages = 0;

 private:
  std::uint64_t step_;
};
class CountingSearch final : public Search {
 public:
  std::optional<Candidate> ask() override {
    Candidate candidate;
    candidate.scheduler = std::make_shared<CountingScheduler>(seen_ % 101);
    candidate.origin = "counting";
    return candidate;
  }
  void tell(const Candidate& candidate, const Evaluation&) override {
    seen_ += static_cast<const CountingScheduler&>(*candidate.scheduler).messages;
  }

 private:
  std::uint64_t seen_ = 1;
};

TEST_P(ResumeTest, WithSchedulersThatTellTheSearchWhatTheySaw) {
  const auto make = [](const run::Scenario&, std::uint64_t) {
    HuntParts parts;
    parts.search = std::make_unique<CountingSearch>();
    return parts;
  };
  compare(run::load_scenario(kOvertaken, simulated_systems()), make, {20, 100}, 2);
}

// Of runs that were under way when real servers failed, some are there and some are not.
TEST_F(StoreTest, RunsThatAreMissingInTheMiddleAreMadeWhenAHuntGoesOn) {
  const run::Scenario scenario = run::load_scenario(kOvertaken, simulated_systems());
  HuntOptions options = run_budget(4, 40);
  options.all = true;
  const HuntRecord record = describe_hunt(scenario, options);
  const auto hunt_with = [&](Store& store) {
    HuntParts parts = learning_parts(scenario, 4);
    return hunt(scenario, parts, options, nullptr, &store);
  };
  {
    Store store(file("store"));
    store.begin(record);
    hunt_with(store);
  }
  const std::vector<ItemRecord> whole = items_of(file("store"));
  open_store(file("store"))->execute("DELETE FROM items WHERE number IN (7, 20, 39)");
  Store store(file("store"));
  store.resume(record);
  const HuntResult result = hunt_with(store);
  EXPECT_EQ(result.progress.runs, 40u);
  EXPECT_EQ(result.progress.known, 37u);
  store.flush();
  const std::vector<ItemRecord> again = items_of(file("store"));
  ASSERT_EQ(again.size(), whole.size());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    EXPECT_EQ(again[i].hash, whole[i].hash) << i;
    EXPECT_EQ(again[i].schedule, whole[i].schedule) << i;
  }
}

TEST_F(StoreTest, ResumeRefusesAnythingThatWouldMakeAnotherHunt) {
  const run::Scenario scenario = run::load_scenario(kOvertaken, simulated_systems());
  HuntOptions options = run_budget(1, 50);
  Store(file("store")).begin(describe_hunt(scenario, options));
  const auto refusal = [&](const run::Scenario& other_scenario, const HuntOptions& other) {
    return message_of([&] { Store(file("store")).resume(describe_hunt(other_scenario, other)); });
  };
  EXPECT_EQ(refusal(scenario, options), "no error");
  HuntOptions more = options;
  more.budget.runs = 500;
  more.jobs = 8;
  more.all = true;
  EXPECT_EQ(refusal(scenario, more), "no error") << "neither budget nor jobs matter";
  EXPECT_THAT(refusal(fixed_scenario(), options), HasSubstr("the scenario is not the one"));
  HuntOptions other = options;
  other.seed = 2;
  EXPECT_THAT(refusal(scenario, other), HasSubstr("--seed was 1, now 2"));
  other = options;
  other.search = "nsga2";
  EXPECT_THAT(refusal(scenario, other), HasSubstr("--search was \"random\", now \"nsga2\""));
  HuntRecord newer = describe_hunt(scenario, options);
  newer.program = "dissensus 99";
  EXPECT_THAT(message_of([&] { Store(file("store")).resume(newer); }),
              HasSubstr("it was made by dissensus "));
  Store(file("empty")).resume(newer);
  EXPECT_EQ(StoreReader(file("empty")).hunts().size(), 1u) << "interrupted before it had begun";
}

TEST_P(ResumeTest, NoticesASearchThatDoesNotRepeatItself) {
  const run::Scenario scenario = fixed_scenario();
  HuntOptions options = run_budget(1, 40);
  const HuntRecord record = describe_hunt(scenario, options);
  {
    Store store(location("store"));
    store.begin(record);
    HuntParts parts = sampling_parts(scenario, 1);
    hunt(scenario, parts, options, nullptr, &store);
  }
  Store store(location("store"));
  store.resume(record);
  HuntParts parts = sampling_parts(scenario, 2);
  EXPECT_THAT(message_of([&] { hunt(scenario, parts, options, nullptr, &store); }),
              HasSubstr("asks for another item 0"));
}

TEST(Parameters, AreTomlOrText) {
  EXPECT_EQ(parameter_line("population=20"), "population = 20\n");
  EXPECT_EQ(parameter_line("crossover=sbx"), "crossover = \"sbx\"\n");
  EXPECT_EQ(parameter_line("time=5s"), "time = \"5s\"\n");
  EXPECT_EQ(parameter_line("members=[\"a\", \"b\"]"), "members = [\"a\", \"b\"]\n");
  for (const char* bad : {"population", "=20", "a b=3", ""}) {
    EXPECT_THROW(parameter_line(bad), InputError) << bad;
  }
}

}  // namespace
}  // namespace dissensus::hunt
