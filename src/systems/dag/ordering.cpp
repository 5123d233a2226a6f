#include "systems/dag/ordering.h"

#include <algorithm>

namespace dissensus::dag {

namespace {
std::uint64_t votes_for(const LocalDag& dag, const Committee& committee, std::uint32_t wave) {
  const Row& voters = dag.row(voting_round(wave));
  const Mask leader = mask_of(committee.leader(wave));
  std::uint64_t stake = 0;
  for_each_node(voters.present, [&](NodeId voter) {
    if ((voters.vertices[voter].parents & leader) != 0) stake += committee.stake_of(voter);
  });
  return stake;
}
}  // namespace

std::vector<std::uint32_t> decided_with(const LocalDag& dag, const Committee& committee,
                                        const Guards& guards, std::uint32_t wave,
                                        std::uint32_t decided) {
  const NodeId leader = committee.leader(wave);
  if (!guards.check(Guard::wave_undecided, wave > decided)) return {};
  if (!guards.check(Guard::leader_present, dag.has(leader_round(wave), leader))) return {};
  if (!guards.check(Guard::vote_quorum, committee.is_quorum(votes_for(dag, committee, wave)))) {
    return {};
  }
  std::vector<std::uint32_t> chain{wave};
  for (std::uint32_t earlier = wave - 1; earlier > decided; --earlier) {
    const NodeId candidate = committee.leader(earlier);
    if (!guards.check(Guard::earlier_leader_present, dag.has(leader_round(earlier), candidate))) {
      continue;
    }
    const std::uint32_t next = chain.back();
    const Mask reached =
        dag.reachable(leader_round(next), mask_of(committee.leader(next)), leader_round(earlier));
    if (!guards.check(Guard::earlier_leader_reachable, (reached & mask_of(candidate)) != 0)) {
      continue;
    }
    chain.push_back(earlier);
  }
  std::reverse(chain.begin(), chain.end());
  return chain;
}

std::vector<Slot> deliver_history(LocalDag& dag, const Guards& guards, Slot leader,
                                  const LinearOrder& order) {
  // Downwards, what is new per row; a delivered vertex has only delivered ancestors.
  std::vector<Mask> fresh(leader.round + 1, 0);
  Mask current = mask_of(leader.creator);
  for (std::uint32_t round = leader.round + 1; round-- > 0;) {
    Row& row = dag.touch(round);
    Mask taken = 0;
    for_each_node(current & row.present, [&](NodeId creator) {
      const bool is_new = (row.delivered & mask_of(creator)) == 0;
      if (guards.check(Guard::undelivered, is_new)) taken |= mask_of(creator);
    });
    if (round == 0 && !order.genesis) taken = 0;
    fresh[round] = taken;
    row.delivered |= taken;
    current = dag.parents_of(round, taken);
    if (current == 0) break;
  }
  std::vector<Slot> result;
  for (std::uint32_t round = 0; round <= leader.round; ++round) {
    const auto first = static_cast<std::ptrdiff_t>(result.size());
    for_each_node(fresh[round], [&](NodeId creator) { result.push_back({round, creator}); });
    if (order.hash_seed == 0) continue;
    std::sort(result.begin() + first, result.end(), [&order](const Slot& a, const Slot& b) {
      return mix64(order.hash_seed, a.creator) < mix64(order.hash_seed, b.creator);
    });
  }
  return result;
}

std::uint32_t wave_by_unsigned_lag(const std::vector<std::uint32_t>& chain, std::uint32_t decided) {
  const std::uint32_t wave = chain.back();
  if (wave == decided + 1) return wave;
  const std::uint32_t first_round = leader_round(decided + 1);
  const std::uint32_t last_round =
      chain.size() > 1 ? leader_round(chain[chain.size() - 2]) : 0;  // 0: none was chosen
  const std::uint32_t lag = last_round - first_round;
  return decided + lag / 2 + 2;
}

}  // namespace dissensus::dag
