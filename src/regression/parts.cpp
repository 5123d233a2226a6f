#include "regression/parts.h"

#include <algorithm>
#include <cstddef>

namespace dissensus::regression {

namespace {

/// More are no minimal schedule: whether each of them acts says little and costs much.
constexpr std::size_t kDelaysMax = 64;

void add_without_delays(const faults::Schedule& schedule, std::vector<faults::Schedule>& parts) {
  if (const auto* genes = std::get_if<faults::DelaySchedule>(&schedule.scheduler)) {
    const auto& delays = genes->delay_ms;
    const auto delayed = static_cast<std::size_t>(
        std::count_if(delays.begin(), delays.end(), [](std::uint32_t delay) { return delay > 0; }));
    if (delayed <= kDelaysMax) {
      for (std::size_t gene = 0; gene < delays.size(); ++gene) {
        if (delays[gene] == 0) continue;
        parts.push_back(schedule);
        std::get<faults::DelaySchedule>(parts.back().scheduler).delay_ms[gene] = 0;
      }
      return;
    }
  }
  if (const auto* messages = std::get_if<faults::MessageSchedule>(&schedule.scheduler)) {
    if (messages->delays.size() <= kDelaysMax) {
      for (std::size_t index = 0; index < messages->delays.size(); ++index) {
        parts.push_back(schedule);
        auto& delays = std::get<faults::MessageSchedule>(parts.back().scheduler).delays;
        delays.erase(delays.begin() + static_cast<std::ptrdiff_t>(index));
      }
      return;
    }
  }
  if (schedule.scheduler.index() == 0) return;
  parts.push_back(schedule);
  parts.back().scheduler = std::monostate{};
}

}  // namespace

std::vector<faults::Schedule> without_each_part(const faults::Schedule& schedule) {
  std::vector<faults::Schedule> parts;
  add_without_delays(schedule, parts);
  for (std::size_t index = 0; index < schedule.faults.size(); ++index) {
    parts.push_back(schedule);
    parts.back().faults.erase(parts.back().faults.begin() + static_cast<std::ptrdiff_t>(index));
  }
  return parts;
}

}  // namespace dissensus::regression
