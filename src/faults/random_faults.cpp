// Draws faults and plans of them from the spaces of scenarios.
#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <utility>

#include "dissensus/faults.h"

#include "faults/draw.h"
#include "faults/fault_space.h"
#include "faults/kinds.h"

namespace dissensus::faults {

namespace {

using std::chrono::milliseconds;
using Family = FaultSpace::Family;
using Liars = FaultSpace::Liars;

// ---- families

/// Null: the space has no faults of that kind.
const Family* family_of(const FaultSpace& space, const Fault& fault) {
  for (const Family& family : space.families) {
    const auto& kinds = family.kinds;
    if (std::find(kinds.begin(), kinds.end(), &fault.kind()) != kinds.end()) return &family;
  }
  return nullptr;
}

class SpaceDrawer final : public Drawer {
 public:
  SpaceDrawer(const FaultSpace& space, std::size_t node_count, Random& source)
      : Drawer(source, node_count), space_(space) {}

  const Family& family() {
    std::uint64_t left = random.below(space_.total());
    std::size_t family = 0;
    while (left >= space_.families[family].most) left -= space_.families[family++].most;
    return space_.families[family];
  }

  Window window() {
    if (!space_.anchors.empty() && random.chance(space_.anchored)) {
      // One draw per statement: compilers disagree about the order of arguments.
      const auto nth = 1 + static_cast<std::uint32_t>(random.below(space_.nth_max));
      return anchored(space_.anchors[random.below(space_.anchors.size())], nth);
    }
    return by_the_clock();
  }
  Window by_the_clock() {
    Window window;
    window.from = whole(share_of(space_.horizon));
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
    window.after->until_next = random.chance(0.25);
    if (random.chance(0.5)) window.from = length() / 4;
    window.from = whole(window.from);
    window.until = window.from + length();
    return window;
  }
  /// From an eighth of the scale to eight times.
  Duration length() override { return around(space_.scale / 8, 6); }

  /// One link of a chain: lasts about as long as the system takes to get over it.
  Window link(std::uint32_t phase, std::uint32_t nth) {
    Window window = anchored(phase, nth);
    window.after->until_next = false;
    window.until = window.from + around(space_.scale / 2, 4);
    return window;
  }
  /// One leg of a relay: begins soon after the phase is entered, a few steps of the protocol later,
  /// and ends when it is entered again.
  Window leg(std::uint32_t phase, std::uint32_t nth) {
    Window window = anchored(phase, nth);
    window.after->until_next = true;
    window.from = random.chance(0.75) ? around(space_.scale / 160, 4) : Duration{};
    window.until = window.from + 2 * space_.scale * (std::int64_t{1} << random.below(3));
    return window;
  }

  Fault fault(const Family& family, const Window& when) {
    const FaultKind& kind = *family.kinds.front();
    if (family.ranges.empty() && kind.draw) return kind.draw(*this, when);
    constexpr int kAttempts = 100;
    Fault drawn = by_parts(family, when);
    if (family.ranges.empty()) return drawn;
    for (int i = 0; i < kAttempts && family.mistake(drawn); ++i) drawn = by_parts(family, when);
    return drawn;
  }
  /// The same fault but for one part of those with a range.
  Fault redrawn(const Fault& fault, const Family& family) {
    const Range* range = &family.ranges[random.below(family.ranges.size())];
    while (!*range) range = &family.ranges[random.below(family.ranges.size())];
    const Window* const old = window_of(fault);
    const Window when = old != nullptr ? *old : by_the_clock();
    Fault changed = fault.kind().changed(fault, [&](void* value) { (*range)(value, *this, when); });
    return family.mistake(changed) ? this->fault(family, window()) : changed;
  }

  /// The node that did what the fault waits for and a minority with it, apart from the others.
  Fault leader_and_few(const Window& when) {
    NodeSet order = shuffled();
    std::swap(*std::find(order.begin(), order.end(), 0), order.front());
    return PartitionFault{{some_of(order, 1 + random.below((nodes + 1) / 2))}, when};
  }

  NodeId node(const Window& when) override { return liar_ ? *liar_ : ordered(when).front(); }
  std::vector<std::size_t> words(std::string_view part) const override {
    for (const FaultSpace::Words& words : space_.words) {
      if (words.part == part) return words.admitted;
    }
    return {};
  }
  /// In every other fault that waits for a node the first of the order is that node.
  NodeSet ordered(const Window& when) override {
    NodeSet order = shuffled();
    if (when.after && when.after->relative && random.chance(0.5)) {
      std::swap(*std::find(order.begin(), order.end(), 0), order.front());
    }
    return order;
  }
  std::vector<NodeSet> groups(const Window& when) override {
    const NodeSet order = ordered(when);
    return {some_of(order, 1 + random.below(std::max<std::size_t>(nodes / 2, 1)))};
  }
  /// One in most cases, else several, else all.
  NodeSet victims(const Window& when) override {
    const NodeSet order = ordered(when);
    const std::size_t most =
        space_.victims_max == 0 ? nodes : std::min<std::size_t>(space_.victims_max, nodes);
    std::size_t count = 1;
    if (random.chance(0.4)) count = 1 + random.below(most);
    if (random.chance(0.1)) count = most;
    return some_of(order, count);
  }

 private:
  Fault by_parts(const Family& family, const Window& when) {
    const FaultKind& kind = *family.kinds.front();
    liar_.reset();
    if (kind.liar) {
      const Liars& liars = space_.liars;
      if (liars_.empty()) liars_ = random_draws(liars.nodes, liars.faulty, random);
      liar_ = liars_[random.below(liars_.size())];
    }
    const bool fits = kind.may_wait() || !when.after;
    Fault drawn = faults::random_fault(kind, family.ranges, *this, fits ? when : by_the_clock());
    const Window* const window = window_of(drawn);
    if (window == nullptr || !window->after || window->after->before) return drawn;
    Window ends = *window;
    ends.after->before = space_.horizon;
    return with_window(drawn, ends);
  }
  Duration share_of(Duration duration) {
    return Duration{
        static_cast<std::int64_t>(random.unit() * static_cast<double>(duration.count()))};
  }
  /// From `least` on, so often doubled, each doubling as likely as the next.
  Duration around(Duration least, std::uint64_t doublings) {
    const Duration octave = least * (std::int64_t{1} << random.below(doublings));
    return whole(octave + share_of(octave));
  }
  NodeSet shuffled() {
    NodeSet order = other_nodes(kNoNode, nodes);
    for (std::size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1], order[random.below(i)]);
    }
    return order;
  }
  static NodeSet some_of(NodeSet order, std::size_t count) {
    order.resize(count);
    std::sort(order.begin(), order.end());
    return order;
  }

  const FaultSpace& space_;
  NodeSet liars_;               ///< of this plan
  std::optional<NodeId> liar_;  ///< whose fault is drawn
};

/// The same span of another beginning.
void move_to(Window& window, Duration from) {
  const Duration length = window.until ? *window.until - window.from : Duration{};
  window.from = std::max(from, Duration{});
  if (window.until) window.until = window.from + length;
}

/// The faults that are admitted beside those before them: no more of a group than it may have, and
/// no more liars. `group_of` says which group, and how many it may have.
template <class GroupOf>
std::vector<Fault> admitted_by(const std::vector<Fault>& plan, std::size_t faulty,
                               GroupOf group_of) {
  std::map<const void*, std::size_t> found;
  std::vector<Fault> kept;
  for (const Fault& fault : plan) {
    const std::pair<const void*, std::size_t> group = group_of(fault);
    if (found[group.first] >= group.second) continue;
    kept.push_back(fault);
    if (byzantine_nodes(kept).size() > faulty) {
      kept.pop_back();
    } else {
      ++found[group.first];
    }
  }
  return kept;
}

std::vector<Fault> admitted_of_families(const std::vector<Fault>& plan, const FaultSpace& space) {
  return admitted_by(plan, space.liars.faulty, [&space](const Fault& fault) {
    const Family* const family = family_of(space, fault);
    return std::pair<const void*, std::size_t>(family, family == nullptr ? 0 : family->most);
  });
}

std::vector<Fault> admitted_of_liars(const std::vector<Fault>& plan, const Liars& liars) {
  return admitted_by(plan, liars.faulty, [&liars](const Fault& fault) {
    return std::pair<const void*, std::size_t>(&fault.kind(), liars.most(fault.kind()));
  });
}

std::vector<Fault> independent_faults(const FaultSpace& space, std::size_t nodes, Random& random) {
  std::vector<Fault> faults;
  const std::uint64_t count = 1 + random.below(space.total());
  for (std::uint64_t i = 0; i < count; ++i) faults.push_back(random_fault(space, nodes, random));
  return admitted_of_families(faults, space);
}

}  // namespace

Fault random_fault(const FaultSpace& space, std::size_t nodes, Random& random) {
  SpaceDrawer drawer(space, nodes, random);
  const Family& family = drawer.family();
  return drawer.fault(family, drawer.window());
}

std::optional<std::string> why_nothing_fits(const FaultSpace& space, const Family& family,
                                            std::size_t nodes) {
  Random random(0, "ranges");
  SpaceDrawer drawer(space, nodes, random);
  return family.mistake(drawer.fault(family, drawer.window()));
}

Fault varied_fault(const Fault& fault, const FaultSpace& space, std::size_t nodes, Random& random) {
  SpaceDrawer drawer(space, nodes, random);
  const Family* const family = family_of(space, fault);
  if (family == nullptr) return random_fault(space, nodes, random);
  if (!family->ranges.empty()) return drawer.redrawn(fault, *family);
  const Window* const old = window_of(fault);
  if (old == nullptr) return drawer.fault(*family, drawer.window());
  Window window = *old;
  switch (random.below(5)) {
    case 0:  // others
      return drawer.fault(*family, window);
    case 1:  // longer or shorter
      if (window.after && random.chance(0.5)) {
        window.after->until_next = !window.after->until_next;
      } else {
        window.until = window.from + drawer.length();
        window = drawer.within(window);
      }
      return with_window(fault, window);
    case 2: {  // earlier or later
      const Duration step = drawer.length() / 4 * (random.chance(0.5) ? 1 : -1);
      const bool leaves = !window.after && window.from + step >= space.horizon;
      move_to(window,
              std::chrono::duration_cast<milliseconds>(window.from + (leaves ? -step : step)));
      return with_window(fault, drawer.within(window));
    }
    case 3:  // the time before or after
      if (window.after) {
        const bool up = window.after->nth == 1 || random.chance(0.5);
        window.after->nth += up ? 1 : ~std::uint32_t{0};
        return with_window(fault, window);
      }
      [[fallthrough]];
    default:  // another moment altogether
      return drawer.fault(*family, drawer.window());
  }
}

std::vector<Fault> random_story(const FaultSpace& space, std::size_t nodes, Story story,
                                Random& random) {
  const bool follows = story == Story::chain || story == Story::relay;
  if (story == Story::independent || (follows && space.anchors.empty())) {
    return independent_faults(space, nodes, random);
  }
  SpaceDrawer drawer(space, nodes, random);
  std::vector<Fault> faults;
  const auto count = static_cast<std::uint32_t>(2 + random.below(std::max(space.total(), 2u) - 1));
  const std::uint32_t phase =
      space.anchors.empty() ? 0 : space.anchors[random.below(space.anchors.size())];
  Duration now = drawer.length() % space.horizon;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Family& family = drawer.family();
    if (follows) {
      const bool relay = story == Story::relay;
      const Window when = relay ? drawer.leg(phase, i + 1) : drawer.link(phase, i + 1);
      const bool cut = family.key == "partitions" && nodes > 2 && (relay || random.chance(0.75));
      faults.push_back(cut ? drawer.leader_and_few(when) : drawer.fault(family, when));
    } else {
      Window when;
      when.from = now;
      when.until = now + drawer.length();
      now = *when.until + drawer.length() / 2;
      Fault fault = drawer.fault(family, drawer.within(when));
      if (when.from < space.horizon) faults.push_back(std::move(fault));
    }
  }
  return admitted_of_families(faults, space);
}

std::vector<Fault> admitted(const std::vector<Fault>& plan, const FaultSpace& space) {
  if (space.empty()) return plan;
  if (space.liars.empty()) return admitted_of_families(plan, space);
  std::vector<Fault> kept = admitted_of_liars(plan, space.liars);
  for (Fault& fault : admitted_of_families(plan, space)) {
    if (std::find(kept.begin(), kept.end(), fault) != kept.end()) continue;
    kept.push_back(std::move(fault));
    if (byzantine_nodes(kept).size() > space.liars.faulty) kept.pop_back();
  }
  return kept;
}

// ---- liars

namespace {

/// Of faults that are drawn for a round, for a liar, or for both.
class LiarDrawer final : public Drawer {
 public:
  LiarDrawer(const Liars& liars, std::size_t node_count, Random& source)
      : Drawer(source, node_count),
        space_(liars),
        liars_(random_draws(liars.nodes, liars.faulty, source)) {
    std::sort(liars_.begin(), liars_.end());
  }

  std::vector<Fault> plan() {
    for (const Liars::Row& row : space_.rows) {
      if (row.kind == &TwinsFault::kind()) {
        add_twins(row.most);
      } else if (has_round(*row.kind)) {
        add_rounds(row);
      } else {
        for (const NodeId liar : liars_) add(row, {0, liar});
      }
    }
    return std::move(faults_);
  }

  NodeId node(const Window&) override { return moment_.second; }
  std::optional<std::uint64_t> round() const override { return moment_.first; }
  /// Uniform over all divisions.
  std::vector<NodeSet> groups(const Window&) override { return random_partition(nodes, random); }
  NodeSet victims(const Window&) override { return {moment_.second}; }
  NodeSet ordered(const Window&) override { return other_nodes(kNoNode, nodes); }
  Duration length() override { return {}; }
  std::vector<std::size_t> words(std::string_view) const override { return {}; }

 private:
  using Moment = std::pair<std::uint64_t, NodeId>;

  static bool has_round(const FaultKind& kind) {
    return std::any_of(kind.parts.begin(), kind.parts.end(),
                       [](const PartPtr& part) { return part->key == "round"; });
  }
  /// At most one fault per round and liar.
  void add_rounds(const Liars::Row& row) {
    const bool of_network = row.kind == &RoundPartitionFault::kind();
    std::set<Moment> moments;
    for (std::uint32_t i = 0; i < row.most && (of_network || !liars_.empty()); ++i) {
      const std::uint64_t round =
          space_.first_round + random.below(space_.last_round - space_.first_round + 1);
      moments.emplace(round, of_network ? kNoNode : liars_[random.below(liars_.size())]);
    }
    for (const Moment& moment : moments) add(row, moment);
  }
  void add(const Liars::Row& row, const Moment& moment) {
    moment_ = moment;
    Fault fault = faults::random_fault(*row.kind, row.ranges, *this, {});
    for (const PartPtr& part : row.kind->parts) {
      if (part->is_void(fault.value(), nodes)) return;
    }
    faults_.push_back(std::move(fault));
  }
  /// Each copy talks with one side of a division of all other nodes.
  void add_twins(std::uint32_t most) {
    const NodeSet doubled = random_draws(liars_, most, random);
    if (doubled.empty()) return;
    NodeSet others = other_nodes(kNoNode, nodes);
    for (const NodeId node : doubled) std::erase(others, node);
    if (others.size() < 2) return;
    NodeSet first = random_subset(others, random);
    while (first.size() == others.size()) first = random_subset(others, random);
    NodeSet second;
    std::set_difference(others.begin(), others.end(), first.begin(), first.end(),
                        std::back_inserter(second));
    for (const NodeId node : doubled) {
      faults_.emplace_back(TwinsFault{node, first, second, space_.twins_apart});
    }
  }

  const Liars& space_;
  NodeSet liars_;  ///< of this plan
  Moment moment_;
  std::vector<Fault> faults_;
};

}  // namespace

std::vector<Fault> random_lies(const Liars& liars, std::size_t nodes, Random& random) {
  return LiarDrawer(liars, nodes, random).plan();
}

Fault random_lie(const Liars& liars, std::size_t nodes, Random& random) {
  constexpr int kDraws = 100;
  for (int i = 0; i < kDraws; ++i) {
    std::vector<Fault> plan = random_lies(liars, nodes, random);
    if (!plan.empty()) return std::move(plan[random.below(plan.size())]);
  }
  return RoundPartitionFault{liars.first_round, {}};  // separates nobody
}

std::vector<Fault> random_plan(const FaultSpace& space, std::size_t nodes, std::size_t exposed,
                               Random& random) {
  std::vector<Fault> plan;
  if (!space.liars.empty()) plan = random_lies(space.liars, nodes, random);
  if (!space.has_families()) return plan;
  for (Fault& fault : independent_faults(space, exposed, random)) plan.push_back(std::move(fault));
  return plan;
}

}  // namespace dissensus::faults
