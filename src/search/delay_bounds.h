// How late a message may be, for schedulers that decide about each one while the run goes on.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "dissensus/scheduler.h"
#include "dissensus/search.h"

namespace dissensus::search {

/// The longest delay of each sender, receiver and kind in milliseconds; 0: never late.
struct DelayBounds {
  explicit DelayBounds(const SearchSpace& space);
  std::size_t place(NodeId from, NodeId to, MessageKind kind) const {
    return (from * nodes + to) * kinds + kind;
  }
  /// A share of the longest delay.
  static Duration late_by(double share, double most) {
    return std::chrono::duration_cast<Duration>(
        std::chrono::milliseconds(static_cast<std::int64_t>(share * most)));
  }

  std::size_t nodes;
  std::size_t kinds = 0;
  std::vector<double> most;
};

/// One of these for each candidate, with a seed of its own.
using DelayScheduler =
    std::function<std::shared_ptr<Scheduler>(std::shared_ptr<const DelayBounds>, std::uint64_t)>;

/// A search that draws such schedulers, and plans of faults beside them; where delays do not vary
/// it draws genotypes.
std::unique_ptr<Search> make_scheduler_draws(const SearchContext& context, std::string_view name,
                                             DelayScheduler make);

}  // namespace dissensus::search
