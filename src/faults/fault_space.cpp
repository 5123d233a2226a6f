#include "faults/fault_space.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>

#include <fmt/format.h>

#include "core/limits.h"
#include "core/suggestion.h"
#include "faults/kinds.h"

namespace dissensus::faults {

namespace {

using std::chrono::milliseconds;
using Family = FaultSpace::Family;

/// What may be drawn, in the order in which draws choose among it: first what spaces have always
/// had, since what a seed draws depends on it.
std::vector<Family> all_families() {
  std::vector<Family> families;
  for (const char* const key : {"partitions", "crashes", "pauses", "clocks", "links", "disks"}) {
    families.push_back({key, {}, 0});
  }
  for (const FaultKind* const kind : fault_kinds()) {
    if (!kind->has_window() || kind->liar) continue;  // drawn as faults of liars, or not at all
    const std::string& key = kind->family.empty() ? kind->name : kind->family;
    auto found = std::find_if(families.begin(), families.end(),
                              [&key](const Family& family) { return family.key == key; });
    if (found == families.end()) found = families.insert(families.end(), {key, {}, 0});
    found->kinds.push_back(kind);
  }
  return families;
}

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
      : Drawer(source, node_count), space_(space), nodes_(node_count), random_(source) {}

  const Family& family() {
    std::uint64_t left = random_.below(space_.total());
    std::size_t family = 0;
    while (left >= space_.families[family].most) left -= space_.families[family++].most;
    return space_.families[family];
  }

  Window window() {
    if (!space_.anchors.empty() && random_.chance(space_.anchored)) {
      // One draw per statement: compilers disagree about the order of arguments.
      const auto nth = 1 + static_cast<std::uint32_t>(random_.below(space_.nth_max));
      return anchored(space_.anchors[random_.below(space_.anchors.size())], nth);
    }
    return by_the_clock();
  }
  Window by_the_clock() {
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
  Duration length() override {
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

  Fault fault(const Family& family, const Window& when) {
    const FaultKind& kind = *family.kinds.front();
    if (kind.draw) return kind.draw(*this, when);
    const bool fits = kind.may_wait() || !when.after;
    return faults::random_fault(kind, *this, fits ? when : by_the_clock());
  }

  /// The node that did what the fault waits for and a minority with it, apart from the others.
  Fault leader_and_few(const Window& when) {
    NodeSet order = shuffled();
    std::swap(*std::find(order.begin(), order.end(), 0), order.front());
    order.resize(1 + random_.below((nodes_ + 1) / 2));
    std::sort(order.begin(), order.end());
    return PartitionFault{{order}, when};
  }

  NodeId node(const Window& when) override { return ordered(when).front(); }
  std::vector<std::size_t> words(std::string_view key) const override {
    for (const FaultSpace::Words& words : space_.words) {
      if (words.key == key) return words.admitted;
    }
    return {};
  }
  /// In every other fault that waits for a node the first of the order is that node.
  NodeSet ordered(const Window& when) override {
    NodeSet order = shuffled();
    if (when.after && when.after->relative && random_.chance(0.5)) {
      std::swap(*std::find(order.begin(), order.end(), 0), order.front());
    }
    return order;
  }
  /// One in most cases, else several, else all.
  NodeSet victims(const Window& when) override {
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

 private:
  NodeSet shuffled() {
    NodeSet order = other_nodes(kNoNode, nodes_);
    for (std::size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1], order[random_.below(i)]);
    }
    return order;
  }

  const FaultSpace& space_;
  std::size_t nodes_;
  Random& random_;
};

/// The same span of another beginning.
void move_to(Window& window, Duration from) {
  const Duration length = window.until ? *window.until - window.from : Duration{};
  window.from = std::max(from, Duration{});
  if (window.until) window.until = window.from + length;
}

}  // namespace

std::uint32_t FaultSpace::total() const {
  std::uint32_t sum = 0;
  for (const Family& family : families) sum += family.most;
  return sum;
}

Fault random_fault(const FaultSpace& space, std::size_t nodes, Random& random) {
  SpaceDrawer drawer(space, nodes, random);
  const Family& family = drawer.family();
  return drawer.fault(family, drawer.window());
}

Fault varied_fault(const Fault& fault, const FaultSpace& space, std::size_t nodes, Random& random) {
  SpaceDrawer drawer(space, nodes, random);
  const Family* const family = family_of(space, fault);
  if (family == nullptr) return random_fault(space, nodes, random);
  Window window = *window_of(fault);
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

namespace {

std::vector<Fault> independent_faults(const FaultSpace& space, std::size_t nodes, Random& random) {
  std::vector<Fault> faults;
  const std::uint64_t count = 1 + random.below(space.total());
  for (std::uint64_t i = 0; i < count; ++i) faults.push_back(random_fault(space, nodes, random));
  return admitted(faults, space);
}

}  // namespace

std::vector<Fault> random_plan(const FaultSpace& space, std::size_t nodes, std::size_t exposed,
                               Random& random) {
  std::vector<Fault> plan;
  if (!space.liars.empty()) plan = random_faults(space.liars, nodes, random);
  if (!space.has_families()) return plan;
  for (Fault& fault : independent_faults(space, exposed, random)) plan.push_back(std::move(fault));
  return plan;
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
  return admitted(faults, space);
}

std::vector<Fault> admitted(const std::vector<Fault>& plan, const FaultSpace& space) {
  std::vector<std::uint32_t> found(space.families.size());
  std::vector<Fault> kept;
  for (const Fault& fault : plan) {
    const Family* const family = family_of(space, fault);
    if (family == nullptr) continue;
    std::uint32_t& count = found[static_cast<std::size_t>(family - space.families.data())];
    if (count == family->most) continue;
    ++count;
    kept.push_back(fault);
  }
  return kept;
}

std::vector<Fault> admitted_plan(const std::vector<Fault>& plan, const FaultSpace& space,
                                 std::size_t nodes) {
  if (space.empty()) return plan;
  if (space.liars.empty()) return admitted(plan, space);
  std::vector<Fault> kept = admitted(plan, space.liars, nodes);
  for (Fault& fault : admitted(plan, space)) {
    if (std::find(kept.begin(), kept.end(), fault) == kept.end()) kept.push_back(std::move(fault));
  }
  return kept;
}

// ---- the table

namespace {

/// Which words of a setting are drawn: those that are possible of those that are named, or of the
/// usual ones.
FaultSpace::Words read_words(const Options& options, const Setting& setting,
                             const SystemDescription& description, std::size_t nodes) {
  FaultSpace::Words result{setting.key, {}};
  const auto list = options.find(setting.key);
  if (list) {
    for (const OptionValue& value : list->list()) {
      result.admitted.push_back(value.choice(setting.words));
    }
    if (result.admitted.empty()) list->fail("expected at least one");
  } else {
    result.admitted.resize(setting.usual);
    std::iota(result.admitted.begin(), result.admitted.end(), std::size_t{0});
  }
  std::erase_if(result.admitted, [&](std::size_t word) {
    const auto obstacle = setting.obstacle(word, description, nodes);
    if (obstacle && !obstacle->empty() && list) list->fail(*obstacle);
    return obstacle.has_value();
  });
  return result;
}

void read_families(const Options& options, const SystemDescription& description, std::size_t nodes,
                   FaultSpace& space) {
  for (Family& family : all_families()) {
    const FaultKind& kind = *family.kinds.front();
    family.most = static_cast<std::uint32_t>(options.integer(family.key, 0, 0, 1000));
    const auto obstacle = obstacle_to_kind(kind.requirements.front().name, description);
    if (family.most > 0 && obstacle) options.fail(family.key, obstacle->text);
    for (const Setting& setting : kind.settings) {
      FaultSpace::Words words = read_words(options, setting, description, nodes);
      if (family.most == 0) continue;
      if (words.admitted.empty()) options.fail(setting.key, std::string(setting.none_left));
      space.words.push_back(std::move(words));
    }
    if (family.most > 0) space.families.push_back(std::move(family));
  }
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

void read_times(const Options& options, const SystemDescription& description, FaultSpace& space) {
  const Duration own =
      description.time_scale > Duration{} ? description.time_scale : Duration{1'000'000};
  space.scale = options.duration("scale", own);
  if (space.scale < milliseconds(8)) options.fail("scale", "expected at least 8ms");
  space.horizon = options.duration("until", 10 * space.scale);
  if (space.horizon < milliseconds(1)) options.fail("until", "expected at least 1ms");
  if (space.scale > kVirtualTimeMax / 100 || space.horizon > kVirtualTimeMax / 2) {
    options.fail("expected a scale of at most 87h and an end of at most 4380h");
  }
}

}  // namespace

FaultSpace read_fault_space(const Options& options, const SystemDescription& description,
                            std::size_t nodes, std::size_t exposed) {
  FaultSpace space;
  if (exposed < 2) options.fail("expected a system of at least two nodes");
  read_families(options, description, exposed, space);
  read_times(options, description, space);
  space.anchors = read_anchors(options, description);
  space.anchored = options.number("anchored", space.anchored, 0, 1);
  space.nth_max = static_cast<std::uint32_t>(options.integer("nth", space.nth_max, 1, 10'000));
  space.victims_max = static_cast<std::uint32_t>(
      options.integer("victims", 0, 0, static_cast<std::int64_t>(exposed)));
  if (options.has("liars")) {
    space.liars = read_byzantine_space(options.table("liars"), description, nodes);
  }
  if (space.empty()) {
    std::vector<std::string> keys;
    for (const Family& family : all_families()) keys.push_back(family.key);
    options.fail(fmt::format("expected at least one of {}, liars", fmt::join(keys, ", ")));
  }
  return space;
}

}  // namespace dissensus::faults
