// The search that shares its budget among shapes; shapes by number within a link; the pace of a
// system; signals that hunts can ask for.
#include "search/adaptive.h"

#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "faults/kinds.h"
#include "run/runner.h"
#include "run/scenario.h"
#include "search/genotype.h"
#include "search/measurement.h"
#include "search/pace.h"
#include "search/registry.h"
#include "search/sequence.h"
#include "systems/simulated/simulated.h"

namespace dissensus::search {
namespace {

using namespace std::chrono_literals;

run::Scenario load(const std::string& name) {
  return run::load_scenario(DISSENSUS_SOURCE_DIR "/scenarios/" + name, simulated_systems());
}

std::unique_ptr<Search> make(const std::string& name, const SearchContext& context,
                             const std::string& parameters = "") {
  return find_search(built_in_searches(), name)
      ->make(context, Options::from_toml(parameters, "test"));
}

Evaluation boring() {
  Evaluation evaluation;
  evaluation.objectives = {-0.1, -0.1, 0, 0};
  evaluation.virtual_seconds = 10;
  return evaluation;
}

/// Members of so many candidates, one under way at a time.
std::vector<std::string> members(Search& search, std::size_t count,
                                 const std::string& rewarded = "") {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < count; ++i) {
    const Candidate candidate = search.ask().value();
    result.emplace_back(candidate.member);
    Evaluation evaluation = boring();
    if (candidate.member == rewarded) evaluation.objectives[0] = -0.9;
    search.tell(candidate, evaluation);
  }
  return result;
}

TEST(Adaptive, DrawsTheSameAgainAndTurnsToWhatComesNear) {
  const run::Scenario scenario = load("xrpl/b2.toml");
  const SearchContext context{make_space(scenario), 4, 7};
  const auto first = make("adaptive", context);
  const auto second = make("adaptive", context);
  EXPECT_EQ(members(*first, 60), members(*second, 60));

  const auto rewarded = make("adaptive", context);
  const std::vector<std::string> drawn = members(*rewarded, 400, "pos");
  const auto indifferent = make("adaptive", context);
  const std::vector<std::string> usual = members(*indifferent, 400);
  EXPECT_GT(std::count(drawn.begin(), drawn.end(), "pos"),
            5 * std::count(usual.begin(), usual.end(), "pos") / 4);
  EXPECT_EQ(std::set<std::string>(drawn.begin(), drawn.end()).size(), 9u);
}

// What one kind of search never finds another one finds at once: all kinds have early turns.
TEST(Adaptive, BeginsWithDrawsSchedulersAndShapesInTurn) {
  const run::Scenario scenario = load("xrpl/b2.toml");
  const auto search = make("adaptive", {make_space(scenario), 4, 7});
  EXPECT_EQ(members(*search, 5), (std::vector<std::string>{"overtaking", "even-split", "overtaking",
                                                           "passing-split", "overtaking"}));
  // Where no number tells messages of a type apart none can overtake another.
  const auto without = make("adaptive", {make_space(load("vsr/delays.toml")), 4, 7});
  EXPECT_EQ(members(*without, 4),
            (std::vector<std::string>{"even-split", "passing-split", "pct", "noisy-split"}));
}

TEST(Adaptive, TakesTheArmsThatAreAskedFor) {
  const run::Scenario scenario = load("xrpl/b2.toml");
  const SearchContext context{make_space(scenario), 4, 7};
  const auto search = make("adaptive", context, "arms = ['pos', 'slow']");
  const std::vector<std::string> drawn = members(*search, 40);
  EXPECT_EQ(std::set<std::string>(drawn.begin(), drawn.end()),
            (std::set<std::string>{"pos", "slow"}));
  EXPECT_THROW(make("adaptive", context, "arms = ['fast']"), InputError);
  EXPECT_THROW(make("adaptive", context, "arms = []"), InputError);
  EXPECT_THROW(make("adaptive", context, "arms = ['waves']"), InputError) << "an arm of plans";
}

TEST(Adaptive, FullPlansHaveAllFaultsThatAPlanMayHave) {
  const SearchSpace space = make_space(load("pbft/small-quorum.toml"));
  const auto search = make("adaptive", {space, 4, 1}, "arms = ['full']");
  EXPECT_EQ(search->ask()->genotype.faults.size(), space.faults_max);
}

// Where a scenario has faults beside delays, schedulers draw these, too.
TEST(Adaptive, SchedulersHaveTheFaultsOfTheScenario) {
  const run::Scenario scenario = load("pbft/early-collection.toml");
  const SearchContext context{make_space(scenario), 1, 3, measure_pace(scenario)};
  for (const char* name : {"pct", "pos", "sequence", "passing-split"}) {
    const auto search = make(name, context);
    std::size_t faults = 0;
    for (std::size_t i = 0; i < 20; ++i) {
      const Candidate candidate = search->ask().value();
      EXPECT_TRUE(candidate.scheduler) << name;
      faults += candidate.genotype.faults.size();
      search->tell(candidate, boring());
    }
    EXPECT_GT(faults, 5u) << name;
  }
}

TEST(Adaptive, LooksLessFarAheadAtFirst) {
  const run::Scenario scenario = load("xrpl/b2.toml");
  const auto search = make("adaptive", {make_space(scenario), 4, 1});
  EXPECT_EQ(search->look_ahead(0), 2u);
  EXPECT_EQ(search->look_ahead(80), 12u);
  EXPECT_GT(make("random", {make_space(scenario), 1, 1})->look_ahead(0), 1000u);
}

TEST(Adaptive, DrawsPlansWhereNothingElseVaries) {
  const run::Scenario scenario = load("vsr/faults.toml");
  const auto search = make("adaptive", {make_space(scenario), 4, 1});
  for (std::size_t i = 0; i < 40; ++i) {
    const Candidate candidate = search->ask().value();
    EXPECT_FALSE(candidate.scheduler);
    EXPECT_TRUE(candidate.genotype.genes.empty());
    search->tell(candidate, boring());
  }
}

TEST(Sequence, LetsLaterMessagesOfALinkOvertakeEarlierOnes) {
  const run::Scenario scenario = load("vsr/delays.toml");
  const auto search = make("sequence", {make_space(scenario), 1, 3});
  std::size_t overtaking = 0;
  for (std::size_t run = 0; run < 50; ++run) {
    const Candidate candidate = search->ask().value();
    ASSERT_TRUE(candidate.scheduler);
    ASSERT_FALSE(candidate.scheduler->picks());
    candidate.scheduler->start(scenario.nodes(), scenario.system_description().kinds.size());
    // Ten messages of one kind on each link, 100 ms apart.
    for (NodeId to = 1; to < 5; ++to) {
      Time latest{};
      for (std::uint64_t number = 0; number < 10; ++number) {
        PendingMessage message;
        message.from = 0;
        message.to = to;
        message.kind = 2;
        message.sent = Time{100ms * static_cast<std::int64_t>(number)};
        const Duration delay = candidate.scheduler->delay(message);
        EXPECT_GE(delay, 0ms);
        EXPECT_LE(delay, 1500ms);
        overtaking += message.sent + delay < latest ? 1 : 0;
        latest = std::max(latest, message.sent + delay);
      }
    }
  }
  EXPECT_GT(overtaking, 100u);
}

/// Where the faults of a plan by the clock begin and end, in order.
std::vector<std::pair<Duration, Duration>> windows(const std::vector<faults::Fault>& plan) {
  std::vector<std::pair<Duration, Duration>> result;
  for (const faults::Fault& fault : plan) {
    const faults::Window* const when = faults::window_of(fault);
    if (when == nullptr) continue;
    EXPECT_FALSE(when->after) << "waves go by the clock";
    result.emplace_back(when->from, when->until.value());
  }
  return result;
}

TEST(Adaptive, WavesOfTroubleLeaveCalmBetweenThem) {
  const auto search =
      make("adaptive", {make_space(load("vsr/faults.toml")), 4, 1}, "arms = ['waves']");
  std::size_t faults = 0;
  for (std::size_t i = 0; i < 20; ++i) {
    const Candidate candidate = search->ask().value();
    const auto told = windows(candidate.genotype.faults);
    ASSERT_EQ(told.size(), candidate.genotype.faults.size());
    faults += told.size();
    for (std::size_t j = 1; j < told.size(); ++j) EXPECT_GT(told[j].first, told[j - 1].second);
    search->tell(candidate, boring());
  }
  EXPECT_GT(faults, 40u);
  // Liars have rounds and no clock.
  EXPECT_THROW(
      make("adaptive", {make_space(load("pbft/byzantine.toml")), 4, 1}, "arms = ['waves']"),
      InputError);
}

TEST(PassingSplit, DelaysWhatCrossesForAWhileAndThenNothing) {
  const run::Scenario scenario = load("vsr/delays.toml");
  const auto search = make("passing-split", {make_space(scenario), 1, 3, measure_pace(scenario)});
  std::size_t changes = 0;
  for (std::size_t run = 0; run < 20; ++run) {
    const Candidate candidate = search->ask().value();
    ASSERT_TRUE(candidate.scheduler);
    ASSERT_FALSE(candidate.scheduler->picks());
    candidate.scheduler->start(5, scenario.system_description().kinds.size());
    bool was_apart = false;
    for (std::int64_t moment = 0; moment < 600; ++moment) {
      // At each moment a message on every link.
      std::set<std::pair<NodeId, NodeId>> late;
      for (NodeId from = 0; from < 5; ++from) {
        for (NodeId to = 0; to < 5; ++to) {
          if (from == to) continue;
          PendingMessage message;
          message.from = from;
          message.to = to;
          message.kind = 2;
          message.sent = Time{10ms * moment};
          const Duration delay = candidate.scheduler->delay(message);
          EXPECT_LE(delay, 1500ms);
          if (delay > 0ms) late.emplace(from, to);
        }
      }
      // Two sides: both directions, and one node to two on the smaller one.
      EXPECT_TRUE(late.empty() || late.size() == 8 || late.size() == 12) << late.size();
      for (const auto& [from, to] : late) EXPECT_TRUE(late.count({to, from}));
      changes += was_apart != !late.empty() ? 1 : 0;
      was_apart = !late.empty();
    }
  }
  EXPECT_GT(changes, 100u);
}

class Recorded : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Delaying, Recorded, testing::Values("sequence", "passing-split"));

TEST_P(Recorded, AndReplays) {
  const run::Scenario scenario = load("vsr/delays.toml");
  const auto search = make(GetParam(), {make_space(scenario), 1, 3, measure_pace(scenario)});
  run::Runner runner;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Candidate candidate = search->ask().value();
    run::RunOptions options;
    options.scheduler = candidate.scheduler.get();
    const run::RunResult online = runner.run(scenario, {}, seed, options);
    ASSERT_TRUE(online.recorded);
    EXPECT_EQ(runner.run(scenario, *online.recorded, seed).hash, online.hash);
  }
}

TEST(Pace, IsThatOfTheSystem) {
  // A ledger takes three to five seconds.
  const TimeScales xrpl = measure_pace(load("xrpl/correct-2.4.0.toml"));
  EXPECT_GT(xrpl.round, 2s);
  EXPECT_LT(xrpl.round, 6s);
  const TimeScales vsr = measure_pace(load("vsr/quiet.toml"));
  EXPECT_GE(vsr.round, 50ms);
  EXPECT_LT(vsr.round, 2s);
  EXPECT_EQ(vsr.round, measure_pace(load("vsr/quiet.toml")).round);
}

/// The mean delay of the messages that a scheduler held back.
double mean_hold_ms(const run::Scenario& scenario, const std::string& parameters) {
  const SearchContext context{make_space(scenario), 1, 5, measure_pace(scenario)};
  const auto search = make("pos", context, parameters);
  const Candidate candidate = search->ask().value();
  run::RunOptions options;
  options.scheduler = candidate.scheduler.get();
  run::Runner runner;
  const run::RunResult result = runner.run(scenario, {}, 1, options);
  const auto& delays = std::get<faults::MessageSchedule>(result.recorded->scheduler).delays;
  double sum = 0;
  for (const auto& delay : delays) sum += static_cast<double>(delay.delay.count()) / 1000;
  return sum / static_cast<double>(std::max<std::size_t>(delays.size(), 1));
}

TEST(Pace, HoldsMessagesForTheShareOfARoundThatIsAskedFor) {
  const run::Scenario scenario = load("xrpl/b2.toml");
  const double round = static_cast<double>(measure_pace(scenario).round.count()) / 1000;
  EXPECT_LT(mean_hold_ms(scenario, "pace = 'thesis'"), round / 16);
  const double held = mean_hold_ms(scenario, "hold = 0.25");
  EXPECT_GT(held, round / 8);
  EXPECT_LT(held, round);
}

TEST(Signals, NoveltyIsWhatIsAskedFor) {
  const run::Scenario scenario = load("vsr/delays.toml");
  std::map<Novelty, std::vector<std::uint64_t>> states;
  for (const Novelty novelty :
       {Novelty::states, Novelty::happens_before, Novelty::both, Novelty::none}) {
    Measurement measurement(scenario, {false, novelty});
    measurement.reset();
    run::RunOptions options;
    options.sinks = {&measurement};
    run::Runner runner;
    const run::RunResult result = runner.run(scenario, {}, 1, options);
    states[novelty] = measurement.summarize(result).states;
  }
  EXPECT_TRUE(states[Novelty::none].empty());
  EXPECT_GT(states[Novelty::states].size(), 1u);
  EXPECT_GT(states[Novelty::happens_before].size(), 3u);
  EXPECT_EQ(states[Novelty::both].size(),
            states[Novelty::states].size() + states[Novelty::happens_before].size());
}

TEST(Signals, WaypointsAndRulesReachTheSummary) {
  const run::Scenario scenario = load("xrpl/b1.toml");
  Measurement measurement(scenario, {true, Novelty::states});
  measurement.reset();
  run::RunOptions options;
  options.sinks = {&measurement};
  run::Runner runner;
  const run::RunResult result = runner.run(scenario, {}, 1, options);
  const RunSummary& summary = measurement.summarize(result);
  ASSERT_EQ(summary.rule_margins.size(), 2u);
  // At most one payment is validated, and one is: two would be needed.
  EXPECT_EQ(summary.rule_margins[1], 0.5);
  EXPECT_GE(summary.rule_margins[0], 1.0 / 22);
  EXPECT_LT(summary.rule_margins[0], 1);
  EXPECT_EQ(summary.waypoints, 0u);
}

}  // namespace
}  // namespace dissensus::search
