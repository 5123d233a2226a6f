// The timers of a node, by tag. Whoever drives a node step by step (instead of letting time pass)
// fires them itself: each step of the protocol but `receive` is one timer.
#pragma once

#include <cstdint>

#include "dissensus/ids.h"

namespace dissensus::dag {

enum class TimerKind : std::uint8_t {
  produce = 1,     ///< one iteration: next-round, if a quorum is there
  add = 2,         ///< adds the buffered vertex of a creator and round, if its parents are there
  epoch = 3,       ///< epoch-change, if the epoch is complete or sealed by others
  equivocate = 4,  ///< a Byzantine node: the second vertex of its current round
  inbox = 5,       ///< receives a vertex that came too early for its epoch
  send = 6,        ///< sends what waited for message_send_delay
  fetch = 7,       ///< asks for vertices that are missing
  fail = 8,        ///< a faulty node: stop, or plan to
  resume = 9,      ///< a faulty node runs again
};

constexpr std::uint64_t timer_tag(TimerKind kind, std::uint32_t round = 0, NodeId creator = 0) {
  return std::uint64_t{static_cast<std::uint8_t>(kind)} << 56 | std::uint64_t{creator} << 32 |
         round;
}
constexpr TimerKind timer_kind(std::uint64_t tag) {
  return static_cast<TimerKind>(tag >> 56);
}
constexpr std::uint32_t timer_round(std::uint64_t tag) {
  return static_cast<std::uint32_t>(tag);
}
constexpr NodeId timer_creator(std::uint64_t tag) {
  return static_cast<NodeId>(tag >> 32 & 0xFFFF);
}

inline constexpr std::uint64_t kProduceTimer = timer_tag(TimerKind::produce);
inline constexpr std::uint64_t kEpochTimer = timer_tag(TimerKind::epoch);
inline constexpr std::uint64_t kEquivocateTimer = timer_tag(TimerKind::equivocate);
/// kAddTimer | creator << 32 | round, which is timer_tag(TimerKind::add, round, creator).
inline constexpr std::uint64_t kAddTimer = timer_tag(TimerKind::add);

}  // namespace dissensus::dag
