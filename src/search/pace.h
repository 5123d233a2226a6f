// The pace of a system, measured: what schedulers that hold messages back take as their unit.
#pragma once

#include <array>
#include <string_view>

#include "dissensus/options.h"
#include "dissensus/random.h"
#include "dissensus/scheduler.h"
#include "dissensus/search.h"

#include "run/scenario.h"

namespace dissensus::search {

/// From one run without faults and delays. Systems whose runs are not simulated, or which decide
/// too seldom: the scale that the system names, which may be zero.
TimeScales measure_pace(const run::Scenario& scenario);

/// A scheduler that picks, from an inbox that holds messages for so long on average.
class HoldingScheduler : public Scheduler {
 public:
  Duration hold() const override { return hold_; }
  void set_hold(Duration hold) { hold_ = hold; }

 private:
  Duration hold_{};
};

/// How long messages are held, run by run: a share of a round that is drawn anew for each. The
/// parameter `pace` is "system" (default) or "thesis", the rate of equation 3.1; `hold` is the
/// share, 0: one of kHoldShares.
class HoldDraw {
 public:
  static constexpr std::array<double, 6> kHoldShares{1.0 / 16, 1.0 / 8, 1.0 / 4, 1.0 / 2, 1, 2};
  HoldDraw(const SearchContext& context, const Options& options);
  Duration draw(Random& random) const;

 private:
  Duration round_{};
  Duration most_ = Duration::max();
  double share_ = 0;
};

}  // namespace dissensus::search
