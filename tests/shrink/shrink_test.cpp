#include "shrink/shrink.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dissensus/faults.h"
#include "dissensus/random.h"

#include "core/file.h"
#include "faults/kinds.h"
#include "faults/words.h"
#include "run/schedule_space.h"
#include "shrink/likelihood.h"
#include "systems/simulated/simulated.h"

namespace dissensus::shrink {
namespace {

using faults::DelaySchedule;

const std::string kOvertaken = DISSENSUS_SOURCE_DIR "/scenarios/majority/overtaken-commit.toml";
const std::string kThreshold = DISSENSUS_SOURCE_DIR "/scenarios/xrpl/threshold-40.toml";

/// The first failing random schedule of a scenario.
run::Recipe failing_run(const run::Scenario& scenario, std::uint64_t first_seed) {
  run::Recipe recipe;
  recipe.scenario = scenario;
  run::Runner runner;
  for (recipe.seed = first_seed;; ++recipe.seed) {
    Random random(recipe.seed, "schedule");
    recipe.schedule = run::random_schedule(recipe.scenario, random);
    if (!failure_of(runner.run(recipe.scenario, recipe.schedule, recipe.seed)).empty())
      return recipe;
  }
}

run::Recipe failing_run(const std::string& path, std::uint64_t first_seed = 1) {
  return failing_run(run::load_scenario(path, simulated_systems()), first_seed);
}

ShrinkResult shrink_run(const run::Recipe& recipe, const ShrinkOptions& options = {}) {
  return shrink(recipe.scenario, recipe.schedule, recipe.seed, options, simulated_systems());
}

// The thesis's tutorial bug needs one late proposal to node 2 (Figure 1.1).
TEST(Shrink, TheTutorialBugIsOneLateProposal) {
  for (std::uint64_t seed = 1; seed <= 40; seed += 4) {
    const run::Recipe failing = failing_run(kOvertaken, seed);
    const ShrinkResult result = shrink_run(failing);
    EXPECT_TRUE(result.minimal);
    EXPECT_GE(result.before.genes, 10u);
    EXPECT_EQ(result.after.genes, 1u);
    const auto& delays = std::get<DelaySchedule>(result.recipe.schedule.scheduler).delay_ms;
    for (std::size_t gene = 0; gene < delays.size(); ++gene) {
      if (delays[gene] == 0) continue;
      EXPECT_EQ(failing.scenario.genes().gene(gene).kind, 0) << "a proposal";
      EXPECT_LE(delays[gene], 20u);
    }
  }
}

/// So many runs take some 100 ms.
ShrinkOptions brief(bool beyond_bounds) {
  ShrinkOptions options;
  options.seeds = 0;
  options.runs_max = 600;
  options.beyond_bounds = beyond_bounds;
  return options;
}

// The minimal schedule is one that a search of the scenario could have found. Both of these have
// later messages where that is allowed.
TEST(Shrink, DelaysStayInsideTheBoundsOfTheScenario) {
  for (const std::uint64_t seed : {4u, 7u}) {
    const run::Recipe failing = failing_run(kThreshold, seed);
    const auto most = failing.scenario.space.max_delay;
    const ShrinkResult inside = shrink_run(failing, brief(false));
    EXPECT_LE(faults::longest_delay(inside.recipe.schedule), most);
    EXPECT_FALSE(leaves_bounds(inside.recipe.scenario, inside.recipe.schedule));
    EXPECT_FALSE(parse_result(to_json(inside), "shrink.json").beyond_bounds);
    const ShrinkResult outside = shrink_run(failing, brief(true));
    EXPECT_GT(faults::longest_delay(outside.recipe.schedule), most);
    EXPECT_TRUE(leaves_bounds(outside.recipe.scenario, outside.recipe.schedule));
    EXPECT_TRUE(parse_result(to_json(outside), "shrink.json").beyond_bounds);
  }
}

// Single messages have the bounds of their genes; a schedule that was given keeps what it has.
TEST(Shrink, BoundsAreThoseOfTheSpaceAndOfWhatWasGiven) {
  const run::Scenario scenario = run::load_scenario(kThreshold, simulated_systems());
  const auto most =
      std::chrono::duration_cast<std::chrono::milliseconds>(scenario.space.max_delay).count();
  faults::Schedule single;
  single.scheduler = faults::MessageSchedule{{{0, 0, std::chrono::milliseconds(most + 1)}}};
  EXPECT_TRUE(leaves_bounds(scenario, single));
  EXPECT_EQ(delay_bounds(scenario, single).at(0), most);
  run::Scenario drawn_by_nobody = scenario;
  drawn_by_nobody.space.type = run::ScheduleSpace::Type::none;
  EXPECT_FALSE(leaves_bounds(drawn_by_nobody, single));
  EXPECT_EQ(delay_bounds(drawn_by_nobody, single).at(0), most + 1);
}

// What an earlier shrinking made beyond the bounds is not gone on from inside them.
TEST(ShrinkFurther, ComesBackInsideTheBounds) {
  const run::Recipe failing = failing_run(kThreshold);
  const ShrinkResult inside = shrink_run(failing, brief(false));
  ShrinkResult outside = inside;
  auto& delays = std::get<DelaySchedule>(outside.recipe.schedule.scheduler).delay_ms;
  for (std::uint32_t& delay : delays) delay = delay > 0 ? 60'000 : 0;
  outside.beyond_bounds = true;
  const ShrinkResult again = shrink_further(failing, outside, brief(false), simulated_systems());
  EXPECT_FALSE(leaves_bounds(again.recipe.scenario, again.recipe.schedule));
  EXPECT_EQ(again.recipe.schedule, inside.recipe.schedule);
}

// What the result says can be repeated from its texts alone.
TEST(Shrink, TheMinimalRunReplaysFromItsTexts) {
  const run::Recipe failing = failing_run(kThreshold);
  ShrinkOptions options;
  options.jobs = 2;
  const ShrinkResult result = shrink_run(failing, options);
  const run::Scenario scenario =
      run::parse_scenario(result.recipe.scenario.text, "minimal", simulated_systems());
  const faults::Schedule schedule = faults::parse_schedule(
      faults::to_json(result.recipe.schedule, scenario.system_description(), scenario.nodes()),
      "minimal", scenario.system_description(), scenario.nodes());
  run::Runner runner;
  const run::RunResult again = runner.run(scenario, schedule, result.recipe.seed);
  EXPECT_EQ(trace::to_hex(again.hash), result.recipe.hash);
  EXPECT_EQ(failure_of(again), result.violation.signature());
  EXPECT_LT(result.after.genes, result.before.genes / 4);
}

// Minimality, checked from outside: no gene of the result can go.
TEST(Shrink, NoSingleGeneOfTheResultCanGo) {
  const run::Recipe failing = failing_run(kThreshold, 5);
  const ShrinkResult result = shrink_run(failing);
  ASSERT_TRUE(result.minimal);
  auto schedule = result.recipe.schedule;
  run::Runner runner;
  for (std::uint32_t& delay : std::get<DelaySchedule>(schedule.scheduler).delay_ms) {
    const std::uint32_t kept = std::exchange(delay, 0);
    if (kept == 0) continue;
    EXPECT_NE(failure_of(runner.run(result.recipe.scenario, schedule, result.recipe.seed)),
              result.violation.signature());
    delay = kept;
  }
}

TEST(Shrink, TheResultDoesNotDependOnTheNumberOfJobs) {
  const run::Recipe failing = failing_run(kOvertaken, 3);
  const std::string one = to_json(shrink_run(failing));
  for (const std::size_t jobs : {2u, 5u}) {
    ShrinkOptions options;
    options.jobs = jobs;
    EXPECT_EQ(to_json(shrink_run(failing, options)), one) << jobs;
  }
}

std::size_t failing_of(const run::Recipe& recipe, const std::string& signature, std::size_t seeds) {
  run::Runner runner;
  std::size_t failing = 0;
  for (std::uint64_t seed = 1'000; seed < 1'000 + seeds; ++seed) {
    failing += failure_of(runner.run(recipe.scenario, recipe.schedule, seed)) == signature ? 1 : 0;
  }
  return failing;
}

// The smallest schedule that fails with one seed fails seldom with others; with --rate it stays as
// good as the whole schedule was.
TEST(Shrink, KeepsTheRateOfFailuresOverSeeds) {
  // A network on which the outcome is a matter of the seed, too.
  std::string text = read_file(kOvertaken, 1 << 20);
  const std::string_view steady = "[\"5ms\", \"8ms\"]";
  text.replace(text.find(steady), steady.size(), "[\"1ms\", \"30ms\"]");
  const run::Scenario unsteady = run::parse_scenario(text, "unsteady", simulated_systems());
  std::size_t failing_plain = 0;
  std::size_t failing_kept = 0;
  for (std::uint64_t seed = 1; seed <= 13; seed += 4) {
    const run::Recipe failing = failing_run(unsteady, seed);
    ShrinkOptions options;
    const ShrinkResult plain = shrink_run(failing, options);
    EXPECT_FALSE(plain.rate);
    options.rate = 0.9;
    const ShrinkResult kept = shrink_run(failing, options);
    ASSERT_TRUE(kept.rate);
    EXPECT_EQ(kept.rate->seeds, 40u);
    EXPECT_GE(static_cast<double>(kept.rate->failing_after),
              0.9 * static_cast<double>(kept.rate->failing_before));
    EXPECT_LT(kept.after.genes, kept.before.genes);
    // Judged by seeds that had no part in it.
    const std::string signature = kept.violation.signature();
    failing_plain += failing_of(plain.recipe, signature, 100);
    failing_kept += failing_of(kept.recipe, signature, 100);
  }
  EXPECT_GT(failing_kept, failing_plain);
}

TEST(Shrink, AKeptRateDoesNotDependOnTheNumberOfJobsAndIsRead) {
  const run::Recipe failing = failing_run(kOvertaken, 3);
  ShrinkOptions options;
  options.rate = 1;
  options.rate_seeds = 10;
  const std::string one = to_json(shrink_run(failing, options));
  options.jobs = 3;
  EXPECT_EQ(to_json(shrink_run(failing, options)), one);
  const ShrinkResult read = parse_result(one, "shrink.json");
  ASSERT_TRUE(read.rate);
  EXPECT_EQ(read.rate->seeds, 10u);
  EXPECT_EQ(read.rate->share, 1.0);
}

// A limit of runs or an interruption leaves a failing run that nobody calls minimal.
TEST(Shrink, InterruptedItStillFails) {
  const run::Recipe failing = failing_run(kOvertaken);
  for (std::size_t runs = 0; runs < 20; ++runs) {
    ShrinkOptions options;
    options.seeds = 0;
    options.runs_max = runs;
    const ShrinkResult limited = shrink_run(failing, options);
    EXPECT_FALSE(limited.minimal);
    EXPECT_LE(limited.runs, runs);
    options.runs_max = 1'000;
    options.keep_going = [runs](const ShrinkProgress& progress) { return progress.runs <= runs; };
    const ShrinkResult interrupted = shrink_run(failing, options);
    EXPECT_FALSE(interrupted.minimal);
    run::Runner runner;
    for (const ShrinkResult* result : {&limited, &interrupted}) {
      const run::Recipe& recipe = result->recipe;
      EXPECT_FALSE(failure_of(runner.run(recipe.scenario, recipe.schedule, recipe.seed)).empty());
    }
  }
}

// A limit of work is the same with any number of jobs, and stages after the reduction keep it, too.
TEST(Shrink, ALimitOfEventsGivesTheSameResultWithAnyNumberOfJobs) {
  const run::Recipe failing = failing_run(kThreshold);
  run::Runner runner;
  const std::uint64_t events = runner.run(failing.scenario, failing.schedule, failing.seed).events;
  ShrinkOptions options;
  options.events_max = events * 30;
  const ShrinkResult one = shrink_run(failing, options);
  EXPECT_FALSE(one.minimal);
  EXPECT_LT(one.runs, 60u);
  EXPECT_LT(one.seeds, 60u);
  options.jobs = 3;
  EXPECT_EQ(to_json(shrink_run(failing, options)), to_json(one));
}

// An interruption ends the stages after the reduction as well.
TEST(Shrink, EveryStageCanBeInterrupted) {
  const run::Recipe failing = failing_run(kOvertaken);
  for (const ShrinkStage last : {ShrinkStage::reducing, ShrinkStage::other_seeds}) {
    ShrinkOptions options;
    options.keep_going = [last](const ShrinkProgress& progress) {
      EXPECT_LE(progress.stage, last);
      return progress.stage != last;
    };
    const ShrinkResult result = shrink_run(failing, options);
    EXPECT_EQ(result.seeds, last == ShrinkStage::reducing ? 0u : 1u);
    EXPECT_EQ(result.nodes_tried, 0u);
  }
}

ShrinkResult read_again(const ShrinkResult& result) {
  ShrinkResult read = parse_result(to_json(result), "shrink.json");
  read.recipe = result.recipe;
  read.violation = result.violation;
  return read;
}

TEST(ShrinkFurther, GoesOnToTheMinimumInSmallStepsAndNeverGrows) {
  const run::Recipe failing = failing_run(kThreshold);
  ShrinkOptions options;
  options.seeds = 0;
  options.runs_max = 25;
  ShrinkResult result = shrink_run(failing, options);
  const Size before = result.before;
  std::size_t steps = 0;
  for (; !result.minimal && steps < 1'000; ++steps) {
    options.runs_max = 25 + 25 * steps;
    const ShrinkResult next =
        shrink_further(failing, read_again(result), options, simulated_systems());
    EXPECT_LE(next.after.genes, result.after.genes);
    EXPECT_LE(next.after.delay_total, result.after.delay_total + std::chrono::milliseconds(1));
    EXPECT_EQ(next.before.genes, before.genes);
    EXPECT_GT(next.runs, result.runs);
    result = next;
  }
  EXPECT_TRUE(result.minimal);
  EXPECT_GT(steps, 0u);
  options.runs_max = 20;
  EXPECT_EQ(to_json(shrink_further(failing, read_again(result), options, simulated_systems())),
            to_json(result));
}

// After a change of the system the minimal run may pass: then the run as it was found counts.
TEST(ShrinkFurther, StartsAgainWhereTheMinimalRunFailsNoMore) {
  const run::Recipe failing = failing_run(kOvertaken);
  const ShrinkResult whole = shrink_run(failing);
  ShrinkResult other = whole;
  other.recipe.schedule = {};
  EXPECT_EQ(to_json(shrink_further(failing, other, {}, simulated_systems())), to_json(whole));
}

TEST(ShrinkFurther, ATextThatIsNoResultIsRefused) {
  EXPECT_THROW(parse_result("{", "shrink.json"), InputError);
  EXPECT_THROW(parse_result("{\"format\": \"dissensus-shrink/9\"}", "shrink.json"), InputError);
  EXPECT_THROW(parse_result("{\"format\": \"dissensus-shrink/1\"}", "shrink.json"), InputError);
}

// Faults that have nothing to do with the failure go.
TEST(Shrink, FaultsThatDoNotMatterAreRemoved) {
  run::Recipe recipe = failing_run(kOvertaken);
  faults::CrashFault crash;
  crash.node = 1;
  crash.at = std::chrono::seconds(40);
  faults::DuplicateFault copies;
  copies.gap = std::chrono::seconds(3);
  recipe.schedule.faults = {crash, copies};
  const ShrinkResult result = shrink_run(recipe);
  EXPECT_TRUE(result.minimal);
  EXPECT_EQ(result.before.faults, 2u);
  EXPECT_EQ(result.after.faults, 0u);
  EXPECT_TRUE(result.recipe.schedule.faults.empty());
}

/// Hands out levels from a list, or the start levels, and remembers those.
class ListedLevels final : public faults::LevelSource {
 public:
  explicit ListedLevels(Levels levels = {}) : levels_(std::move(levels)) {}
  std::int64_t next(std::int64_t start, faults::Scale) override {
    starts.push_back(start);
    return starts.size() <= levels_.size() ? levels_[starts.size() - 1] : start;
  }
  Levels starts;

 private:
  Levels levels_;
};

// A fault at its start levels is itself; windows, counts and receivers shrink.
TEST(FaultUnits, ShrinkWindowsCountsAndReceivers) {
  using namespace std::chrono_literals;
  faults::DropFault drop;
  drop.when.from = 1s;
  ListedLevels same;
  EXPECT_EQ(faults::reduced(drop, 5, 10s, same), faults::Fault(drop));
  EXPECT_EQ(same.starts, (Levels{17, 9'001, 9'001}));
  ListedLevels smaller({2, 5'000, 1'000});
  const auto left = *faults::reduced(drop, 5, 10s, smaller)->as<faults::DropFault>();
  EXPECT_EQ(left.count, 2u);
  EXPECT_EQ(left.when.from, 5s);
  EXPECT_EQ(left.when.until, 6s);
  ListedLevels gone({2, 5'000, 0});
  EXPECT_FALSE(faults::reduced(drop, 5, 10s, gone));

  faults::SilenceFault silence;
  silence.round = 3;
  silence.receivers = {1, 2};
  ListedLevels one({0, 1});
  EXPECT_EQ(faults::reduced(silence, 5, 10s, one)->as<faults::SilenceFault>()->receivers,
            NodeSet{2});
}

// Nodes leave the smaller side of a partition for the larger one, never the other way round.
TEST(FaultUnits, NodesOfAPartitionJoinTheLargestPart) {
  using namespace std::chrono_literals;
  faults::RoundPartitionFault partition;
  partition.groups = {{0, 1}, {2, 3, 4}};
  ListedLevels one({1, 0});
  const auto left = *faults::reduced(partition, 5, 10s, one)->as<faults::RoundPartitionFault>();
  EXPECT_EQ(left.groups, (std::vector<NodeSet>{{0}, {1, 2, 3, 4}}));
  ListedLevels none({0, 0});
  EXPECT_FALSE(faults::reduced(partition, 5, 10s, none));
}

// Each fault of the environment is itself at its start levels, gone at level 0, and smaller
// between.
TEST(FaultUnits, FaultsOfTheEnvironmentShrink) {
  using namespace std::chrono_literals;
  faults::Window when;
  when.from = 1s;
  when.until = 4s;
  when.after.emplace();
  when.after->phase = 0;
  when.after->nth = 3;
  when.after->until_next = true;
  faults::LinkFault links;
  links.senders = {0, 1};
  links.receivers = {2};
  links.loss = 0.5;
  links.duplicate = 0.25;
  links.jitter = 20ms;
  links.when = when;
  faults::DiskFault disk;
  disk.node = 2;
  disk.extra = 100ms;
  disk.when = when;
  const faults::Fault all[] = {faults::PartitionFault{{{0, 1}}, when},
                               faults::OutageFault{{0, 2, 4}, when},
                               faults::PauseFault{{1, 3}, when},
                               faults::CutFault{faults::CutFault::Shape::one_way, {1, 2}, when},
                               faults::CutFault{faults::CutFault::Shape::bridge, {0, 1, 2}, when},
                               faults::CutFault{faults::CutFault::Shape::ring, {0, 1, 2, 3}, when},
                               links,
                               disk};
  for (const faults::Fault& fault : all) {
    ListedLevels same;
    EXPECT_EQ(faults::reduced(fault, 5, 10s, same), fault);
    ListedLevels none(Levels(same.starts.size(), 0));
    EXPECT_FALSE(faults::reduced(fault, 5, 10s, none));
    // An earlier time that the same thing happens, and a shorter window.
    Levels levels = same.starts;
    const auto anchor = std::find(levels.begin(), levels.end(), 2);
    ASSERT_NE(anchor, levels.end());
    *anchor = 0;
    ASSERT_EQ(anchor[1], 3'000);
    anchor[1] = 500;
    ListedLevels smaller(levels);
    const auto left = faults::reduced(fault, 5, 10s, smaller);
    ASSERT_TRUE(left);
    const faults::Window* const window = faults::window_of(*left);
    ASSERT_NE(window, nullptr);
    EXPECT_EQ(window->after->nth, 1u);
    EXPECT_EQ(window->from, 1s);
    EXPECT_EQ(window->until, 1500ms);
  }
}

TEST(Shrink, ARunThatDoesNotFailIsRefused) {
  EXPECT_THROW(
      shrink(run::load_scenario(kOvertaken, simulated_systems()), {}, 1, {}, simulated_systems()),
      InputError);
}

// Requests are taken out of the file by their lines; everything else stays as it was.
TEST(ScenarioEdit, TakesOutRequestsAndTimesOnly) {
  const run::Scenario scenario = run::load_scenario(kThreshold, simulated_systems());
  const ScenarioText text(scenario);
  ASSERT_EQ(text.requests(), 4u);
  ScenarioEdit edit;
  edit.removed_requests = {0, 2};
  edit.virtual_time = std::chrono::seconds(90);
  const std::string edited = text.edited(edit);
  const run::Scenario smaller = run::parse_scenario(edited, "edited", simulated_systems());
  ASSERT_EQ(smaller.plan.submissions.size(), 2u);
  EXPECT_EQ(smaller.plan.submissions[0].node, 1);
  EXPECT_EQ(smaller.plan.submissions[1].node, 3);
  EXPECT_EQ(smaller.plan.limits.virtual_time, std::chrono::seconds(90));
  EXPECT_THAT(edited, testing::HasSubstr("# delays reorder messages of a link"));
  EXPECT_EQ(text.edited({}), scenario.text);
  edit.removed_requests = {0, 1, 2, 3};
  EXPECT_TRUE(run::parse_scenario(text.edited(edit), "edited", simulated_systems())
                  .plan.submissions.empty());
}

TEST(NaturalOrder, KeptGenesStayAndTheOthersShareTheRest) {
  const std::vector<std::uint32_t> priority{2, 4, 1, 3};
  EXPECT_EQ(towards_natural_order(priority, {true, true, true, true}), priority);
  EXPECT_EQ(towards_natural_order(priority, {false, false, false, false}),
            (std::vector<std::uint32_t>{4, 3, 2, 1}));
  EXPECT_EQ(towards_natural_order(priority, {false, false, true, false}),
            (std::vector<std::uint32_t>{4, 3, 1, 2}));
}

// The curve ends where the failure has happened, and does not depend on the number of jobs.
TEST(Likelihood, RisesToOneAndIsDeterministic) {
  const run::Recipe failing = failing_run(kOvertaken);
  for (const Continuation continuation : {Continuation::seed, Continuation::schedule}) {
    LikelihoodOptions options;
    options.continuation = continuation;
    options.points = 6;
    options.refinement = 4;
    options.runs = 30;
    const auto points = failure_likelihood(failing, options);
    ASSERT_EQ(points.size(), 6u + 2 * 4u);
    EXPECT_TRUE(std::is_sorted(points.begin(), points.end(),
                               [](const auto& a, const auto& b) { return a.time < b.time; }));
    EXPECT_EQ(points.front().event, 0u);
    if (continuation == Continuation::schedule) {
      EXPECT_LT(points.front().share(), 1.0);
    }
    for (const LikelihoodPoint& point : points) {
      EXPECT_EQ(point.runs, 30u);
      EXPECT_LE(point.low, point.share());
      EXPECT_GE(point.high, point.share());
    }
    EXPECT_GE(points.back().share(), points.front().share());
    options.jobs = 3;
    const auto again = failure_likelihood(failing, options);
    for (std::size_t i = 0; i < points.size(); ++i) {
      EXPECT_EQ(points[i].failing, again[i].failing);
      EXPECT_EQ(points[i].event, again[i].event);
    }
  }
}

}  // namespace
}  // namespace dissensus::shrink
