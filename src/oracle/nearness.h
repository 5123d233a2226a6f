// How near a run came to breaking the rules of its scenario, and how far along its waypoints it
// got: signals for searches. Sees what the oracle sees and judges nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dissensus/description.h"

#include "core/event.h"
#include "oracle/rule.h"
#include "oracle/support.h"

namespace dissensus::oracle {

class Nearness {
 public:
  /// All that is given must outlive this; no rules: none are followed.
  Nearness(std::span<const Rule> rules, std::span<const Waypoint> waypoints,
           const SystemDescription& description, std::size_t nodes);

  /// Before each run.
  void reset(const NodeSet& byzantine);
  /// Reports and faults, and deliveries where needs_deliveries().
  void on_event(const Event& event);
  /// After the run.
  void finish();

  bool is_idle() const { return rules_.empty() && waypoints_.empty(); }
  bool needs_deliveries() const { return !supports_.empty(); }
  /// By rule: 1 broken, else 1/(1 + branch distance), the nearest of the run. split(...) is 0 here.
  const std::vector<double>& margins() const { return margins_; }
  std::size_t reached() const { return reached_; }

 private:
  Expression::Distance distance(const Expression& expression) const;
  void judge_rules(Rule::When when);

  std::span<const Rule> rules_;
  std::span<const Waypoint> waypoints_;
  const SystemDescription& description_;
  std::size_t node_count_;
  std::vector<NodeId> correct_;
  std::vector<bool> is_correct_;
  std::vector<std::vector<std::int64_t>> observed_;  ///< by node and observable
  std::vector<std::vector<std::int64_t>> decided_;   ///< by node and level
  std::vector<SupportTracker> supports_;
  std::vector<double> margins_;
  std::size_t reached_ = 0;
};

}  // namespace dissensus::oracle
