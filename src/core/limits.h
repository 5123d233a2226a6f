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
  std::uint64_t instant = 1'000'000;       ///< steps while no time passes
  // Of code that runs in a worker process.
  Duration call = std::chrono::seconds(2);  ///< processor time of one call of a node
  Duration run = std::chrono::minutes(2);   ///< processor time of a run
  std::uint64_t memory_bytes = 1ULL << 30;  ///< that a run may take beside its trace
};
inline constexpr std::uint64_t kEventsMax = 4'000'000'000;
inline constexpr Duration kVirtualTimeMax = std::chrono::hours(24 * 365);

// Sizes of input files. Anything larger is refused before it is read.
inline constexpr std::size_t kScenarioBytesMax = 4u << 20;
inline constexpr std::size_t kScheduleBytesMax = 64u << 20;
inline constexpr std::size_t kTraceLineBytesMax = 16u << 20;
inline constexpr std::size_t kDocumentDepthMax = 64;

}  // namespace dissensus
