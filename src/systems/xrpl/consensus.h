// One round after another: the algorithm of consensus.md 6 to 8, free of network and simulator.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "dissensus/ids.h"
#include "dissensus/message.h"
#include "dissensus/time.h"

#include "systems/xrpl/dispute.h"
#include "systems/xrpl/ledger.h"
#include "systems/xrpl/messages.h"
#include "systems/xrpl/parameters.h"

namespace dissensus::xrpl {

enum class Phase : std::uint8_t { open, establish, accepted };
enum class Mode : std::uint8_t { proposing, observing, wrong_ledger, switched_ledger };
enum class ConsensusState : std::uint8_t { no, yes, moved_on, expired };

/// The two clocks of consensus.md 2 at one moment: steady time and closeTime().
struct Moment {
  Time steady{};
  NetTime network = 0;
};

/// Our own position in a round.
struct Position {
  Digest previous_ledger;
  const TxSet* set = nullptr;
  NetTime close_time = 0;
  NetTime time = 0;  ///< when it was taken
  std::uint32_t propose_seq = 0;
  bool bowed_out() const { return propose_seq == kBowOut; }
};

/// Close times of initial proposals, ascending.
struct RawCloseTimes {
  NetTime self = 0;
  std::vector<std::pair<NetTime, std::size_t>> peers;
};

/// needed(n, p) of 6.6.
constexpr std::int64_t needed_votes(std::int64_t participants, std::int64_t percent) {
  const std::int64_t votes = (participants * percent + percent / 2) / 100;
  return votes > 1 ? votes : 1;
}

/// The inputs of 6.7.
struct ConsensusCounts {
  std::int64_t previous_proposers = 0;
  std::int64_t proposers = 0;
  std::int64_t agree = 0;
  std::int64_t finished = 0;
  std::int64_t previous_round_ms = 0;
  std::int64_t round_ms = 0;
  bool stalled = false;
  bool proposing = false;
};
ConsensusState check_consensus(const Parameters& parameters, const ConsensusCounts& counts);

/// The inputs of 6.3.
struct CloseInputs {
  bool any_transactions = false;
  std::int64_t closed = 0;
  std::int64_t validated = 0;
  std::int64_t previous_proposers = 0;
  std::int64_t previous_round_ms = 0;
  std::int64_t open_ms = 0;
  std::int64_t since_close_ms = 0;
  std::int64_t idle_ms = 0;
};
bool should_close(const Parameters& parameters, const CloseInputs& inputs);

/// The inputs of 6.8.
struct PauseInputs {
  std::uint32_t working_seq = 0;
  std::uint32_t valid_seq = 0;
  std::size_t laggards = 0;
  std::size_t offline = 0;
  std::size_t trusted = 0;
  std::size_t quorum = 0;
  std::int64_t round_ms = 0;
  bool is_validator = true;
  bool have_validated = false;
};
bool should_pause(const Parameters& parameters, const PauseInputs& inputs);

/// What a round needs of its node.
class ConsensusHost {
 public:
  virtual ~ConsensusHost() = default;

  /// The ledger if it is held; otherwise starts to acquire it.
  virtual const Ledger* obtain_parent(const Digest& id) = 0;
  /// The set if it is held; otherwise starts to acquire it (12.1 getSet).
  virtual const TxSet* obtain_set(const Digest& id) = 0;
  /// The set of these transactions, which becomes available to others only through publish.
  virtual const TxSet* make_set(std::vector<TxIndex> transactions) = 0;
  virtual void publish_set(const TxSet& set) = 0;

  virtual void propose(const Position& position) = 0;
  virtual void relay_proposal(const Message& message, std::span<const NodeId> senders) = 0;
  virtual void relay_disputed(TxIndex tx) = 0;

  virtual bool open_ledger_has_transactions() const = 0;
  virtual std::size_t full_validations(const Digest& ledger) const = 0;
  virtual std::size_t finished_validators(const Ledger& held, const Digest& id,
                                          const Moment& now) = 0;
  /// getPreferred with minSeq (6.9); also lowers the operating mode where it differs.
  virtual Digest preferred_parent(const Ledger& held, const Digest& id, Mode mode,
                                  const Moment& now) = 0;
  virtual PauseInputs pause_inputs(const Ledger& held, const Moment& now) const = 0;

  /// 6.4 step 2: what leaves the open ledger becomes our initial set.
  struct Closed {
    const TxSet* set = nullptr;
    Digest parent;
  };
  virtual Closed on_close(const Ledger& held, Mode mode, const Moment& now) = 0;
  /// The round ended; the node builds the ledger and starts the next round later.
  virtual void on_accept(ConsensusState state, std::size_t positions) = 0;
  virtual void on_phase(Phase phase) = 0;
  virtual void on_round(const Ledger& previous) = 0;
  virtual void on_position(const Position& position) = 0;
  /// An older proposal replaced a newer one, which only bug B1 allows.
  virtual void on_regression(NodeId origin) = 0;

  // Steps that a formal model knows beside the above (specs/xrpl), each when it is complete.
  virtual void on_begun() {}  ///< a round, before stored proposals are looked at
  virtual void on_left() {}   ///< no longer proposing in this round
  virtual void on_other_parent() {}
  virtual void on_peer_position(const ProposeSet& /*proposal*/) {}
  virtual void on_stale_position(NodeId /*origin*/) {}
  virtual void on_set(const TxSet& /*set*/) {}
};

class Consensus {
 public:
  /// `nodes` bounds the ids of proposers.
  Consensus(const Parameters& parameters, ConsensusHost& host, std::size_t nodes);

  void start_round(const Moment& now, const Digest& previous_id, const Ledger& previous,
                   bool proposing);
  void timer_entry(const Moment& now);
  /// A trusted proposal that was not seen before (7.3); true when it should be relayed now. A
  /// proposal that is not relayed now may be later, by replay (7.4).
  bool peer_proposal(const Moment& now, const ProposeSet& proposal, std::uint32_t number,
                     const Message& message, NodeId from);
  /// A proposal that was seen before came from another peer too.
  void seen_again(NodeId origin, std::uint32_t number, NodeId from);
  void got_set(const Moment& now, const TxSet& set);

  /// Warm start: as if a round on `previous` of this length with this many proposers had just
  /// ended with this position. The host either starts the next round or builds the ledger first.
  void assume_accepted(const Moment& now, const Ledger& previous, const Position& position,
                       std::size_t proposers, std::int64_t round_ms);

  Phase phase() const { return phase_; }
  Mode mode() const { return mode_; }
  const Ledger* previous_ledger() const { return previous_; }
  const Digest& previous_id() const { return previous_id_; }
  const Position& position() const { return position_; }
  bool has_position() const { return has_position_; }
  const std::vector<Dispute>& disputes() const { return disputes_; }
  const RawCloseTimes& raw_close_times() const { return raw_close_times_; }
  std::uint8_t close_resolution() const { return close_resolution_; }
  ConsensusState state() const { return state_; }
  std::size_t peer_positions() const { return positions_; }
  /// Peers whose position is ours.
  std::size_t agreeing_positions() const;
  std::int64_t converge_percent() const { return converge_percent_; }

 private:
  struct PeerPosition {
    Digest set_id;
    const TxSet* set = nullptr;  ///< null: not acquired
    NetTime close_time = 0;
    NetTime seen = 0;
    std::uint32_t propose_seq = 0;
    bool present = false;
    bool dead = false;
  };
  struct StoredProposal {
    Message message;
    std::vector<NodeId> senders;  ///< who sent it to us, while it has not been relayed
    NetTime seen = 0;
    std::uint32_t number = 0;
    bool relayed = false;
  };

  void begin(const Moment& now, Mode mode, const Digest& previous_id, const Ledger& previous);
  void phase_open();
  void close_ledger();
  void phase_establish();
  void update_our_positions();
  void drop_stale_positions();
  const TxSet* update_disputed_votes();
  NetTime vote_on_close_time();
  void change_position(const TxSet& set, NetTime close_time);
  bool have_consensus();
  bool is_stalled() const;
  void check_ledger();
  void handle_wrong_ledger(const Digest& preferred);
  void leave_consensus();
  void clear_positions();
  void replay_proposals();
  bool take_position(NodeId origin, const ProposeSet& proposal, NetTime seen);
  void withdraw(NodeId origin);
  void create_disputes(const TxSet& other);
  void update_disputes(NodeId origin, const TxSet& other);
  const TxSet* acquired(const Digest& id) const;
  void set_phase(Phase phase);
  std::int64_t milliseconds_since(Time start) const;

  const Parameters& parameters_;
  ConsensusHost& host_;
  Moment now_;

  Phase phase_ = Phase::accepted;
  Mode mode_ = Mode::observing;
  ConsensusState state_ = ConsensusState::no;
  Digest previous_id_;
  const Ledger* previous_ = nullptr;
  Position position_;
  bool has_position_ = false;
  bool have_close_time_consensus_ = false;
  bool first_round_ = true;
  std::uint8_t close_resolution_ = 30;
  Time open_since_{};
  Time round_since_{};
  std::int64_t round_ms_ = 0;
  std::int64_t converge_percent_ = 0;
  std::int64_t establish_ticks_ = 0;
  std::int64_t peers_unchanged_ticks_ = 0;
  std::int64_t previous_round_ms_ = 0;
  std::size_t previous_proposers_ = 0;
  NetTime previous_close_time_ = 0;
  RawCloseTimes raw_close_times_;

  std::vector<PeerPosition> peers_;  ///< by node
  std::size_t positions_ = 0;        ///< how many of them are present
  std::vector<Dispute> disputes_;    ///< by ascending transaction number
  std::vector<Digest> compared_;
  std::vector<const TxSet*> acquired_;
  std::vector<StoredProposal> recent_;  ///< a ring of recent_proposals per node
  std::vector<std::uint32_t> recent_next_;
  std::vector<std::pair<NetTime, std::int64_t>> close_votes_;  ///< scratch of the current tick
};

}  // namespace dissensus::xrpl
