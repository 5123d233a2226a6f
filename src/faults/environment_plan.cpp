#include "faults/environment_plan.h"

#include <algorithm>

#include <fmt/format.h>

namespace dissensus::faults {

namespace {

/// The window of a fault that this plan carries out; null for the others.
const Window* window_of(const Fault& fault) {
  return std::visit(
      [](const auto& known) -> const Window* {
        using Type = std::decay_t<decltype(known)>;
        if constexpr (std::is_same_v<Type, PartitionFault> || std::is_same_v<Type, SkewFault>) {
          return known.when.after ? &known.when : nullptr;
        } else if constexpr (std::is_same_v<Type, OutageFault> ||
                             std::is_same_v<Type, PauseFault> || std::is_same_v<Type, CutFault> ||
                             std::is_same_v<Type, LinkFault> || std::is_same_v<Type, DiskFault>) {
          return &known.when;
        } else {
          return nullptr;
        }
      },
      fault);
}

bool is_cut(const Fault& fault) {
  return std::holds_alternative<PartitionFault>(fault) || std::holds_alternative<CutFault>(fault);
}

bool is_in(const NodeSet& set, NodeId node) {
  return std::find(set.begin(), set.end(), node) != set.end();
}

std::size_t position(const NodeSet& set, NodeId node) {
  return static_cast<std::size_t>(std::find(set.begin(), set.end(), node) - set.begin());
}

std::string_view word_of(DiskFault::Trouble trouble) {
  switch (trouble) {
    case DiskFault::Trouble::slow:
      return "is slow";
    case DiskFault::Trouble::error:
      return "fails";
    case DiskFault::Trouble::no_space:
      return "is full";
    case DiskFault::Trouble::corrupt:
      return "reads wrong bits";
  }
  return "";
}

/// How often something came of this trouble.
std::uint64_t told(const sim::DiskTrouble& trouble, DiskFault::Trouble which) {
  switch (which) {
    case DiskFault::Trouble::slow:
      return trouble.slowed;
    case DiskFault::Trouble::error:
      return trouble.failed;
    case DiskFault::Trouble::no_space:
      return trouble.found_full;
    case DiskFault::Trouble::corrupt:
      return trouble.corrupted;
  }
  return 0;
}

}  // namespace

EnvironmentPlan::EnvironmentPlan(const std::vector<Fault>& faults, Acted& acted, std::size_t nodes,
                                 std::size_t bystanders)
    : acted_(acted), nodes_(nodes), exposed_(nodes - bystanders), cut_(nodes * nodes) {
  for (std::size_t number = 0; number < faults.size(); ++number) {
    const Fault& fault = faults[number];
    const Window* const window = window_of(fault);
    if (window == nullptr) continue;
    Entry& entry = entries_.emplace_back();
    entry.fault = &fault;
    entry.window = window;
    entry.number = number;
    const auto* links = std::get_if<LinkFault>(&fault);
    if (links != nullptr) entry.random = Random(links->seed, "links");
    sees_messages_ = sees_messages_ || links != nullptr || is_cut(fault);
  }
}

// ---- when

void EnvironmentPlan::attach(sim::World& world) {
  const Duration now = world.now() - Time{};
  for (Entry& entry : entries_) {
    const Window& window = *entry.window;
    if (window.after || (window.until && *window.until <= now)) continue;
    set_alarm(world, entry, std::max(window.from - now, Duration{}), true);
  }
}

void EnvironmentPlan::set_alarm(sim::World& world, const Entry& entry, Duration delay,
                                bool begins) {
  const auto index = static_cast<std::uint64_t>(&entry - entries_.data());
  world.set_alarm(delay, kAlarmBit | index << 1 | (begins ? 1 : 0));
}

void EnvironmentPlan::on_alarm(sim::World& world, std::uint64_t tag) {
  if (ended_) return;
  Entry& entry = entries_[static_cast<std::size_t>((tag & ~kAlarmBit) >> 1)];
  if ((tag & 1) != 0) {
    begin(world, entry);
  } else if (entry.active) {
    stop(world, entry);
  }
}

/// What a fault waits for has happened at a node. It begins by an alarm even if there is nothing to
/// wait for: the node is in the middle of something.
void EnvironmentPlan::anchored(sim::World& world, Entry& entry, NodeId node) {
  const Anchor& anchor = *entry.window->after;
  if (anchor.before && world.now() - Time{} >= *anchor.before) return;
  if (anchor.node && *anchor.node != node) return;
  ++entry.seen;
  if (anchor.until_next && entry.seen == anchor.nth + 1) {
    entry.over = !entry.active;
    if (entry.active) set_alarm(world, entry, Duration{}, false);
  }
  if (entry.seen != anchor.nth) return;
  if (anchor.relative && node < exposed_) entry.origin = node;
  set_alarm(world, entry, entry.window->from, true);
}

void EnvironmentPlan::on_phase(sim::World& world, NodeId node, std::uint32_t phase) {
  if (ended_) return;
  for (Entry& entry : entries_) {
    const auto& after = entry.window->after;
    if (after && after->phase && *after->phase == phase) anchored(world, entry, node);
  }
}

void EnvironmentPlan::on_round(sim::World& world, NodeId node, std::uint64_t round) {
  if (ended_) return;
  for (Entry& entry : entries_) {
    const auto& after = entry.window->after;
    if (after && after->round && round >= *after->round) anchored(world, entry, node);
  }
}

void EnvironmentPlan::end(sim::World& world) {
  if (ended_) return;
  ended_ = true;
  for (Entry& entry : entries_) {
    const bool lasts = !entry.window->until && std::holds_alternative<OutageFault>(*entry.fault);
    if (entry.active && !lasts) stop(world, entry);
  }
}

// ---- what

NodeSet EnvironmentPlan::actual(const Entry& entry, const NodeSet& set) const {
  NodeSet result;
  for (const NodeId node : set) result.push_back(actual(entry, node));
  return result;
}

/// Whether a cut keeps what `from` sends from `to`; both in the fault's own numbers.
bool EnvironmentPlan::blocks(const Entry& entry, NodeId from, NodeId to) const {
  if (const auto* partition = std::get_if<PartitionFault>(entry.fault)) {
    const auto group_of = [partition](NodeId node) {
      std::size_t group = 0;
      while (group < partition->groups.size() && !is_in(partition->groups[group], node)) ++group;
      return group;
    };
    return group_of(from) != group_of(to);
  }
  const CutFault& cut = std::get<CutFault>(*entry.fault);
  switch (cut.shape) {
    case CutFault::Shape::bridge:
      if (from == cut.nodes.front() || to == cut.nodes.front()) return false;
      return is_in(cut.nodes, from) != is_in(cut.nodes, to);
    case CutFault::Shape::ring: {
      if (!is_in(cut.nodes, from) || !is_in(cut.nodes, to)) return false;
      const std::size_t size = cut.nodes.size();
      const std::size_t step = (position(cut.nodes, to) + size - position(cut.nodes, from)) % size;
      return step != 1 && step != size - 1;
    }
    case CutFault::Shape::one_way:
      return is_in(cut.nodes, from) && !is_in(cut.nodes, to);
  }
  return false;
}

void EnvironmentPlan::cut_links(const Entry& entry, int change) {
  for (std::size_t a = 0; a < exposed_; ++a) {
    for (std::size_t b = 0; b < exposed_; ++b) {
      const auto from = static_cast<NodeId>(a);
      const auto to = static_cast<NodeId>(b);
      if (a == b || !blocks(entry, from, to)) continue;
      std::uint16_t& count = cut_[actual(entry, from) * nodes_ + actual(entry, to)];
      count = static_cast<std::uint16_t>(count + change);
    }
  }
}

/// Every cut that keeps this message back.
void EnvironmentPlan::note_cut(NodeId from, NodeId to) {
  const auto own = [this](const Entry& entry, NodeId node) {
    return node < exposed_ ? static_cast<NodeId>((node + exposed_ - entry.origin) % exposed_)
                           : node;
  };
  for (const Entry& entry : entries_) {
    if (!entry.active || !is_cut(*entry.fault) || acted_.has(entry.number)) continue;
    if (blocks(entry, own(entry, from), own(entry, to))) acted_.mark(entry.number);
  }
}

std::string EnvironmentPlan::text_of(const Entry& entry) const {
  const auto listed = [&](const NodeSet& set) {
    NodeSet nodes = actual(entry, set);
    return fmt::format("[{}]", fmt::join(nodes, ", "));
  };
  if (const auto* partition = std::get_if<PartitionFault>(entry.fault)) {
    std::string text;
    NodeSet others = other_nodes(kNoNode, exposed_);
    for (const NodeSet& group : partition->groups) {
      text += fmt::format("{}{}", text.empty() ? "" : " ", listed(group));
      for (const NodeId node : actual(entry, group)) std::erase(others, node);
    }
    if (!others.empty()) text += fmt::format(" [{}]", fmt::join(others, ", "));
    return text;
  }
  if (const auto* cut = std::get_if<CutFault>(entry.fault)) {
    switch (cut->shape) {
      case CutFault::Shape::bridge:
        return fmt::format("{} and a bridge {}",
                           listed(NodeSet(cut->nodes.begin() + 1, cut->nodes.end())),
                           actual(entry, cut->nodes.front()));
      case CutFault::Shape::ring:
        return "ring " + listed(cut->nodes);
      case CutFault::Shape::one_way:
        return "one way: unheard " + listed(cut->nodes);
    }
  }
  if (std::holds_alternative<LinkFault>(*entry.fault)) {
    const auto& links = std::get<LinkFault>(*entry.fault);
    return fmt::format("links {} > {} unreliable", listed(links.senders), listed(links.receivers));
  }
  if (const auto* pause = std::get_if<PauseFault>(entry.fault)) {
    return "pause of " + listed(pause->nodes);
  }
  if (const auto* disk = std::get_if<DiskFault>(entry.fault)) {
    return fmt::format("disk of {} {}", actual(entry, disk->node), word_of(disk->trouble));
  }
  if (const auto* skew = std::get_if<SkewFault>(entry.fault)) {
    return fmt::format("clock of {} wrong", actual(entry, skew->node));
  }
  return {};
}

/// Does to the world what a fault does when it begins.
struct EnvironmentPlan::Starter {
  EnvironmentPlan& plan;
  sim::World& world;
  Entry& entry;

  void operator()(const OutageFault& fault) {
    for (const NodeId node : plan.actual(entry, fault.nodes)) {
      if (!world.is_running(node)) continue;
      world.crash(node);
      entry.hit.push_back(node);
      plan.acted_.mark(entry.number);
    }
  }
  void operator()(const PauseFault& fault) {
    for (const NodeId node : plan.actual(entry, fault.nodes)) {
      if (!world.is_running(node)) continue;
      world.pause(node);
      entry.hit.push_back(node);
      plan.acted_.mark(entry.number);
    }
  }
  void operator()(const PartitionFault&) { plan.cut_links(entry, 1); }
  void operator()(const CutFault&) { plan.cut_links(entry, 1); }
  void operator()(const LinkFault& fault) {
    entry.senders.assign(plan.nodes_, false);
    entry.receivers.assign(plan.nodes_, false);
    for (const NodeId node : plan.actual(entry, fault.senders)) entry.senders[node] = true;
    for (const NodeId node : plan.actual(entry, fault.receivers)) entry.receivers[node] = true;
    plan.links_.push_back(static_cast<std::uint32_t>(&entry - plan.entries_.data()));
  }
  void operator()(const SkewFault& fault) {
    world.adjust_clock(plan.actual(entry, fault.node), fault.offset, fault.drift_ppm);
    if (fault.offset != Duration{} || fault.drift_ppm != 0) plan.acted_.mark(entry.number);
  }
  void operator()(const DiskFault& fault) {
    entry.before = told(world.disk_trouble(plan.actual(entry, fault.node)), fault.trouble);
    change(fault, 1);
    // Programs have disks of their own, which keep no count.
    if (world.outside() != nullptr) plan.acted_.mark(entry.number);
  }
  template <class Other>
  void operator()(const Other&) {}

  void change(const DiskFault& fault, int by) {
    sim::DiskTrouble& trouble = world.disk_trouble(plan.actual(entry, fault.node));
    const auto add = [by](std::uint32_t& count) {
      count = static_cast<std::uint32_t>(static_cast<std::int64_t>(count) + by);
    };
    switch (fault.trouble) {
      case DiskFault::Trouble::slow:
        trouble.slow += by * fault.extra;
        break;
      case DiskFault::Trouble::error:
        add(trouble.io_errors);
        break;
      case DiskFault::Trouble::no_space:
        add(trouble.no_space);
        break;
      case DiskFault::Trouble::corrupt:
        add(trouble.corrupt);
        break;
    }
  }
};

void EnvironmentPlan::note_disk(sim::World& world, Entry& entry) {
  const DiskFault& fault = std::get<DiskFault>(*entry.fault);
  const sim::DiskTrouble& trouble = world.disk_trouble(actual(entry, fault.node));
  if (told(trouble, fault.trouble) > entry.before) acted_.mark(entry.number);
}

void EnvironmentPlan::conclude(sim::World& world) {
  for (Entry& entry : entries_) {
    const bool is_disk = std::holds_alternative<DiskFault>(*entry.fault);
    if (entry.active && is_disk) note_disk(world, entry);
  }
}

/// And when it ends.
struct EnvironmentPlan::Stopper {
  EnvironmentPlan& plan;
  sim::World& world;
  Entry& entry;

  void operator()(const OutageFault&) {
    for (const NodeId node : entry.hit) world.restart(node);
  }
  void operator()(const PauseFault&) {
    for (const NodeId node : entry.hit) world.resume(node);
  }
  void operator()(const PartitionFault&) { plan.cut_links(entry, -1); }
  void operator()(const CutFault&) { plan.cut_links(entry, -1); }
  void operator()(const LinkFault&) {
    std::erase(plan.links_, static_cast<std::uint32_t>(&entry - plan.entries_.data()));
  }
  void operator()(const SkewFault& fault) {
    // What the drift has added goes with it.
    const Duration drifted{(world.now() - entry.since).count() * fault.drift_ppm / 1'000'000};
    world.adjust_clock(plan.actual(entry, fault.node), -fault.offset - drifted, -fault.drift_ppm);
  }
  void operator()(const DiskFault& fault) {
    plan.note_disk(world, entry);
    Starter{plan, world, entry}.change(fault, -1);
  }
  template <class Other>
  void operator()(const Other&) {}
};

void EnvironmentPlan::begin(sim::World& world, Entry& entry) {
  const Window& window = *entry.window;
  const Duration now = world.now() - Time{};
  std::optional<Duration> left;
  if (window.until) left = *window.until - (window.after ? window.from : now);
  if (window.after && window.after->before) {
    const Duration end = *window.after->before - now;
    if (end <= Duration{}) return;
    left = left ? std::min(*left, end) : end;
  }
  if (entry.over) return;
  entry.active = true;
  entry.since = world.now();
  if (!std::holds_alternative<OutageFault>(*entry.fault)) {  // crashes are events of their own
    const EventType type = is_cut(*entry.fault) ? EventType::partition : EventType::fault;
    entry.event = world.record(type, kNoNode, kNoNode, 0, text_of(entry));
  }
  std::visit(Starter{*this, world, entry}, *entry.fault);
  if (left) set_alarm(world, entry, std::max(*left, Duration{}), false);
}

void EnvironmentPlan::stop(sim::World& world, Entry& entry) {
  entry.active = false;
  if (entry.event != 0) {
    const EventType type = is_cut(*entry.fault) ? EventType::heal : EventType::fault_end;
    world.record(type, kNoNode, kNoNode, entry.event, {});
  }
  std::visit(Stopper{*this, world, entry}, *entry.fault);
}

// ---- messages

EnvironmentPlan::Fate EnvironmentPlan::judge(const sim::World& world,
                                             const sim::Transmission& sent) {
  Fate fate;
  const bool is_once = world.description().kinds[sent.message.kind()].once;
  for (const std::uint32_t index : links_) {
    Entry& entry = entries_[index];
    if (!entry.senders[sent.from] || !entry.receivers[sent.to]) continue;
    const LinkFault& fault = std::get<LinkFault>(*entry.fault);
    // Always the same number of draws: what happens to one message does not shift the next.
    const bool lost = entry.random.chance(fault.loss);
    const bool twice = entry.random.chance(fault.duplicate) && !is_once;
    const auto most = static_cast<std::uint64_t>(fault.jitter.count()) + 1;
    const Duration late{static_cast<std::int64_t>(entry.random.below(most))};
    const Duration copy_late{static_cast<std::int64_t>(entry.random.below(most))};
    if (lost || twice || late > Duration{}) acted_.mark(entry.number);
    fate.lost = fate.lost || lost;
    fate.twice = fate.twice || twice;
    fate.late += late;
    fate.copy_late += copy_late;
  }
  return fate;
}

}  // namespace dissensus::faults
