// Nodes that exist twice: two honest copies under one identity.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "faults/kinds.h"

namespace dissensus::faults {

namespace {

/// All twins of a run, since what one pair hears depends on the others.
class AllTwins final : public Effect {
 public:
  explicit AllTwins(const Site& site) : nodes_(site.nodes) {}

  void add(const TwinsFault& fault, const Site& site) {
    twins_.push_back({fault,
                      Mark(site),
                      table_of(fault.first, nodes_),
                      table_of(fault.second, nodes_),
                      kNoNode,
                      {}});
  }

  std::span<const Station> stations() const override {
    static constexpr std::array kStations{Station::overhear, Station::twins, Station::speak};
    return kStations;
  }
  void meet(Passage& passage, Station station) override {
    if (station == Station::overhear) {
      is_other_word_ = contradicts_first(passage.sent);
    } else if (station == Station::twins) {
      if (!let_pass(passage.world, passage.sent)) passage.lose(DropReason::schedule);
    } else if (is_other_word_) {
      passage.world.lied(passage.sent.from);
    }
  }
  bool divides() const override { return true; }
  Copies divide(const sim::Transmission& sent) override {
    const Copies copies = receivers_of(sent);
    for (const Pair& pair : twins_) {
      const bool is_second =
          pair.second != kNoNode && (sent.from_twin == pair.second || copies.second == pair.second);
      if (is_second) pair.mark();
    }
    return copies;
  }

  Turn turn() const override { return Turn::twins; }
  void attach(sim::World& world) override {
    for (Pair& pair : twins_) {
      // One more copy per identity, however many faults ask for it.
      if (pair_of(pair.fault.node) == nullptr) pair.second = world.add_twin(pair.fault.node);
    }
  }
  void end(sim::World& world) override { world.stop_twins(); }
  void forget() override {
    for (Pair& pair : twins_) pair.said.clear();
  }

 private:
  struct Pair {
    TwinsFault fault;
    Mark mark;
    std::vector<bool> first_peers;   ///< by node
    std::vector<bool> second_peers;  ///< by node
    NodeId second;                   ///< the twin's name; kNoNode: there is none
    /// What the first copy has said. As long as the second one says nothing else, both are one
    /// honest node to everybody.
    std::set<Digest> said;
  };

  /// Null where the node is alone.
  const Pair* pair_of(NodeId node) const {
    for (const Pair& pair : twins_) {
      if (pair.second != kNoNode && pair.fault.node == node) return &pair;
    }
    return nullptr;
  }
  /// Whether the second copy of a node says here what the first one has not.
  bool contradicts_first(const sim::Transmission& sent) {
    for (Pair& pair : twins_) {
      if (pair.fault.node != sent.from || pair.second == kNoNode) continue;
      if (sent.from_twin != kNoNode) return !pair.said.contains(sent.message.digest());
      pair.said.insert(sent.message.digest());
      return false;
    }
    return false;
  }
  bool let_pass(const sim::World& world, const sim::Transmission& sent) const {
    const Copies copies = receivers_of(sent);
    if (!copies.first && copies.second == kNoNode) return false;
    const Pair* const sender = pair_of(sent.from);
    if (sender != nullptr) {
      if (pair_of(sent.to) != nullptr) return true;
      return sent.from_twin == kNoNode ? sender->first_peers[sent.to]
                                       : sender->second_peers[sent.to];
    }
    for (const Pair& pair : twins_) {
      const auto& until = pair.fault.apart_until;
      if (!until || world.now() - Time{} >= *until) continue;
      const bool both_first = pair.first_peers[sent.from] && pair.first_peers[sent.to];
      const bool both_second = pair.second_peers[sent.from] && pair.second_peers[sent.to];
      const bool to_twins = pair_of(sent.to) != nullptr;
      if (!both_first && !both_second && !to_twins) return false;
    }
    return true;
  }
  Copies receivers_of(const sim::Transmission& sent) const {
    const Pair* const receiver = pair_of(sent.to);
    if (receiver == nullptr) return {};
    if (pair_of(sent.from) != nullptr) {
      const bool from_first = sent.from_twin == kNoNode;
      return {from_first, from_first ? kNoNode : receiver->second};
    }
    return {receiver->first_peers[sent.from],
            receiver->second_peers[sent.from] ? receiver->second : kNoNode};
  }

  std::size_t nodes_;
  std::vector<Pair> twins_;
  bool is_other_word_ = false;  ///< of the message that is on its way
};

}  // namespace

const FaultKind& TwinsFault::kind() {
  static const FaultKind kKind =
      Declaration<TwinsFault>("twins")
          .part(make_node("node", member<&TwinsFault::node>))
          // One piece: a twin that talks with fewer nodes is another fault, not a smaller one.
          .part(make_nodes("first", member<&TwinsFault::first>,
                           {.missing = ListOf::Default::others,
                            .node = member<&TwinsFault::node>,
                            .shrinks = false}))
          .part(make_nodes("second", member<&TwinsFault::second>,
                           {.missing = ListOf::Default::others,
                            .node = member<&TwinsFault::node>,
                            .shrinks = false}))
          .part(make_duration("apart_until", member<&TwinsFault::apart_until>, {.shrinks = false}))
          .needs({.name = "twins", .key = "type", .needs = {Offer::twins}, .instead = "partition"})
          .said([](const TwinsFault& fault, const Speaker&) {
            return fmt::format("node {} runs twice: one copy talks with {}, the other with {}",
                               fault.node, listed(fault.first), listed(fault.second));
          })
          .lies([](const TwinsFault& fault) { return std::optional(fault.node); })
          .done_by([](const TwinsFault& fault, Site& site) -> std::unique_ptr<Effect> {
            site.shared<AllTwins>().add(fault, site);
            return nullptr;
          });
  return kKind;
}

void declare_twins(std::vector<const FaultKind*>& kinds) {
  kinds.insert(kinds.end(), {&TwinsFault::kind()});
}

}  // namespace dissensus::faults
