// Sets of points with several objectives, all to be minimised.
//
// pagmo2 has these functions too; they are here because a hunt makes thousands of runs a second and
// because a search library of that size does not belong into the program for a hundred lines. The
// tests compare both.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace dissensus::search {

using Point = std::vector<double>;
using Points = std::vector<Point>;
/// Indices of points.
using Front = std::vector<std::size_t>;

/// Nowhere worse and somewhere better.
bool dominates(const Point& a, const Point& b);

/// The fronts, best first (Deb et al. 2002); indices ascending within a front.
std::vector<Front> non_dominated_fronts(const Points& points);

/// Per member of the front (Deb et al. 2002); infinite at the ends of each objective.
std::vector<double> crowding_distances(const Points& points, const Front& front);

/// The volume that the points dominate within the box below `reference`; points outside of the box
/// count for nothing. Exact, by slicing: for fronts of some hundred points in few dimensions.
double hypervolume(Points points, const Point& reference);

/// The uncrowded hypervolume of a set (Maree, Alderliesten and Bosman 2020): the hypervolume, less
/// the mean over all points of their distance, to the power of the dimension, to where no point of
/// the set dominates and everything is below `reference`. So what is dominated counts, too, and is
/// drawn towards the gaps of the front.
double uncrowded_hypervolume(const Points& points, const Point& reference);

/// Componentwise minimum and maximum over the members of `front`.
struct Box {
  Point low;
  Point high;
};
Box bounding_box(const Points& points, const Front& front);

}  // namespace dissensus::search
