// What an expression depends on.
#pragma once

#include <set>

#include "tla/linking/program.h"

namespace dissensus::tla {

struct Reading {
  std::set<std::uint32_t> variables;
  std::set<const Node*> seen;
  bool is_pure = true;
  bool is_complete = true;  ///< false: an operator on the way is still being linked
  bool loops = false;
};

/// Follows calls into the operators' bodies.
void read(const Node& node, Reading& reading);

}  // namespace dissensus::tla
