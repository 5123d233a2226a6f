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
