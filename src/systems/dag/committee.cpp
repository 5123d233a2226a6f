#include "systems/dag/committee.h"

#include "dissensus/digest.h"

#include "core/assert.h"

namespace dissensus::dag {

Committee::Committee(std::uint32_t epoch, Mask members, const std::vector<std::uint64_t>& stakes,
                     LeaderRule rule)
    : epoch_(epoch), rule_(rule), mask_(members), stakes_(stakes.size(), 0) {
  DISSENSUS_ASSERT(members != 0, "Committee : somebody is a member");
  for_each_node(members, [&](NodeId node) {
    members_.push_back(node);
    stakes_[node] = stakes[node];
    total_ += stakes[node];
  });
}

std::uint64_t Committee::stake_of(Mask nodes) const {
  std::uint64_t sum = 0;
  for_each_node(nodes & mask_, [&](NodeId node) { sum += stakes_[node]; });
  return sum;
}

Mask Committee::minority(NodeId except) const {
  Mask result = 0;
  std::uint64_t stake = 0;
  for (std::size_t i = members_.size(); i-- > 0;) {
    const NodeId member = members_[i];
    if (member == except) continue;
    stake += stakes_[member];
    if (2 * stake > total_) break;
    result |= mask_of(member);
  }
  return result;
}

NodeId Committee::leader(std::uint32_t wave) const {
  if (rule_ == LeaderRule::round_robin) return members_[(wave - 1) % members_.size()];
  const Digest draw = DigestBuilder{}.add(epoch_).add(wave).finish();
  std::uint64_t place = draw.low % total_;
  for (const NodeId node : members_) {
    if (place < stakes_[node]) return node;
    place -= stakes_[node];
  }
  return members_.back();
}

}  // namespace dissensus::dag
