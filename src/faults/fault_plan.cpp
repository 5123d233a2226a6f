#include "faults/fault_plan.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/assert.h"

namespace dissensus::faults {

namespace {

/// What an alarm is for: its tag is kAlarmTypes * (number of the fault) + type.
enum Alarm : std::uint64_t { kBegin, kHeal, kCrash, kRestart, kAlarmTypes };

std::uint64_t microseconds(Duration duration) {
  DISSENSUS_ASSERT(duration >= Duration{}, "FaultPlan : no fault before the run");
  return static_cast<std::uint64_t>(duration.count());
}

std::uint64_t now_of(const sim::World& world) {
  return static_cast<std::uint64_t>(microseconds_of(world.now()));
}

void set_alarm_at(sim::World& world, std::uint64_t moment, std::uint32_t index, Alarm alarm) {
  world.set_alarm(Duration{static_cast<std::int64_t>(moment - now_of(world))},
                  index * kAlarmTypes + alarm);
}

}  // namespace

// ---- compiled faults

FaultPlan::Span::Span(const Window& window)
    : begin(window.by_round() ? *window.from_round : microseconds(window.from)),
      end(window.by_round() ? window.until_round.value_or(kForever)
          : window.until    ? microseconds(*window.until)
                            : kForever),
      by_round(window.by_round()) {}

FaultPlan::MessageFault::MessageFault(std::size_t fault, const MessageFilter& filter,
                                      const Window& window,
                                      const std::optional<std::uint32_t>& count, Duration copy_gap)
    : number(fault),
      span(window),
      remaining(count ? *count : kForever),
      gap(copy_gap),
      from(filter.from.value_or(kNoNode)),
      to(filter.to.value_or(kNoNode)),
      kind(filter.kind.value_or(kNoKind)) {}

bool FaultPlan::MessageFault::applies(const sim::World& world,
                                      const sim::Transmission& sent) const {
  if (remaining == 0) return false;
  if (from != kNoNode && from != sent.from) return false;
  if (to != kNoNode && to != sent.to) return false;
  if (kind != kNoKind && kind != sent.message.kind()) return false;
  return span.contains(span.by_round ? world.round_of(sent.from) : now_of(world));
}

FaultPlan::Partition::Partition(std::size_t fault_number, const PartitionFault& fault,
                                std::size_t nodes, std::size_t bystanders)
    : number(fault_number), span(fault.when), group(nodes), inside(nodes) {
  for (std::size_t node = nodes - bystanders; node < nodes; ++node) group[node] = kEverywhere;
  // Group 0 is that of the nodes which the fault does not name.
  std::uint16_t side = 0;
  for (const NodeSet& members : fault.groups) {
    ++side;
    for (const NodeId node : members) group.at(node) = side;
    text += fmt::format("{}[{}]", text.empty() ? "" : " ", fmt::join(members, ", "));
  }
  NodeSet others;
  for (std::size_t node = 0; node < nodes; ++node) {
    if (group[node] == 0) others.push_back(static_cast<NodeId>(node));
  }
  if (!others.empty()) text += fmt::format(" [{}]", fmt::join(others, ", "));
}

FaultPlan::FaultPlan(const std::vector<Fault>& faults, Acted& acted, std::size_t nodes,
                     std::size_t bystanders)
    : acted_(acted) {
  for (std::size_t number = 0; number < faults.size(); ++number) {
    const Fault& fault = faults[number];
    if (const auto* drop = std::get_if<DropFault>(&fault)) {
      drops_.emplace_back(number, drop->messages, drop->when, drop->count, Duration{});
    } else if (const auto* duplicate = std::get_if<DuplicateFault>(&fault)) {
      duplicates_.emplace_back(number, duplicate->messages, duplicate->when, duplicate->count,
                               duplicate->gap);
    } else if (const auto* delay = std::get_if<DelayFault>(&fault)) {
      delays_.emplace_back(number, delay->messages, delay->when, delay->count, delay->by);
    } else if (const auto* partition = std::get_if<PartitionFault>(&fault)) {
      // One that waits for something to happen belongs to EnvironmentPlan.
      if (!partition->when.after) partitions_.emplace_back(number, *partition, nodes, bystanders);
    } else if (const auto* crash = std::get_if<CrashFault>(&fault)) {
      DISSENSUS_ASSERT(crash->node < nodes, "FaultPlan : the node that crashes exists");
      crashes_.push_back({*crash, number});
    }  // the others belong to EnvironmentPlan and ByzantinePlan
  }
  active_.reserve(partitions_.size());
  copies_.reserve(duplicates_.size());
}

// ---- messages

bool FaultPlan::drops(const sim::World& world, const sim::Transmission& sent) {
  for (MessageFault& fault : drops_) {
    if (!fault.applies(world, sent)) continue;
    use(fault);
    return true;
  }
  return false;
}

Duration FaultPlan::lateness(const sim::World& world, const sim::Transmission& sent) {
  Duration late{};
  for (MessageFault& fault : delays_) {
    if (!fault.applies(world, sent)) continue;
    use(fault);
    late += fault.gap;
  }
  return late;
}

std::span<const Duration> FaultPlan::copies(const sim::World& world,
                                            const sim::Transmission& sent) {
  copies_.clear();
  const bool is_once = world.description().kinds[sent.message.kind()].once;
  for (MessageFault& fault : duplicates_) {
    if (!fault.applies(world, sent) || is_once) continue;
    use(fault);
    copies_.push_back(fault.gap);
  }
  return copies_;
}

// ---- partitions

void FaultPlan::attach_partition(sim::World& world, std::uint32_t index) {
  Partition& partition = partitions_[index];
  if (partition.span.by_round) {
    for (std::size_t node = 0; node < partition.group.size(); ++node) {
      const auto id = static_cast<NodeId>(node);
      move_inside(world, index, id, world.round_of(id));
    }
    return;
  }
  const std::uint64_t now = now_of(world);
  if (partition.span.end <= now) return;
  if (partition.span.begin <= now) {
    begin(world, index);
  } else {
    set_alarm_at(world, partition.span.begin, index, kBegin);
  }
}

void FaultPlan::begin(sim::World& world, std::uint32_t index) {
  Partition& partition = partitions_[index];
  partition.event = world.record(EventType::partition, kNoNode, kNoNode, 0, partition.text);
  active_.push_back(index);
  if (!partition.span.by_round && partition.span.end != kForever) {
    set_alarm_at(world, partition.span.end, index, kHeal);
  }
}

void FaultPlan::heal(sim::World& world, std::uint32_t index) {
  active_.erase(std::find(active_.begin(), active_.end(), index));
  world.record(EventType::heal, kNoNode, kNoNode, partitions_[index].event, {});
}

/// A partition by round is active while any node is inside its span.
void FaultPlan::move_inside(sim::World& world, std::uint32_t index, NodeId node,
                            std::uint64_t round) {
  Partition& partition = partitions_[index];
  const bool is_inside = partition.span.contains(round);
  if (partition.inside[node] == is_inside) return;
  partition.inside[node] = is_inside;
  if (is_inside) {
    if (++partition.inside_count == 1) begin(world, index);
  } else {
    if (--partition.inside_count == 0) heal(world, index);
  }
}

// ---- crashes

void FaultPlan::attach_crash(sim::World& world, std::uint32_t index) {
  Crash& entry = crashes_[index];
  if (entry.fault.at_round) {
    const std::uint64_t round = world.round_of(entry.fault.node);
    entry.done = round != 0 && round >= *entry.fault.at_round;
    return;
  }
  const std::uint64_t at = microseconds(*entry.fault.at);
  if (at >= now_of(world)) set_alarm_at(world, at, index, kCrash);
}

/// A crash that finds its node down has no effect, its restart included.
void FaultPlan::crash(sim::World& world, std::uint32_t index) {
  Crash& entry = crashes_[index];
  entry.done = true;
  if (!world.is_running(entry.fault.node)) return;
  world.crash(entry.fault.node);
  acted_.mark(entry.number);
  if (!entry.fault.restart_after) return;
  entry.restart_pending = true;
  world.set_alarm(*entry.fault.restart_after, index * kAlarmTypes + kRestart);
}

void FaultPlan::restart(sim::World& world, std::uint32_t index) {
  Crash& entry = crashes_[index];
  if (!entry.restart_pending) return;
  entry.restart_pending = false;
  world.restart(entry.fault.node);
}

// ---- what the world tells

void FaultPlan::attach(sim::World& world) {
  for (std::uint32_t i = 0; i < partitions_.size(); ++i) attach_partition(world, i);
  for (std::uint32_t i = 0; i < crashes_.size(); ++i) attach_crash(world, i);
}

void FaultPlan::on_alarm(sim::World& world, std::uint64_t tag) {
  if (ended_) return;
  const auto index = static_cast<std::uint32_t>(tag / kAlarmTypes);
  switch (static_cast<Alarm>(tag % kAlarmTypes)) {
    case kBegin:
      begin(world, index);
      break;
    case kHeal:
      heal(world, index);
      break;
    case kCrash:
      crash(world, index);
      break;
    case kRestart:
      restart(world, index);
      break;
    case kAlarmTypes:
      break;
  }
}

void FaultPlan::on_round(sim::World& world, NodeId node, std::uint64_t round) {
  if (ended_) return;
  for (std::uint32_t i = 0; i < partitions_.size(); ++i) {
    if (partitions_[i].span.by_round) move_inside(world, i, node, round);
  }
  for (std::uint32_t i = 0; i < crashes_.size(); ++i) {
    const Crash& entry = crashes_[i];
    if (entry.done || entry.fault.node != node) continue;
    if (entry.fault.at_round && round >= *entry.fault.at_round) crash(world, i);
  }
}

void FaultPlan::end(sim::World& world) {
  if (ended_) return;
  ended_ = true;
  while (!active_.empty()) heal(world, active_.front());
  for (std::uint32_t i = 0; i < crashes_.size(); ++i) restart(world, i);
}

}  // namespace dissensus::faults
