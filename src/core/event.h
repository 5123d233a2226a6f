// What happens in a run, as the trace, the oracle and the metrics see it.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "dissensus/digest.h"
#include "dissensus/ids.h"
#include "dissensus/message.h"
#include "dissensus/state.h"
#include "dissensus/time.h"

namespace dissensus {

class Request;

enum class EventType : std::uint8_t {
  start,      ///< node starts
  send,       ///< node -> peer, message
  deliver,    ///< node receives from peer, message; cause = its send
  drop,       ///< message node -> peer is lost; detail = DropReason; cause = its send
  duplicate,  ///< a second copy of message node -> peer is under way; cause = its send
  timer,      ///< node's timer fires; number = tag
  submit,     ///< node gets a client's request
  propose,    ///< report: detail = level, number = instance, value
  decide,     ///< report: detail = level, number = instance, value
  phase,      ///< report: number = phase
  round,      ///< report: number = round
  observe,    ///< report: detail = observable, number = value (as std::int64_t)
  crash,      ///< fault: node stops
  restart,    ///< fault ends: node runs again
  partition,  ///< fault: text says the groups
  heal,       ///< fault ends: number = event id of the partition
  mutate,     ///< fault: message node -> peer was changed; cause = its send
  phase_end,  ///< the fault phase of the scenario is over
  log,        ///< text for people: not part of the trace hash, and with the number of the event
              ///< that it follows
  disk,       ///< of the node's disk; detail = sim::DiskEvent, number = bytes
  fault,      ///< a fault begins that is none of the above; text says which; node, if it has one
  fault_end,  ///< it ends: number = event id of its beginning
  broken,     ///< report: detail = invariant that does not hold, number = where
  operation,  ///< of a client's history: detail = history::EventKind, and 4 for a final read;
              ///< number = process, text = the rest as JSON (docs/formats/trace.md), value = its
              ///< digest
};
inline constexpr std::size_t kEventTypes = 24;
constexpr EventType last_of(EventType) {
  return EventType::operation;
}
/// Beside the kind in the detail of an operation: a read after which nothing more is asked.
inline constexpr unsigned kFinalOperation = 4;
std::string_view to_string(EventType type);
/// False when there is no such type.
bool parse_event_type(std::string_view text, EventType& type);

enum class DropReason : std::uint8_t { loss, buffer_full, schedule, partition, crashed };
inline constexpr std::size_t kDropReasons = 5;
std::string_view to_string(DropReason reason);

/// What happened where: eight bytes that are written and read as one word on the hot path. Four
/// narrow stores followed by one wide load would stall the processor at every event.
struct EventPlace {
  EventType type = EventType::start;
  std::uint8_t detail = 0;
  NodeId node = kNoNode;  ///< where it happened; for send, drop, duplicate: the sender
  NodeId peer = kNoNode;  ///< the other end of a message
  std::uint16_t unused = 0;

  void set(EventType new_type, std::uint8_t new_detail, NodeId new_node, NodeId new_peer) {
    const std::uint64_t new_word = static_cast<std::uint64_t>(new_type) |
                                   std::uint64_t{new_detail} << 8 | std::uint64_t{new_node} << 16 |
                                   std::uint64_t{new_peer} << 32;
    std::memcpy(this, &new_word, sizeof new_word);
  }
  std::uint64_t word() const {
    std::uint64_t result;
    std::memcpy(&result, this, sizeof result);
    return result;
  }
};
static_assert(sizeof(EventPlace) == 8 && std::is_trivially_copyable_v<EventPlace> &&
              std::endian::native == std::endian::little);

struct Event : EventPlace {
  EventId id = 0;
  EventId cause = 0;  ///< the event during whose handling, or through which, this one came about
  Time time{};
  std::uint64_t number = 0;
  Digest value{};
  const Message* message = nullptr;  ///< valid during the call only
  const Request* request = nullptr;
  std::string_view text{};
  bool of_twin = false;  ///< a report of a node's second copy; not part of the trace hash
};

/// A set of event types.
class EventMask {
 public:
  constexpr EventMask() = default;
  /// All types from `first` on, but not log lines, which are made only for those who ask.
  static constexpr EventMask from(EventType first) {
    EventMask mask;
    for (auto type = static_cast<std::size_t>(first); type < kEventTypes; ++type) {
      mask.bits_ |= std::uint32_t{1} << type;
    }
    return mask.without(EventType::log);
  }
  static constexpr EventMask everything() { return from(EventType{}); }
  /// What nodes report, and faults: no messages and timers.
  static constexpr EventMask reports() { return from(EventType::propose); }

  constexpr EventMask with(EventType type) const {
    return EventMask(bits_ | std::uint32_t{1} << static_cast<unsigned>(type));
  }
  constexpr EventMask without(EventType type) const {
    return EventMask(bits_ & ~(std::uint32_t{1} << static_cast<unsigned>(type)));
  }
  constexpr bool has(EventType type) const {
    return (bits_ >> static_cast<unsigned>(type) & 1U) != 0;
  }
  friend constexpr EventMask operator|(EventMask a, EventMask b) {
    return EventMask(a.bits_ | b.bits_);
  }

 private:
  constexpr explicit EventMask(std::uint32_t bits) : bits_(bits) {}
  std::uint32_t bits_ = 0;
};

/// Receives events of a run, in order.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void on_event(const Event& event) = 0;
  /// What it is shown; asked once, before the run.
  virtual EventMask wants() const { return EventMask::everything(); }
  /// A step of a node, between the events; only when wants_steps(). It has no number and is not
  /// part of the trace hash: checking a model leaves the run as it is.
  virtual void on_step(const StepReport& /*step*/) {}
  virtual bool wants_steps() const { return false; }
  /// A node lies for the first time, or once more, between the events: nothing it does or did can
  /// be held against the others. Like a step it is no part of the run.
  virtual void on_lie(NodeId /*node*/) {}
};

}  // namespace dissensus
