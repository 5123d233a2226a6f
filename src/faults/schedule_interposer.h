// Carries out a schedule in a simulated world.
#pragma once

#include <memory>

#include "faults/schedule.h"
#include "sim/interposer.h"

namespace dissensus::faults {

/// `schedule` must outlive the interposer. Null for an empty schedule: the world is then faster.
/// What the schedule does, fault by fault, is specified in docs/formats/schedule.md.
std::unique_ptr<sim::Interposer> make_interposer(const Schedule& schedule, std::size_t nodes,
                                                 std::size_t kinds, std::size_t bystanders = 0);

}  // namespace dissensus::faults
