#include "tla/linking/reading.h"

namespace dissensus::tla {

void read(const Node& node, Reading& reading) {
  if (!reading.seen.insert(&node).second) return;
  if (!node.is_pure) reading.is_pure = false;
  switch (node.type) {
    case NodeType::variable:
    case NodeType::primed_variable:
      reading.variables.insert(node.index);
      break;
    case NodeType::for_all:
    case NodeType::exists:
    case NodeType::choose:
    case NodeType::set_filter:
    case NodeType::set_map:
    case NodeType::function:
    case NodeType::apply_definition:
    case NodeType::native:
    case NodeType::enabled:
      reading.loops = true;
      break;
    default:
      break;
  }
  if (node.callee != nullptr && node.callee->native == nullptr) {
    if (node.callee->body == nullptr) {
      reading.is_complete = false;
    } else {
      if (node.callee->is_recursive) reading.loops = true;
      read(*node.callee->body, reading);
    }
  }
  for_each_part(node, [&](const Node* part) { read(*part, reading); });
  if (node.detail == nullptr) return;
  for (const std::uint32_t variable : node.detail->variables) reading.variables.insert(variable);
}

void collect_conjuncts(const Node& node, std::set<const Node*>& seen,
                       std::vector<const Node*>& found) {
  if (node.type == NodeType::constant || !seen.insert(&node).second) return;
  if (node.type == NodeType::conjunction) {
    for (const Node* kid : node.kids) {
      const bool is_fixed = kid->type == NodeType::constant || kid->type == NodeType::immediate ||
                            kid->type == NodeType::literal;
      if (kid->type != NodeType::conjunction && kid->level < kActionLevel && !is_fixed) {
        found.push_back(kid);
      }
    }
  }
  if (node.callee != nullptr && node.callee->native == nullptr && node.callee->body != nullptr) {
    collect_conjuncts(*node.callee->body, seen, found);
  }
  for_each_part(node, [&](const Node* part) { collect_conjuncts(*part, seen, found); });
}

}  // namespace dissensus::tla
