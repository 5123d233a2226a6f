// The fault part of a schedule while a run goes on: which messages are lost or doubled, which nodes
// are separated, which are down.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "faults/acted.h"
#include "faults/schedule.h"
#include "sim/world.h"

namespace dissensus::faults {

class FaultPlan {
 public:
  /// Partitions do not concern the last `bystanders` nodes, unless they name them. `acted` outlives
  /// the plan.
  FaultPlan(const std::vector<Fault>& faults, Acted& acted, std::size_t nodes,
            std::size_t bystanders = 0);

  /// Moments that lie before now() have passed: a span is entered in its middle, a crash is not
  /// made up for.
  void attach(sim::World& world);
  /// For one of the alarms that this plan set; tags are numbers of faults and small.
  void on_alarm(sim::World& world, std::uint64_t tag);
  void on_round(sim::World& world, NodeId node, std::uint64_t round);
  /// Ends all faults: partitions heal, nodes that have a restart coming restart now.
  void end(sim::World& world);

  /// True if no fault concerns messages.
  bool ignores_messages() const {
    return partitions_.empty() && drops_.empty() && duplicates_.empty() && delays_.empty();
  }
  bool separates(NodeId from, NodeId to) {
    bool is_separated = false;
    for (const std::uint32_t active : active_) {
      Partition& partition = partitions_[active];
      if (partition.group[from] == partition.group[to]) continue;
      if (partition.group[from] == kEverywhere || partition.group[to] == kEverywhere) continue;
      if (partition.span.by_round && !partition.inside[from]) continue;
      acted_.mark(partition.number);
      is_separated = true;
    }
    return is_separated;
  }
  /// True if the message is lost; uses up one of the fault's count.
  bool drops(const sim::World& world, const sim::Transmission& sent);
  /// How late the message is; uses up one of the count of each fault that matches.
  Duration lateness(const sim::World& world, const sim::Transmission& sent);
  /// How much later each further copy of the message arrives; uses up counts. Valid until the next
  /// call.
  std::span<const Duration> copies(const sim::World& world, const sim::Transmission& sent);

 private:
  /// A span of microseconds or of rounds, half open.
  struct Span {
    explicit Span(const Window& window);
    bool contains(std::uint64_t value) const { return value >= begin && value < end; }
    std::uint64_t begin;
    std::uint64_t end;
    bool by_round;
  };
  struct MessageFault {
    MessageFault(std::size_t fault, const MessageFilter& filter, const Window& window,
                 const std::optional<std::uint32_t>& count, Duration copy_gap);
    bool applies(const sim::World& world, const sim::Transmission& sent) const;
    std::size_t number;  ///< of the fault in the schedule
    Span span;
    std::uint64_t remaining;
    Duration gap;
    NodeId from;  ///< kNoNode: any; `to` and `kind` likewise
    NodeId to;
    MessageKind kind;
  };
  static constexpr std::uint64_t kForever = std::numeric_limits<std::uint64_t>::max();
  static constexpr std::uint16_t kEverywhere = 0xFFFF;  ///< the group of bystanders
  struct Partition {
    Partition(std::size_t fault_number, const PartitionFault& fault, std::size_t nodes,
              std::size_t bystanders);
    std::size_t number;
    Span span;
    std::vector<std::uint16_t> group;  ///< by node
    std::vector<bool> inside;          ///< by node: its round is within the span
    std::size_t inside_count = 0;
    std::string text;
    EventId event = 0;  ///< where it began, while it is active
  };
  struct Crash {
    CrashFault fault;
    std::size_t number;
    bool done = false;
    bool restart_pending = false;
  };

  void use(MessageFault& fault) {
    if (fault.remaining != kForever) --fault.remaining;
    acted_.mark(fault.number);
  }
  void attach_partition(sim::World& world, std::uint32_t index);
  void attach_crash(sim::World& world, std::uint32_t index);
  void begin(sim::World& world, std::uint32_t index);
  void heal(sim::World& world, std::uint32_t index);
  void move_inside(sim::World& world, std::uint32_t index, NodeId node, std::uint64_t round);
  void crash(sim::World& world, std::uint32_t index);
  void restart(sim::World& world, std::uint32_t index);

  Acted& acted_;
  std::vector<MessageFault> drops_;
  std::vector<MessageFault> duplicates_;
  std::vector<MessageFault> delays_;
  std::vector<Partition> partitions_;
  std::vector<Crash> crashes_;
  std::vector<std::uint32_t> active_;  ///< partitions, in the order in which they began
  std::vector<Duration> copies_;
  bool ended_ = false;
};

}  // namespace dissensus::faults
