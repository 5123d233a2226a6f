// What an expression depends on.
#pragma once

#include <set>
#include <vector>

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

/// The conjuncts of all conjunctions on the way, operators' bodies included, except those of
/// constants and those that assign.
void collect_conjuncts(const Node& node, std::set<const Node*>& seen,
                       std::vector<const Node*>& found);

/// Everything that a node is made of: its kids, the sets that it binds, its updates.
template <class Visit>
void for_each_part(const Node& node, const Visit& visit) {
  for (const Node* kid : node.kids) visit(kid);
  if (node.detail == nullptr) return;
  for (const Binding& binding : node.detail->bindings) {
    if (binding.set != nullptr) visit(binding.set);
  }
  for (const Update& update : node.detail->updates) {
    visit(update.value);
    for (const Update::Step& step : update.path) {
      for (const Node* index : step.indexes) visit(index);
    }
  }
}

}  // namespace dissensus::tla
