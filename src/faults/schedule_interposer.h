// Carries out a schedule in a simulated world.
#pragma once

#include <memory>

#include "faults/schedule.h"
#include "sim/interposer.h"

namespace dissensus::faults {

/// `schedule` must outlive the interposer. Null for an empty schedule: the world is then faster.
/// What the schedule does, fault by fault, is specified in docs/formats/schedule.md.
std::unique_ptr<sim::Interposer> make_interposer(const Schedule& schedule, std::size_t nodes,
                                                 std::size_t kinds);

/// The moment from which the fault plan (not the scheduler) no longer acts on the run: partitions
/// have healed, nodes have restarted, copies have arrived, but for the links' latency. None if
/// there is no such bound: a part is keyed by round, or has no end. A crash without restart is over
/// once the node is down. Zero without faults.
std::optional<Duration> last_timed_fault(const Schedule& schedule);

}  // namespace dissensus::faults
