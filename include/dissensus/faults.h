// The kinds of faults that scenarios and papers name, as plain values. A schedule holds any of them
// as a Fault (dissensus/schedule.h); what each does, and how it is written, is declared in
// src/faults/effects/, a file per kind of effect.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dissensus/schedule.h"

namespace dissensus::faults {

struct DropFault {
  static const FaultKind& kind();
  MessageFilter messages;
  Window when;
  std::optional<std::uint32_t> count;  ///< at most so many; none: all
  friend bool operator==(const DropFault&, const DropFault&) = default;
};
struct DuplicateFault {
  static const FaultKind& kind();
  MessageFilter messages;
  Window when;
  std::optional<std::uint32_t> count;
  Duration gap{};  ///< the copy arrives so much later
  friend bool operator==(const DuplicateFault&, const DuplicateFault&) = default;
};
/// Late by a fixed time, beside what link and scheduler take: a single message where `count` is 1.
struct DelayFault {
  static const FaultKind& kind();
  MessageFilter messages;
  Window when;
  std::optional<std::uint32_t> count;
  Duration by{};
  friend bool operator==(const DelayFault&, const DelayFault&) = default;
};
struct PartitionFault {
  static const FaultKind& kind();
  std::vector<NodeSet> groups;  ///< nodes not named form a further group
  Window when;
  friend bool operator==(const PartitionFault&, const PartitionFault&) = default;
};
/// What a node has just done when it crashes: an operation on its disk (a write, a sync or a
/// removal), or the sending of a message, which is under way then.
struct CrashPoint {
  std::optional<std::uint64_t> file_operation;  ///< that one, counted from 1 since its start, or
  std::optional<MessageKind> message;           ///< a message of this kind:
  std::uint32_t nth = 1;                        ///< that one, counted from 1
  friend bool operator==(const CrashPoint&, const CrashPoint&) = default;
};
struct CrashFault {
  static const FaultKind& kind();
  NodeId node = 0;
  std::optional<Duration> at;                      ///< by time, or
  std::optional<std::uint64_t> at_round;           ///< when the node enters this round, or skips it
  std::optional<Duration> restart_after;           ///< none: stays down
  std::optional<CrashPoint> point = std::nullopt;  ///< or by what the node does
  friend bool operator==(const CrashFault&, const CrashFault&) = default;
};

// Byzantine faults. Rounds are protocol rounds, counted as SystemDescription::first_round says, and
// `receivers` are always other nodes than the one that lies.

/// How far a changed field may be from the truth.
enum class MutationScope : std::uint8_t {
  small,  ///< a neighbouring value, or another one seen in the run
  any,    ///< any value at all
};

/// ByzzFuzz process fault: what `node` says itself in a round reaches the receivers changed, in one
/// field, validly signed. The same seed changes every message of a type in the same way.
struct MutateFault {
  static const FaultKind& kind();
  NodeId node = 0;
  std::uint64_t round = 0;
  NodeSet receivers;
  std::uint64_t seed = 0;
  MutationScope scope = MutationScope::small;
  std::string field;  ///< changes this one; empty: the seed chooses
  friend bool operator==(const MutateFault&, const MutateFault&) = default;
};
/// ByzzFuzz network fault: messages of a round are lost between groups.
struct RoundPartitionFault {
  static const FaultKind& kind();
  std::uint64_t round = 0;
  std::vector<NodeSet> groups;  ///< nodes not named form a further group
  friend bool operator==(const RoundPartitionFault&, const RoundPartitionFault&) = default;
};
/// The receivers hear nothing from `node`: in one protocol round, or during a window.
struct SilenceFault {
  static const FaultKind& kind();
  NodeId node = 0;
  NodeSet receivers;
  std::optional<std::uint64_t> round;
  Window when;
  friend bool operator==(const SilenceFault&, const SilenceFault&) = default;
};
/// In a round the receivers also get an earlier message of `node` again, of the same type.
struct ReplayFault {
  static const FaultKind& kind();
  NodeId node = 0;
  std::uint64_t round = 0;
  NodeSet receivers;
  std::uint64_t seed = 0;
  friend bool operator==(const ReplayFault&, const ReplayFault&) = default;
};
/// The naive baseline: each message is lost, or has a field set to anything, by chance.
struct NoiseFault {
  static const FaultKind& kind();
  std::optional<NodeId> node;  ///< none: of all nodes; then nothing is corrupted
  double drop = 0;
  double corrupt = 0;
  std::uint64_t seed = 0;
  Window when;
  friend bool operator==(const NoiseFault&, const NoiseFault&) = default;
};
/// Two honest copies of a node under one identity, from the start of the run. Among twins the first
/// copies talk with first copies, the second ones with second ones.
struct TwinsFault {
  static const FaultKind& kind();
  NodeId node = 0;
  NodeSet first;   ///< whom the first copy talks with
  NodeSet second;  ///< whom the second one talks with; a node in both hears both
  /// Until then the two sides hear each other only through nodes that both copies talk with.
  std::optional<Duration> apart_until;
  friend bool operator==(const TwinsFault&, const TwinsFault&) = default;
};
/// A node's clock is wrong during a window, by an offset and by what drift adds since its
/// beginning.
struct SkewFault {
  static const FaultKind& kind();
  NodeId node = 0;
  Duration offset{};
  std::int32_t drift_ppm = 0;
  Window when;
  friend bool operator==(const SkewFault&, const SkewFault&) = default;
};

// Faults of the environment beyond these: their windows may have an anchor, like those of
// partitions and skews.

/// Nodes are down during a window; those that were down already stay as they are.
struct OutageFault {
  static const FaultKind& kind();
  NodeSet nodes;
  Window when;  ///< without an end: they stay down
  friend bool operator==(const OutageFault&, const OutageFault&) = default;
};
/// Nodes stop and go on, their clocks with them: what arrives and what is due waits.
struct PauseFault {
  static const FaultKind& kind();
  NodeSet nodes;
  Window when;
  friend bool operator==(const PauseFault&, const PauseFault&) = default;
};
/// Links are cut, in shapes that are no partition into groups.
struct CutFault {
  static const FaultKind& kind();
  enum class Shape : std::uint8_t {
    bridge,   ///< the first node hears both sides; the rest of `nodes` is one side
    ring,     ///< each of `nodes` hears its neighbours in this order alone
    one_way,  ///< nobody outside hears `nodes`, which hear everybody
  };
  Shape shape = Shape::bridge;
  NodeSet nodes;
  Window when;
  friend bool operator==(const CutFault&, const CutFault&) = default;
};
/// Links that lose, repeat and reorder messages by chance.
struct LinkFault {
  static const FaultKind& kind();
  NodeSet senders;
  NodeSet receivers;
  double loss = 0;
  double duplicate = 0;
  Duration jitter{};  ///< each message is late by up to this
  std::uint64_t seed = 0;
  Window when;
  friend bool operator==(const LinkFault&, const LinkFault&) = default;
};
/// A node's disk (dissensus/disk.h) is in trouble.
struct DiskFault {
  static const FaultKind& kind();
  enum class Trouble : std::uint8_t {
    slow,      ///< syncs take `extra` longer
    error,     ///< writes and syncs fail
    no_space,  ///< writes fail
    corrupt,   ///< every read has a wrong bit
  };
  NodeId node = 0;
  Trouble trouble = Trouble::slow;
  Duration extra{};
  Window when;
  friend bool operator==(const DiskFault&, const DiskFault&) = default;
};

}  // namespace dissensus::faults
