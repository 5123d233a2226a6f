#include "faults/release_rate.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/assert.h"

namespace dissensus::faults {

PriorityRate read_rate(const Options& options) {
  // Narrow enough that no interval between two releases is zero or endless.
  constexpr double kShareMin = 1e-6;
  constexpr double kShareMax = 1e6;
  constexpr double kSizeMax = 1e9;
  PriorityRate rate;
  rate.base = options.number("base", rate.base, kShareMin, kShareMax);
  rate.min = options.number("min", rate.min, kShareMin, kShareMax);
  rate.max = options.number("max", rate.max, kShareMin, kShareMax);
  rate.target = options.number("target", rate.target, 0, kSizeMax);
  rate.overflow = options.number("overflow", rate.overflow, 0, kSizeMax);
  rate.underflow = options.number("underflow", rate.underflow, 0, kSizeMax);
  rate.sensitivity = options.number("sensitivity", rate.sensitivity, 1, kSizeMax);
  if (rate.min > rate.base || rate.base > rate.max) {
    options.fail(fmt::format("expected min <= base <= max, found min {}, base {}, max {}", rate.min,
                             rate.base, rate.max));
  }
  if (rate.underflow > rate.overflow) {
    options.fail(fmt::format("expected underflow <= overflow, found underflow {}, overflow {}",
                             rate.underflow, rate.overflow));
  }
  return rate;
}

ReleaseRate::ReleaseRate(const PriorityRate& settings, std::size_t genes)
    : sensitivity_(settings.sensitivity),
      faster_above_(settings.target * settings.overflow),
      slower_below_(settings.target * settings.underflow) {
  // A single node has no genes; it sends nothing either, so any rate will do.
  const double events = static_cast<double>(std::max<std::size_t>(genes, 1));
  min_ = settings.min * events;
  max_ = settings.max * events;
  DISSENSUS_ASSERT(min_ > 0 && min_ <= max_, "ReleaseRate : bounds are positive and in order");
  set(settings.base * events);
}

void ReleaseRate::adjust(std::size_t inbox_size) {
  const double size = static_cast<double>(inbox_size);
  if (size > faster_above_) {
    set(std::min(rate_ * sensitivity_, max_));
  } else if (size < slower_below_) {
    set(std::max(rate_ / sensitivity_, min_));
  }
}

void ReleaseRate::set(double rate) {
  rate_ = rate;
  // At most a virtual year, which no run outlasts.
  const double microseconds = std::min(1e6 / rate, 31'536'000e6);
  interval_ = Duration{std::max<std::int64_t>(1, static_cast<std::int64_t>(microseconds + 0.5))};
}

}  // namespace dissensus::faults
