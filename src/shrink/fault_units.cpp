#include "shrink/fault_units.h"

#include <algorithm>
#include <vector>

namespace dissensus::shrink {

std::int64_t whole_milliseconds(Duration duration) {
  return std::chrono::ceil<std::chrono::milliseconds>(duration).count();
}

namespace {

using faults::Window;
using std::chrono::milliseconds;

/// Where a number has no bound, bounds up to this one are tried.
constexpr std::int64_t kBoundMax = 16;

/// Applies levels to the parts of a fault; a member returns false where nothing is left.
struct FaultReducer {
  std::size_t nodes;
  Duration end;
  LevelSource& source;

  bool members(NodeSet& set) {
    NodeSet kept;
    for (const NodeId node : set) {
      if (source.next(1, Scale::whole) > 0) kept.push_back(node);
    }
    set = std::move(kept);
    return !set.empty();
  }

  bool count(std::optional<std::uint32_t>& count) {
    const std::int64_t start = count ? std::int64_t{*count} : kBoundMax + 1;
    const std::int64_t level = source.next(start, Scale::count);
    if (level != start) count = static_cast<std::uint32_t>(level);
    return level > 0;
  }

  void duration(Duration& duration) {
    const bool negative = duration < Duration{};
    const std::int64_t start = whole_milliseconds(negative ? -duration : duration);
    const std::int64_t level = source.next(start, Scale::milliseconds);
    if (level != start) duration = milliseconds(negative ? -level : level);
  }

  /// An earlier time that the same thing happens may do.
  void anchor(faults::Anchor& anchor) {
    const std::int64_t start = std::int64_t{anchor.nth} - 1;
    const std::int64_t level = source.next(start, Scale::count);
    anchor.nth = static_cast<std::uint32_t>(level + 1);
  }

  bool window(Window& window) {
    return window.by_round() ? window_of_rounds(window) : window_of_time(window);
  }

  // Two units: how much of the window is left when its end moves forward, and how much of that when
  // its beginning moves back.
  bool window_of_time(Window& window) {
    if (window.after) anchor(*window.after);
    const Duration from = window.from;
    const Duration until = window.until ? *window.until : std::max(end, from + milliseconds(1));
    const std::int64_t length = whole_milliseconds(until - from);
    const std::int64_t start = window.until ? length : length + 1;
    const std::int64_t tail = source.next(start, Scale::milliseconds);
    const std::int64_t head = source.next(start, Scale::milliseconds);
    const std::int64_t left = std::min(tail, length);
    if (tail != start) window.until = from + milliseconds(tail);
    if (head < left) window.from = from + milliseconds(left - head);
    return tail > 0 && head > 0;
  }

  bool window_of_rounds(Window& window) {
    const std::uint64_t from = *window.from_round;
    const std::int64_t length =
        window.until_round ? static_cast<std::int64_t>(*window.until_round - from) : kBoundMax;
    const std::int64_t start = window.until_round ? length : length + 1;
    const std::int64_t tail = source.next(start, Scale::count);
    const std::int64_t head = source.next(start, Scale::count);
    const std::int64_t left = std::min(tail, length);
    if (tail != start) window.until_round = from + static_cast<std::uint64_t>(tail);
    if (head < left) window.from_round = from + static_cast<std::uint64_t>(left - head);
    return tail > 0 && head > 0;
  }

  bool groups(std::vector<NodeSet>& groups) {
    // The nodes that no group names are the last part.
    std::vector<std::size_t> part(nodes, groups.size());
    for (std::size_t index = 0; index < groups.size(); ++index) {
      for (const NodeId node : groups[index]) part[node] = index;
    }
    std::vector<std::size_t> sizes(groups.size() + 1);
    for (const std::size_t index : part) ++sizes[index];
    const auto largest =
        static_cast<std::size_t>(std::max_element(sizes.begin(), sizes.end()) - sizes.begin());
    bool separated = false;
    bool moved = false;
    for (std::size_t& index : part) {
      if (index == largest) continue;
      if (source.next(1, Scale::whole) > 0) {
        separated = true;
      } else {
        index = largest;
        moved = true;
      }
    }
    if (!moved) return separated;
    std::vector<NodeSet> left(groups.size());
    for (std::size_t node = 0; node < nodes; ++node) {
      if (part[node] < left.size()) left[part[node]].push_back(static_cast<NodeId>(node));
    }
    std::erase_if(left, [](const NodeSet& group) { return group.empty(); });
    groups = std::move(left);
    return separated;
  }

  bool operator()(faults::DropFault& fault) {
    const bool any = count(fault.count);
    return window(fault.when) && any;
  }
  bool operator()(faults::DuplicateFault& fault) {
    const bool any = count(fault.count);
    duration(fault.gap);
    return window(fault.when) && any;
  }
  bool operator()(faults::DelayFault& fault) {
    const bool any = count(fault.count);
    duration(fault.by);
    return window(fault.when) && any && fault.by != Duration{};
  }
  bool operator()(faults::PartitionFault& fault) {
    const bool separated = groups(fault.groups);
    return window(fault.when) && separated;
  }
  bool operator()(faults::CrashFault& fault) {
    if (fault.restart_after) duration(*fault.restart_after);
    return true;
  }
  bool operator()(faults::MutateFault& fault) { return members(fault.receivers); }
  bool operator()(faults::RoundPartitionFault& fault) { return groups(fault.groups); }
  bool operator()(faults::SilenceFault& fault) {
    const bool any = members(fault.receivers);
    return (fault.round || window(fault.when)) && any;
  }
  bool operator()(faults::ReplayFault& fault) { return members(fault.receivers); }
  bool operator()(faults::NoiseFault& fault) {
    if (fault.drop > 0 && source.next(1, Scale::whole) == 0) fault.drop = 0;
    if (fault.corrupt > 0 && source.next(1, Scale::whole) == 0) fault.corrupt = 0;
    return window(fault.when) && (fault.drop > 0 || fault.corrupt > 0);
  }
  bool operator()(faults::TwinsFault&) { return true; }
  bool operator()(faults::SkewFault& fault) {
    duration(fault.offset);
    if (fault.drift_ppm != 0 && source.next(1, Scale::whole) == 0) fault.drift_ppm = 0;
    return window(fault.when) && (fault.offset != Duration{} || fault.drift_ppm != 0);
  }
  bool operator()(faults::OutageFault& fault) {
    const bool any = members(fault.nodes);
    return window(fault.when) && any;
  }
  bool operator()(faults::PauseFault& fault) {
    const bool any = members(fault.nodes);
    return window(fault.when) && any;
  }
  /// Of a bridge and of those nobody hears there may be fewer; a ring is one piece.
  bool operator()(faults::CutFault& fault) {
    bool any = true;
    if (fault.shape == faults::CutFault::Shape::one_way) any = members(fault.nodes);
    if (fault.shape == faults::CutFault::Shape::bridge) {
      NodeSet side(fault.nodes.begin() + 1, fault.nodes.end());
      any = members(side);
      fault.nodes.resize(1);
      fault.nodes.insert(fault.nodes.end(), side.begin(), side.end());
    }
    return window(fault.when) && any;
  }
  bool operator()(faults::LinkFault& fault) {
    const bool any_sender = members(fault.senders);
    const bool any_receiver = members(fault.receivers);
    if (fault.loss > 0 && source.next(1, Scale::whole) == 0) fault.loss = 0;
    if (fault.duplicate > 0 && source.next(1, Scale::whole) == 0) fault.duplicate = 0;
    duration(fault.jitter);
    return window(fault.when) && any_sender && any_receiver &&
           (fault.loss > 0 || fault.duplicate > 0 || fault.jitter > Duration{});
  }
  bool operator()(faults::DiskFault& fault) {
    if (fault.trouble == faults::DiskFault::Trouble::slow) duration(fault.extra);
    return window(fault.when) &&
           (fault.trouble != faults::DiskFault::Trouble::slow || fault.extra > Duration{});
  }
};

}  // namespace

std::optional<faults::Fault> reduced(const faults::Fault& fault, std::size_t nodes, Duration end,
                                     LevelSource& source) {
  faults::Fault copy = fault;
  FaultReducer reducer{nodes, end, source};
  if (!std::visit(reducer, copy)) return std::nullopt;
  return copy;
}

}  // namespace dissensus::shrink
