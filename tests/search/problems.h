// Known optimisation problems as search spaces, and the loop that a hunt is.
#pragma once

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "dissensus/faults.h"
#include "dissensus/options.h"
#include "dissensus/search.h"

#include "search/pareto.h"

namespace dissensus::search {

/// A delay space of real numbers.
inline SearchSpace real_space(std::size_t genes, double low, double high) {
  SearchSpace space;
  space.low.assign(genes, low);
  space.high.assign(genes, high);
  space.subjects.resize(genes);
  space.integral = false;
  return space;
}

inline SearchSpace delay_space(std::size_t genes, double high = 4000) {
  SearchSpace space = real_space(genes, 0, high);
  space.integral = true;
  return space;
}

inline SearchSpace priority_space(std::size_t genes) {
  SearchSpace space = real_space(genes, 1, static_cast<double>(genes));
  space.type = SearchSpace::Type::priority;
  space.integral = true;
  return space;
}

inline Options parameters(const std::string& toml = "") {
  return Options::from_toml(toml, "parameters");
}

/// Plans are silences of one round; varying one moves it to the next round.
class SilenceStrategy final : public FaultStrategy {
 public:
  faults::Fault draw(Random& random) const override {
    return faults::SilenceFault{0, {1}, random.below(10), {}};
  }
  faults::Fault vary(const faults::Fault& fault, Random&) const override {
    auto silence = *fault.as<faults::SilenceFault>();
    silence.round = *silence.round + 1;
    return silence;
  }
};

using Objective = std::function<Point(const std::vector<double>&)>;

/// Asks and tells `evaluations` times with up to `lag` candidates under way; returns what was told.
inline Points run_search(Search& search, const Objective& objective, std::size_t evaluations,
                         std::size_t lag = 1) {
  Points told;
  std::deque<Candidate> under_way;
  while (told.size() < evaluations) {
    while (under_way.size() < lag) {
      std::optional<Candidate> candidate = search.ask();
      if (!candidate) break;
      under_way.push_back(std::move(*candidate));
    }
    if (under_way.empty()) break;  // a broken contract; the caller sees too few points
    Evaluation evaluation;
    evaluation.objectives = objective(under_way.front().genotype.genes);
    told.push_back(evaluation.objectives);
    search.tell(under_way.front(), evaluation);
    under_way.pop_front();
  }
  return told;
}

/// The points that no other dominates.
inline Points non_dominated(const Points& points) {
  const std::vector<Front> fronts = non_dominated_fronts(points);
  Points result;
  for (const std::size_t i : fronts.at(0)) result.push_back(points[i]);
  return result;
}

/// Mean distance from points of the true front to the nearest one found.
inline double inverted_generational_distance(const Points& found, const Points& front) {
  double sum = 0;
  for (const Point& target : front) {
    double nearest = std::numeric_limits<double>::infinity();
    for (const Point& point : found) {
      double square = 0;
      for (std::size_t k = 0; k < point.size(); ++k) {
        square += (point[k] - target[k]) * (point[k] - target[k]);
      }
      nearest = std::min(nearest, square);
    }
    sum += std::sqrt(nearest);
  }
  return sum / static_cast<double>(front.size());
}

// Zitzler, Deb and Thiele (2000); genes in 0..1.

inline double zdt_g(const std::vector<double>& x) {
  double sum = 0;
  for (std::size_t i = 1; i < x.size(); ++i) sum += x[i];
  return 1 + 9 * sum / static_cast<double>(x.size() - 1);
}
inline Point zdt1(const std::vector<double>& x) {
  const double g = zdt_g(x);
  return {x[0], g * (1 - std::sqrt(x[0] / g))};
}
inline Point zdt2(const std::vector<double>& x) {
  const double g = zdt_g(x);
  return {x[0], g * (1 - x[0] / g * (x[0] / g))};
}
inline Point zdt3(const std::vector<double>& x) {
  const double g = zdt_g(x);
  const double wave = x[0] / g * std::sin(10 * std::numbers::pi * x[0]);
  return {x[0], g * (1 - std::sqrt(x[0] / g) - wave)};
}
/// The true front: what is not dominated where g = 1.
inline Points zdt_front(Point (*problem)(const std::vector<double>&), std::size_t count = 300) {
  Points points;
  for (std::size_t i = 0; i <= count; ++i) {
    points.push_back(problem({static_cast<double>(i) / static_cast<double>(count), 0.0}));
  }
  return non_dominated(points);
}

/// Deb, Thiele, Laumanns and Zitzler (2002), three objectives: an octant of the unit sphere.
inline Point dtlz2(const std::vector<double>& x) {
  double g = 0;
  for (std::size_t i = 2; i < x.size(); ++i) g += (x[i] - 0.5) * (x[i] - 0.5);
  const double a = x[0] * std::numbers::pi / 2;
  const double b = x[1] * std::numbers::pi / 2;
  return {(1 + g) * std::cos(a) * std::cos(b), (1 + g) * std::cos(a) * std::sin(b),
          (1 + g) * std::sin(a)};
}
inline Points dtlz2_front(std::size_t steps = 15) {
  Points points;
  for (std::size_t i = 0; i <= steps; ++i) {
    for (std::size_t j = 0; j <= steps; ++j) {
      points.push_back(dtlz2({static_cast<double>(i) / static_cast<double>(steps),
                              static_cast<double>(j) / static_cast<double>(steps)}));
    }
  }
  return points;
}

/// Optimum 0 where all genes are 0.3.
inline Point sphere(const std::vector<double>& x) {
  double sum = 0;
  for (const double gene : x) sum += (gene - 0.3) * (gene - 0.3);
  return {sum};
}
/// Optimum 0 where all genes are 0.3; local optima about one unit apart.
inline Point rastrigin(const std::vector<double>& x) {
  double sum = 0;
  for (const double gene : x) {
    const double d = gene - 0.3;
    sum += d * d - 10 * std::cos(2 * std::numbers::pi * d) + 10;
  }
  return {sum};
}
/// A long axis that no coordinate follows; optimum 0 where all genes are 0.3.
inline Point tilted_ellipsoid(const std::vector<double>& x) {
  double total = 0;
  double square = 0;
  for (const double gene : x) {
    total += gene - 0.3;
    square += (gene - 0.3) * (gene - 0.3);
  }
  const double along = total * total / static_cast<double>(x.size());
  return {1e4 * (square - along) + along};
}

inline double best_of(const Points& points) {
  double best = std::numeric_limits<double>::infinity();
  for (const Point& point : points) best = std::min(best, point[0]);
  return best;
}

}  // namespace dissensus::search
