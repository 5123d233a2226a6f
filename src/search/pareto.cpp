#include "search/pareto.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace dissensus::search {

bool dominates(const Point& a, const Point& b) {
  bool better = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] > b[i]) return false;
    better |= a[i] < b[i];
  }
  return better;
}

std::vector<Front> non_dominated_fronts(const Points& points) {
  std::vector<std::vector<std::size_t>> worse(points.size());  // whom each point dominates
  std::vector<std::size_t> dominators(points.size(), 0);
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      if (dominates(points[i], points[j])) {
        worse[i].push_back(j);
        ++dominators[j];
      } else if (dominates(points[j], points[i])) {
        worse[j].push_back(i);
        ++dominators[i];
      }
    }
  }
  std::vector<Front> fronts;
  Front current;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (dominators[i] == 0) current.push_back(i);
  }
  while (!current.empty()) {
    Front next;
    for (const std::size_t i : current) {
      for (const std::size_t j : worse[i]) {
        if (--dominators[j] == 0) next.push_back(j);
      }
    }
    std::sort(next.begin(), next.end());
    fronts.push_back(std::exchange(current, std::move(next)));
  }
  return fronts;
}

std::vector<double> crowding_distances(const Points& points, const Front& front) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::size_t size = front.size();
  if (size <= 2) return std::vector<double>(size, kInfinity);
  std::vector<double> result(size, 0);
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t objective = 0; objective < points[front[0]].size(); ++objective) {
    const auto value = [&](std::size_t member) { return points[front[member]][objective]; };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return value(a) < value(b); });
    const double range = value(order.back()) - value(order.front());
    result[order.front()] = kInfinity;
    result[order.back()] = kInfinity;
    if (!(range > 0)) continue;
    for (std::size_t i = 1; i + 1 < size; ++i) {
      result[order[i]] += (value(order[i + 1]) - value(order[i - 1])) / range;
    }
  }
  return result;
}

namespace {
/// Of the points in the first `dimension` coordinates.
double volume(Points points, const Point& reference, std::size_t dimension) {
  if (points.empty()) return 0;
  const std::size_t last = dimension - 1;
  std::sort(points.begin(), points.end(),
            [&](const Point& a, const Point& b) { return a[last] < b[last]; });
  if (dimension == 1) return reference[0] - points.front()[0];
  double result = 0;
  if (dimension == 2) {
    double best = reference[0];
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (points[i][0] >= best) continue;
      result += (best - points[i][0]) * (reference[1] - points[i][1]);
      best = points[i][0];
    }
    return result;
  }
  Points slice;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double end = i + 1 < points.size() ? points[i + 1][last] : reference[last];
    slice.push_back(points[i]);
    if (end > points[i][last]) {
      result += (end - points[i][last]) * volume(slice, reference, dimension - 1);
    }
  }
  return result;
}
}  // namespace

double hypervolume(Points points, const Point& reference) {
  std::erase_if(points, [&](const Point& point) {
    for (std::size_t i = 0; i < point.size(); ++i) {
      if (!(point[i] < reference[i])) return true;
    }
    return false;
  });
  return volume(std::move(points), reference, reference.size());
}

namespace {
bool is_below(const Point& a, const Point& b) {
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (!(a[k] < b[k])) return false;
  }
  return true;
}
bool is_nowhere_above(const Point& a, const Point& b) {
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (a[k] > b[k]) return false;
  }
  return true;
}

/// The upper corners of the boxes that make up what no point dominates below `reference`.
Points local_upper_bounds(const Points& points, const Point& reference) {
  Points corners{reference};
  for (const Point& point : points) {
    Points kept;
    Points cut;
    for (const Point& corner : corners) {
      if (!is_below(point, corner)) {
        kept.push_back(corner);
        continue;
      }
      for (std::size_t k = 0; k < point.size(); ++k) {
        cut.push_back(corner);
        cut.back()[k] = point[k];
      }
    }
    // A box within another one says nothing.
    for (std::size_t i = 0; i < cut.size(); ++i) {
      bool is_within = false;
      for (const Point& corner : kept) is_within = is_within || is_nowhere_above(cut[i], corner);
      for (std::size_t j = 0; j < cut.size() && !is_within; ++j) {
        is_within = j != i && is_nowhere_above(cut[i], cut[j]) && (cut[i] != cut[j] || j < i);
      }
      if (!is_within) kept.push_back(cut[i]);
    }
    corners = std::move(kept);
  }
  return corners;
}

double square_of_distance(const Point& point, const Point& corner) {
  double sum = 0;
  for (std::size_t k = 0; k < point.size(); ++k) {
    const double over = std::max(0.0, point[k] - corner[k]);
    sum += over * over;
  }
  return sum;
}
}  // namespace

double uncrowded_hypervolume(const Points& points, const Point& reference) {
  const Points corners = local_upper_bounds(points, reference);
  double penalty = 0;
  for (const Point& point : points) {
    double least = square_of_distance(point, corners.front());
    for (const Point& corner : corners) {
      least = std::min(least, square_of_distance(point, corner));
    }
    const double distance = std::sqrt(least);
    double power = 1;
    for (std::size_t k = 0; k < reference.size(); ++k) power *= distance;
    penalty += power;
  }
  return hypervolume(points, reference) - penalty / static_cast<double>(points.size());
}

Box bounding_box(const Points& points, const Front& front) {
  Box box{points[front.at(0)], points[front.at(0)]};
  for (const std::size_t i : front) {
    for (std::size_t k = 0; k < box.low.size(); ++k) {
      box.low[k] = std::min(box.low[k], points[i][k]);
      box.high[k] = std::max(box.high[k], points[i][k]);
    }
  }
  return box;
}

}  // namespace dissensus::search
