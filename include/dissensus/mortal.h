// Nodes whose code runs in a process of its own, which may end between two calls.
#pragma once

#include "dissensus/node.h"

namespace dissensus {

/// Derive a node from this besides Node. Without it, what happens to a node after its last call is
/// no part of the run.
class Mortal {
 public:
  virtual ~Mortal() = default;
  /// The run is over: says whether the node still lives, and reports it (Context::broken) if not.
  virtual void look(Context& context) = 0;
};

}  // namespace dissensus
