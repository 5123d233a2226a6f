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

}  // namespace dissensus::tla
