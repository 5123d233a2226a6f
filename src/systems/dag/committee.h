// Who takes part in an epoch, with how much stake, and who leads which wave.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "dissensus/ids.h"

namespace dissensus::dag {

/// A set of nodes, one bit each.
using Mask = std::uint64_t;
inline constexpr std::size_t kDagNodesMax = 64;
constexpr Mask mask_of(NodeId node) {
  return Mask{1} << node;
}

/// Calls `visit` with each member of a set, ascending.
template <class Visit>
void for_each_node(Mask mask, Visit visit) {
  for (; mask != 0; mask &= mask - 1) visit(static_cast<NodeId>(std::countr_zero(mask)));
}

enum class LeaderRule : std::uint8_t { round_robin, stake_hash };

class Committee {
 public:
  /// `stakes` has an entry per node of the system; nodes outside `members` do not count.
  Committee(std::uint32_t epoch, Mask members, const std::vector<std::uint64_t>& stakes,
            LeaderRule rule);

  Mask members() const { return mask_; }
  bool has(NodeId node) const { return node < kDagNodesMax && (mask_ & mask_of(node)) != 0; }
  std::size_t size() const { return members_.size(); }
  std::uint64_t stake_of(NodeId node) const { return stakes_[node]; }
  std::uint64_t stake_of(Mask nodes) const;
  std::uint64_t total() const { return total_; }
  /// More than two thirds: any two such sets share a correct member.
  bool is_quorum(std::uint64_t stake) const { return 3 * stake > 2 * total_; }
  /// One third: one correct member at least, since those who are faulty hold less.
  bool is_support(std::uint64_t stake) const { return 3 * stake >= total_; }

  /// The highest members, except one, with at most half of the stake: whom an equivocator lies to.
  Mask minority(NodeId except) const;

  /// Whose vertex in round 2 * wave - 1 leads the wave (1, 2, 3...).
  NodeId leader(std::uint32_t wave) const;

 private:
  std::uint32_t epoch_;
  LeaderRule rule_;
  Mask mask_;
  std::vector<NodeId> members_;
  std::vector<std::uint64_t> stakes_;  ///< by node; 0 outside the committee
  std::uint64_t total_ = 0;
};

// Waves: two rounds each, the leader's and the voters'; the genesis row belongs to wave 1.
constexpr std::uint32_t wave_of(std::uint32_t round) {
  return round == 0 ? 1 : (round + 1) / 2;
}
constexpr std::uint32_t leader_round(std::uint32_t wave) {
  return 2 * wave - 1;
}
constexpr std::uint32_t voting_round(std::uint32_t wave) {
  return 2 * wave;
}

}  // namespace dissensus::dag
