#include "faults/effect.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "core/assert.h"
#include "faults/mutation.h"

namespace dissensus::faults {

namespace {

constexpr std::uint64_t kForever = std::numeric_limits<std::uint64_t>::max();
enum Alarm : unsigned { kBegin, kEnd };

std::uint64_t microseconds(Duration duration) {
  DISSENSUS_ASSERT(duration >= Duration{}, "Span : no fault before the run");
  return static_cast<std::uint64_t>(duration.count());
}

}  // namespace

std::optional<std::uint64_t> protocol_round(const sim::World& world, NodeId from,
                                            MessageKind kind) {
  const SystemDescription& description = world.description();
  const std::uint8_t step = description.kinds[kind].step;
  const std::uint64_t round = world.round_of(from);
  if (step == kNoStep || round < description.first_round) return std::nullopt;
  return (round - description.first_round) * description.round_steps + step;
}

void Passage::look() {
  if (looked_) return;
  looked_ = true;
  round_ = protocol_round(world, sent.from, sent.message.kind());
  own_words_ = author_of(sent.message, sent.from, world.description()) == sent.from;
}

std::vector<bool> table_of(const NodeSet& members, std::size_t nodes) {
  std::vector<bool> table(nodes);
  for (const NodeId node : members) table.at(node) = true;
  return table;
}

Span::Span(const Window& window)
    : begin_(window.by_round() ? *window.from_round : microseconds(window.from)),
      end_(window.by_round() ? window.until_round.value_or(kForever)
           : window.until    ? microseconds(*window.until)
                             : kForever),
      by_round_(window.by_round()) {}

// ---- what lasts

Lasting::Lasting(const Window& window, const Site& site, Shown shown)
    : nodes_(site.nodes),
      exposed_(site.exposed),
      mark_(site),
      window_(window),
      shown_(shown),
      inside_(window.by_round() ? site.nodes : 0) {
  awake_ = false;
}

NodeSet Lasting::actual(const NodeSet& set) const {
  NodeSet result;
  for (const NodeId node : set) result.push_back(actual(node));
  return result;
}

std::string Lasting::listed_nodes(const NodeSet& set) const {
  const NodeSet nodes = actual(set);
  return fmt::format("[{}]", fmt::join(nodes, ", "));
}

void Lasting::attach(sim::World& world) {
  if (window_.by_round()) {
    for (std::size_t i = 0; i < nodes_; ++i) {
      const auto node = static_cast<NodeId>(i);
      move(world, node, world.round_of(node));
    }
    return;
  }
  const Duration now = world.now() - Time{};
  if (window_.after || (window_.until && *window_.until <= now)) return;
  if (begins_at_once_ && window_.from <= now) {
    start(world);
  } else {
    set_alarm(world, std::max(window_.from - now, Duration{}), kBegin);
  }
  if (knows_its_end_ && window_.until) set_alarm(world, *window_.until - now, kEnd);
}

void Lasting::on_alarm(sim::World& world, unsigned which) {
  if (which == kBegin) {
    start(world);
  } else if (active_) {
    finish(world);
  }
}

void Lasting::on_round(sim::World& world, NodeId node, std::uint64_t round) {
  if (window_.by_round()) move(world, node, round);
  const auto& after = window_.after;
  if (after && after->round && round >= *after->round) happened(world, node);
}

void Lasting::on_phase(sim::World& world, NodeId node, std::uint32_t phase) {
  const auto& after = window_.after;
  if (after && after->phase && *after->phase == phase) happened(world, node);
}

/// What it waits for has happened at a node. It begins by an alarm even if there is nothing to wait
/// for: the node is in the middle of something.
void Lasting::happened(sim::World& world, NodeId node) {
  const Anchor& anchor = *window_.after;
  if (anchor.before && world.now() - Time{} >= *anchor.before) return;
  if (anchor.node && *anchor.node != node) return;
  ++seen_;
  if (anchor.until_next && seen_ == anchor.nth + 1) {
    over_ = !active_;
    if (active_) set_alarm(world, Duration{}, kEnd);
  }
  if (seen_ != anchor.nth) return;
  if (anchor.relative && node < exposed_) origin_ = node;
  set_alarm(world, window_.from, kBegin);
}

void Lasting::move(sim::World& world, NodeId node, std::uint64_t round) {
  const bool inside = Span(window_).contains(round);
  if (rounds() == Rounds::of_one && node != follows()) return;
  if (rounds() == Rounds::furthest) {
    if (inside && !active_ && !over_) start(world);
    if (window_.until_round && round >= *window_.until_round) {
      over_ = true;
      if (active_) finish(world);
    }
    return;
  }
  if (inside_[node] == inside) return;
  inside_[node] = inside;
  inside_count_ += inside ? 1 : static_cast<std::size_t>(-1);
  if (inside && inside_count_ == 1) start(world);
  if (!inside && inside_count_ == 0) finish(world);
}

void Lasting::start(sim::World& world) {
  const Duration now = world.now() - Time{};
  std::optional<Duration> left;
  if (window_.until) left = *window_.until - (window_.after ? window_.from : now);
  if (window_.after && window_.after->before) {
    const Duration end = *window_.after->before - now;
    if (end <= Duration{}) return;
    left = left ? std::min(*left, end) : end;
  }
  if (over_) return;
  active_ = awake_ = true;
  since_ = world.now();
  if (shown_ != Shown::nothing) {
    const bool cuts = shown_ == Shown::partition;
    event_ =
        world.record(cuts ? EventType::partition : EventType::fault, kNoNode, kNoNode, 0, text());
  }
  begin(world);
  if (left && !knows_its_end_) set_alarm(world, std::max(*left, Duration{}), kEnd);
}

void Lasting::finish(sim::World& world) {
  active_ = awake_ = false;
  if (shown_ != Shown::nothing) {
    const bool cuts = shown_ == Shown::partition;
    world.record(cuts ? EventType::heal : EventType::fault_end, kNoNode, kNoNode, event_, {});
  }
  stop(world);
}

void Lasting::end(sim::World& world) {
  if (active_ && !stays()) finish(world);
}

}  // namespace dissensus::faults
