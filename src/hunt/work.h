// A worker: leases batches of hunts that others coordinate, runs them, and hands in the results.
// Workers may come and go at any time, on any machine.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "dissensus/plugin.h"

#include "hunt/store.h"

namespace dissensus::hunt {

struct WorkOptions {
  std::string store;  ///< URL
  std::size_t jobs = 1;
  std::int64_t hunt = 0;  ///< 0: all
  /// How long a batch is ours without a sign of life. Leases are renewed at a third of it.
  double lease_seconds = 30;
  bool any_build = false;    ///< also hunts of another program
  double idle_seconds = -1;  ///< ends after so long without work; negative: never
};

/// Counts, to be read while it goes on.
struct WorkProgress {
  std::atomic<std::uint64_t> batches{0};
  std::atomic<std::uint64_t> runs{0};
  std::atomic<std::uint64_t> wasted{0};      ///< batches that somebody else had done
  std::atomic<std::uint64_t> mismatches{0};  ///< runs that gave another hash elsewhere
};

/// Messages for people: hunts that are refused and why, runs that differ. From any thread.
using WorkNotice = std::function<void(const std::string&)>;

/// Works until `should_stop`, or until it has been idle for too long. Throws InputError. `patience`
/// is asked by several threads.
void work(const WorkOptions& options, const Registry& registry, Patience& patience,
          const std::function<bool()>& should_stop, const WorkNotice& notice,
          WorkProgress& progress);

}  // namespace dissensus::hunt
