// What happens to machines: crashes, restarts, pauses, and their disks.
#include <memory>
#include <utility>

#include "dissensus/outside.h"

#include "sim/world_inside.h"

namespace dissensus::sim {

// ---- crash and restart

void World::crash(NodeId node) {
  Host& host = hosts_[node];
  if (!host.running) return;
  host.running = false;
  ++host.incarnation;
  record(EventType::crash, node, kNoNode, 0, {});
  if (outside_ != nullptr) outside_->crashed(node);
  if (node < disks_.size() && disks_[node]) disks_[node]->crash();
  if (host.pauses > 0) {
    host.pauses = 1;
    resume(node);  // what waited finds the node down
  }
}

void World::restart(NodeId node) {
  Host& host = hosts_[node];
  if (host.running) return;
  host.running = true;
  if (node < disks_.size() && disks_[node]) disks_[node]->restart();
  std::unique_ptr<Node> before = std::move(host.node);
  call_ = {EventType::restart, node, kNoNode, kNoKind};
  host.node = cluster_->make_node(node);
  const EventId cause =
      std::exchange(current_cause_, record(EventType::restart, node, kNoNode, 0, {}));
  if (std::exchange(host.started, true)) {
    host.node->restart(host.context, *before);
  } else {
    host.node->start(host.context);  // it crashed before its start time: there is nothing to keep
  }
  current_cause_ = cause;
}

void World::look_at_nodes() {
  for (Host& host : hosts_) {
    if (host.started) host.node->ended(host.context);
  }
}

// ---- pauses

void World::pause(NodeId node) {
  Host& host = hosts_[node];
  if (!host.running) return;
  if (host.pauses++ > 0) return;
  host.paused_since = queue_.now();
  // Nodes that live elsewhere stand still only if somebody tells them.
  if (outside_ != nullptr) outside_->paused(node, true);
}

void World::resume(NodeId node) {
  Host& host = hosts_[node];
  if (host.pauses == 0 || --host.pauses > 0) return;
  const Duration length = queue_.now() - host.paused_since;
  host.paused_us += static_cast<std::uint32_t>(length.count());
  if (host.running) {
    adjust_clock(node, -length, 0);
    if (outside_ != nullptr) outside_->paused(node, false);
  }
  for (Slot& held : std::exchange(host.held, {})) {
    const std::uint32_t index = take_slot(held.type, held.node);
    Slot& slot = slots_[index];
    const std::uint32_t generation = slot.generation;
    slot = std::move(held);
    slot.generation = generation;
    slot.next = kNoSlot;
    slot.receivers = 1;
    push(Duration{}, index);
  }
  for (const auto& [index, due] : std::exchange(host.held_timers, {})) {
    slots_[index].block = host.paused_us;
    push(due - host.paused_since, index);
  }
}

bool World::hold_if_paused(Host& host, const Slot& slot) {
  if (host.pauses == 0) return false;
  host.held.push_back(slot);
  return true;
}

/// True: the timer that is due waits longer, because its node's clock stood still for a while. It
/// keeps its slot, by which its node knows it.
bool World::postpone_timer(std::uint32_t index) {
  Slot& slot = slots_[index];
  Host& host = hosts_[slot.node];
  if (!host.running || host.incarnation != slot.incarnation) return false;
  const std::uint32_t stood_us = host.paused_us - slot.block;
  if (stood_us == 0 && host.pauses == 0) return false;
  chain_ = std::exchange(slot.next, kNoSlot);
  if (stood_us > 0) {
    slot.block = host.paused_us;
    push(Duration{stood_us}, index);
  } else {
    host.held_timers.emplace_back(index, queue_.now());
  }
  return true;
}

// ---- disks

Disk& World::disk_of(NodeId host) {
  if (disks_.size() <= host) disks_.resize(hosts_.size());
  std::unique_ptr<SimulatedDisk>& disk = disks_[host];
  if (!disk) {
    DiskHost& self = *this;
    disk = std::make_unique<SimulatedDisk>(self, host, plan_.disk, seed_);
  }
  return *disk;
}

DiskTrouble& World::disk_trouble(NodeId node) {
  disk_of(node);
  return disks_[node]->trouble();
}

void World::disk_alarm(NodeId host, Duration delay, std::uint64_t sync) {
  const std::uint32_t index = take_slot(SlotType::disk, host);
  slots_[index].tag = sync;
  slots_[index].incarnation = hosts_[host].incarnation;
  push(delay, index);
}

void World::disk_event(NodeId host, DiskEvent what, std::uint64_t bytes) {
  Event event;
  event.type = EventType::disk;
  event.detail = static_cast<std::uint8_t>(what);
  event.node = identity(host);
  event.number = bytes;
  event.cause = current_cause_;
  const EventId id = emit(event);
  if (what == DiskEvent::synced) current_cause_ = id;
}

}  // namespace dissensus::sim
