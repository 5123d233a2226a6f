#include "faults/byzantine_space.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/assert.h"

namespace dissensus::faults {

namespace {

/// Bell numbers 0 to n, from the recurrence B(m + 1) = sum of C(m, k) B(k).
std::vector<double> bell_numbers(std::size_t n) {
  std::vector<double> bell{1};
  std::vector<double> choose{1};
  for (std::size_t m = 0; m < n; ++m) {
    double sum = 0;
    for (std::size_t k = 0; k <= m; ++k) sum += choose[k] * bell[k];
    bell.push_back(sum);
    choose.push_back(1);
    for (std::size_t k = m; k > 0; --k) choose[k] += choose[k - 1];
  }
  return bell;
}

/// How many others are in the group of one of n nodes: k of them in C(n - 1, k) B(n - 1 - k) ways.
std::size_t random_companions(std::size_t n, const std::vector<double>& bell, Random& random) {
  double rest = random.unit() * bell[n];
  double choose = 1;
  for (std::size_t k = 0; k + 1 < n; ++k) {
    rest -= choose * bell[n - 1 - k];
    if (rest < 0) return k;
    choose = choose * static_cast<double>(n - 1 - k) / static_cast<double>(k + 1);
  }
  return n - 1;
}

/// `count` of `from`, in the order of drawing.
NodeSet draw(NodeSet from, std::size_t count, Random& random) {
  NodeSet result;
  while (result.size() < count && !from.empty()) {
    const std::size_t index = random.below(from.size());
    result.push_back(from[index]);
    from.erase(from.begin() + static_cast<std::ptrdiff_t>(index));
  }
  return result;
}

class PlanDrawer {
 public:
  PlanDrawer(const ByzantineSpace& space, std::size_t nodes, Random& random)
      : space_(space),
        nodes_(nodes),
        random_(random),
        liars_(draw(space.liars, space.liars_per_plan, random)) {
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
    const NodeSet doubled = draw(liars_, space_.twins, random_);
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

NodeSet random_subset(const NodeSet& from, Random& random) {
  DISSENSUS_ASSERT(!from.empty(), "random_subset : there is something to draw from");
  NodeSet result;
  while (result.empty()) {
    for (const NodeId node : from) {
      if ((random.next() >> 63) != 0) result.push_back(node);
    }
  }
  return result;
}

std::vector<NodeSet> random_partition(std::size_t nodes, Random& random) {
  DISSENSUS_ASSERT(nodes <= kPartitionNodesMax, "random_partition : not too many nodes");
  const std::vector<double> bell = bell_numbers(nodes);
  NodeSet left = other_nodes(kNoNode, nodes);
  std::vector<NodeSet> groups;
  while (!left.empty()) {
    const NodeId founder = left.front();
    const std::size_t companions = random_companions(left.size(), bell, random);
    left.erase(left.begin());
    NodeSet group = draw(left, companions, random);
    for (const NodeId node : group) std::erase(left, node);
    group.push_back(founder);
    std::sort(group.begin(), group.end());
    groups.push_back(std::move(group));
  }
  return groups;
}

std::vector<Fault> random_faults(const ByzantineSpace& space, std::size_t nodes, Random& random) {
  return PlanDrawer(space, nodes, random).draw_all();
}

}  // namespace dissensus::faults
