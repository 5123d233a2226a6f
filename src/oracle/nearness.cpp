#include "oracle/nearness.h"

#include <algorithm>

namespace dissensus::oracle {

Nearness::Nearness(std::span<const Rule> rules, std::span<const Waypoint> waypoints,
                   const SystemDescription& description, std::size_t nodes)
    : rules_(rules), waypoints_(waypoints), description_(description), node_count_(nodes) {
  reset({});
}

void Nearness::reset(const NodeSet& byzantine) {
  margins_.assign(rules_.size(), 0);
  reached_ = 0;
  if (is_idle()) return;
  correct_.clear();
  is_correct_.assign(node_count_, true);
  for (const NodeId node : byzantine) is_correct_.at(node) = false;
  for (std::size_t node = 0; node < node_count_; ++node) {
    if (is_correct_[node]) correct_.push_back(static_cast<NodeId>(node));
  }
  observed_.assign(node_count_, std::vector<std::int64_t>(description_.observables.size(), 0));
  decided_.assign(node_count_, std::vector<std::int64_t>(description_.levels.size(), -1));
  supports_.clear();
  for (const Rule& rule : rules_) {
    for (const SupportQuery& query : rule.check.supports()) {
      supports_.emplace_back(query, description_, node_count_);
    }
  }
}

Expression::Distance Nearness::distance(const Expression& expression) const {
  struct Answers {
    const std::vector<SupportTracker>& supports;
    std::int64_t operator()(const SplitQuery&) const { return 0; }
    std::int64_t operator()(const SupportQuery& query) const {
      const auto tracker =
          std::find_if(supports.begin(), supports.end(),
                       [&](const SupportTracker& one) { return &one.query() == &query; });
      return tracker == supports.end() ? 100 : tracker->least();
    }
  };
  const auto value_of = [this](const Quantity& quantity, NodeId node) {
    return quantity.source == Quantity::Source::observable ? observed_[node][quantity.index]
                                                           : decided_[node][quantity.index];
  };
  return expression.distance(correct_, value_of, Answers{supports_});
}

void Nearness::on_event(const Event& event) {
  switch (event.type) {
    case EventType::observe:
      observed_[event.node][event.detail] = static_cast<std::int64_t>(event.number);
      break;
    case EventType::decide: {
      std::int64_t& highest = decided_[event.node][event.detail];
      highest = std::max(highest, static_cast<std::int64_t>(event.number));
      if (!is_correct_[event.node]) break;
      for (SupportTracker& support : supports_) support.on_decision(event);
      break;
    }
    case EventType::restart:
      for (SupportTracker& support : supports_) support.forget(event.node);
      return;
    case EventType::deliver:
      for (SupportTracker& support : supports_) support.on_delivery(event);
      return;
    default:
      return;
  }
  judge_rules(Rule::When::always);
  while (reached_ < waypoints_.size() && distance(waypoints_[reached_].reach).to_true == 0) {
    ++reached_;
  }
}

void Nearness::judge_rules(Rule::When when) {
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    if (rules_[i].when != when || margins_[i] == 1) continue;
    margins_[i] = std::max(margins_[i], 1 / (1 + distance(rules_[i].check).to_false));
  }
}

void Nearness::finish() {
  if (rules_.empty()) return;
  judge_rules(Rule::When::end);
  judge_rules(Rule::When::over);
}

}  // namespace dissensus::oracle
