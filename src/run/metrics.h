// Metrics of a run, written to metrics.json. Only runs that ask for them pay for them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dissensus/description.h"

#include "core/event.h"
#include "run/metric_groups.h"
#include "sim/disk.h"
#include "sim/outcome.h"

namespace dissensus::run {

class MetricsCollector final : public EventSink {
 public:
  MetricsCollector(const SystemDescription& description, std::size_t nodes);
  void on_event(const Event& event) override;
  /// The content of metrics.json.
  std::string to_json(const MetricSelection& selection, const sim::WorldCounters& counters,
                      Time end) const;

 private:
  struct KindTotals {
    std::uint64_t sent = 0;
    std::uint64_t delivered = 0;
    std::uint64_t dropped = 0;
    std::uint64_t bytes = 0;
  };
  struct LevelTotals {
    std::uint64_t decisions = 0;
    std::vector<std::int64_t> latencies_us;  ///< first proposal of an instance to each decision
    std::map<std::uint64_t, Time> first_proposal;
  };
  struct NodePhase {
    std::uint32_t phase = 0;
    Time since{};
    bool known = false;
  };

  void add_under_way(NodeId from, NodeId to);
  void remove_under_way(NodeId from, NodeId to) { --under_way_[from * node_phase_.size() + to]; }

  const SystemDescription& description_;
  std::vector<KindTotals> kinds_;
  std::vector<LevelTotals> levels_;
  std::vector<NodePhase> node_phase_;
  std::vector<std::vector<std::int64_t>> phase_us_;  ///< [node][phase]
  std::vector<std::uint64_t> node_timers_;
  std::vector<std::uint32_t> under_way_;  ///< messages per link, [from * nodes + to]
  std::uint32_t link_max_ = 0;
  std::uint64_t submissions_ = 0;
  struct DiskTotals {
    std::uint64_t events = 0;
    std::uint64_t bytes = 0;
  };
  std::array<DiskTotals, sim::kDiskEvents> disk_{};
};

}  // namespace dissensus::run
