#include "faults/environment_space.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>

#include <fmt/format.h>

#include "core/assert.h"
#include "core/limits.h"
#include "core/suggestion.h"
#include "faults/kinds.h"

namespace dissensus::faults {

namespace {

using std::chrono::milliseconds;

/// Which number of the space a fault counts against.
enum class Type : std::uint8_t { partition, crash, pause, clock, link, disk, other };
constexpr std::size_t kTypes = 6;
using Counts = std::array<std::uint32_t, kTypes>;

Counts counts_of(const EnvironmentSpace& space) {
  return {space.partitions, space.crashes, space.pauses, space.clocks, space.links, space.disks};
}

Type type_of(const Fault& fault) {
  if (std::holds_alternative<PartitionFault>(fault)) return Type::partition;
  if (std::holds_alternative<CutFault>(fault)) return Type::partition;
  if (std::holds_alternative<OutageFault>(fault)) return Type::crash;
  if (std::holds_alternative<PauseFault>(fault)) return Type::pause;
  if (std::holds_alternative<SkewFault>(fault)) return Type::clock;
  if (std::holds_alternative<LinkFault>(fault)) return Type::link;
  if (std::holds_alternative<DiskFault>(fault)) return Type::disk;
  return Type::other;
}

class Drawer {
 public:
  Drawer(const EnvironmentSpace& space, std::size_t nodes, Random& random)
      : space_(space), nodes_(nodes), random_(random) {}

  Type type() {
    const Counts counts = counts_of(space_);
    std::uint64_t left = random_.below(space_.total());
    std::size_t type = 0;
    while (left >= counts[type]) left -= counts[type++];
    return static_cast<Type>(type);
  }

  Window window() {
    if (!space_.anchors.empty() && random_.chance(space_.anchored)) {
      // One draw per statement: compilers disagree about the order of arguments.
      const auto nth = 1 + static_cast<std::uint32_t>(random_.below(space_.nth_max));
      return anchored(space_.anchors[random_.below(space_.anchors.size())], nth);
    }
    Window window;
    window.from = whole(Duration{
        static_cast<std::int64_t>(random_.unit() * static_cast<double>(space_.horizon.count()))});
    window.until = window.from + length();
    return within(window);
  }
  /// No fault begins or lasts beyond the end of the space.
  Window within(Window window) const {
    if (window.after) return window;  // see anchored()
    window.from = std::min(window.from, space_.horizon - milliseconds(1));
    if (window.until) window.until = std::min(*window.until, space_.horizon);
    return window;
  }
  Window anchored(std::uint32_t phase, std::uint32_t nth) {
    Window window;
    window.after.emplace();
    window.after->phase = phase;
    window.after->nth = nth;
    window.after->relative = true;
    window.after->before = space_.horizon;
    window.after->until_next = random_.chance(0.25);
    if (random_.chance(0.5)) window.from = length() / 4;
    window.from = whole(window.from);
    window.until = window.from + length();
    return window;
  }
  /// From an eighth of the scale to eight times, each doubling as likely as the next.
  Duration length() {
    const Duration octave = space_.scale / 8 * (std::int64_t{1} << random_.below(6));
    return whole(octave + Duration{static_cast<std::int64_t>(random_.unit() *
                                                             static_cast<double>(octave.count()))});
  }

  /// One link of a chain: lasts about as long as the system takes to get over it.
  Window link(std::uint32_t phase, std::uint32_t nth) {
    Window window = anchored(phase, nth);
    window.after->until_next = false;
    const Duration octave = space_.scale / 2 * (std::int64_t{1} << random_.below(4));
    window.until =
        window.from + whole(octave + Duration{static_cast<std::int64_t>(
                                         random_.unit() * static_cast<double>(octave.count()))});
    return window;
  }

  /// One leg of a relay: begins soon after the phase is entered and ends when it is entered again.
  Window leg(std::uint32_t phase, std::uint32_t nth) {
    Window window = anchored(phase, nth);
    window.after->until_next = true;
    window.from = {};
    if (random_.chance(0.75)) {
      // A few steps of the protocol later: shares of the scale, each doubling as likely as the
      // next.
      const Duration octave = space_.scale / 160 * (std::int64_t{1} << random_.below(4));
      window.from = whole(octave + Duration{static_cast<std::int64_t>(
                                       random_.unit() * static_cast<double>(octave.count()))});
    }
    window.until = window.from + 2 * space_.scale * (std::int64_t{1} << random_.below(3));
    return window;
  }

  Fault fault(Type type, const Window& when) {
    switch (type) {
      case Type::partition:
        return partition(when);
      case Type::crash:
        return OutageFault{victims(when), when};
      case Type::pause:
        return PauseFault{victims(when), when};
      case Type::clock:
        return clock(when);
      case Type::link:
        return links(when);
      case Type::disk:
      case Type::other:
        break;
    }
    DiskFault result;
    result.node = one(when);
    result.trouble = space_.troubles[random_.below(space_.troubles.size())];
    if (result.trouble == DiskFault::Trouble::slow) result.extra = length();
    result.when = when;
    return result;
  }

  /// The node that did what the fault waits for and a minority with it, apart from the others.
  Fault leader_and_few(const Window& when) {
    NodeSet order = shuffled();
    std::swap(*std::find(order.begin(), order.end(), 0), order.front());
    order.resize(1 + random_.below((nodes_ + 1) / 2));
    std::sort(order.begin(), order.end());
    return PartitionFault{{order}, when};
  }

 private:
  static Duration whole(Duration duration) {
    return std::max<Duration>(std::chrono::duration_cast<milliseconds>(duration), Duration{});
  }
  NodeSet shuffled() {
    NodeSet order = other_nodes(kNoNode, nodes_);
    for (std::size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1], order[random_.below(i)]);
    }
    return order;
  }
  /// In every other fault that waits for a node the first of the order is that node.
  NodeSet ordered(const Window& when) {
    NodeSet order = shuffled();
    if (when.after && when.after->relative && random_.chance(0.5)) {
      std::swap(*std::find(order.begin(), order.end(), 0), order.front());
    }
    return order;
  }
  NodeId one(const Window& when) { return ordered(when).front(); }
  /// One in most cases, else several, else all.
  NodeSet victims(const Window& when) {
    NodeSet order = ordered(when);
    const std::size_t most =
        space_.victims_max == 0 ? nodes_ : std::min<std::size_t>(space_.victims_max, nodes_);
    std::size_t count = 1;
    if (random_.chance(0.4)) count = 1 + random_.below(most);
    if (random_.chance(0.1)) count = most;
    order.resize(count);
    std::sort(order.begin(), order.end());
    return order;
  }
  static NodeSet sorted_first(const NodeSet& order, std::size_t count) {
    NodeSet set(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count));
    std::sort(set.begin(), set.end());
    return set;
  }

  Fault partition(const Window& when) {
    const PartitionShape shape = space_.shapes[random_.below(space_.shapes.size())];
    const NodeSet order = ordered(when);
    switch (shape) {
      case PartitionShape::halves:
        return PartitionFault{{sorted_first(order, std::max<std::size_t>(nodes_ / 2, 1))}, when};
      case PartitionShape::majority: {
        const std::size_t minority = std::max<std::size_t>((nodes_ - 1) / 2, 1);
        return PartitionFault{{sorted_first(order, 1 + random_.below(minority))}, when};
      }
      case PartitionShape::alone:
        return PartitionFault{{{order.front()}}, when};
      case PartitionShape::bridge: {
        NodeSet side(order.begin() + 1,
                     order.begin() + 1 + static_cast<std::ptrdiff_t>((nodes_ - 1) / 2));
        std::sort(side.begin(), side.end());
        side.insert(side.begin(), order.front());
        return CutFault{CutFault::Shape::bridge, std::move(side), when};
      }
      case PartitionShape::ring:
        return CutFault{CutFault::Shape::ring, order, when};
      case PartitionShape::one_way:
        break;
    }
    return CutFault{CutFault::Shape::one_way,
                    sorted_first(order, 1 + random_.below(std::max<std::size_t>(nodes_ / 2, 1))),
                    when};
  }
  Fault clock(const Window& when) {
    SkewFault result;
    result.node = one(when);
    const std::int64_t sign = random_.chance(0.5) ? 1 : -1;
    if (random_.chance(0.5)) {
      result.offset = sign * length();
    } else {
      result.drift_ppm = static_cast<std::int32_t>(
          sign * static_cast<std::int64_t>(1000 * (1 + random_.below(400))));
    }
    result.when = when;
    return result;
  }
  Fault links(const Window& when) {
    LinkFault result;
    const NodeSet all = other_nodes(kNoNode, nodes_);
    const NodeSet order = ordered(when);
    result.senders = random_.chance(0.5) ? all : NodeSet{order[0]};
    result.receivers = random_.chance(0.5) ? all : NodeSet{order[1]};
    const std::uint64_t what = 1 + random_.below(7);
    const auto share = [this] { return static_cast<double>(1 + random_.below(20)) / 20; };
    if ((what & 1) != 0) result.loss = share();
    if ((what & 2) != 0) result.duplicate = share();
    if ((what & 4) != 0) result.jitter = length() / 4;
    result.jitter = whole(result.jitter);
    result.seed = random_.next() >> 32;
    result.when = when;
    return result;
  }

  const EnvironmentSpace& space_;
  std::size_t nodes_;
  Random& random_;
};

/// Null for faults that have none.
Window* window_of(Fault& fault) {
  return std::visit(
      [](auto& known) -> Window* {
        if constexpr (requires { known.when; }) {
          return &known.when;
        } else {
          return nullptr;
        }
      },
      fault);
}

/// The same span of another beginning.
void move_to(Window& window, Duration from) {
  const Duration length = window.until ? *window.until - window.from : Duration{};
  window.from = std::max(from, Duration{});
  if (window.until) window.until = window.from + length;
}

}  // namespace

Fault random_fault(const EnvironmentSpace& space, std::size_t nodes, Random& random) {
  Drawer drawer(space, nodes, random);
  const Type type = drawer.type();
  return drawer.fault(type, drawer.window());
}

Fault varied_fault(const Fault& fault, const EnvironmentSpace& space, std::size_t nodes,
                   Random& random) {
  Drawer drawer(space, nodes, random);
  const Type type = type_of(fault);
  Fault result = fault;
  Window* const when = window_of(result);
  if (type == Type::other || when == nullptr) return random_fault(space, nodes, random);
  Window& window = *when;
  switch (random.below(5)) {
    case 0:  // others
      return drawer.fault(type, window);
    case 1:  // longer or shorter
      if (window.after && random.chance(0.5)) {
        window.after->until_next = !window.after->until_next;
      } else {
        window.until = window.from + drawer.length();
        window = drawer.within(window);
      }
      return result;
    case 2: {  // earlier or later
      const Duration step = drawer.length() / 4 * (random.chance(0.5) ? 1 : -1);
      const bool leaves = !window.after && window.from + step >= space.horizon;
      move_to(window,
              std::chrono::duration_cast<milliseconds>(window.from + (leaves ? -step : step)));
      window = drawer.within(window);
      return result;
    }
    case 3:  // the time before or after
      if (window.after) {
        const bool up = window.after->nth == 1 || random.chance(0.5);
        window.after->nth += up ? 1 : ~std::uint32_t{0};
        return result;
      }
      [[fallthrough]];
    default:  // another moment altogether
      return drawer.fault(type, drawer.window());
  }
}

std::vector<Fault> random_environment(const EnvironmentSpace& space, std::size_t nodes,
                                      Random& random) {
  std::vector<Fault> faults;
  const std::uint64_t count = 1 + random.below(space.total());
  for (std::uint64_t i = 0; i < count; ++i) faults.push_back(random_fault(space, nodes, random));
  return admitted(faults, space);
}

std::vector<Fault> random_story(const EnvironmentSpace& space, std::size_t nodes, Story story,
                                Random& random) {
  const bool follows = story == Story::chain || story == Story::relay;
  if (story == Story::independent || (follows && space.anchors.empty())) {
    return random_environment(space, nodes, random);
  }
  Drawer drawer(space, nodes, random);
  std::vector<Fault> faults;
  const auto count = static_cast<std::uint32_t>(2 + random.below(std::max(space.total(), 2u) - 1));
  const std::uint32_t phase =
      space.anchors.empty() ? 0 : space.anchors[random.below(space.anchors.size())];
  Duration now = drawer.length() % space.horizon;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Type type = drawer.type();
    if (follows) {
      const bool relay = story == Story::relay;
      const Window when = relay ? drawer.leg(phase, i + 1) : drawer.link(phase, i + 1);
      const bool cut = type == Type::partition && nodes > 2 && (relay || random.chance(0.75));
      faults.push_back(cut ? drawer.leader_and_few(when) : drawer.fault(type, when));
    } else {
      Window when;
      when.from = now;
      when.until = now + drawer.length();
      now = *when.until + drawer.length() / 2;
      Fault fault = drawer.fault(type, drawer.within(when));
      if (when.from < space.horizon) faults.push_back(std::move(fault));
    }
  }
  return admitted(faults, space);
}

std::vector<Fault> admitted(const std::vector<Fault>& plan, const EnvironmentSpace& space) {
  Counts left = counts_of(space);
  std::vector<Fault> kept;
  for (const Fault& fault : plan) {
    const Type type = type_of(fault);
    if (type == Type::other || left[static_cast<std::size_t>(type)] == 0) continue;
    --left[static_cast<std::size_t>(type)];
    kept.push_back(fault);
  }
  return kept;
}

// ---- the table

namespace {

template <class Value>
std::vector<Value> read_words(const Options& options, std::string_view key,
                              std::span<const std::string_view> words, std::size_t fallback) {
  std::vector<Value> result;
  const auto list = options.find(key);
  if (!list) {
    for (std::size_t i = 0; i < fallback; ++i) result.push_back(static_cast<Value>(i));
    return result;
  }
  for (const OptionValue& value : list->list()) {
    result.push_back(static_cast<Value>(value.choice(words)));
  }
  if (result.empty()) list->fail("expected at least one");
  return result;
}

std::vector<std::uint32_t> read_anchors(const Options& options,
                                        const SystemDescription& description) {
  const auto list = options.find("anchors");
  const auto obstacle = obstacle_to_kind("after: phase", description);
  if (!list) return obstacle ? std::vector<std::uint32_t>{} : description.anchors;
  if (obstacle) list->fail(obstacle->text);
  std::vector<std::uint32_t> result;
  for (const OptionValue& value : list->list()) {
    const auto& phases = description.phases;
    const auto found = std::find(phases.begin(), phases.end(), value.text());
    if (found == phases.end()) {
      value.fail(fmt::format("no such phase '{}'{} (known: {})", value.text(),
                             suggestion(value.text(), phases), fmt::join(phases, ", ")));
    }
    result.push_back(static_cast<std::uint32_t>(found - phases.begin()));
  }
  return result;
}

}  // namespace

EnvironmentSpace read_environment_space(const Options& options,
                                        const SystemDescription& description, std::size_t nodes) {
  static constexpr std::array<std::string_view, kPartitionShapes> kShapes{
      "halves", "majority", "alone", "bridge", "ring", "one-way"};
  static constexpr std::array<std::string_view, 4> kTroubles{"slow", "error", "no-space",
                                                             "corrupt"};
  EnvironmentSpace space;
  const auto count = [&options](std::string_view key) {
    return static_cast<std::uint32_t>(options.integer(key, 0, 0, 1000));
  };
  space.partitions = count("partitions");
  space.crashes = count("crashes");
  space.pauses = count("pauses");
  space.clocks = count("clocks");
  space.links = count("links");
  space.disks = count("disks");
  if (nodes < 2) options.fail("expected a system of at least two nodes");
  const auto refuse = [&](std::uint32_t number, std::string_view key, std::string_view kind) {
    const auto obstacle = obstacle_to_kind(kind, description);
    if (number > 0 && obstacle) options.fail(key, obstacle->text);
  };
  refuse(space.pauses, "pauses", "pause");
  refuse(space.clocks, "clocks", "skew");
  refuse(space.disks, "disks", "disk: slow");
  space.shapes = read_words<PartitionShape>(options, "shapes", kShapes, kPartitionShapes);
  // A ring of three is no cut.
  if (nodes < 4) std::erase(space.shapes, PartitionShape::ring);
  if (nodes < 3) std::erase(space.shapes, PartitionShape::bridge);
  if (space.shapes.empty()) options.fail("shapes", "expected a shape for this number of nodes");
  // Wrong bits only where the scenario asks for them: no system promises to survive those.
  space.troubles = read_words<DiskFault::Trouble>(options, "disk", kTroubles, 3);
  const auto is_impossible = [&](DiskFault::Trouble trouble) {
    const std::string kind = fmt::format("disk: {}", kTroubles[static_cast<std::size_t>(trouble)]);
    const auto obstacle = obstacle_to_kind(kind, description);
    if (obstacle && options.has("disk")) options.fail("disk", obstacle->text);
    return obstacle.has_value();
  };
  std::erase_if(space.troubles, is_impossible);
  const Duration own =
      description.time_scale > Duration{} ? description.time_scale : Duration{1'000'000};
  space.scale = options.duration("scale", own);
  if (space.scale < milliseconds(8)) options.fail("scale", "expected at least 8ms");
  space.horizon = options.duration("until", 10 * space.scale);
  if (space.horizon < milliseconds(1)) options.fail("until", "expected at least 1ms");
  if (space.scale > kVirtualTimeMax / 100 || space.horizon > kVirtualTimeMax / 2) {
    options.fail("expected a scale of at most 87h and an end of at most 4380h");
  }
  space.anchors = read_anchors(options, description);
  space.anchored = options.number("anchored", space.anchored, 0, 1);
  space.nth_max = static_cast<std::uint32_t>(options.integer("nth", space.nth_max, 1, 10'000));
  space.victims_max = static_cast<std::uint32_t>(
      options.integer("victims", 0, 0, static_cast<std::int64_t>(nodes)));
  if (space.empty()) {
    options.fail("expected at least one of partitions, crashes, pauses, clocks, links, disks");
  }
  return space;
}

}  // namespace dissensus::faults
