#include "statistics/survival.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>

namespace dissensus::statistics {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// `relative_error`: standard error of the logarithm of `survival`; z: normal quantile.
Interval interval_at(double survival, double relative_error, SurvivalScale scale, double z) {
  if (survival == 0) return {kNaN, kNaN};  // Greenwood's variance is infinite
  switch (scale) {
    case SurvivalScale::log: {
      const double factor = std::exp(z * relative_error);
      return {survival / factor, std::min(1.0, survival * factor)};
    }
    case SurvivalScale::log_log: {
      if (survival == 1) return {kNaN, kNaN};
      const double hazard = -std::log(survival);
      const double factor = std::exp(z * relative_error / hazard);
      return {std::exp(-hazard * factor), std::exp(-hazard / factor)};
    }
    case SurvivalScale::plain:
      break;
  }
  const double half = z * relative_error * survival;
  return {std::max(0.0, survival - half), std::min(1.0, survival + half)};
}

/// The first time at which `level` of a point is at most one half; where it stays at exactly one
/// half for a while, the middle of that while. R's rule, tolerance included.
template <typename Level>
double half_time(const std::vector<SurvivalPoint>& points, const Level& level) {
  constexpr double kTolerance = 0x1p-26;
  const auto reached = std::find_if(points.begin(), points.end(), [&](const SurvivalPoint& point) {
    return level(point) < 0.5 + kTolerance;
  });
  if (reached == points.end()) return kNaN;
  if (std::abs(level(*reached) - 0.5) >= kTolerance) return reached->time;
  const double here = level(*reached);
  const auto below = std::find_if(reached, points.end(),
                                  [&](const SurvivalPoint& point) { return level(point) < here; });
  return below == points.end() ? reached->time : (reached->time + below->time) / 2;
}

std::vector<Observation> in_time_order(std::span<const Observation> observations) {
  std::vector<Observation> result(observations.begin(), observations.end());
  std::stable_sort(result.begin(), result.end(),
                   [](const Observation& a, const Observation& b) { return a.time < b.time; });
  return result;
}

/// Counts of each distinct time; survival is left at 1.
std::vector<SurvivalPoint> count_by_time(std::span<const Observation> observations) {
  std::vector<SurvivalPoint> points;
  std::size_t at_risk = observations.size();
  for (const Observation& observation : in_time_order(observations)) {
    if (points.empty() || observation.time > points.back().time) {
      SurvivalPoint point;
      point.time = observation.time;
      point.at_risk = at_risk;
      points.push_back(point);
    }
    ++(observation.event ? points.back().events : points.back().censored);
    --at_risk;
  }
  return points;
}

/// Greenwood's term of one time.
double variance_term(const SurvivalPoint& point) {
  const auto at_risk = static_cast<double>(point.at_risk);
  const auto events = static_cast<double>(point.events);
  return events / (at_risk * (at_risk - events));
}

/// Solves a symmetric positive definite system by elimination; nothing where it is singular.
std::optional<std::vector<double>> solve(std::vector<std::vector<double>> matrix,
                                         std::vector<double> right) {
  const std::size_t size = right.size();
  for (std::size_t column = 0; column < size; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column + 1; row < size; ++row) {
      if (std::abs(matrix[row][column]) > std::abs(matrix[pivot][column])) pivot = row;
    }
    std::swap(matrix[pivot], matrix[column]);
    std::swap(right[pivot], right[column]);
    constexpr double kSingular = 1e-12;
    if (!(std::abs(matrix[column][column]) > kSingular)) return std::nullopt;
    for (std::size_t row = column + 1; row < size; ++row) {
      const double factor = matrix[row][column] / matrix[column][column];
      for (std::size_t k = column; k < size; ++k) matrix[row][k] -= factor * matrix[column][k];
      right[row] -= factor * right[column];
    }
  }
  for (std::size_t row = size; row-- > 0;) {
    for (std::size_t k = row + 1; k < size; ++k) right[row] -= matrix[row][k] * right[k];
    right[row] /= matrix[row][row];
  }
  return right;
}

/// Walks through all event times of all groups and collects what was expected at each.
class LogRankSums {
 public:
  explicit LogRankSums(std::span<const std::vector<Observation>> groups)
      : at_risk_(groups.size()),
        observed_(groups.size(), 0.0),
        expected_(groups.size(), 0.0),
        covariance_(groups.size(), std::vector<double>(groups.size(), 0.0)) {
    struct Member {
      Observation observation;
      std::size_t group;
    };
    std::vector<Member> all;
    for (std::size_t group = 0; group < groups.size(); ++group) {
      for (const Observation& observation : groups[group]) all.push_back({observation, group});
      at_risk_[group] = static_cast<double>(groups[group].size());
    }
    std::stable_sort(all.begin(), all.end(), [](const Member& a, const Member& b) {
      return a.observation.time < b.observation.time;
    });
    for (std::size_t begin = 0; begin < all.size();) {
      std::size_t end = begin;
      double events = 0;
      for (; end < all.size() && all[end].observation.time == all[begin].observation.time; ++end) {
        events += all[end].observation.event ? 1 : 0;
        observed_[all[end].group] += all[end].observation.event ? 1 : 0;
      }
      if (events > 0) expect(events, static_cast<double>(all.size() - begin));
      for (; begin < end; ++begin) at_risk_[all[begin].group] -= 1;
    }
  }

  double observed(std::size_t group) const { return observed_[group]; }
  double expected(std::size_t group) const { return expected_[group]; }
  double covariance(std::size_t a, std::size_t b) const { return covariance_[a][b]; }

 private:
  void expect(double events, double all_at_risk) {
    const double spread = all_at_risk > 1 ? events * (all_at_risk - events) / (all_at_risk - 1) : 0;
    for (std::size_t a = 0; a < at_risk_.size(); ++a) {
      const double share = at_risk_[a] / all_at_risk;
      expected_[a] += events * share;
      covariance_[a][a] += spread * share;
      for (std::size_t b = 0; b < at_risk_.size(); ++b) {
        covariance_[a][b] -= spread * share * at_risk_[b] / all_at_risk;
      }
    }
  }

  std::vector<double> at_risk_;
  std::vector<double> observed_;
  std::vector<double> expected_;
  std::vector<std::vector<double>> covariance_;
};

}  // namespace

SurvivalCurve kaplan_meier(std::span<const Observation> observations,
                           const SurvivalOptions& options) {
  SurvivalCurve curve;
  curve.points = count_by_time(observations);
  curve.observations = observations.size();
  const boost::math::normal normal;
  const double z = quantile(normal, 1 - (1 - options.confidence) / 2);
  double survival = 1;
  double variance = 0;  // of the logarithm of survival
  for (SurvivalPoint& point : curve.points) {
    const auto at_risk = static_cast<double>(point.at_risk);
    survival *= (at_risk - static_cast<double>(point.events)) / at_risk;
    variance += point.events == 0 ? 0 : variance_term(point);
    curve.events += point.events;
    point.survival = survival;
    point.standard_error = survival * std::sqrt(variance);
    point.interval = interval_at(survival, std::sqrt(variance), options.scale, z);
  }
  const auto& points = curve.points;
  curve.median = half_time(points, [](const SurvivalPoint& point) { return point.survival; });
  curve.median_interval = {
      half_time(points, [](const SurvivalPoint& point) { return point.interval.low; }),
      half_time(points, [](const SurvivalPoint& point) { return point.interval.high; })};
  return curve;
}

double survival_at(const SurvivalCurve& curve, double time) {
  const auto after =
      std::upper_bound(curve.points.begin(), curve.points.end(), time,
                       [](double value, const SurvivalPoint& point) { return value < point.time; });
  return after == curve.points.begin() ? 1 : std::prev(after)->survival;
}

RestrictedMean restricted_mean(const SurvivalCurve& curve, double until) {
  // Backwards: the variance weighs each event time with the area that is still to come.
  double area = 0;
  double variance = 0;
  double right = until;
  for (std::size_t i = curve.points.size(); i-- > 0;) {
    const SurvivalPoint& point = curve.points[i];
    if (point.time > until) continue;
    area += (right - point.time) * point.survival;
    right = point.time;
    if (point.events > 0 && point.events < point.at_risk) {
      variance += area * area * variance_term(point);
    }
  }
  return {area + right, std::sqrt(variance)};
}

LogRankResult log_rank(std::span<const std::vector<Observation>> groups) {
  const LogRankSums sums(groups);
  LogRankResult result;
  std::vector<std::size_t> compared;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    result.groups.push_back({groups[i].size(), sums.observed(i), sums.expected(i)});
    if (sums.expected(i) > 0) compared.push_back(i);
  }
  result.p_value = kNaN;
  if (compared.size() < 2) return result;
  // The differences add up to zero, so that one group says nothing new.
  compared.erase(compared.begin());
  std::vector<double> difference;
  std::vector<std::vector<double>> covariance;
  for (const std::size_t a : compared) {
    difference.push_back(sums.observed(a) - sums.expected(a));
    covariance.emplace_back();
    for (const std::size_t b : compared) covariance.back().push_back(sums.covariance(a, b));
  }
  const auto solution = solve(covariance, difference);
  if (!solution) return result;
  for (std::size_t i = 0; i < difference.size(); ++i) {
    result.chi_square += (*solution)[i] * difference[i];
  }
  result.chi_square = std::max(result.chi_square, 0.0);
  result.degrees_of_freedom = compared.size();
  const boost::math::chi_squared distribution(static_cast<double>(compared.size()));
  result.p_value = cdf(boost::math::complement(distribution, result.chi_square));
  return result;
}

}  // namespace dissensus::statistics
