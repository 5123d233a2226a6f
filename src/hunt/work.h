// A worker: leases batches of hunts that others coordinate, runs them, and hands in the results.
// Workers may come and go at any time, on any machine.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "dissensus/plugin.h"

#include "hunt/examination.h"
#include "hunt/store.h"
#include "run/scenario.h"

namespace dissensus::hunt {

class WorkQueue;

struct WorkOptions {
  std::string store;  ///< URL
  std::size_t jobs = 1;
  std::int64_t hunt = 0;  ///< 0: all
  /// How long a batch is ours without a sign of life. Leases are renewed at a third of it.
  double lease_seconds = 30;
  bool any_build = false;                 ///< also hunts of another program
  std::vector<std::string> plugins = {};  ///< that are loaded (plugin_identity)
  double idle_seconds = -1;               ///< ends after so long without work; negative: never
  double turn_seconds = 2;                ///< how long an island is on its own
  Examiner examine = {};                  ///< empty: findings are left to others
};

/// Counts, to be read while it goes on.
struct WorkProgress {
  std::atomic<std::uint64_t> batches{0};
  std::atomic<std::uint64_t> runs{0};
  std::atomic<std::uint64_t> wasted{0};      ///< batches that somebody else had done
  std::atomic<std::uint64_t> mismatches{0};  ///< runs that gave another hash elsewhere
  std::atomic<std::uint64_t> examinations{0};
  std::atomic<std::uint64_t> busy_us{0};  ///< sum over the threads; the rest they waited
};

/// Messages for people: hunts that are refused and why, runs that differ. From any thread.
using WorkNotice = std::function<void(const std::string&)>;

/// Who leases, for how long, and to whom they speak.
struct Tenant {
  std::string owner;
  double lease_seconds = 30;
  WorkNotice notice;
};

/// Examines a finding of the hunt that waits for it; false: there is none.
bool examine_next(WorkQueue& queue, std::int64_t hunt, const run::Scenario& scenario,
                  const Tenant& tenant, const Examiner& examine,
                  const std::function<bool()>& keep_going);

/// Works until `should_stop`, or until it has been idle for too long. Throws InputError. `patience`
/// is asked by several threads.
void work(const WorkOptions& options, const Registry& registry, Patience& patience,
          const std::function<bool()>& should_stop, const WorkNotice& notice,
          WorkProgress& progress);

}  // namespace dissensus::hunt
