// What the rest of a run depends on, and steps after its end that nobody sees.
#include <algorithm>
#include <optional>
#include <string>

#include "sim/world_inside.h"

namespace dissensus::sim {

namespace {

/// Bytes of plain numbers, one after another.
template <class... Numbers>
void append_numbers(std::string& content, Numbers... numbers) {
  const auto append = [&content](std::uint64_t number) {
    content.append(reinterpret_cast<const char*>(&number), sizeof(number));
  };
  (append(static_cast<std::uint64_t>(numbers)), ...);
}

}  // namespace

bool World::is_without_effect(const Slot& slot) const {
  switch (slot.type) {
    case SlotType::free:
    case SlotType::cancelled:
      return true;
    case SlotType::alarm:
      return slot.incarnation != interposer_incarnation_;
    case SlotType::timer:
      return !hosts_[slot.node].running || hosts_[slot.node].incarnation != slot.incarnation;
    default:
      return false;
  }
}

/// False: its effect cannot be foreseen.
bool World::add_pending(const Slot& slot, std::uint16_t first_receiver, Duration distance,
                        std::string& content) const {
  if (is_without_effect(slot)) return true;
  if (slot.type != SlotType::timer && slot.type != SlotType::deliver) return false;
  append_numbers(content, slot.type, distance.count(), slot.peer, slot.tag);
  if (slot.type == SlotType::timer) {
    append_numbers(content, slot.node);
    return true;
  }
  append_numbers(content, slot.message.digest().high, slot.message.digest().low);
  if (slot.receivers == 1) append_numbers(content, slot.node);
  for (std::uint16_t i = first_receiver; slot.receivers > 1 && i < slot.receivers; ++i) {
    append_numbers(content, blocks_[slot.block][i]);
  }
  return true;
}

bool World::add_hosts(std::string& content) const {
  for (std::size_t id = 0; id < hosts_.size(); ++id) {
    const Host& host = hosts_[id];
    append_numbers(content, host.running, host.round);
    if (!host.running) continue;
    if (host.pauses > 0) return false;
    const std::optional<Digest> future =
        host.node->future(local_time(identity(static_cast<NodeId>(id))));
    if (!future) return false;
    Random random = host.random;  // where its stream stands is what it would draw next
    append_numbers(content, future->high, future->low, random.next(), random.next());
  }
  return true;
}

std::optional<Digest> World::situation() const {
  const bool may_faults_come = interposer_ != nullptr && !fault_phase_over_;
  const auto drifts = [](const auto& clock) { return clock.drift_ppm != 0; };
  if (outside_ != nullptr || may_faults_come || !disks_.empty() ||
      std::any_of(plan_.skew.begin(), plan_.skew.end(), drifts) ||
      std::any_of(adjustments_.begin(), adjustments_.end(), drifts)) {
    return std::nullopt;
  }
  std::string content;
  if (!add_hosts(content)) return std::nullopt;
  const Time now = queue_.now();
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const LinkState& state = links_[i];
    // What a link draws depends on how much was sent over it.
    const bool is_drawing = plain_[plan_.link_model[i]] == 0;
    append_numbers(content, is_drawing ? state.sent : 0,
                   std::max(state.last_arrival - now, Duration{}).count());
  }
  for (std::uint32_t slot = chain_; slot != kNoSlot; slot = slots_[slot].next) {
    const std::uint16_t first = slot == chain_ ? receiver_ : std::uint16_t{0};
    if (!add_pending(slots_[slot], first, Duration{}, content)) return std::nullopt;
  }
  for (const auto& [time, head] : queue_.entries()) {
    for (std::uint32_t slot = head; slot != kNoSlot; slot = slots_[slot].next) {
      if (!add_pending(slots_[slot], 0, time - now, content)) return std::nullopt;
    }
  }
  return digest_of_text(content);
}

bool World::step_beyond_end() {
  is_beyond_end_ = true;
  if (phase_end_pending_) finish_fault_phase();
  if (chain_ == kNoSlot) {
    if (outside_ != nullptr || queue_.empty()) return false;
    chain_ = queue_.pop();
  }
  step();
  return true;
}

}  // namespace dissensus::sim
