// The figures of a hunt, for people and for programs: the panel, a line in a pipe, stats.json.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "hunt/hunt.h"

namespace dissensus::hunt {

inline constexpr std::string_view kStatisticsFormat = "dissensus-stats/1";

/// A hunt at one moment.
struct HuntSnapshot {
  const HuntProgress& progress;
  const HuntOptions& options;
  const std::vector<std::string>& objective_names;
  std::string_view scenario;
  double wall_seconds = 0;

  /// Runs of this session, not those from the store.
  double runs_per_second() const;
};

/// The content of stats.json (docs/formats/store.md).
std::string statistics_json(const HuntSnapshot& snapshot);

/// A few lines, each at most `width` characters.
std::vector<std::string> panel_lines(const HuntSnapshot& snapshot, std::size_t width);

/// The same in one line.
std::string progress_line(const HuntSnapshot& snapshot);

}  // namespace dissensus::hunt
