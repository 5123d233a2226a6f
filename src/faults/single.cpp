#include "faults/single.h"

#include <utility>

#include "dissensus/faults.h"

namespace dissensus::faults {

Fault lost(const MessageFilter& messages, const Window& when, std::optional<std::uint32_t> count) {
  return DropFault{messages, when, count};
}
Fault late(const MessageFilter& messages, const Window& when, std::uint32_t count, Duration by) {
  return DelayFault{messages, when, count, by};
}
Fault doubled(const MessageFilter& messages, const Window& when, std::uint32_t count,
              Duration gap) {
  return DuplicateFault{messages, when, count, gap};
}
Fault lie(NodeId node, std::uint64_t round, NodeId receiver, std::uint64_t seed,
          std::string field) {
  return MutateFault{node, round, {receiver}, seed, MutationScope::any, std::move(field)};
}
Fault down(NodeId node, Duration at, std::optional<Duration> length) {
  return CrashFault{node, at, std::nullopt, length};
}
Fault paused(NodeId node, const Window& when) {
  return PauseFault{{node}, when};
}
Fault cut_off(NodeId node, const Window& when) {
  return PartitionFault{{{node}}, when};
}

}  // namespace dissensus::faults
