// A schedule: what happens to messages and nodes in one run. A readable JSON document
// (docs/formats/schedule.md) that can be mailed, edited by hand, and replayed alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dissensus/description.h"
#include "dissensus/ids.h"
#include "dissensus/options.h"
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

/// When a fault acts: a span of virtual time, or of rounds of the sender, half open. One by round
/// leaves the times alone: `from` zero, `until` none.
struct Window {
  Duration from{};
  std::optional<Duration> until;  ///< none: to the end
  std::optional<std::uint64_t> from_round;
  std::optional<std::uint64_t> until_round;  ///< none: all later rounds
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
using Fault = std::variant<DropFault, DuplicateFault, PartitionFault, CrashFault>;
inline constexpr std::size_t kFaultsMax = 10'000;
inline constexpr std::int64_t kRoundMax = 1'000'000'000'000;

struct Schedule {
  std::variant<std::monostate, DelaySchedule, PrioritySchedule> scheduler;
  std::vector<Fault> faults;
  friend bool operator==(const Schedule&, const Schedule&) = default;
  bool empty() const { return scheduler.index() == 0 && faults.empty(); }
};

inline constexpr std::string_view kScheduleFormat = "dissensus-schedule/1";

/// Reads a schedule for a system with this description and number of nodes; throws InputError.
Schedule read_schedule(const Options& document, const SystemDescription& description,
                       std::size_t nodes);
Schedule parse_schedule(std::string_view json, std::string name,
                        const SystemDescription& description, std::size_t nodes);
/// The document; parse_schedule gives back an equal schedule.
std::string to_json(const Schedule& schedule, const SystemDescription& description,
                    std::size_t nodes);

}  // namespace dissensus::faults
