// The machines of nodes that live outside the simulation: an outside (dissensus/outside.h) that is
// this as well is told what a schedule does to them.
#pragma once

#include "dissensus/ids.h"
#include "dissensus/time.h"

namespace dissensus {

class Machines {
 public:
  virtual ~Machines() = default;

  /// The node gets no processor from now on, or gets it again; a crash ends a pause without a word.
  /// What is sent to it meanwhile, the world keeps.
  virtual void paused(NodeId node, bool is_paused) = 0;
  /// Syncs of the node's disk that begin from now on take so much longer; zero: no longer.
  virtual void disk_slowed(NodeId node, Duration extra) = 0;
};

}  // namespace dissensus
