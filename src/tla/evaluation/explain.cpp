#include "tla/evaluation/explain.h"

#include <algorithm>

namespace dissensus::tla {

namespace {

constexpr std::size_t kGuardsMax = 64;
constexpr std::size_t kOperandsMax = 12;

/// Its kids are about names that have no value outside.
bool binds_names(NodeType type) {
  switch (type) {
    case NodeType::for_all:
    case NodeType::exists:
    case NodeType::choose:
    case NodeType::choose_unbounded:
    case NodeType::set_filter:
    case NodeType::set_map:
    case NodeType::function:
    case NodeType::let:
      return true;
    default:
      return false;
  }
}

bool is_plain(const Node& node) {
  switch (node.type) {
    case NodeType::immediate:
    case NodeType::literal:
    case NodeType::operator_value:
    case NodeType::conjunction:
    case NodeType::disjunction:
    case NodeType::remembered:
      return true;
    case NodeType::constant:
      return node.first->type != NodeType::call && node.first->type != NodeType::native;
    default:
      return false;
  }
}

}  // namespace

void GuardRecorder::failed(const Node& node, Frame& frame, std::uint32_t held) {
  const auto known = places_.find(&node);
  if (known != places_.end() && guards_[known->second].depth >= held) return;
  if (known == places_.end() && guards_.size() >= kGuardsMax) {
    const bool is_deeper = std::any_of(guards_.begin(), guards_.end(),
                                       [&](const FailedGuard& each) { return each.depth < held; });
    if (!is_deeper) return;
  }
  FailedGuard guard;
  guard.at = node.at;
  guard.text = node.at.excerpt(120);
  guard.depth = held;
  const Saved recorder(evaluator_.recorder, static_cast<Recorder*>(nullptr));
  add_operands(node, frame, guard);
  if (known != places_.end()) {
    guards_[known->second] = std::move(guard);
    return;
  }
  places_[&node] = guards_.size();
  guards_.push_back(std::move(guard));
}

void GuardRecorder::add_operand(const Node& node, Frame& frame, FailedGuard& guard) {
  if (guard.operands.size() >= kOperandsMax) return;
  if (!is_plain(node)) {
    const std::string text = node.at.excerpt(60);
    const bool is_known = std::any_of(guard.operands.begin(), guard.operands.end(),
                                      [&](const auto& each) { return each.first == text; });
    if (!is_known) {
      try {
        guard.operands.emplace_back(text, shown(evaluator_.evaluate(node, frame)));
      } catch (const SpecError&) {
        // A part without a value of its own, such as a variable that is not assigned.
      } catch (const ValueError&) {
      }
    }
  }
  add_operands(node, frame, guard);
}

void GuardRecorder::add_operands(const Node& node, Frame& frame, FailedGuard& guard) {
  if (node.detail != nullptr) {
    for (const Binding& binding : node.detail->bindings) {
      if (binding.set != nullptr) add_operand(*binding.set, frame, guard);
    }
  }
  if (binds_names(node.type) || node.type == NodeType::constant ||
      node.type == NodeType::let_value) {
    return;
  }
  for (const Node* kid : node.kids) add_operand(*kid, frame, guard);
}

Explanation GuardRecorder::explanation() const {
  Explanation result;
  result.guards = guards_;
  std::stable_sort(result.guards.begin(), result.guards.end(),
                   [](const FailedGuard& a, const FailedGuard& b) { return a.depth > b.depth; });
  return result;
}

}  // namespace dissensus::tla
