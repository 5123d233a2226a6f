// Causes that occur 60 / 30 / 10 / 2 times instead of alike: ten families of runs, and what is said
// of each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dissensus/system.h"

#include "isolate/causes.h"

namespace dissensus::study {

struct FrequencyOptions {
  std::vector<std::string> only;  ///< families; empty: all
  std::vector<std::uint64_t> seeds{1, 2, 3};
  bool verbose = false;
  bool asks = false;  ///< the simulator, too, where there is one
  isolate::CauseOptions causes;
};

/// Prints a table.
void judge_frequencies(const FrequencyOptions& options, const SystemRegistry& systems);

}  // namespace dissensus::study
