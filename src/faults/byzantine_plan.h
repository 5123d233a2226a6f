// The Byzantine part of a fault plan while a run goes on: who lies to whom about what, who is heard
// by whom, which nodes exist twice, and whose clock is wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "dissensus/random.h"

#include "faults/acted.h"
#include "faults/mutation.h"
#include "faults/schedule.h"
#include "sim/world.h"

namespace dissensus::faults {

/// The protocol round of a message that a node sends now (SystemDescription::first_round); none for
/// kinds without a step, and before the first round.
std::optional<std::uint64_t> protocol_round(const sim::World& world, NodeId from, MessageKind kind);

class ByzantinePlan {
 public:
  /// `faults` and `acted` must outlive the plan; faults of other types are passed over.
  ByzantinePlan(const std::vector<Fault>& faults, Acted& acted, std::size_t nodes);

  void attach(sim::World& world);
  /// Tags of this plan's alarms have kAlarmBit set.
  static constexpr std::uint64_t kAlarmBit = std::uint64_t{1} << 62;
  void on_alarm(sim::World& world, std::uint64_t tag);
  void on_round(sim::World& world, NodeId node, std::uint64_t round);
  /// Ends all faults: clocks are right again, twins stop.
  void end(sim::World& world);
  /// Lets go of the messages that it keeps for replay.
  void forget();

  bool sees_messages() const { return sees_messages_; }
  /// What became of a message: dropped where `passes` is false.
  struct Fate {
    bool passes = true;
    DropReason reason = DropReason::schedule;
    std::optional<sim::Transmission> replay;  ///< arrives behind it
  };
  /// Decides about a message and may put another one in its place.
  Fate judge(sim::World& world, sim::Transmission& sent);

  /// The copies of the receiver that a message goes to.
  struct Copies {
    bool first = true;
    NodeId second = kNoNode;  ///< the twin's name; kNoNode: none
  };
  Copies receivers_of(const sim::Transmission& sent) const;
  /// A message passes to the copies of its receiver.
  void note_copies(const sim::Transmission& sent, const Copies& copies);

 private:
  using Nodes = std::vector<bool>;  ///< by node

  struct Mutate {
    const MutateFault* fault;
    std::size_t number;  ///< of the fault in the schedule
    Nodes receivers;
  };
  struct RoundPartition {
    std::uint64_t round;
    std::size_t number;
    std::vector<std::uint16_t> group;  ///< by node
  };
  struct Silence {
    const SilenceFault* fault;
    std::size_t number;
    Nodes receivers;
  };
  struct Replay {
    const ReplayFault* fault;
    std::size_t number;
    Nodes receivers;
    std::vector<sim::Transmission> sent;  ///< before the round
  };
  struct Noise {
    const NoiseFault* fault;
    std::size_t number;
    Random random;
  };
  struct Twins {
    const TwinsFault* fault;
    std::size_t number;
    Nodes first_peers;
    Nodes second_peers;
    NodeId second = kNoNode;  ///< the twin's name; kNoNode: there is none
    /// What the first copy has said. As long as the second one says nothing else, both are one
    /// honest node to everybody.
    std::set<Digest> said = {};
  };
  struct Skew {
    const SkewFault* fault;
    std::size_t number;
    Time since{};
    bool active = false;
  };

  bool is_separated(const sim::World& world, const sim::Transmission& sent,
                    const std::optional<std::uint64_t>& round);
  const Twins* twins_of(NodeId node) const;
  /// Whether the second copy of a node says here what the first one has not.
  bool contradicts_first(const sim::Transmission& sent);
  bool twins_let_pass(const sim::World& world, const sim::Transmission& sent) const;
  void falsify(sim::World& world, sim::Transmission& sent, const MutationOrder& order,
               std::size_t number);
  std::optional<sim::Transmission> replayed(sim::World& world, const sim::Transmission& sent,
                                            const std::optional<std::uint64_t>& round);
  void start_skew(sim::World& world, Skew& skew);
  void stop_skew(sim::World& world, Skew& skew);

  Acted& acted_;
  std::size_t nodes_;
  std::vector<Mutate> mutations_;
  std::vector<RoundPartition> partitions_;
  std::vector<Silence> silences_;
  std::vector<Replay> replays_;
  std::vector<Noise> noises_;
  std::vector<Twins> twins_;
  std::vector<Skew> skews_;
  std::optional<SeenValues> seen_;
  bool sees_messages_ = false;
  bool falsifies_ = false;
  bool ended_ = false;
};

}  // namespace dissensus::faults
