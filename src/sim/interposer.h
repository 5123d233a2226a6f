// The seam through which schedules and faults act on a world. The world knows no fault; it asks
// its interposer, if it has one, what to do with each message.
#pragma once

#include <cstdint>

#include "dissensus/ids.h"
#include "dissensus/message.h"
#include "dissensus/time.h"

#include "core/event.h"

namespace dissensus::sim {

class World;

/// A message that left its sender and survived the link's own losses.
struct Transmission {
  Message message;
  EventId send = 0;    ///< the send event
  Duration latency{};  ///< what the link takes
  NodeId from = kNoNode;
  NodeId to = kNoNode;
  // Which copy of a twinned node (World::add_twin); kNoNode: the node itself.
  NodeId from_twin = kNoNode;
  NodeId to_twin = kNoNode;
};

/// Only on_send must be written; the rest does nothing unless overridden.
class Interposer {
 public:
  virtual ~Interposer() = default;

  /// Called once, before the nodes start, or when this interposer replaces another in mid-run.
  virtual void attach(World& /*world*/) {}
  /// Must end in World::deliver, World::drop, or in keeping the transmission for later.
  virtual void on_send(World& world, Transmission&& transmission) = 0;
  /// An alarm set with World::set_alarm.
  virtual void on_alarm(World& /*world*/, std::uint64_t /*tag*/) {}
  /// A node entered a round.
  virtual void on_round(World& /*world*/, NodeId /*node*/, std::uint64_t /*round*/) {}
  /// A node entered a phase (index into SystemDescription::phases).
  virtual void on_phase(World& /*world*/, NodeId /*node*/, std::uint32_t /*phase*/) {}
  /// The fault phase is over: no fault acts on what is sent from now on.
  virtual void on_phase_end(World& /*world*/) {}
  /// This interposer is about to be replaced: pass on (World::deliver) all that it still holds.
  virtual void detach(World& /*world*/) {}
  /// The run is over: forget all that is still held.
  virtual void abandon() {}
};

}  // namespace dissensus::sim
