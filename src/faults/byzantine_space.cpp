#include "faults/byzantine_space.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/limits.h"
#include "faults/draw.h"
#include "faults/kinds.h"

namespace dissensus::faults {

namespace {

class PlanDrawer {
 public:
  PlanDrawer(const ByzantineSpace& space, std::size_t nodes, Random& random)
      : space_(space),
        nodes_(nodes),
        random_(random),
        liars_(random_draws(space.liars, space.liars_per_plan, random)) {
    std::sort(liars_.begin(), liars_.end());
  }

  std::vector<Fault> draw_all() {
    add_mutations();
    add_partitions();
    add_replays();
    add_silences();
    add_twins();
    add_noise();
    add_skew();
    return std::move(faults_);
  }

 private:
  /// Rounds, and for each who lies in it; at most one fault per round and liar.
  std::set<std::pair<std::uint64_t, NodeId>> draw_moments(std::uint32_t count) {
    std::set<std::pair<std::uint64_t, NodeId>> moments;
    for (std::uint32_t i = 0; i < count && !liars_.empty(); ++i) {
      const std::uint64_t round = draw_round();
      moments.emplace(round, liars_[random_.below(liars_.size())]);
    }
    return moments;
  }
  std::uint64_t draw_round() {
    return space_.first_round + random_.below(space_.last_round - space_.first_round + 1);
  }
  NodeSet draw_receivers(NodeId liar) {
    NodeSet pool = other_nodes(liar, nodes_);
    if (!space_.receivers.empty()) pool = space_.receivers[random_.below(space_.receivers.size())];
    std::erase(pool, liar);
    return pool.empty() ? pool : random_subset(pool, random_);
  }
  std::uint64_t draw_seed() { return random_.next() >> 32; }

  void add_mutations() {
    for (const auto& [round, liar] : draw_moments(space_.process_faults)) {
      MutateFault fault;
      fault.node = liar;
      fault.round = round;
      fault.receivers = draw_receivers(liar);
      fault.seed = draw_seed();
      fault.scope = space_.scope;
      if (!fault.receivers.empty()) faults_.emplace_back(std::move(fault));
    }
  }
  void add_partitions() {
    std::set<std::uint64_t> rounds;
    for (std::uint32_t i = 0; i < space_.network_faults; ++i) rounds.insert(draw_round());
    for (const std::uint64_t round : rounds) {
      std::vector<NodeSet> groups = random_partition(nodes_, random_);
      if (groups.size() > 1) faults_.emplace_back(RoundPartitionFault{round, std::move(groups)});
    }
  }
  void add_replays() {
    for (const auto& [round, liar] : draw_moments(space_.replays)) {
      faults_.emplace_back(ReplayFault{liar, round, draw_receivers(liar), draw_seed()});
    }
  }
  void add_silences() {
    for (const auto& [round, liar] : draw_moments(space_.silences)) {
      faults_.emplace_back(SilenceFault{liar, draw_receivers(liar), round, {}});
    }
  }
  /// Each copy talks with one side of a division of all other nodes.
  void add_twins() {
    const NodeSet doubled = random_draws(liars_, space_.twins, random_);
    if (doubled.empty()) return;
    NodeSet others = other_nodes(kNoNode, nodes_);
    for (const NodeId node : doubled) std::erase(others, node);
    if (others.size() < 2) return;
    NodeSet first = random_subset(others, random_);
    while (first.size() == others.size()) first = random_subset(others, random_);
    NodeSet second;
    std::set_difference(others.begin(), others.end(), first.begin(), first.end(),
                        std::back_inserter(second));
    for (const NodeId node : doubled) {
      faults_.emplace_back(TwinsFault{node, first, second, space_.twins_apart});
    }
  }
  void add_noise() {
    if (space_.drop == 0 && space_.corrupt == 0) return;
    for (const NodeId liar : liars_) {
      faults_.emplace_back(NoiseFault{liar, space_.drop, space_.corrupt, draw_seed(), {}});
    }
  }
  void add_skew() {
    if (space_.skew_max == Duration{}) return;
    for (const NodeId liar : liars_) {
      const Duration offset{random_.between(-space_.skew_max.count(), space_.skew_max.count()) /
                            1000 * 1000};
      faults_.emplace_back(SkewFault{liar, offset, 0, {}});
    }
  }

  const ByzantineSpace& space_;
  std::size_t nodes_;
  Random& random_;
  NodeSet liars_;
  std::vector<Fault> faults_;
};

}  // namespace

// ---- reading

namespace {

NodeSet read_nodes(const OptionValue& value, std::size_t nodes) {
  NodeSet result;
  for (const OptionValue& member : value.list()) {
    const auto node = static_cast<NodeId>(member.integer(0, static_cast<std::int64_t>(nodes) - 1));
    if (std::find(result.begin(), result.end(), node) != result.end()) {
      member.fail(fmt::format("node {} is named twice, expected once", node));
    }
    result.push_back(node);
  }
  if (result.empty()) value.fail("expected at least one node, found none");
  std::sort(result.begin(), result.end());
  return result;
}

void refuse_impossible(const ByzantineSpace& space, const Options& options,
                       const SystemDescription& description) {
  const auto refuse = [&](bool is_asked_for, std::string_view key, std::string_view kind) {
    const auto obstacle = obstacle_to_kind(kind, description);
    if (is_asked_for && obstacle) options.fail(key, obstacle->text);
  };
  refuse(space.process_faults > 0, "process_faults", "mutate");
  refuse(space.network_faults > 0, "network_faults", "round-partition");
  refuse(space.replays > 0, "replays", "replay");
  refuse(space.silences > 0, "silences", "silence: round");
  refuse(space.twins > 0, "twins", "twins");
  refuse(space.corrupt > 0, "corrupt", "noise: corrupt");
  refuse(space.skew_max > Duration{}, "skew", "skew");
}

void read_rounds(const OptionValue& rounds, ByzantineSpace& space) {
  const std::vector<OptionValue> bounds = rounds.list();
  if (bounds.size() != 2) rounds.fail("expected [first, last]");
  space.first_round = static_cast<std::uint64_t>(bounds[0].integer(0, kRoundMax));
  space.last_round = static_cast<std::uint64_t>(bounds[1].integer(0, kRoundMax));
  if (space.last_round < space.first_round) rounds.fail("expected [first, last], first <= last");
}

}  // namespace

ByzantineSpace read_byzantine_space(const Options& options, const SystemDescription& description,
                                    std::size_t nodes) {
  ByzantineSpace space;
  const auto count = [&options](std::string_view key) {
    return static_cast<std::uint32_t>(options.integer(key, 0, 0, 1000));
  };
  space.process_faults = count("process_faults");
  space.network_faults = count("network_faults");
  space.replays = count("replays");
  space.silences = count("silences");
  space.twins = count("twins");
  space.drop = options.number("drop", 0, 0, 1);
  space.corrupt = options.number("corrupt", 0, 0, 1);
  space.skew_max = options.duration("skew", Duration{});
  refuse_impossible(space, options, description);
  if (space.network_faults > 0 && nodes > kPartitionNodesMax) {
    options.fail("network_faults",
                 fmt::format("partitions are drawn for at most {} nodes", kPartitionNodesMax));
  }
  if (const auto rounds = options.find("rounds")) read_rounds(*rounds, space);
  static constexpr std::string_view kScopes[] = {"small", "any"};
  space.scope = static_cast<MutationScope>(options.choice("scope", kScopes, 0));
  const auto liars = options.find("nodes");
  space.liars = liars ? read_nodes(*liars, nodes) : other_nodes(kNoNode, nodes);
  space.liars_per_plan = static_cast<std::uint32_t>(
      options.integer("faulty", 1, 1, static_cast<std::int64_t>(space.liars.size())));
  if (const auto pools = options.find("receivers")) {
    for (const OptionValue& pool : pools->list()) {
      space.receivers.push_back(read_nodes(pool, nodes));
    }
  }
  if (space.skew_max > kVirtualTimeMax) options.fail("skew", "expected at most 8760h");
  if (const auto apart = options.find("twins_apart")) space.twins_apart = apart->duration();
  return space;
}

// ---- drawing

std::size_t ByzantineSpace::most(const FaultKind& kind, std::size_t nodes) const {
  const std::size_t lying = std::min<std::size_t>(liars_per_plan, liars.size());
  const bool apart = twins > 0 && twins_apart;
  if (&kind == &MutateFault::kind()) return process_faults;
  if (&kind == &RoundPartitionFault::kind()) return network_faults;
  if (&kind == &ReplayFault::kind()) return replays;
  if (&kind == &SilenceFault::kind()) return silences + (apart ? nodes : 0);
  if (&kind == &TwinsFault::kind()) return std::min<std::size_t>(twins, lying);
  if (&kind == &NoiseFault::kind()) return drop > 0 || corrupt > 0 ? lying : 0;
  if (&kind == &SkewFault::kind()) return skew_max > Duration{} ? lying : 0;
  return 0;
}

std::size_t ByzantineSpace::plan_size_max(std::size_t nodes) const {
  std::size_t sum = 0;
  for (const FaultKind* const kind : fault_kinds()) sum += most(*kind, nodes);
  return sum;
}

std::vector<Fault> admitted(const std::vector<Fault>& plan, const ByzantineSpace& space,
                            std::size_t nodes) {
  std::map<const FaultKind*, std::size_t> found;
  std::vector<Fault> kept;
  for (const Fault& fault : plan) {
    std::size_t& count = found[&fault.kind()];
    if (count == space.most(fault.kind(), nodes)) continue;
    kept.push_back(fault);
    if (byzantine_nodes(kept).size() > space.liars_per_plan) {
      kept.pop_back();
    } else {
      ++count;
    }
  }
  return kept;
}

Fault random_fault(const ByzantineSpace& space, std::size_t nodes, Random& random) {
  constexpr int kDraws = 100;
  for (int i = 0; i < kDraws; ++i) {
    std::vector<Fault> plan = random_faults(space, nodes, random);
    if (!plan.empty()) return std::move(plan[random.below(plan.size())]);
  }
  return RoundPartitionFault{space.first_round, {}};  // separates nobody
}

std::vector<Fault> random_faults(const ByzantineSpace& space, std::size_t nodes, Random& random) {
  return PlanDrawer(space, nodes, random).draw_all();
}

}  // namespace dissensus::faults
