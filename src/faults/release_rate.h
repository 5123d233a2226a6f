// How fast the priority scheduler releases messages: thesis section 3.2, equation 3.1.
#pragma once

#include <cstddef>

#include "dissensus/options.h"
#include "dissensus/time.h"

#include "faults/schedule.h"

namespace dissensus::faults {

/// The table `rate` of a schedule or scenario (docs/formats/schedule.md); throws InputError.
PriorityRate read_rate(const Options& options);

/// The rate r, in events per second. It changes only when an event is executed; while the inbox is
/// empty nothing is, so the rate waits as well.
class ReleaseRate {
 public:
  ReleaseRate(const PriorityRate& settings, std::size_t genes);

  double per_second() const { return rate_; }
  /// 1/r, rounded to a microsecond, at least one.
  Duration interval() const { return interval_; }
  /// Equation 3.1, for the size that the inbox has after an event left it.
  void adjust(std::size_t inbox_size);

 private:
  void set(double rate);

  double min_ = 0;
  double max_ = 0;
  double sensitivity_;
  double faster_above_;
  double slower_below_;
  double rate_ = 0;
  Duration interval_{};
};

}  // namespace dissensus::faults
