// AGE-MOEA (Panichella, GECCO 2019): estimates the geometry of the front, an Lp curve, and measures
// distances in that norm.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "search/algorithms.h"
#include "search/portable_math.h"
#include "search/ranked.h"

namespace dissensus::search {

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// |x|^p, without the general power where p is near 1 or 2.
double power(double x, double p) {
  x = std::fabs(x);
  if (p == 1) return x;
  if (p == 2) return x * x;
  return portable_pow(x, p);
}

double norm(const Point& point, double p) {
  double sum = 0;
  for (const double x : point) sum += power(x, p);
  return p == 1 ? sum : p == 2 ? std::sqrt(sum) : portable_pow(sum, 1 / p);
}

/// Squared distance of a point to the line from the origin in this direction.
double square_distance_to_line(const Point& point, const Point& direction) {
  double along = 0;
  double square = 0;
  double length = 0;
  for (std::size_t k = 0; k < point.size(); ++k) {
    along += point[k] * direction[k];
    square += point[k] * point[k];
    length += direction[k] * direction[k];
  }
  return square - along * along / length;
}

/// Solves rows x = 1 by elimination with pivoting; empty where there is no single solution.
Point solve_for_ones(Points rows) {
  const std::size_t n = rows.size();
  for (Point& row : rows) row.push_back(1);
  for (std::size_t column = 0; column < n; ++column) {
    std::size_t pivot = column;
    for (std::size_t i = column + 1; i < n; ++i) {
      if (std::fabs(rows[i][column]) > std::fabs(rows[pivot][column])) pivot = i;
    }
    if (std::fabs(rows[pivot][column]) < 1e-12) return {};
    std::swap(rows[column], rows[pivot]);
    for (std::size_t i = 0; i < n; ++i) {
      if (i == column) continue;
      const double factor = rows[i][column] / rows[column][column];
      for (std::size_t k = column; k <= n; ++k) rows[i][k] -= factor * rows[column][k];
    }
  }
  Point result(n);
  for (std::size_t i = 0; i < n; ++i) result[i] = rows[i][n] / rows[i][i];
  return result;
}

/// The first front, shifted to its ideal point and scaled to intercepts 1.
class Geometry {
 public:
  Geometry(const Points& points, const Front& front)
      : ideal_(bounding_box(points, front).low), scale_(ideal_.size(), 1) {
    for (const std::size_t i : front) front_.push_back(shifted(points[i]));
    if (front_.size() < ideal_.size()) return;  // too few to see a shape
    find_extremes();
    find_scale();
    for (Point& point : front_) divide(point);
    find_exponent();
  }

  /// Distance of any point to the ideal one.
  double proximity(const Point& point) const {
    Point scaled = shifted(point);
    divide(scaled);
    return norm(scaled, exponent_);
  }

  /// Extremes first, then whatever is farthest from its two nearest among those before, per
  /// distance to the ideal point.
  std::vector<double> survival() const {
    const std::size_t size = front_.size();
    std::vector<double> score(size, kInfinity);
    if (size <= extremes_.size() || extremes_.empty()) return score;
    std::vector<bool> chosen(size, false);
    std::vector<double> length(size);
    std::vector<std::pair<double, double>> nearest(size, {kInfinity, kInfinity});
    for (std::size_t i = 0; i < size; ++i) length[i] = norm(front_[i], exponent_);
    const auto choose = [&](std::size_t index) {
      chosen[index] = true;
      for (std::size_t i = 0; i < size; ++i) {
        if (!chosen[i]) insert(nearest[i], distance(i, index));
      }
    };
    for (const std::size_t extreme : extremes_) choose(extreme);
    for (std::size_t count = extremes_.size(); count < size; ++count) {
      std::size_t best = size;
      double best_score = 0;
      for (std::size_t i = 0; i < size; ++i) {
        if (chosen[i]) continue;
        const auto [first, second] = nearest[i];
        const double sum = second == kInfinity ? first : first + second;
        const double value = length[i] > 0 ? sum / length[i] : kInfinity;
        if (best == size || value > best_score) {
          best = i;
          best_score = value;
        }
      }
      score[best] = best_score;
      choose(best);
    }
    return score;
  }

 private:
  static void insert(std::pair<double, double>& nearest, double value) {
    if (value < nearest.first) {
      nearest.second = std::exchange(nearest.first, value);
    } else if (value < nearest.second) {
      nearest.second = value;
    }
  }
  Point shifted(const Point& point) const {
    Point result = point;
    for (std::size_t k = 0; k < result.size(); ++k) result[k] -= ideal_[k];
    return result;
  }
  void divide(Point& point) const {
    for (std::size_t k = 0; k < point.size(); ++k) point[k] /= scale_[k];
  }
  double distance(std::size_t a, std::size_t b) const {
    double sum = 0;
    for (std::size_t k = 0; k < ideal_.size(); ++k) {
      sum += power(front_[a][k] - front_[b][k], exponent_);
    }
    return exponent_ == 1   ? sum
           : exponent_ == 2 ? std::sqrt(sum)
                            : portable_pow(sum, 1 / exponent_);
  }

  /// Per axis the point nearest to it, each point once.
  void find_extremes() {
    for (std::size_t axis = 0; axis < ideal_.size(); ++axis) {
      Point direction(ideal_.size(), 1e-6);
      direction[axis] += 1;
      std::size_t best = front_.size();
      double best_distance = 0;
      for (std::size_t i = 0; i < front_.size(); ++i) {
        if (std::find(extremes_.begin(), extremes_.end(), i) != extremes_.end()) continue;
        const double value = square_distance_to_line(front_[i], direction);
        if (best == front_.size() || value < best_distance) {
          best = i;
          best_distance = value;
        }
      }
      extremes_.push_back(best);
    }
  }

  /// Intercepts of the plane through the extremes; the largest values where there is none.
  void find_scale() {
    Points rows;
    for (const std::size_t extreme : extremes_) rows.push_back(front_[extreme]);
    const Point inverse = solve_for_ones(std::move(rows));
    const bool plane =
        !inverse.empty() &&
        std::all_of(inverse.begin(), inverse.end(), [](double x) { return x > 1e-12 && x < 1e12; });
    for (std::size_t k = 0; k < scale_.size(); ++k) {
      double largest = 0;
      for (const Point& point : front_) largest = std::max(largest, point[k]);
      const double scale = plane ? 1 / inverse[k] : largest;
      scale_[k] = scale > 0 ? scale : 1;
    }
  }

  /// The p with which the point nearest to the diagonal has Lp norm 1.
  void find_exponent() {
    const Point diagonal(ideal_.size(), 1);
    std::size_t best = front_.size();
    double best_distance = 0;
    for (std::size_t i = 0; i < front_.size(); ++i) {
      if (std::find(extremes_.begin(), extremes_.end(), i) != extremes_.end()) continue;
      const double value = square_distance_to_line(front_[i], diagonal);
      if (best == front_.size() || value < best_distance) {
        best = i;
        best_distance = value;
      }
    }
    if (best == front_.size()) return;
    double mean = 0;
    for (const double x : front_[best]) mean += x;
    mean /= static_cast<double>(ideal_.size());
    if (!(mean > 0) || mean >= 1) return;
    const double p = portable_log(static_cast<double>(ideal_.size())) / -portable_log(mean);
    exponent_ = p > 0.1 ? std::min(p, 20.0) : 1;
  }

  Point ideal_;
  Point scale_;
  Points front_;
  std::vector<std::size_t> extremes_;
  double exponent_ = 1;
};

class AgeMoea final : public Ranked {
 public:
  AgeMoea(const SearchContext& context, std::size_t population, const Options& options,
          const VariationDefaults& defaults)
      : Ranked(context, "age-moea", population, options, defaults) {}

 private:
  std::vector<double> scores(const Points& points, const std::vector<Front>& fronts,
                             std::size_t last) override {
    const Geometry geometry(points, fronts[0]);
    std::vector<double> result(points.size(), 0);
    const std::vector<double> survival = geometry.survival();
    for (std::size_t i = 0; i < survival.size(); ++i) result[fronts[0][i]] = survival[i];
    for (std::size_t rank = 1; rank <= last; ++rank) {
      for (const std::size_t i : fronts[rank]) {
        const double proximity = geometry.proximity(points[i]);
        result[i] = proximity > 0 ? 1 / proximity : kInfinity;
      }
    }
    return result;
  }
};
}  // namespace

std::unique_ptr<Search> make_age_moea(const SearchContext& context, const Options& options,
                                      const VariationDefaults& defaults) {
  const auto population = static_cast<std::size_t>(options.integer("population", 10, 2, 10'000));
  auto search = std::make_unique<AgeMoea>(context, population, options, defaults);
  options.finish();
  return search;
}

}  // namespace dissensus::search
