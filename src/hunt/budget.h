// How much a hunt may spend.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "dissensus/time.h"

namespace dissensus::hunt {

/// The first limit that is reached ends the hunt.
struct Budget {
  std::size_t runs = SIZE_MAX;
  Duration virtual_time = Duration::max();  ///< sum over the runs
  std::chrono::microseconds wall = std::chrono::microseconds::max();
};

/// "180runs", "1h-virtual" or "30s"; throws InputError that begins with `option`.
Budget parse_budget(std::string_view text, std::string_view option = "--budget");

}  // namespace dissensus::hunt
