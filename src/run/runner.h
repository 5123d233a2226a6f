// One run: (scenario, schedule, seed) -> (trace, verdict), a pure function. Nothing but this room
// brings world, system, faults and oracle together.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dissensus/scheduler.h"

#include "core/event.h"
#include "faults/schedule.h"
#include "oracle/verdict.h"
#include "run/scenario.h"
#include "sim/memory.h"
#include "sim/outcome.h"
#include "trace/trace.h"

namespace dissensus {
class Outside;
}
namespace dissensus::sim {
class Clock;
}

namespace dissensus::run {

/// From a moment of a run on, continue under another schedule, another seed, or both.
struct Branch {
  EventId at = 0;
  std::optional<faults::Schedule> schedule;
  std::optional<std::uint64_t> seed;
};

/// Servers in virtual time stand still for a while, so that somebody can look at them. The run is
/// the same as without.
struct Hold {
  std::optional<Time> at;  ///< at the first event from then on; null: when a property is violated
  /// Returns when the run is to go on.
  std::function<void(Time time, const std::string& why, Outside& servers)> wait;
};

struct RunOptions {
  trace::Detail detail = trace::Detail::hash;
  bool metrics = false;
  bool log = false;             ///< keep the nodes' log lines
  sim::Clock* clock = nullptr;  ///< null: as fast as possible
  std::optional<Hold> hold;
  std::optional<Branch> branch;   ///< null: to the end as it is
  std::vector<EventSink*> sinks;  ///< who else listens; each says to what
  /// Decides about messages while the run goes on, in the place of the schedule's own scheduler;
  /// the faults of the schedule stay.
  Scheduler* scheduler = nullptr;
  /// Where the scenario has several runs per start: on the servers of this Runner's last such run,
  /// as long as they last (RunResult::earlier), and not on its own ones.
  bool continues = false;
};

/// RunResult::ended_by of a test case that limits.deliveries ended.
inline constexpr std::string_view kDeliveryLimit = "delivery-limit";

struct RunResult {
  std::uint64_t hash = 0;  ///< trace hash
  oracle::Verdict verdict;
  double history_margin = 0;  ///< history/closeness.h; 0 without [oracle.history]
  std::string ended_by;  ///< goal, violation, quiet, the limit that was reached, or `broken_off`'s
  bool broken_off = false;  ///< real servers could not go on; ended_by says why, for people
  EventId events = 0;
  Time end{};
  sim::WorldCounters counters;
  std::vector<std::uint64_t> sent;     ///< messages by kind
  std::vector<trace::Record> records;  ///< as the options asked
  bool records_cut = false;            ///< limits.trace_bytes was reached
  std::string metrics_json;
  /// With RunOptions::scheduler: what it decided, beside the faults of the schedule. A run of this
  /// schedule alone has the same trace hash (docs/formats/schedule.md, messages).
  std::optional<faults::Schedule> recorded;
  /// With RunOptions::log: what servers said, and the history of clients.
  std::vector<Outside::Attachment> attachments;
  /// With RunOptions::continues: what the servers had been through before.
  std::vector<EarlierRun> earlier;
};

class SessionRuns;
class WorkerProcess;

/// Runs scenarios one after another, reusing memory. One per thread.
class Runner {
 public:
  Runner();
  ~Runner();
  RunResult run(const Scenario& scenario, const faults::Schedule& schedule, std::uint64_t seed,
                const RunOptions& options = {});

 private:
  RunResult run_here(const Scenario& scenario, const System& system,
                     const faults::Schedule& schedule, std::uint64_t seed,
                     const RunOptions& options);

  sim::WorldMemory memory_;
  std::unique_ptr<SessionRuns> sessions_;
  std::unique_ptr<WorkerProcess> worker_;  ///< for code that may end the process
};

/// All that is needed to repeat a run.
struct Recipe {
  Scenario scenario;
  faults::Schedule schedule;
  std::uint64_t seed = 0;
  std::optional<Branch> branch;
  std::string hash;  ///< the trace hash that the run had; empty if unknown
};

/// The trace of a run that recorded one.
trace::Trace to_trace(const Recipe& recipe, trace::Detail detail, RunResult result);

/// Name and version, as written into files.
std::string program_version();

}  // namespace dissensus::run
