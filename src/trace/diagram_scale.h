// The time axis of a diagram: linear, except that long stretches in which nothing happens are
// shortened and marked.
#pragma once

#include <string>
#include <vector>

#include "dissensus/time.h"

namespace dissensus::trace {

class TimeScale {
 public:
  struct Tick {
    double x;
    std::string label;
  };
  struct Break {
    double from_x;
    double until_x;
    Duration length;
  };

  /// `moments`: when something happens; need not be sorted. Maps [from, until] to [left, right].
  TimeScale(Time from, Time until, std::vector<Time> moments, double left, double right);

  double x(Time time) const;
  const std::vector<Break>& breaks() const { return breaks_; }
  std::vector<Tick> ticks() const;
  /// "time / ms"
  std::string title() const;

 private:
  struct Piece {
    std::int64_t from;
    std::int64_t until;
    double from_x;
    double until_x;
    bool is_break;
  };
  struct Unit {
    std::string_view name;
    std::int64_t microseconds;
  };
  Unit unit() const;
  std::int64_t tick_step() const;
  std::string label(std::int64_t microseconds) const;

  std::vector<Piece> pieces_;
  std::vector<Break> breaks_;
  double pixels_per_microsecond_ = 1;
};

}  // namespace dissensus::trace
