// Time to detection when some runs end without one: Kaplan-Meier curves and the log-rank test, as
// R's package survival computes them.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "statistics/samples.h"

namespace dissensus::statistics {

/// How long something was watched, and whether the event came at the end (false: censored).
struct Observation {
  double time = 0;
  bool event = false;
};

/// The scale on which a curve's confidence interval is symmetric.
enum class SurvivalScale { log, log_log, plain };
constexpr std::string_view to_string(SurvivalScale scale) {
  switch (scale) {
    case SurvivalScale::log:
      return "log";
    case SurvivalScale::log_log:
      return "log-log";
    case SurvivalScale::plain:
      break;
  }
  return "plain";
}

struct SurvivalOptions {
  SurvivalScale scale = SurvivalScale::log;
  double confidence = 0.95;
};

/// The curve from one observed time on, that time included.
struct SurvivalPoint {
  double time = 0;
  std::size_t at_risk = 0;  ///< watched until just before
  std::size_t events = 0;
  std::size_t censored = 0;
  double survival = 1;
  double standard_error = 0;  ///< of `survival` (Greenwood); NaN where survival is 0
  Interval interval;          ///< NaN where the scale has none: at 0, and for log-log at 1
};

struct SurvivalCurve {
  std::vector<SurvivalPoint> points;  ///< one per distinct time, in order
  std::size_t observations = 0;
  std::size_t events = 0;
  double median = 0;         ///< NaN: fewer than half saw the event
  Interval median_interval;  ///< NaN: no bound on that side
};

/// Observations at a censoring time count as watched at it. Empty input gives an empty curve.
SurvivalCurve kaplan_meier(std::span<const Observation> observations,
                           const SurvivalOptions& options = {});

/// The curve at any time; 1 before its first point.
double survival_at(const SurvivalCurve& curve, double time);

struct RestrictedMean {
  double mean = 0;
  double standard_error = 0;
};
/// Mean time to the event or to `until` > 0, whichever is first: the area under the curve.
/// Meaningful also where no median is reached. A curve that ends earlier is continued level.
RestrictedMean restricted_mean(const SurvivalCurve& curve, double until);

struct LogRankGroup {
  std::size_t observations = 0;
  double observed = 0;  ///< events
  double expected = 0;  ///< events if all groups had one curve
};

struct LogRankResult {
  std::vector<LogRankGroup> groups;  ///< in the order given
  double chi_square = 0;
  std::size_t degrees_of_freedom = 0;
  /// NaN where nothing can be compared: fewer than two groups with expected events.
  double p_value = 1;
};

LogRankResult log_rank(std::span<const std::vector<Observation>> groups);

}  // namespace dissensus::statistics
