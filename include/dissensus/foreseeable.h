// Nodes that can say when they are where they were before. With them, a run that stands still for
// good is told from one that is slow: a situation that comes again, comes again forever.
#pragma once

#include "dissensus/digest.h"
#include "dissensus/time.h"

namespace dissensus {

/// Derive a node from this besides Node. Optional: where a node is not foreseeable, a run without
/// progress is reported as such and no more is claimed.
class Foreseeable {
 public:
  virtual ~Foreseeable() = default;
  /// Everything inside the node that what it does next depends on, what it shares with other nodes
  /// included. Times count as their distance from `now`, the node's own clock. Leave out what the
  /// world knows itself: messages under way, timers (which the node tells apart by their tags, not
  /// by their ids), the node's stream of randomness.
  ///
  /// Two equal answers are a promise: from there on the same messages and timers lead to the same.
  /// When in doubt, put more in; the worst that can happen is that a standstill is not recognised.
  virtual Digest future(Time now) const = 0;
};

}  // namespace dissensus
