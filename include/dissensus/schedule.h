// A schedule: what happens to messages and nodes in one run. A value here, a readable JSON document
// in a file (docs/formats/schedule.md) that can be mailed, edited by hand, and replayed alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "dissensus/description.h"
#include "dissensus/ids.h"
#include "dissensus/time.h"

namespace dissensus::faults {

/// The events of the papers, (sender, receiver, message kind), in one flat order:
/// index = kind * n(n-1) + from * (n-1) + to', where to' skips the sender.
struct GeneSpace {
  std::size_t nodes = 0;
  std::size_t kinds = 0;

  struct Gene {
    NodeId from;
    NodeId to;
    MessageKind kind;
  };
  std::size_t size() const { return kinds * nodes * (nodes - 1); }
  std::size_t index(NodeId from, NodeId to, MessageKind kind) const {
    return kind * nodes * (nodes - 1) + from * (nodes - 1) + (to > from ? to - 1u : to);
  }
  Gene gene(std::size_t index) const;
  friend bool operator==(const GeneSpace&, const GeneSpace&) = default;
};

/// Thesis Algorithm 3: each message waits for the delay of its gene.
struct DelaySchedule {
  std::vector<std::uint32_t> delay_ms;  ///< by gene index
  friend bool operator==(const DelaySchedule&, const DelaySchedule&) = default;
};
inline constexpr std::uint32_t kDelayMsMax = 3'600'000;

/// Equation 3.1. Rates are events per second, as shares of the number of genes.
struct PriorityRate {
  double base = 0.5;         ///< first rate
  double min = 1.0 / 6;      ///< lower bound
  double max = 1.0;          ///< upper bound
  double target = 10;        ///< wished size of the inbox
  double overflow = 1.2;     ///< faster above target x overflow
  double underflow = 0.8;    ///< slower below target x underflow
  double sensitivity = 1.2;  ///< factor of one change
  friend bool operator==(const PriorityRate&, const PriorityRate&) = default;
};

/// Thesis Algorithm 2: messages wait in an inbox; the one with the highest priority goes first.
struct PrioritySchedule {
  std::vector<std::uint32_t> priority;  ///< by gene index; a permutation of 1..genes; high = first
  PriorityRate rate;
  friend bool operator==(const PrioritySchedule&, const PrioritySchedule&) = default;
};

/// Single messages, told apart by gene and by how many of that gene were sent before. What online
/// schedulers (dissensus/scheduler.h) decided is recorded in this form.
struct MessageSchedule {
  struct Delay {
    std::uint32_t gene = 0;
    std::uint32_t nth = 0;  ///< counts from 0
    Duration delay{};
    friend bool operator==(const Delay&, const Delay&) = default;
  };
  std::vector<Delay> delays;  ///< ascending by (gene, nth); other messages are not delayed
  friend bool operator==(const MessageSchedule&, const MessageSchedule&) = default;
};

/// Something that happens in a run and that a fault can wait for: a node enters a phase, or a round
/// (that one, or a later one if it skips it).
struct Anchor {
  std::optional<std::uint32_t> phase;  ///< index into SystemDescription::phases, or
  std::optional<std::uint64_t> round;
  std::optional<NodeId> node;  ///< whose; none: anybody's
  std::uint32_t nth = 1;       ///< which time; counts from 1
  /// True: the fault's node numbers count from the node that did it: 0 is that node, 1 the next...
  bool relative = false;
  /// True: the fault ends when it happens once more, if not before.
  bool until_next = false;
  /// A time of the run: what happens then or later does not count, and the fault is over by then.
  std::optional<Duration> before = std::nullopt;
  friend bool operator==(const Anchor&, const Anchor&) = default;
};

/// When a fault acts: a span of virtual time, or of rounds of the sender, half open. One by round
/// leaves the times alone: `from` zero, `until` none.
struct Window {
  Duration from{};
  std::optional<Duration> until;  ///< none: to the end
  std::optional<std::uint64_t> from_round;
  std::optional<std::uint64_t> until_round;  ///< none: all later rounds
  /// Times count from there, not from the start of the run; what never happens starts nothing.
  std::optional<Anchor> after;
  bool by_round() const { return from_round.has_value(); }
  friend bool operator==(const Window&, const Window&) = default;
};

/// Which messages; an empty part matches all.
struct MessageFilter {
  std::optional<NodeId> from;
  std::optional<NodeId> to;
  std::optional<MessageKind> kind;
  friend bool operator==(const MessageFilter&, const MessageFilter&) = default;
};

struct DropFault {
  MessageFilter messages;
  Window when;
  std::optional<std::uint32_t> count;  ///< at most so many; none: all
  friend bool operator==(const DropFault&, const DropFault&) = default;
};
struct DuplicateFault {
  MessageFilter messages;
  Window when;
  std::optional<std::uint32_t> count;
  Duration gap{};  ///< the copy arrives so much later
  friend bool operator==(const DuplicateFault&, const DuplicateFault&) = default;
};
/// Late by a fixed time, beside what link and scheduler take: a single message where `count` is 1.
struct DelayFault {
  MessageFilter messages;
  Window when;
  std::optional<std::uint32_t> count;
  Duration by{};
  friend bool operator==(const DelayFault&, const DelayFault&) = default;
};
struct PartitionFault {
  std::vector<NodeSet> groups;  ///< nodes not named form a further group
  Window when;
  friend bool operator==(const PartitionFault&, const PartitionFault&) = default;
};
struct CrashFault {
  NodeId node = 0;
  std::optional<Duration> at;             ///< by time, or
  std::optional<std::uint64_t> at_round;  ///< when the node enters this round, or skips it
  std::optional<Duration> restart_after;  ///< none: stays down
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
  std::uint64_t round = 0;
  std::vector<NodeSet> groups;  ///< nodes not named form a further group
  friend bool operator==(const RoundPartitionFault&, const RoundPartitionFault&) = default;
};
/// The receivers hear nothing from `node`: in one protocol round, or during a window.
struct SilenceFault {
  NodeId node = 0;
  NodeSet receivers;
  std::optional<std::uint64_t> round;
  Window when;
  friend bool operator==(const SilenceFault&, const SilenceFault&) = default;
};
/// In a round the receivers also get an earlier message of `node` again, of the same type.
struct ReplayFault {
  NodeId node = 0;
  std::uint64_t round = 0;
  NodeSet receivers;
  std::uint64_t seed = 0;
  friend bool operator==(const ReplayFault&, const ReplayFault&) = default;
};
/// The naive baseline: each message is lost, or has a field set to anything, by chance.
struct NoiseFault {
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
  NodeSet nodes;
  Window when;  ///< without an end: they stay down
  friend bool operator==(const OutageFault&, const OutageFault&) = default;
};
/// Nodes stop and go on, their clocks with them: what arrives and what is due waits.
struct PauseFault {
  NodeSet nodes;
  Window when;
  friend bool operator==(const PauseFault&, const PauseFault&) = default;
};
/// Links are cut, in shapes that are no partition into groups.
struct CutFault {
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

using Fault =
    std::variant<DropFault, DuplicateFault, PartitionFault, CrashFault, MutateFault,
                 RoundPartitionFault, SilenceFault, ReplayFault, NoiseFault, TwinsFault, SkewFault,
                 OutageFault, PauseFault, CutFault, LinkFault, DiskFault, DelayFault>;
inline constexpr std::size_t kFaultsMax = 10'000;
inline constexpr std::int64_t kRoundMax = 1'000'000'000'000;

/// Seeds of faults survive every JSON reader.
inline constexpr std::int64_t kSeedMax = (std::int64_t{1} << 53) - 1;

/// All nodes but one, ascending.
NodeSet other_nodes(NodeId node, std::size_t nodes);
/// Nodes that these faults may make lie, ascending. Nothing is demanded of those that do, in the
/// runs in which they do (sim::World::lied). Lost, late and repeated messages, crashes and wrong
/// clocks make nobody a liar.
NodeSet byzantine_nodes(const std::vector<Fault>& faults);

struct Schedule {
  std::variant<std::monostate, DelaySchedule, PrioritySchedule, MessageSchedule> scheduler;
  std::vector<Fault> faults;
  friend bool operator==(const Schedule&, const Schedule&) = default;
  bool empty() const { return scheduler.index() == 0 && faults.empty(); }
};

}  // namespace dissensus::faults
