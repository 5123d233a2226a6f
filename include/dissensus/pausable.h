// Nodes that live outside the simulation and can be made to stand still: an outside
// (dissensus/outside.h) that is this as well is told of the pauses of a schedule.
#pragma once

#include "dissensus/ids.h"

namespace dissensus {

class Pausable {
 public:
  virtual ~Pausable() = default;

  /// The node gets no processor from now on, or gets it again; a crash ends a pause without a word.
  /// What is sent to it meanwhile, the world keeps.
  virtual void paused(NodeId node, bool is_paused) = 0;
};

}  // namespace dissensus
