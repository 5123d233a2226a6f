#include "systems/dag/guards.h"

namespace dissensus::dag {

namespace {
constexpr std::array<GuardDescription, kGuards> kDescriptions{{
    {"alive", "every step", "a node that stopped does nothing"},
    {"row-quorum", "next-round", "a vertex has a quorum of parents, so rows cannot be outrun"},
    {"own-vertex", "next-round", "a node builds on its own last vertex; outsiders have none"},
    {"receiver-member", "receive", "nodes outside the committee take no part in its DAG"},
    {"vertex-epoch", "receive", "vertices of other epochs stay out of this one's DAG"},
    {"members-only", "receive", "vertices of strangers stay out of the DAG"},
    {"parents-quorum", "receive", "vertices without a quorum of parents stay out"},
    {"self-parent", "receive", "a vertex builds on its creator's vertex of the row before"},
    {"first-in-slot", "receive", "of a creator and round only the first vertex is taken"},
    {"buffered", "add", "only what was received is added"},
    {"round-bound", "add", "a row stays empty until the node has its own vertex in it"},
    {"slot-empty", "add", "a vertex that was added stays as it is and counts once"},
    {"parents-present", "add", "the history of a vertex is complete"},
    {"wave-end", "commit", "votes are counted when an even round is left"},
    {"wave-undecided", "commit", "a wave is decided once"},
    {"epoch-open", "commit", "an epoch ends with the same leader everywhere"},
    {"leader-present", "commit", "an absent leader is not decided"},
    {"vote-quorum", "commit", "every later vertex reaches a decided leader"},
    {"earlier-leader-present", "commit", "a skipped leader that is absent stays skipped"},
    {"earlier-leader-reachable", "commit", "all nodes choose the same skipped leaders"},
    {"undelivered", "commit", "a vertex is in one block only"},
    {"epoch-complete", "epoch-change", "an epoch has its number of decided waves"},
    {"seal-support", "seal", "one correct member at least vouches for a seal"},
    {"echo-creator", "echo", "a vertex is echoed when it comes from its creator"},
    {"echo-once", "echo", "a node echoes one vertex per slot"},
    {"echo-quorum", "ready", "two vertices of one slot cannot both become ready"},
    {"ready-once", "ready", "a node is ready for one vertex per slot"},
    {"ready-support", "ready", "one correct member at least is ready before others follow"},
    {"deliver-quorum", "receive", "what one correct node receives all receive"},
}};
}  // namespace

std::span<const GuardDescription> guards() {
  return kDescriptions;
}

std::optional<Guard> find_guard(std::string_view name) {
  for (std::size_t i = 0; i < kDescriptions.size(); ++i) {
    if (kDescriptions[i].name == name) return static_cast<Guard>(i);
  }
  return std::nullopt;
}

}  // namespace dissensus::dag
