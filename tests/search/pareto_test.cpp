// Sorting, crowding and hypervolume against pagmo2, an independent implementation.
#include "search/pareto.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>
#include <pagmo/utils/hypervolume.hpp>
#include <pagmo/utils/multi_objective.hpp>

#include "dissensus/random.h"

namespace dissensus::search {
namespace {

/// Integral coordinates give ties.
Points random_points(std::size_t count, std::size_t dimension, bool integral, Random& random) {
  Points points(count, Point(dimension));
  for (Point& point : points) {
    for (double& x : point) x = integral ? static_cast<double>(random.below(6)) : random.unit();
  }
  return points;
}

// The distance to what no point dominates, found by walking through a fine grid of the box.
double brute_uncrowded(const Points& points, const Point& reference, std::size_t cells) {
  const std::size_t dimension = reference.size();
  std::vector<double> least(points.size(), 1e9);
  std::size_t count = 1;
  for (std::size_t k = 0; k < dimension; ++k) count *= cells;
  for (std::size_t cell = 0; cell < count; ++cell) {
    Point place(dimension);
    for (std::size_t k = 0, rest = cell; k < dimension; ++k, rest /= cells) {
      place[k] =
          reference[k] * (static_cast<double>(rest % cells) + 0.5) / static_cast<double>(cells);
    }
    const bool is_dominated = std::any_of(points.begin(), points.end(), [&](const Point& point) {
      for (std::size_t k = 0; k < dimension; ++k) {
        if (point[k] > place[k]) return false;
      }
      return true;
    });
    if (is_dominated) continue;
    for (std::size_t i = 0; i < points.size(); ++i) {
      double sum = 0;
      for (std::size_t k = 0; k < dimension; ++k) {
        sum += (points[i][k] - place[k]) * (points[i][k] - place[k]);
      }
      least[i] = std::min(least[i], std::sqrt(sum));
    }
  }
  double penalty = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const bool is_alone = std::none_of(points.begin(), points.end(), [&](const Point& other) {
      return dominates(other, points[i]);
    });
    if (!is_alone) penalty += std::pow(least[i], static_cast<double>(dimension));
  }
  return hypervolume(points, reference) - penalty / static_cast<double>(points.size());
}

TEST(Pareto, UncrowdedHypervolumeIsWhatBruteForceSays) {
  Random random(77);
  for (int trial = 0; trial < 12; ++trial) {
    const std::size_t dimension = trial % 2 == 0 ? 2 : 3;
    Points points(5, Point(dimension));
    for (Point& point : points) {
      for (double& value : point) value = 0.05 + 0.9 * random.unit();
    }
    const Point reference(dimension, 1.0);
    EXPECT_NEAR(uncrowded_hypervolume(points, reference),
                brute_uncrowded(points, reference, dimension == 2 ? 400 : 50), 0.01)
        << "trial " << trial;
  }
}

TEST(Pareto, UncrowdedHypervolumeDrawsWhatIsDominatedToTheGap) {
  const Points far{{0.2, 0.8}, {0.8, 0.2}, {0.95, 0.95}};
  const Points near{{0.2, 0.8}, {0.8, 0.2}, {0.82, 0.82}};
  const Points twin{{0.2, 0.8}, {0.8, 0.2}, {0.2, 0.8}};
  const Point reference{1, 1};
  EXPECT_LT(uncrowded_hypervolume(far, reference), uncrowded_hypervolume(near, reference));
  EXPECT_LT(uncrowded_hypervolume(near, reference), uncrowded_hypervolume(twin, reference));
}

TEST(Pareto, FrontsAreThoseOfPagmo) {
  Random random(1);
  for (std::size_t trial = 0; trial < 60; ++trial) {
    const Points points = random_points(2 + trial, 1 + trial % 4, trial % 2 == 0, random);
    if (points[0].size() == 1) continue;  // pagmo demands two objectives
    auto expected = std::get<0>(pagmo::fast_non_dominated_sorting(points));
    for (auto& front : expected) std::sort(front.begin(), front.end());
    EXPECT_EQ(non_dominated_fronts(points), expected);
  }
}

TEST(Pareto, OneObjectiveGivesOneFrontPerValue) {
  EXPECT_EQ(non_dominated_fronts({{3}, {1}, {3}, {2}}), (std::vector<Front>{{1}, {3}, {0, 2}}));
  EXPECT_TRUE(non_dominated_fronts({}).empty());
}

TEST(Pareto, CrowdingIsThatOfPagmo) {
  Random random(2);
  for (std::size_t trial = 0; trial < 40; ++trial) {
    const Points points = random_points(3 + trial, 2 + trial % 3, false, random);
    for (const Front& front : non_dominated_fronts(points)) {
      if (front.size() < 3) continue;  // pagmo demands more
      Points members;
      for (const std::size_t i : front) members.push_back(points[i]);
      const std::vector<double> expected = pagmo::crowding_distance(members);
      const std::vector<double> found = crowding_distances(points, front);
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        if (std::isinf(expected[i])) {
          EXPECT_TRUE(std::isinf(found[i]));
        } else {
          EXPECT_NEAR(found[i], expected[i], 1e-12);
        }
      }
    }
  }
}

TEST(Pareto, CrowdingOfEqualPointsIsANumber) {
  const Points points(5, Point{1, 2});
  for (const double distance : crowding_distances(points, {0, 1, 2, 3, 4})) {
    EXPECT_FALSE(std::isnan(distance));
  }
}

TEST(Pareto, HypervolumeIsThatOfPagmo) {
  Random random(3);
  for (std::size_t trial = 0; trial < 40; ++trial) {
    const std::size_t dimension = 2 + trial % 3;
    const Points points = random_points(5 + trial % 20, dimension, false, random);
    const Point reference(dimension, 1.1);
    const double expected = pagmo::hypervolume(points).compute(reference);
    EXPECT_NEAR(hypervolume(points, reference), expected, 1e-10) << "trial " << trial;
  }
}

TEST(Pareto, PointsOutsideOfTheBoxHaveNoVolume) {
  EXPECT_DOUBLE_EQ(hypervolume({{0.5, 0.5}, {2, 0}, {0, 2}}, {1, 1}), 0.25);
  EXPECT_DOUBLE_EQ(hypervolume({}, {1, 1, 1}), 0);
}

}  // namespace
}  // namespace dissensus::search
