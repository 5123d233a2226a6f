// The parts of the published programs' searches (docs/results/programs.md), each by itself.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include "problems.h"
#include "search/operators.h"
#include "search/registry.h"

namespace dissensus::search {
namespace {

using Assignment = BoundedBinaryCrossover::Assignment;

struct Children {
  std::vector<double> first;
  std::vector<double> second;
};
Children cross(Assignment assignment, double gene_probability, std::uint64_t seed) {
  static const std::vector<double> kLow(10'000, 0);
  static const std::vector<double> kHigh(10'000, 4000);
  Random random(seed);
  Children children;
  for (std::size_t i = 0; i < kLow.size(); ++i) {
    children.first.push_back(static_cast<double>(random.below(4001)));
    children.second.push_back(static_cast<double>(random.below(4001)));
  }
  const BoundedBinaryCrossover sbx{3, gene_probability, assignment, kLow, kHigh};
  sbx(children.first, children.second, random);
  return children;
}

TEST(BoundedSbx, SplitGivesEverySmallerValueToTheFirstChild) {
  const Children children = cross(Assignment::split, 1, 3);
  double low = 0;
  double high = 0;
  for (std::size_t i = 0; i < children.first.size(); ++i) {
    EXPECT_LE(children.first[i], children.second[i]);
    low += children.first[i];
    high += children.second[i];
  }
  // The expected distance of two uniform values is a third of the range; beta is 1 on average.
  EXPECT_GT(high - low, 0.25 * 4000 * static_cast<double>(children.first.size()));
}

TEST(BoundedSbx, OtherAssignmentsLeaveBothChildrenAlike) {
  for (const Assignment assignment : {Assignment::exchange, Assignment::keep}) {
    const Children children = cross(assignment, 1, 4);
    const double difference = std::accumulate(children.first.begin(), children.first.end(), 0.0) -
                              std::accumulate(children.second.begin(), children.second.end(), 0.0);
    // Ten standard deviations of a sum of that many differences.
    EXPECT_LT(std::abs(difference), 10 * 1700 * 100);
  }
}

TEST(BoundedSbx, StaysWithinTheBounds) {
  for (const Assignment assignment : {Assignment::split, Assignment::exchange, Assignment::keep}) {
    const Children children = cross(assignment, 0.5, 5);
    for (const auto* child : {&children.first, &children.second}) {
      EXPECT_GE(*std::min_element(child->begin(), child->end()), 0);
      EXPECT_LE(*std::max_element(child->begin(), child->end()), 4000);
    }
  }
}

// Worked by hand from the published formula: y1 = 1000, y2 = 3000, d = 1000, beta = 2,
// alpha = 2 - 1/16; with u the next draw of the stream.
TEST(BoundedSbx, FollowsThePublishedFormula) {
  const std::vector<double> low{0};
  const std::vector<double> high{4000};
  const BoundedBinaryCrossover sbx{3, 1, Assignment::split, low, high};
  Random same(77);
  std::vector<double> first{3000};
  std::vector<double> second{1000};
  Random random(77);
  sbx(first, second, random);
  same.chance(1);
  const double u = same.unit();
  const double alpha = 2 - std::pow(2.0, -4);
  const double beta_q =
      u <= 1 / alpha ? std::pow(alpha * u, 0.25) : std::pow(1 / (2 - alpha * u), 0.25);
  EXPECT_NEAR(first[0], 0.5 * (4000 - beta_q * 2000), 1e-6);
  EXPECT_NEAR(second[0], 0.5 * (4000 + beta_q * 2000), 1e-6);
}

TEST(CountedMutation, ChangesThirteenPlacesAndHasNoCeiling) {
  const SearchSpace space = delay_space(260);
  const Mutation gaussian = GaussianMutation{0, 40};
  std::size_t above = 0;
  double changed = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    std::vector<double> genes(260, seed % 2 == 0 ? 4000 : 0);
    const std::vector<double> before = genes;
    mutate_count(genes, space, gaussian, 13, random);
    std::size_t different = 0;
    for (std::size_t i = 0; i < genes.size(); ++i) {
      EXPECT_GE(genes[i], 0);
      EXPECT_EQ(genes[i], std::floor(genes[i]));
      different += genes[i] != before[i] ? 1 : 0;
      above += genes[i] > 4000 ? 1 : 0;
    }
    EXPECT_LE(different, 13u);
    if (seed % 2 == 0) changed += static_cast<double>(different);
  }
  EXPECT_GT(above, 400u) << "half of 13 in a hundred children";
  EXPECT_NEAR(changed / 100, 12.6, 0.4) << "with replacement, and a step can round to nothing";
}

TEST(OwnCuts, ChildrenArePermutationsThatKeepTheirPart) {
  std::vector<double> kept(20);
  std::iota(kept.begin(), kept.end(), 1.0);
  std::vector<double> child(kept.rbegin(), kept.rend());
  OwnCutsCrossover::bring(child, kept, 4, 9);
  for (std::size_t i = 4; i <= 9; ++i) EXPECT_EQ(child[i], kept[i]) << "both ends included";
  std::sort(child.begin(), child.end());
  EXPECT_EQ(child, kept);

  Random random(8);
  for (int i = 0; i < 100; ++i) {
    const GenePair pair = draw_pair(20, random);
    EXPECT_LT(pair.first, pair.last);
    EXPECT_LE(pair.last - pair.first, 17u);
  }
}

std::unique_ptr<Search> discotest(const std::string& set, std::size_t genes = 260) {
  SearchContext context;
  context.space = delay_space(genes);
  context.seed = 5;
  return find_search(built_in_searches(), "discotest")->make(context, parameters(set));
}

/// Tells a generation of equal results and returns how many candidates it had.
std::size_t finish_generation(Search& search, double objective,
                              std::vector<std::vector<double>>& asked) {
  std::size_t count = 0;
  while (auto candidate = search.ask()) {
    asked.push_back(candidate->genotype.genes);
    Evaluation evaluation;
    evaluation.objectives = {objective};
    ++count;
    search.tell(*candidate, evaluation);
    if (search.is_between_generations()) break;
  }
  return count;
}

TEST(DiscoTestSearch, HasGenerationsOfFourAndRunsNothingTwice) {
  const auto search = discotest("");
  EXPECT_TRUE(search->completes_generations());
  std::vector<std::vector<double>> asked;
  for (int i = 0; i < 20; ++i) EXPECT_EQ(finish_generation(*search, -i, asked), 4u);
  const std::set<std::vector<double>> distinct(asked.begin(), asked.end());
  EXPECT_EQ(distinct.size(), asked.size());
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_LT(*std::max_element(asked[i].begin(), asked[i].end()), 4000) << "upper end excluded";
  }
}

// With equal results parents stay for ever, or are replaced at once.
TEST(DiscoTestSearch, TiesGoToParentsUnlessChildrenAreToWin) {
  // A child without crossover and mutation is its parent, which has been run.
  const std::string copies = "crossover = 'none'\nmutated_genes = 0\ncache = false\n";
  for (const bool parents_win : {true, false}) {
    const auto search = discotest(copies + (parents_win ? "" : "ties = 'children'\n"));
    std::vector<std::vector<double>> asked;
    finish_generation(*search, 0, asked);
    const std::set<std::vector<double>> first(asked.begin(), asked.end());
    asked.clear();
    finish_generation(*search, 0, asked);
    EXPECT_EQ(std::set<std::vector<double>>(asked.begin(), asked.end()), first);
  }
}

TEST(DiscoTestSearch, RunsItsParentsAgainOnRequest) {
  const auto search = discotest("reevaluate = true\n");
  std::vector<std::vector<double>> asked;
  EXPECT_EQ(finish_generation(*search, 0, asked), 4u);
  EXPECT_EQ(finish_generation(*search, 0, asked), 8u);
  const std::set<std::vector<double>> distinct(asked.begin(), asked.end());
  EXPECT_EQ(distinct.size(), 8u);
}

TEST(Programs, AreFoundByName) {
  for (const char* const name : {"discotest", "discotest-random", "rocket", "rocket-prefilled"}) {
    EXPECT_NE(find_search(built_in_searches(), name), nullptr) << name;
  }
}

}  // namespace
}  // namespace dissensus::search
