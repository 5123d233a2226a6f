// A node of the DAG protocol (docs/systems/dag.md). It builds its copy of the DAG from vertices
// that it creates and receives, and reads blocks off it; each protocol step is one event.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "dissensus/node.h"

#include "systems/dag/committee.h"
#include "systems/dag/local_dag.h"
#include "systems/dag/messages.h"
#include "systems/dag/ordering.h"
#include "systems/dag/reliable_broadcast.h"
#include "systems/dag/settings.h"
#include "systems/dag/timers.h"

namespace dissensus::dag {

/// Indices into SystemDescription::levels, steps, phases and observables.
enum class Report : Level { block, leader, vertex };
enum class Step : std::uint32_t {
  next_round,
  receive,
  add,
  epoch_change,
  equivocate,
  stop,
  resume,
};
inline constexpr std::uint32_t kRunningPhase = 0;
inline constexpr std::uint32_t kStoppedPhase = 1;
inline constexpr std::uint32_t kEpochObservable = 0;
inline constexpr std::uint32_t kSkippedObservable = 1;

/// How the instances of the levels `leader` and `vertex` are numbered: the epoch tells scopes
/// apart.
inline constexpr std::uint8_t kEpochBits = 20;
constexpr std::uint64_t leader_instance(std::uint32_t epoch, std::uint32_t wave) {
  return std::uint64_t{wave} << kEpochBits | (epoch & ((1u << kEpochBits) - 1));
}
constexpr std::uint64_t vertex_instance(std::uint32_t epoch, std::uint32_t round, NodeId creator) {
  return (std::uint64_t{round} * 100 + creator) << kEpochBits | (epoch & ((1u << kEpochBits) - 1));
}

/// Vertices in `block` of Node::state are round * kSlotBase + creator.
inline constexpr std::int64_t kSlotBase = 100;

/// A decided leader.
struct DecidedLeader {
  std::uint32_t epoch = 0;
  std::uint32_t wave = 0;
  NodeId creator = 0;
};

struct Block {
  std::uint32_t epoch = 0;
  Digest value{};
  std::vector<Slot> vertices;
  bool is_known = true;  ///< false: only the seal of the epoch told the block
};

/// Asks a node to take the step next-round at once, without waiting for its loop. For whoever
/// drives nodes step by step.
class NextRoundRequest final : public dissensus::Request {
 public:
  std::vector<std::pair<std::string, FieldValue>> fields() const override {
    return {{"command", std::string("next-round")}};
  }
};

class DagNode final : public Node {
 public:
  /// `failure_seed` is not 0 for a node that may stop by itself.
  DagNode(const Settings& settings, NodeId id, std::uint64_t failure_seed);

  void start(Context& context) override;
  void receive(Context& context, NodeId from, const Message& message) override;
  void timer(Context& context, TimerId timer, std::uint64_t tag) override;
  void submit(Context& context, const dissensus::Request& request) override;
  /// All that a node has accepted was written to disk first; timers and unsent messages are lost.
  void restart(Context& context, const Node& before) override;
  StateValue::Record state() const override;

 private:
  /// What survives a crash.
  struct Disk {
    Disk(const Settings& settings, std::uint32_t first_epoch, const Digest& seal)
        : epoch(first_epoch),
          committee(settings.committee(first_epoch)),
          next_committee(settings.committee(first_epoch + 1)),
          dag(settings.nodes, committee, first_epoch, seal) {}

    std::uint32_t epoch;
    Committee committee;
    Committee next_committee;
    LocalDag dag;
    std::uint32_t round = 0;
    std::uint32_t equivocated = 0;       ///< a Byzantine node: the last round with two vertices
    std::uint32_t decided = 0;           ///< highest decided wave of the epoch
    std::vector<std::uint32_t> waves{};  ///< decided waves of the epoch, ascending
    std::uint64_t rounds_before = 0;     ///< rounds of earlier epochs
    std::size_t blocks_before = 0;       ///< blocks of earlier epochs
    std::vector<DecidedLeader> leaders{};
    std::vector<Block> blocks{};
    std::vector<Seal> seals{};           ///< of the epochs before
    std::optional<LocalDag> previous{};  ///< the DAG of the last epoch, for those who are late
    ReliableBroadcast broadcast{};
    std::vector<Vertex> early{};  ///< of the next epoch
    std::uint64_t pending = 0;    ///< identity of client requests that wait for a vertex
  };
  struct SealVotes {
    Seal seal;
    Mask authors = 0;
  };
  /// Where vertices are missing.
  struct Gap {
    std::uint32_t round = 0;
    Mask holders = 0;
  };
  struct Outgoing {
    NodeId to;
    Message message;
  };

  // Production (node.cpp).
  void produce(Context& context);
  bool may_produce() const;
  void create_vertex(Context& context, bool late_round);
  void equivocate(Context& context);
  void forge(Context& context);
  void arm_production(Context& context, bool produced);
  Vertex make_vertex(std::uint32_t round, std::uint8_t variant) const;
  void enter_round(Context& context);

  // Receiving and adding (node_vertices.cpp).
  void on_vertex(Context& context, NodeId from, const Vertex& vertex);
  void take_vertex(Context& context, const Vertex& vertex);
  void receive_early(Context& context);
  bool is_bounded(const Place& place) const;
  bool is_current(const Place& place) const;
  bool is_next_epoch(std::uint32_t epoch) const;
  bool is_valid(const Vertex& vertex) const;
  void add_vertex(Context& context, std::uint32_t round, NodeId creator);
  bool is_ready(std::uint32_t round, NodeId creator) const;
  void schedule_ready(Context& context, std::uint32_t round);
  void follow(Context& context, const Committee& committee, ReliableBroadcast::Outcome outcome);
  void on_fetch(Context& context, NodeId from, const Fetch& fetch);
  void answer(Context& context, NodeId to, const LocalDag& dag, const Place& place);
  void fetch_missing(Context& context);
  Gap lowest_gap() const;
  Fetch make_fetch(std::uint32_t gap) const;

  // Ordering and epochs (node_ordering.cpp).
  void try_commit(Context& context, std::uint32_t wave);
  void decide_leader(Context& context, std::uint32_t wave);
  bool is_epoch_complete() const;
  void on_seal(Context& context, NodeId from, const Seal& seal);
  const Seal* supported_seal() const;
  std::uint32_t completing_wave() const;
  void change_epoch(Context& context);
  void adopt(Context& context, const Seal& seal);

  // Sending (node.cpp).
  void send_to_members(Context& context, const Committee& committee, const Message& message,
                       Mask except = 0);
  void dispatch(Context& context, NodeId to, const Message& message);
  void flush(Context& context);

  // Failures (node.cpp).
  void plan_failure(Context& context);
  void stop(Context& context);
  void resume(Context& context);
  void send_last_vertex(Context& context);
  void arm_all(Context& context, Duration first_fetch);

  void add_full_state(StateValue::Record& record) const;
  void report_step(Context& context, Step step, std::initializer_list<std::int64_t> arguments);
  std::int64_t told_round(std::uint32_t round) const {
    return std::int64_t{round} + (settings_.has(Bug::rounds_from_one) ? 1 : 0);
  }
  bool check(Guard guard, bool condition) const { return settings_.guards.check(guard, condition); }
  /// Of this epoch or the next.
  const Committee& committee_of(std::uint32_t epoch) const {
    return epoch == disk_.epoch ? disk_.committee : disk_.next_committee;
  }
  Duration draw(Context& context, const DelayRange& range) const;

  const Settings& settings_;
  const NodeId id_;
  Random failure_random_;
  const bool may_fail_;
  Disk disk_;
  // Lost in a crash.
  bool alive_ = true;
  bool round_due_ = false;  ///< Bug::late_round: the counter has not followed yet
  bool will_stop_ = false;
  // What steps have told of disk_.leaders and disk_.blocks.
  std::size_t leaders_told_ = 0;
  std::size_t blocks_told_ = 0;
  std::uint32_t highest_seen_ = 0;   ///< round of any vertex received in this epoch
  std::uint32_t round_fetched_ = 0;  ///< where the node stood when it last looked for gaps
  NodeId highest_from_ = kNoNode;    ///< whose it was
  std::uint32_t next_peer_ = 0;
  std::uint32_t forgeries_ = 0;
  TimerId produce_timer_ = TimerId::none;
  TimerId fetch_timer_ = TimerId::none;
  std::vector<SealVotes> seal_votes_;  ///< for the end of this epoch
  std::deque<Outgoing> outgoing_;
};

}  // namespace dissensus::dag
