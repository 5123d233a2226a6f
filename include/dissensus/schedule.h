// A schedule: what happens to messages and nodes in one run. A value here, a readable JSON document
// in a file (docs/formats/schedule.md) that can be mailed, edited by hand, and replayed alone.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
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

class FaultKind;

/// Something that may happen to messages and nodes: a value of one of the kinds of faults
/// (dissensus/faults.h). Cheap to copy.
class Fault {
 public:
  template <class Known>
  requires requires { Known::kind(); }
  Fault(Known fault)
      : kind_(&Known::kind()), value_(std::make_shared<const Known>(std::move(fault))) {}
  Fault(const FaultKind& kind, std::shared_ptr<const void> value)
      : kind_(&kind), value_(std::move(value)) {}

  const FaultKind& kind() const { return *kind_; }
  const void* value() const { return value_.get(); }
  /// Null where it is of another kind.
  template <class Known>
  const Known* as() const {
    return kind_ == &Known::kind() ? static_cast<const Known*>(value()) : nullptr;
  }
  friend bool operator==(const Fault& a, const Fault& b);

 private:
  const FaultKind* kind_;
  std::shared_ptr<const void> value_;
};
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
