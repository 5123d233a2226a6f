// Carries out a schedule in a simulated world.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "faults/schedule.h"
#include "sim/interposer.h"

namespace dissensus::faults {

/// What a schedule is in a world.
class FaultInterposer : public sim::Interposer {
 public:
  /// Numbers of the faults that did nothing so far: their moment or their round never came, no
  /// message met them, the node was down already.
  virtual std::vector<std::size_t> idle_faults(sim::World& world) = 0;
};

/// `schedule` must outlive the interposer. Null for an empty schedule: the world is then faster.
/// What the schedule does, fault by fault, is specified in docs/formats/schedule.md.
std::unique_ptr<FaultInterposer> make_interposer(const Schedule& schedule, std::size_t nodes,
                                                 std::size_t kinds, std::size_t bystanders = 0);

}  // namespace dissensus::faults
