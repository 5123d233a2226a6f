// The multi-objective algorithms on problems whose fronts are known: small budgets, thresholds that
// random search misses by far.
#include <gtest/gtest.h>
#include <pagmo/algorithm.hpp>
#include <pagmo/algorithms/nsga2.hpp>
#include <pagmo/population.hpp>
#include <pagmo/problems/zdt.hpp>

#include "problems.h"
#include "search/algorithms.h"

namespace dissensus::search {
namespace {

using Maker = std::unique_ptr<Search> (*)(const SearchContext&, const Options&,
                                          const VariationDefaults&);

struct Algorithm {
  const char* name;
  Maker make;
};
void PrintTo(const Algorithm& algorithm, std::ostream* out) {
  *out << algorithm.name;
}

class Fronts : public testing::TestWithParam<Algorithm> {
 protected:
  /// What the algorithm keeps: the non-dominated points of its last three generations.
  Points solve(Objective objective, std::size_t genes, std::size_t objectives,
               std::size_t population, std::size_t generations) {
    const SearchContext context{real_space(genes, 0, 1), objectives, 1};
    const auto search =
        GetParam().make(context, parameters("population = " + std::to_string(population)),
                        {.mutation = "polynomial"});
    Points told = run_search(*search, objective, population * generations);
    EXPECT_EQ(told.size(), population * generations);
    told.erase(told.begin(),
               told.end() - static_cast<std::ptrdiff_t>(std::min(told.size(), 3 * population)));
    return non_dominated(told);
  }
  Points random_points(Objective objective, std::size_t genes, std::size_t evaluations) {
    const auto search = make_random({real_space(genes, 0, 1), 2, 1}, parameters());
    return non_dominated(run_search(*search, objective, evaluations));
  }
};

constexpr std::size_t kPopulation = 40;
constexpr std::size_t kGenerations = 250;
constexpr std::size_t kGenes = 10;

TEST_P(Fronts, Zdt1IsConvex) {
  const Points found = solve(zdt1, kGenes, 2, kPopulation, kGenerations);
  EXPECT_LT(inverted_generational_distance(found, zdt_front(zdt1)), 0.02);
  // The front itself has 0.662 + 0.21 below (1.1, 1.1).
  EXPECT_GT(hypervolume(found, {1.1, 1.1}), 0.85);
  EXPECT_GT(inverted_generational_distance(random_points(zdt1, kGenes, kPopulation * kGenerations),
                                           zdt_front(zdt1)),
            0.3);
}

TEST_P(Fronts, Zdt2IsConcave) {
  const Points found = solve(zdt2, kGenes, 2, kPopulation, kGenerations);
  EXPECT_LT(inverted_generational_distance(found, zdt_front(zdt2)), 0.02);
  EXPECT_GT(hypervolume(found, {1.1, 1.1}), 0.51);  // of 0.543
}

TEST_P(Fronts, Zdt3IsDisconnected) {
  const Points found = solve(zdt3, kGenes, 2, kPopulation, kGenerations);
  EXPECT_LT(inverted_generational_distance(found, zdt_front(zdt3)), 0.03);
  EXPECT_GT(hypervolume(found, {1.1, 1.1}), 1.29);
}

TEST_P(Fronts, Dtlz2HasThreeObjectives) {
  const Points found = solve(dtlz2, 7, 3, 66, 100);
  EXPECT_LT(inverted_generational_distance(found, dtlz2_front()), 0.09);
  // All found points are near the unit sphere.
  for (const Point& point : found) {
    EXPECT_LT(point[0] * point[0] + point[1] * point[1] + point[2] * point[2], 1.3);
  }
}

TEST(FrontsReference, Nsga2IsAsNearAsThatOfPagmo) {
  // The same budget and operators; the mean over three seeds.
  double own = 0;
  double reference = 0;
  const Points front = zdt_front(zdt2);
  for (const unsigned seed : {1U, 2U, 3U}) {
    const auto search = make_nsga2({real_space(kGenes, 0, 1), 2, seed},
                                   parameters("population = 40"), {.mutation = "polynomial"});
    Points told = run_search(*search, zdt2, kPopulation * kGenerations);
    told.erase(told.begin(), told.end() - 3 * kPopulation);
    own += inverted_generational_distance(non_dominated(told), front);
    pagmo::population population{pagmo::zdt(2, kGenes), kPopulation, seed};
    const pagmo::algorithm algorithm{pagmo::nsga2(kGenerations, 0.95, 3, 0.1, 20, seed)};
    reference += inverted_generational_distance(algorithm.evolve(population).get_f(), front);
  }
  EXPECT_LT(own, 1.5 * reference);
}

/// The best non-dominated points of a hunt with this many evaluations.
Points front_of_uhv_gomea(Objective objective, std::size_t evaluations, std::uint64_t seed) {
  const auto search =
      make_uhv_gomea({real_space(kGenes, 0, 1), 2, seed}, parameters("sets = 20\nsolutions = 9"));
  return non_dominated(run_search(*search, objective, evaluations));
}

TEST(UhvGomea, SetsApproachTheFront) {
  const Points front = zdt_front(zdt1);
  const auto by_chance = make_random({real_space(kGenes, 0, 1), 2, 1}, parameters());
  const double random =
      inverted_generational_distance(non_dominated(run_search(*by_chance, zdt1, 6000)), front);
  // A set has nine members, so its distance cannot be 0.
  EXPECT_LT(inverted_generational_distance(front_of_uhv_gomea(zdt1, 6000, 1), front), 0.1);
  EXPECT_GT(random, 0.3);
}

TEST(UhvGomea, OneMemberIsReplacedAtATime) {
  const auto search =
      make_uhv_gomea({real_space(kGenes, 0, 1), 2, 1}, parameters("sets = 5\nsolutions = 3"));
  const auto generation = [&] {
    std::vector<Candidate> asked;
    while (auto candidate = search->ask()) asked.push_back(*candidate);
    for (const Candidate& candidate : asked) {
      Evaluation evaluation;
      evaluation.objectives = zdt1(candidate.genotype.genes);
      search->tell(candidate, evaluation);
    }
    return asked.size();
  };
  EXPECT_EQ(generation(), 15u);  // all members of all sets
  for (int i = 0; i < 7; ++i) EXPECT_EQ(generation(), 5u);
}

// With more objectives than a front can hold apart nearly everybody is on the first front; MOSA
// keeps the best of each objective all the same.
TEST(Mosa, TheBestOfEachObjectiveSurvives) {
  constexpr std::size_t kObjectives = 8;
  // Objective k is near its target at gene k alone.
  const Objective targets = [](const std::vector<double>& x) {
    Point point;
    for (std::size_t k = 0; k < kObjectives; ++k) point.push_back(std::abs(x[k] - 0.9));
    return point;
  };
  const auto worst_of_bests = [&](std::unique_ptr<Search> search) {
    Points told = run_search(*search, targets, 3000);
    told.erase(told.begin(), told.end() - 60);
    double worst = 0;
    for (std::size_t k = 0; k < kObjectives; ++k) {
      double best = 1;
      for (const Point& point : told) best = std::min(best, point[k]);
      worst = std::max(worst, best);
    }
    return worst;
  };
  const SearchContext context{real_space(kObjectives, 0, 1), kObjectives, 3};
  EXPECT_LT(worst_of_bests(make_mosa(context, parameters("population = 20"))), 0.02);
}

INSTANTIATE_TEST_SUITE_P(All, Fronts,
                         testing::Values(Algorithm{"nsga2", make_nsga2},
                                         Algorithm{"spea2", make_spea2},
                                         Algorithm{"moead", make_moead},
                                         Algorithm{"age_moea", make_age_moea},
                                         Algorithm{"mosa", make_mosa}),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace dissensus::search
