// The single-objective algorithms on sphere and Rastrigin.
#include <set>

#include <gtest/gtest.h>

#include "problems.h"
#include "search/algorithms.h"
#include "search/covariance.h"

namespace dissensus::search {
namespace {

constexpr std::size_t kGenes = 10;

double solve(std::unique_ptr<Search> search, Objective objective, std::size_t evaluations) {
  const Points told = run_search(*search, objective, evaluations);
  EXPECT_EQ(told.size(), evaluations);
  return best_of(told);
}
SearchContext problem(std::size_t genes = kGenes, std::uint64_t seed = 1) {
  return {real_space(genes, -5, 5), 1, seed};
}
/// What the same budget gives without any search.
double by_chance(Objective objective, std::size_t evaluations) {
  return solve(make_random(problem(), parameters()), objective, evaluations);
}

// Who becomes a parent: by roulette nearly always the good one, in pairs as often as the bad one.
TEST(MuPlusLambda, RouletteAndTournamentPreferTheBetter) {
  const auto share_of_good = [](const std::string& selection) {
    const auto search = make_mu_plus_lambda({delay_space(1, 1e6), 1, 1},
                                            parameters("mu = 4\nlambda = 4000\ncrossover = 'none'\n"
                                                       "mutated_genes = 0\nselection = '" +
                                                       selection + "'"));
    // One of the first 4000 is good, three are middling, the rest is bad; so four parents.
    std::set<double> good;
    std::size_t told = 0;
    while (auto candidate = search->ask()) {
      Evaluation evaluation;
      evaluation.objectives = {told == 0 ? 0.0
                                         : (told < 4 ? 90.0 + static_cast<double>(told) : 1000.0)};
      if (told == 0) good.insert(candidate->genotype.genes[0]);
      search->tell(*candidate, evaluation);
      if (++told == 4000) break;
    }
    std::size_t children = 0;
    for (std::size_t i = 0; i < 4000; ++i) {
      const auto candidate = search->ask();
      children += good.contains(candidate->genotype.genes[0]) ? 1 : 0;
    }
    return static_cast<double>(children) / 4000;
  };
  EXPECT_NEAR(share_of_good("pairs"), 0.25, 0.01);
  // Better than the worst by 93, 2, 1 and 0.
  EXPECT_NEAR(share_of_good("roulette"), 93.0 / 96, 0.02);
  // The best of four is there twice in sixteen pairs but for seven.
  EXPECT_NEAR(share_of_good("tournament"), 7.0 / 16, 0.04);
}

TEST(CmaEs, ConvergesOnTheSphere) {
  EXPECT_LT(solve(make_cma_es(problem(), parameters()), sphere, 3000), 1e-10);
  EXPECT_LT(solve(make_cma_es(problem(), parameters("covariance = 'diagonal'")), sphere, 3000),
            1e-10);
}

TEST(CmaEs, LearnsADirectionWithTheFullMatrixOnly) {
  const double full = solve(make_cma_es(problem(), parameters()), tilted_ellipsoid, 8000);
  const double diagonal =
      solve(make_cma_es(problem(), parameters("covariance = 'diagonal'")), tilted_ellipsoid, 8000);
  EXPECT_LT(full, 1e-8);
  EXPECT_GT(diagonal, 1e-4);
}

TEST(CmaEs, RestartsUntilItSolvesRastrigin) {
  EXPECT_LT(solve(make_cma_es(problem(), parameters()), rastrigin, 80'000), 1e-6);
}

TEST(CmaEs, ConvergesOnManyGenesOfWholeNumbers) {
  // 260 delays; the optimum is the same everywhere and within the bounds.
  const Objective objective = [](const std::vector<double>& x) {
    double sum = 0;
    for (const double gene : x) sum += (gene - 900) * (gene - 900);
    return Point{std::sqrt(sum / 260)};
  };
  EXPECT_LT(solve(make_cma_es({delay_space(260), 1, 1}, parameters()), objective, 20'000), 20);
}

TEST(CmaEs, FindsAnOptimumOnTheBounds) {
  const Objective objective = [](const std::vector<double>& x) {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += i % 2 == 0 ? x[i] : 4000 - x[i];
    return Point{sum};
  };
  EXPECT_LT(solve(make_cma_es({delay_space(20), 1, 1}, parameters()), objective, 6000), 1);
}

TEST(CmaEs, SortsPriorities) {
  const Objective inversions = [](const std::vector<double>& x) {
    double count = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t j = i + 1; j < x.size(); ++j) count += x[i] > x[j] ? 1 : 0;
    }
    return Point{count};
  };
  EXPECT_LE(solve(make_cma_es({priority_space(20), 1, 1}, parameters()), inversions, 6000), 5);
}

TEST(CmaEs, EigenvectorsRebuildTheMatrix) {
  constexpr std::size_t kSize = 12;
  Random random(5);
  std::vector<double> matrix(kSize * kSize);
  for (std::size_t i = 0; i < kSize; ++i) {
    for (std::size_t j = i; j < kSize; ++j) {
      matrix[i * kSize + j] = matrix[j * kSize + i] = random.normal();
    }
  }
  const SymmetricEigen eigen = symmetric_eigen(matrix, kSize);
  for (std::size_t i = 0; i < kSize; ++i) {
    for (std::size_t j = 0; j < kSize; ++j) {
      double rebuilt = 0;
      double product = 0;
      for (std::size_t k = 0; k < kSize; ++k) {
        const double vik = eigen.vectors[i * kSize + k];
        const double vjk = eigen.vectors[j * kSize + k];
        rebuilt += vik * eigen.values[k] * vjk;
        product += vik * vjk;
      }
      EXPECT_NEAR(rebuilt, matrix[i * kSize + j], 1e-9);
      EXPECT_NEAR(product, i == j ? 1 : 0, 1e-9) << "orthogonal";
    }
  }
}

TEST(CmaEs, WhiteningUndoesShaping) {
  Covariance covariance(3, true);
  covariance.update(0.5, 0.5, std::vector<double>{1, 2, 3}, {}, {});
  covariance.refresh();
  const std::vector<double> in{1, -2, 0.5};
  std::vector<double> shaped(3);
  std::vector<double> back(3);
  covariance.shape(in, shaped);
  // whiten is C^(-1/2) in the symmetric sense; lengths are kept, directions are those of the axes.
  covariance.whiten(shaped, back);
  EXPECT_NEAR(back[0] * back[0] + back[1] * back[1] + back[2] * back[2], 5.25, 1e-9);
}

TEST(MuPlusLambda, DescendsTheSphere) {
  EXPECT_LT(solve(make_mu_plus_lambda(problem(), parameters("sigma_share = 0.05")), sphere, 4000),
            0.05);
  EXPECT_GT(by_chance(sphere, 4000), 5);
}

TEST(MuPlusLambda, DescendsRastrigin) {
  EXPECT_LT(solve(make_mu_plus_lambda(problem(), parameters("sigma_share = 0.1")), rastrigin, 8000),
            10);
  EXPECT_GT(by_chance(rastrigin, 8000), 40);
}

TEST(MuPlusLambda, KeepsTheBestMu) {
  // With one parent and no variation but the mutation, the best so far never gets lost.
  const auto search = make_mu_plus_lambda(problem(), parameters("mu = 1\nlambda = 3"));
  double best = 1e300;
  for (int generation = 0; generation < 50; ++generation) {
    const Points told = run_search(*search, sphere, 3);
    // Children stay near the parent: none is far worse than the best before.
    if (generation > 0) {
      EXPECT_LT(told[0][0], best + 5);
    }
    best = std::min(best, best_of(told));
  }
  EXPECT_LT(best, 40);
}

TEST(HillClimbing, ReachesTheTop) {
  EXPECT_LT(solve(make_hill_climbing(problem(), parameters()), sphere, 4000), 0.05);
  EXPECT_LT(solve(make_hill_climbing(problem(), parameters()), rastrigin, 8000), 25);
}

TEST(HillClimbing, RestartsWhenStuck) {
  // On a plateau every step is accepted but none is progress.
  const auto search = make_hill_climbing(problem(), parameters("patience = 10"));
  std::size_t random = 0;
  for (int i = 0; i < 110; ++i) {
    const std::optional<Candidate> candidate = search->ask();
    ASSERT_TRUE(candidate);
    random += candidate->origin == "random" ? 1U : 0U;
    Evaluation evaluation;
    evaluation.objectives = {7};
    search->tell(*candidate, evaluation);
  }
  EXPECT_EQ(random, 10U);  // every eleventh
}

TEST(SimulatedAnnealing, ReachesTheTop) {
  EXPECT_LT(solve(make_simulated_annealing(problem(), parameters()), sphere, 6000), 0.1);
  EXPECT_LT(
      solve(make_simulated_annealing(problem(), parameters("cooling = 0.999")), rastrigin, 20'000),
      15);
}

TEST(SimulatedAnnealing, TakesWorseStepsWhileHot) {
  const auto count_worse = [](const std::string& temperature) {
    const auto search = make_simulated_annealing(
        problem(), parameters("cooling = 0.99999\ntemperature = " + temperature));
    std::size_t far = 0;
    for (const Point& point : run_search(*search, sphere, 3000)) far += point[0] > 5 ? 1 : 0;
    return far;
  };
  EXPECT_GT(count_worse("100.0"), 2500U);
  EXPECT_LT(count_worse("0.01"), 500U);
}

TEST(SingleObjective, LaterObjectivesBreakTies) {
  // The first objective is the same everywhere.
  const Objective tied = [](const std::vector<double>& x) { return Point{1, sphere(x)[0]}; };
  SearchContext context = problem();
  context.objectives = 2;
  for (const auto make : {make_hill_climbing, make_simulated_annealing, make_cma_es}) {
    const auto search = make(context, parameters());
    double best = 1e300;
    for (const Point& point : run_search(*search, tied, 4000)) best = std::min(best, point[1]);
    EXPECT_LT(best, 1);
  }
}

}  // namespace
}  // namespace dissensus::search
