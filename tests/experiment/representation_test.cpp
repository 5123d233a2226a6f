#include "experiment/representation.h"

#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiment/representation_genotypes.h"
#include "experiment/representation_phenotypes.h"
#include "experiment/representation_report.h"
#include "statistics/samples.h"
#include "systems/simulated/simulated.h"

namespace dissensus::experiment {
namespace {

/// Five nodes that vote in two rounds: 40 genes.
run::Scenario small_scenario(const std::string& more = "") {
  return run::parse_scenario(
      "format = \"dissensus-scenario/1\"\nname = \"small\"\n"
      "[system]\nkind = \"majority\"\nvalues = [1, 1, 0, 0, 1]\nrounds = 2\n"
      "[network]\nlatency = \"1ms\"\norder = \"any\"\n"
      "[oracle]\nstop_on_violation = false\n"
      "[schedule]\ntype = \"delay\"\nmax_delay = \"400ms\"\n" +
          more,
      "small.toml", simulated_systems());
}

const std::vector<std::uint64_t> kOneSeed{1};

RepresentationOptions small_options(Representation representation) {
  RepresentationOptions options;
  options.representation = representation;
  options.genotypes = 4;
  options.neighbours = 3;
  options.steps = {1, 5, 1'000'000};
  options.random_genotypes = 12;
  options.noise = {{"start", std::chrono::milliseconds(20), true},
                   {"all", std::chrono::milliseconds(20), false}};
  return options;
}

class EveryRepresentation : public testing::TestWithParam<Representation> {
 protected:
  run::Scenario scenario_ = small_scenario();
  GenotypeSpace space_{scenario_, GetParam()};
};
INSTANTIATE_TEST_SUITE_P(, EveryRepresentation,
                         testing::Values(Representation::delay, Representation::priority,
                                         Representation::priority_by_position));

// Thesis 4.1.1: d^g = d^g_min for neighbours; longer steps are exact too.
TEST_P(EveryRepresentation, NeighboursLieExactlyOneStepAway) {
  Random random(5);
  for (std::size_t round = 0; round < 50; ++round) {
    const faults::Schedule genotype = space_.random(random);
    const std::size_t gene = space_.genes()[random.below(space_.genes().size())];
    for (const std::uint32_t step : {1u, 7u, space_.step_max()}) {
      const faults::Schedule near = space_.neighbour(genotype, gene, step, random);
      EXPECT_DOUBLE_EQ(space_.distance(genotype, near), step) << "round " << round;
    }
  }
}

// Ten genotypes, each a quarter of the maximal distance away from all others.
TEST_P(EveryRepresentation, SampledGenotypesLieAQuarterApart) {
  const run::Scenario thesis =
      run::load_scenario(DISSENSUS_SOURCE_DIR "/scenarios/xrpl/thesis.toml", simulated_systems());
  const GenotypeSpace space(thesis, GetParam());
  EXPECT_EQ(space.genes().size(), 260u);
  Random random(6);
  const std::vector<faults::Schedule> sample = space.sample_apart(10, 0.25, random);
  ASSERT_EQ(sample.size(), 10u);
  for (std::size_t i = 0; i < sample.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double share = space.distance(sample[i], sample[j]) / space.distance_max();
      EXPECT_NEAR(share, 0.25, GetParam() == Representation::delay ? 0.005 : 0.04);
    }
  }
}

TEST_P(EveryRepresentation, GenotypesStayInTheSpace) {
  Random random(7);
  std::vector<faults::Schedule> genotypes = space_.sample_apart(9, 0.25, random);
  for (std::size_t round = 0; round < 50; ++round) {
    const std::size_t gene = space_.genes()[random.below(space_.genes().size())];
    genotypes.push_back(space_.redrawn(genotypes.back(), gene, random));
    genotypes.push_back(space_.neighbour(genotypes.back(), gene, space_.step_max(), random));
  }
  for (const faults::Schedule& genotype : genotypes) {
    if (const auto* delays = std::get_if<faults::DelaySchedule>(&genotype.scheduler)) {
      EXPECT_LE(*std::max_element(delays->delay_ms.begin(), delays->delay_ms.end()), 400u);
    } else {
      auto priority = std::get<faults::PrioritySchedule>(genotype.scheduler).priority;
      std::sort(priority.begin(), priority.end());
      for (std::size_t rank = 0; rank < priority.size(); ++rank) {
        ASSERT_EQ(priority[rank], rank + 1);
      }
    }
  }
}

// Genes of kinds that the scenario does not vary stay at delay 0 and are not counted.
TEST(GenotypeSpace, LeavesKindsOutsideTheSpaceAlone) {
  const run::Scenario scenario = small_scenario("kinds = [\"Commit\"]\n");
  const GenotypeSpace space(scenario, Representation::delay);
  EXPECT_EQ(space.genes().size(), 20u);
  Random random(8);
  const auto delays = std::get<faults::DelaySchedule>(space.random(random).scheduler).delay_ms;
  const MessageKind commit = scenario.system_description().find_kind("Commit");
  for (std::size_t gene = 0; gene < delays.size(); ++gene) {
    if (scenario.genes().gene(gene).kind == commit) continue;
    EXPECT_EQ(delays[gene], 0u);
  }
}

// A schedule against itself, without noise, is the same run; that is what determinism buys.
TEST(Phenotypes, OfTheSameScheduleAndSeedAreEqual) {
  const run::Scenario scenario = small_scenario();
  const GenotypeSpace space(scenario, Representation::delay);
  Random random(9);
  const faults::Schedule schedule = space.random(random);
  run::Runner runner;
  const PhenotypeRequest request{&schedule, 3, {}, 0};
  const Phenotype one = make_phenotype(runner, scenario, request);
  const PairDistance same = distance_between(one, make_phenotype(runner, scenario, request));
  EXPECT_TRUE(same.same_run && same.same_trace);
  EXPECT_EQ(same.hausdorff + same.edit_path + same.hausdorff_content, 0);
  EXPECT_GT(one.events.vertices(), 20u);
  EXPECT_DOUBLE_EQ(one.payload_shares[0] + one.payload_shares[1], 1);

  const faults::Schedule other = space.random(random);
  const Phenotype unlike = make_phenotype(runner, scenario, {&other, 3, {}, 0});
  const PairDistance apart = distance_between(one, unlike);
  EXPECT_FALSE(apart.same_run || apart.same_trace);
  EXPECT_GT(apart.edit_path, 0);
  EXPECT_LE(apart.hausdorff, apart.hausdorff_content);
  EXPECT_LE(apart.hausdorff_content, apart.hausdorff_disjoint);
  EXPECT_LE(apart.hausdorff, apart.edit_path);
  EXPECT_LE(apart.edit_path, 1);
}

TEST(Phenotypes, JitterWidensLatencies) {
  const run::Scenario scenario = with_jitter(small_scenario(), std::chrono::milliseconds(4));
  for (const sim::LinkModel& model : scenario.plan.models) {
    EXPECT_EQ(model.latency.kind, sim::Latency::Kind::uniform);
    EXPECT_EQ(model.latency.a, std::chrono::milliseconds(1));
    EXPECT_EQ(model.latency.b, std::chrono::milliseconds(5));
  }
}

// Everything that thesis 4.1 reports is there, in the sizes that were asked for.
TEST_P(EveryRepresentation, StudyMeasuresWhatItPromises) {
  const RepresentationOptions options = small_options(GetParam());
  RepresentationProgress last;
  std::size_t calls = 0;
  const RepresentationResult result =
      study_representation(scenario_, options, kOneSeed, 1, [&](const RepresentationProgress& progress) {
        EXPECT_EQ(progress.done, ++calls);
        last = progress;
      });
  EXPECT_EQ(last.done, last.total);
  EXPECT_EQ(result.runs, last.total);
  EXPECT_EQ(result.genes, 40u);
  EXPECT_GT(result.apart_min, 0.1);
  EXPECT_LT(result.apart_max, 0.4);
  EXPECT_EQ(result.unrelated.pairs(), 6u);
  ASSERT_EQ(result.steps.size(), 3u);
  EXPECT_EQ(result.steps[0].step, 1u);
  EXPECT_EQ(result.steps[2].step, space_.step_max());
  double locality = 0;
  for (const StepResult& step : result.steps) EXPECT_EQ(step.pairs.pairs(), 12u);
  for (const double edits : result.steps[0].pairs.hausdorff_edits) {
    locality += edits > 1 ? edits - 1 : 1 - edits;
  }
  EXPECT_DOUBLE_EQ(result.locality_sum, locality);
  // What lies nearer in the genotype lies nearer in the phenotype.
  EXPECT_LT(statistics::mean(result.steps[0].pairs.edit_path),
            statistics::mean(result.unrelated.edit_path));
  ASSERT_EQ(result.types.size(), 2u);
  for (const TypeResult& type : result.types) {
    EXPECT_EQ(type.shares.size(), 12u);
    EXPECT_EQ(type.influence.pairs(), 12u);
  }
  EXPECT_NEAR(statistics::mean(result.types[0].shares) + statistics::mean(result.types[1].shares),
              1, 1e-12);
  EXPECT_LE(result.distinct_traces, 12u);
  EXPECT_GT(result.distinct_traces, 1u);
  ASSERT_EQ(result.noise.size(), 2u);
  for (const NoiseResult& noise : result.noise) {
    EXPECT_EQ(noise.same_schedule.pairs(), 12u);
    EXPECT_EQ(noise.neighbours.pairs(), 12u);
    EXPECT_LT(noise.same_schedule.same_run, 12u);
  }
}

// A row per sample, and the thesis's numbers where it has any.
TEST(RepresentationReport, ShowsEverySampleBesideTheThesis) {
  RepresentationOptions options = small_options(Representation::delay);
  options.name = "delay of small";
  const std::vector<RepresentationResult> results{
      study_representation(small_scenario(), options, kOneSeed, 1)};
  const auto lines = [](const std::string& text) {
    return std::count(text.begin(), text.end(), '\n');
  };
  EXPECT_EQ(lines(locality_table(results)) - lines(sample_table(results)), 3);
  EXPECT_EQ(lines(noise_table(results)) - lines(sample_table(results)), 3);
  EXPECT_EQ(lines(scaling_table(results)) - lines(sample_table(results)), 1);
  EXPECT_THAT(sample_table(results), testing::HasSubstr("| delay of small | 40 |"));
  EXPECT_THAT(locality_table(results), testing::HasSubstr("| 0.2003 (0.0292) |"));
  EXPECT_THAT(scaling_table(results), testing::HasSubstr("| Commit |"));
  const std::string figure = distance_figure(results, "Four genotypes.");
  EXPECT_THAT(figure, testing::HasSubstr("delay of small"));
  EXPECT_THAT(figure, testing::HasSubstr("Four genotypes."));
}

TEST(RepresentationStudy, RefusesAScenarioWithoutFreedom) {
  run::Scenario scenario = small_scenario();
  scenario.space.max_delay = {};
  try {
    study_representation(scenario, small_options(Representation::delay), kOneSeed, 1);
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("small.toml: schedule: no gene can vary"));
  }
}

// The law: one seed, one result, however many threads; another seed, another sample; several seeds
// give the samples of each, one after the other.
TEST(RepresentationStudy, DoesNotDependOnTheNumberOfThreads) {
  const run::Scenario scenario = small_scenario();
  const RepresentationOptions options = small_options(Representation::delay);
  const auto study = [&](std::vector<std::uint64_t> seeds, std::size_t jobs) {
    return study_representation(scenario, options, seeds, jobs);
  };
  const auto flat = [&](std::vector<std::uint64_t> seeds, std::size_t jobs) {
    const RepresentationResult result = study(std::move(seeds), jobs);
    std::vector<double> all = result.unrelated.edit_path;
    const auto add = [&](const PairSample& sample) {
      append(all, sample.hausdorff);
      append(all, sample.edit_path);
    };
    for (const StepResult& step : result.steps) add(step.pairs);
    for (const TypeResult& type : result.types) add(type.influence);
    for (const NoiseResult& noise : result.noise) add(noise.same_schedule);
    return all;
  };
  const std::vector<double> alone = flat({1}, 1);
  EXPECT_EQ(alone, flat({1}, 3));
  EXPECT_NE(alone, flat({2}, 1));

  const RepresentationResult first = study({1}, 2);
  const RepresentationResult second = study({2}, 2);
  const RepresentationResult both = study({1, 2}, 2);
  EXPECT_THAT(both.seeds, testing::ElementsAre(1u, 2u));
  EXPECT_EQ(both.runs, first.runs + second.runs);
  EXPECT_EQ(both.random_genotypes, first.random_genotypes + second.random_genotypes);
  EXPECT_DOUBLE_EQ(both.locality_sum, (first.locality_sum + second.locality_sum) / 2);
  std::vector<double> pooled = first.unrelated.edit_path;
  append(pooled, second.unrelated.edit_path);
  EXPECT_EQ(both.unrelated.edit_path, pooled);
  ASSERT_EQ(both.types.size(), first.types.size());
  EXPECT_EQ(both.types[0].shares.size(), first.types[0].shares.size() * 2);
}

}  // namespace
}  // namespace dissensus::experiment
