// Nodes that do not hear each other: partitions, cut links, and receivers who miss what somebody
// says.
#include <algorithm>

#include <fmt/format.h>

#include "faults/kinds.h"

namespace dissensus::faults {

namespace {

bool is_in(const NodeSet& set, NodeId node) {
  return std::find(set.begin(), set.end(), node) != set.end();
}

/// In which group a node is; those that none names are the last.
std::size_t group_of(const std::vector<NodeSet>& groups, NodeId node) {
  std::size_t group = 0;
  while (group < groups.size() && !is_in(groups[group], node)) ++group;
  return group;
}

/// Links between nodes are cut for a while.
class Separation : public Lasting {
 public:
  Separation(const Window& window, const Site& site) : Lasting(window, site, Shown::partition) {}

  std::span<const Station> stations() const override {
    static constexpr std::array kStations{Station::cut};
    return kStations;
  }
  void meet(Passage& passage, Station) override {
    const sim::Transmission& sent = passage.sent;
    if (!is_active() || !cut_[sent.from * nodes_ + sent.to]) return;
    if (is_by_round() && rounds() == Rounds::of_each && !is_inside(sent.from)) return;
    mark_();
    passage.lose(DropReason::partition);
  }

 protected:
  /// Whether what `from` sends is kept from `to`; both in the fault's own numbers.
  virtual bool blocks(NodeId from, NodeId to) const = 0;
  void begin(sim::World&) override {
    cut_.assign(nodes_ * nodes_, false);
    const std::size_t reach = concerned();
    for (std::size_t a = 0; a < reach; ++a) {
      for (std::size_t b = 0; b < reach; ++b) {
        const auto from = static_cast<NodeId>(a);
        const auto to = static_cast<NodeId>(b);
        if (a != b && blocks(from, to)) cut_[actual(from) * nodes_ + actual(to)] = true;
      }
    }
  }
  void stop(sim::World&) override {}
  virtual std::size_t concerned() const { return exposed_; }

 private:
  std::vector<bool> cut_;  ///< by link
};

class Partition final : public Separation {
 public:
  Partition(const PartitionFault& fault, const Site& site)
      : Separation(fault.when, site), fault_(fault) {
    begins_at_once_ = !waits();
  }
  std::span<const Station> stations() const override {
    static constexpr std::array kStations{Station::partition};
    return waits() ? Separation::stations() : kStations;
  }
  Turn turn() const override { return waits() ? Turn::environment : Turn::partition; }
  std::uint64_t order_of_end() const override { return waits() ? 0 : begun_; }

 protected:
  Rounds rounds() const override { return Rounds::of_each; }
  /// By name a partition concerns bystanders, too, unless it counts from the node it waits for.
  std::size_t concerned() const override { return waits() ? exposed_ : nodes_; }
  bool blocks(NodeId from, NodeId to) const override {
    const std::size_t a = group_of(fault_.groups, from);
    const std::size_t b = group_of(fault_.groups, to);
    const auto is_spared = [this](NodeId node, std::size_t group) {
      return node >= exposed_ && group == fault_.groups.size();
    };
    return a != b && !is_spared(from, a) && !is_spared(to, b);
  }
  void begin(sim::World& world) override {
    Separation::begin(world);
    begun_ = world.last_event();
  }
  std::string text() const override {
    std::string text;
    NodeSet others = other_nodes(kNoNode, exposed_);
    for (const NodeSet& group : fault_.groups) {
      text += fmt::format("{}{}", text.empty() ? "" : " ", listed_nodes(group));
      for (const NodeId node : actual(group)) std::erase(others, node);
    }
    if (!others.empty()) text += fmt::format(" [{}]", fmt::join(others, ", "));
    return text;
  }

 private:
  PartitionFault fault_;
  std::uint64_t begun_ = 0;  ///< the event of its beginning
};

class Cut final : public Separation {
 public:
  Cut(const CutFault& fault, const Site& site) : Separation(fault.when, site), fault_(fault) {}

 protected:
  bool blocks(NodeId from, NodeId to) const override {
    const NodeSet& nodes = fault_.nodes;
    switch (fault_.shape) {
      case CutFault::Shape::bridge:
        if (from == nodes.front() || to == nodes.front()) return false;
        return is_in(nodes, from) != is_in(nodes, to);
      case CutFault::Shape::ring: {
        if (!is_in(nodes, from) || !is_in(nodes, to)) return false;
        const std::size_t size = nodes.size();
        const std::size_t step = (position(to) + size - position(from)) % size;
        return step != 1 && step != size - 1;
      }
      case CutFault::Shape::one_way:
        break;
    }
    return is_in(nodes, from) && !is_in(nodes, to);
  }
  std::string text() const override {
    const NodeSet& nodes = fault_.nodes;
    switch (fault_.shape) {
      case CutFault::Shape::bridge:
        return fmt::format("{} and a bridge {}", listed_nodes({nodes.begin() + 1, nodes.end()}),
                           actual(nodes.front()));
      case CutFault::Shape::ring:
        return "ring " + listed_nodes(nodes);
      case CutFault::Shape::one_way:
        break;
    }
    return "one way: unheard " + listed_nodes(nodes);
  }

 private:
  std::size_t position(NodeId node) const {
    return static_cast<std::size_t>(std::find(fault_.nodes.begin(), fault_.nodes.end(), node) -
                                    fault_.nodes.begin());
  }
  CutFault fault_;
};

class RoundPartition final : public Effect {
 public:
  RoundPartition(const RoundPartitionFault& fault, const Site& site)
      : round_(fault.round), mark_(site) {
    for (std::size_t node = 0; node < site.nodes; ++node) {
      group_.push_back(group_of(fault.groups, static_cast<NodeId>(node)));
    }
  }
  std::span<const Station> stations() const override {
    static constexpr std::array kStations{Station::silence};
    return kStations;
  }
  void meet(Passage& passage, Station) override {
    if (passage.round() != round_) return;
    if (group_[passage.sent.from] == group_[passage.sent.to]) return;
    mark_();
    passage.lose(DropReason::partition);
  }

 private:
  std::uint64_t round_;
  Mark mark_;
  std::vector<std::size_t> group_;  ///< by node
};

class Silence final : public Effect {
 public:
  Silence(const SilenceFault& fault, const Site& site)
      : node_(fault.node),
        round_(fault.round),
        span_(fault.when),
        mark_(site),
        receivers_(table_of(fault.receivers, site.nodes)) {}
  std::span<const Station> stations() const override {
    static constexpr std::array kStations{Station::silence};
    return kStations;
  }
  void meet(Passage& passage, Station) override {
    const sim::Transmission& sent = passage.sent;
    if (sent.from != node_ || !receivers_[sent.to]) return;
    const bool applies = round_ ? passage.round() == round_ : span_.contains(passage.world, node_);
    if (!applies) return;
    mark_();
    passage.lose(DropReason::partition);
  }

 private:
  NodeId node_;
  std::optional<std::uint64_t> round_;
  Span span_;
  Mark mark_;
  std::vector<bool> receivers_;
};

// ---- random ones

NodeSet sorted_first(const NodeSet& order, std::size_t count) {
  NodeSet set(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count));
  std::sort(set.begin(), set.end());
  return set;
}

/// Who is cut off from whom.
enum class Shape : std::uint8_t { halves, majority, alone, bridge, ring, one_way };
constexpr std::array<std::string_view, 6> kShapes{"halves", "majority", "alone",
                                                  "bridge", "ring",     "one-way"};

Fault draw_separation(Drawer& drawer, const Window& when) {
  const std::vector<std::size_t> shapes = drawer.words("shapes");
  const auto shape = static_cast<Shape>(shapes[drawer.random.below(shapes.size())]);
  const std::size_t nodes = drawer.nodes;
  const NodeSet order = drawer.ordered(when);
  switch (shape) {
    case Shape::halves:
      return PartitionFault{{sorted_first(order, std::max<std::size_t>(nodes / 2, 1))}, when};
    case Shape::majority: {
      const std::size_t minority = std::max<std::size_t>((nodes - 1) / 2, 1);
      return PartitionFault{{sorted_first(order, 1 + drawer.random.below(minority))}, when};
    }
    case Shape::alone:
      return PartitionFault{{{order.front()}}, when};
    case Shape::bridge: {
      NodeSet side(order.begin() + 1,
                   order.begin() + 1 + static_cast<std::ptrdiff_t>((nodes - 1) / 2));
      std::sort(side.begin(), side.end());
      side.insert(side.begin(), order.front());
      return CutFault{CutFault::Shape::bridge, std::move(side), when};
    }
    case Shape::ring:
      return CutFault{CutFault::Shape::ring, order, when};
    case Shape::one_way:
      break;
  }
  const std::size_t count = 1 + drawer.random.below(std::max<std::size_t>(nodes / 2, 1));
  return CutFault{CutFault::Shape::one_way, sorted_first(order, count), when};
}

/// A ring of three is no cut, and a bridge has two sides.
std::optional<std::string> too_few_nodes(std::size_t shape, const SystemDescription&,
                                         std::size_t nodes) {
  const std::size_t least = shape == static_cast<std::size_t>(Shape::ring)     ? 4
                            : shape == static_cast<std::size_t>(Shape::bridge) ? 3
                                                                               : 2;
  return nodes < least ? std::optional<std::string>("") : std::nullopt;
}

std::vector<Setting> shape_setting() {
  return {{"shapes", "shapes", kShapes, kShapes.size(), "expected a shape for this number of nodes",
           too_few_nodes}};
}

// ---- declarations

constexpr std::array<std::string_view, 3> kCutShapes{"bridge", "ring", "one-way"};

void check_cut(const CutFault& fault, const Options& document, const Target&) {
  static constexpr std::array<std::size_t, 3> kLeast{2, 4, 1};
  const std::size_t least = kLeast[static_cast<std::size_t>(fault.shape)];
  if (fault.nodes.size() < least) {
    document.fail("nodes", fmt::format("expected at least {} nodes for this shape", least));
  }
}

/// Of a bridge and of those nobody hears there may be fewer; a ring is one piece.
std::size_t kept_of_cut(const void* fault) {
  const auto& cut = *static_cast<const CutFault*>(fault);
  if (cut.shape == CutFault::Shape::ring) return cut.nodes.size();
  return cut.shape == CutFault::Shape::bridge ? 1 : 0;
}

std::string words_of_cut(const CutFault& fault, const Speaker& say) {
  const std::string when = say.when(fault.when);
  const NodeSet rest(fault.nodes.begin() + 1, fault.nodes.end());
  switch (fault.shape) {
    case CutFault::Shape::bridge:
      return fmt::format("a partition separates {} | the others, and only {} hears both{}",
                         listed(rest, fault.when), node_words(fault.nodes.front(), fault.when),
                         when);
    case CutFault::Shape::ring:
      return fmt::format("nodes {} hear their neighbours in this ring alone{}",
                         listed(fault.nodes, fault.when), when);
    case CutFault::Shape::one_way:
      break;
  }
  return fmt::format("nobody else hears {}, which hear{} everybody{}",
                     listed(fault.nodes, fault.when), fault.nodes.size() == 1 ? "s" : "", when);
}

void check_silence(const SilenceFault& fault, const Options& document, const Target&) {
  if (!fault.round) return;
  for (const std::string_view key : {"from", "until", "rounds"}) {
    if (document.has(key)) document.fail(key, "expected a protocol round or a span, found both");
  }
}

}  // namespace

const FaultKind& PartitionFault::kind() {
  static const FaultKind kKind =
      Declaration<PartitionFault>("partition")
          .part(make_groups(member<&PartitionFault::groups>))
          .part(make_window(member<&PartitionFault::when>, {.may_wait = true}))
          .needs({.name = "partition", .key = "type"})
          .drawn_as("partitions", draw_separation, shape_setting())
          .said([](const PartitionFault& fault, const Speaker& say) {
            return fmt::format("a partition separates {}{}", say.groups(fault.groups, fault.when),
                               say.when(fault.when));
          })
          .done<Partition>();
  return kKind;
}

const FaultKind& CutFault::kind() {
  static const FaultKind kKind =
      Declaration<CutFault>("cut")
          .part(make_choice("shape", choice<&CutFault::shape>, kCutShapes, true))
          .part(make_nodes("nodes", member<&CutFault::nodes>, {.kept = kept_of_cut}))
          .part(make_window(member<&CutFault::when>, {.may_wait = true}))
          .needs({.name = "cut", .key = "type"})
          .drawn_as("partitions", draw_separation, shape_setting())
          .checked(check_cut)
          .said(words_of_cut)
          .done<Cut>();
  return kKind;
}

const FaultKind& RoundPartitionFault::kind() {
  static const FaultKind kKind =
      Declaration<RoundPartitionFault>("round-partition")
          .part(make_round("round", member<&RoundPartitionFault::round>))
          .part(make_groups(member<&RoundPartitionFault::groups>))
          .needs({.name = "round-partition",
                  .key = "type",
                  .needs = {Offer::rounds},
                  .instead = "partition"})
          .said([](const RoundPartitionFault& fault, const Speaker& say) {
            return fmt::format("in protocol round {} a partition separates {}", fault.round,
                               say.groups(fault.groups));
          })
          .done<RoundPartition>();
  return kKind;
}

const FaultKind& SilenceFault::kind() {
  static const auto kBySpan = [](const void* fault) {
    return !static_cast<const SilenceFault*>(fault)->round;
  };
  static const FaultKind kKind =
      Declaration<SilenceFault>("silence")
          .part(make_node("node", member<&SilenceFault::node>))
          .part(
              make_nodes("receivers", member<&SilenceFault::receivers>,
                         {.missing = ListOf::Default::others, .node = member<&SilenceFault::node>}))
          .part(make_round("round", member<&SilenceFault::round>))
          .part(make_window(member<&SilenceFault::when>, {.concerns = kBySpan}))
          .needs({.name = "silence", .key = "type"})
          .needs({.name = "silence: round",
                  .key = "round",
                  .needs = {Offer::rounds},
                  .instead = "a span of time (from, until)",
                  .concerns = [](const void* fault) { return !kBySpan(fault); }})
          .checked(check_silence)
          .said([](const SilenceFault& fault, const Speaker&) {
            const std::string span = fault.round
                                         ? fmt::format(" in protocol round {}", *fault.round)
                                         : words_of(fault.when);
            return fmt::format("node {} is silent to {}{}", fault.node, listed(fault.receivers),
                               span);
          })
          .done<Silence>();
  return kKind;
}

void declare_separation(std::vector<const FaultKind*>& kinds) {
  kinds.insert(kinds.end(), {&PartitionFault::kind(), &CutFault::kind(),
                             &RoundPartitionFault::kind(), &SilenceFault::kind()});
}

}  // namespace dissensus::faults
