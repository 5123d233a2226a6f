// Sets of replicas, one bit each, and the arithmetic of quorums.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "dissensus/ids.h"

namespace dissensus::pbft {

using Mask = std::uint64_t;
inline constexpr std::size_t kReplicasMax = 64;

constexpr Mask mask_of(NodeId node) {
  return Mask{1} << node;
}
constexpr std::size_t size_of(Mask mask) {
  return static_cast<std::size_t>(std::popcount(mask));
}

/// How many of `replicas` may be faulty: f, where there are 3f + 1 or a few more.
constexpr std::size_t faulty_max(std::size_t replicas) {
  return (replicas - 1) / 3;
}
/// Any two sets of this size share a correct replica: 2f + 1 where there are 3f + 1.
constexpr std::size_t quorum_of(std::size_t replicas) {
  return (replicas + faulty_max(replicas)) / 2 + 1;
}

}  // namespace dissensus::pbft
