// Faults that concern one message or one node, for whoever makes them of what was seen in a run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "dissensus/schedule.h"

namespace dissensus::faults {

/// Without a count: all of them.
Fault lost(const MessageFilter& messages, const Window& when, std::optional<std::uint32_t> count);
Fault late(const MessageFilter& messages, const Window& when, std::uint32_t count, Duration by);
Fault doubled(const MessageFilter& messages, const Window& when, std::uint32_t count, Duration gap);
/// What `node` says in a protocol round reaches `receiver` with anything in its field (empty: the
/// seed chooses).
Fault lie(NodeId node, std::uint64_t round, NodeId receiver, std::uint64_t seed, std::string field);
/// Without a length: for good.
Fault down(NodeId node, Duration at, std::optional<Duration> length = std::nullopt);
Fault paused(NodeId node, const Window& when);
Fault cut_off(NodeId node, const Window& when);

}  // namespace dissensus::faults
