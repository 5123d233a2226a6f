// A limit on everything; every cut is reported.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dissensus/time.h"

namespace dissensus {

/// Limits of one run, from the scenario's [limits].
struct RunLimits {
  std::uint64_t events = 50'000'000;  ///< trace events
  Duration virtual_time = std::chrono::hours(1);
  std::size_t queue = 4'000'000;           ///< pending deliveries and timers
  std::uint64_t trace_bytes = 1ULL << 30;  ///< recorded trace in memory
  std::uint64_t deliveries = 0;            ///< ends the test case as planned; 0: no limit
};
inline constexpr std::uint64_t kEventsMax = 4'000'000'000;
inline constexpr Duration kVirtualTimeMax = std::chrono::hours(24 * 365);

// Sizes of input files. Anything larger is refused before it is read.
inline constexpr std::size_t kScenarioBytesMax = 4u << 20;
inline constexpr std::size_t kScheduleBytesMax = 64u << 20;
inline constexpr std::size_t kTraceLineBytesMax = 16u << 20;
inline constexpr std::size_t kDocumentDepthMax = 64;

}  // namespace dissensus
