// Which figures of a run a scenario wants ([metrics] include = [...]).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dissensus::run {

/// Groups of figures that a scenario can choose ([metrics] include = [...]).
enum class MetricGroup : std::uint8_t {
  decisions,
  latency,
  messages,
  bytes,
  queues,
  timers,
  phases
};
inline constexpr std::size_t kMetricGroups = 7;
inline constexpr std::array<std::string_view, kMetricGroups> kMetricGroupNames{
    "decisions", "latency", "messages", "bytes", "queues", "timers", "phases"};

struct MetricSelection {
  std::array<bool, kMetricGroups> included{true, true, true, true, true, true, true};
  bool has(MetricGroup group) const { return included[static_cast<std::size_t>(group)]; }
};

}  // namespace dissensus::run
