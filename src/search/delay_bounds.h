// How late a message may be, for schedulers that decide about each one while the run goes on.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dissensus/search.h"

namespace dissensus::search {

/// The longest delay of each sender, receiver and kind in milliseconds; 0: never late.
struct DelayBounds {
  explicit DelayBounds(const SearchSpace& space) : nodes(space.nodes) {
    for (const SearchSpace::Subject& subject : space.subjects) {
      kinds = std::max(kinds, std::size_t{subject.kind} + 1);
    }
    most.assign(nodes * nodes * kinds, 0);
    for (std::size_t i = 0; i < space.size(); ++i) {
      const SearchSpace::Subject& subject = space.subjects[i];
      most[place(subject.from, subject.to, subject.kind)] = space.high[i];
    }
  }
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

}  // namespace dissensus::search
