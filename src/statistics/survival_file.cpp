#include "statistics/survival_file.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include <fmt/format.h>

namespace dissensus::statistics {
namespace {

bool event_of(const NumberFile& file, std::size_t row, std::size_t column) {
  const std::string& text = file.text(row, column);
  if (text == "1" || text == "true") return true;
  if (text == "0" || text == "false") return false;
  file.fail_value(row, column, "1 (seen) or 0 (censored)");
}

std::optional<std::size_t> group_column(const NumberFile& file, const std::string& name) {
  constexpr std::string_view kDefault = "group";
  if (!name.empty()) return file.column(name);
  if (file.has_column(kDefault)) return file.column(kDefault);
  return std::nullopt;
}

}  // namespace

ObservationGroups read_observations(const NumberFile& file, const SurvivalColumns& columns) {
  const std::size_t time = file.column(columns.time);
  const std::size_t event = file.column(columns.event);
  const std::optional<std::size_t> group = group_column(file, columns.group);
  ObservationGroups groups;
  std::map<std::string, std::size_t> index;
  for (std::size_t row = 0; row < file.rows(); ++row) {
    const std::string name = group ? file.text(row, *group) : "all";
    const auto [found, added] = index.emplace(name, groups.names.size());
    if (added) {
      if (groups.names.size() == kGroupsMax) {
        file.fail(row, *group, fmt::format("expected at most {} groups", kGroupsMax));
      }
      groups.names.push_back(name);
      groups.observations.emplace_back();
    }
    const double value = file.number(row, time);
    if (value < 0) file.fail_value(row, time, "a time of 0 or more");
    groups.observations[found->second].push_back({value, event_of(file, row, event)});
    groups.time_max = std::max(groups.time_max, value);
  }
  return groups;
}

}  // namespace dissensus::statistics
