// Times to an event as a table: one row per run, with the time, whether the event came, and a
// group.
#pragma once

#include <string>
#include <vector>

#include "statistics/number_file.h"
#include "statistics/survival.h"

namespace dissensus::statistics {

struct SurvivalColumns {
  std::string time = "time";    ///< numbers of 0 or more
  std::string event = "event";  ///< 1 or true: seen; 0 or false: censored
  std::string group;            ///< empty: the column "group" where there is one, else one group
};

struct ObservationGroups {
  std::vector<std::string> names;  ///< in the order in which the file first names them
  std::vector<std::vector<Observation>> observations;
  double time_max = 0;
};

/// Throws InputError with file, line and column; more than kGroupsMax groups are refused.
ObservationGroups read_observations(const NumberFile& file, const SurvivalColumns& columns = {});

inline constexpr std::size_t kGroupsMax = 100;

}  // namespace dissensus::statistics
