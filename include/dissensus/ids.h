// Small identifiers used in every signature of the project.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dissensus {

/// A node's index, 0 to nodes - 1. Files and reports use the same numbers.
using NodeId = std::uint16_t;
inline constexpr NodeId kNoNode = 0xFFFF;
inline constexpr std::size_t kMaxNodes = 1000;

/// Index into SystemDescription::kinds.
using MessageKind = std::uint16_t;
inline constexpr MessageKind kNoKind = 0xFFFF;

/// Index into SystemDescription::levels.
using Level = std::uint8_t;

/// Number of an event of a run: 1, 2, 3... in the order in which things happened; 0 means none.
using EventId = std::uint64_t;

/// Names a pending timer; opaque to nodes.
enum class TimerId : std::uint64_t { none = 0 };

}  // namespace dissensus
