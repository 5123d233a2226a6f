// The round algorithm with a scripted host (consensus.md 6 to 8).
#include "systems/xrpl/consensus.h"

#include <map>

#include <gtest/gtest.h>

#include "systems/xrpl/close_time.h"
#include "systems/xrpl/store.h"

namespace dissensus::xrpl {
namespace {

constexpr NetTime kStart = 780'000'000;

class ConsensusTest : public ::testing::Test, public ConsensusHost {
 protected:
  ConsensusTest() : store_(Fees{}) {
    description_ = SystemDescription{};
    describe_messages(description_, KindScheme::thirteen);
    const Ledger* root = store_.add_root(State{}, 4, kStart - 20);
    previous_ = store_.build(*root, *store_.empty_set(), kStart - 10, 10).ledger;
    other_ = store_.build(*root, *store_.empty_set(), kStart, 10).ledger;
    Payment payment;
    for (std::uint32_t i = 0; i < 3; ++i) {
      payment.sequence = i;
      transactions_.push_back(store_.add(payment));
    }
    open_ = store_.empty_set();
    preferred_ = previous_->id;
    rebuild({});
  }
  void rebuild(const Parameters& parameters) {
    parameters_ = parameters;
    consensus_ = std::make_unique<Consensus>(parameters_, *this, 5);
  }
  Moment at(std::int64_t ms) const {
    return {Time{std::chrono::milliseconds(ms)}, kStart + ms / 1000};
  }
  /// A round that begins at 0 and is closed at 1000 ms as a proposer.
  void start_and_close(bool proposing = true) {
    Position position;
    position.set = store_.empty_set();
    position.close_time = kStart - 3;
    consensus_->assume_accepted(at(0), *previous_, position, 4, 2000);
    consensus_->start_round(at(0), previous_->id, *previous_, proposing);
    validated_ = 5;
    consensus_->timer_entry(at(1000));
  }
  bool propose_from(NodeId origin, std::uint32_t seq, const TxSet& set, std::int64_t ms,
                    NetTime close_time = kStart, const Ledger* parent = nullptr) {
    ProposeSet proposal;
    proposal.position = set.id;
    proposal.previous_ledger = (parent == nullptr ? previous_ : parent)->id;
    proposal.close_time = static_cast<std::uint32_t>(close_time);
    proposal.propose_seq = seq;
    proposal.origin = origin;
    proposal.number = ++numbers_;
    const Message message = pool_.make(proposal, description_);
    return consensus_->peer_proposal(at(ms), proposal, proposal.number, message, origin);
  }
  const TxSet& set(std::vector<TxIndex> transactions) {
    const TxSet* made = store_.set_of(std::move(transactions));
    available_[made->id] = made;
    return *made;
  }

  const Ledger* obtain_parent(const Digest& id) override {
    return holds_other_ ? store_.find_ledger(id) : nullptr;
  }
  const TxSet* obtain_set(const Digest& id) override {
    if (id.is_zero()) return store_.empty_set();
    const auto found = available_.find(id);
    return found == available_.end() ? nullptr : found->second;
  }
  const TxSet* make_set(std::vector<TxIndex> transactions) override {
    return store_.set_of(std::move(transactions));
  }
  void publish_set(const TxSet& made) override { published_.push_back(made.id); }
  void propose(const Position& position) override { proposals_.push_back(position); }
  void relay_proposal(const Message&, std::span<const NodeId> senders) override {
    relayed_.emplace_back(senders.begin(), senders.end());
  }
  void relay_disputed(TxIndex tx) override { disputed_.push_back(tx); }
  bool open_ledger_has_transactions() const override { return !open_->transactions.empty(); }
  std::size_t full_validations(const Digest&) const override { return validated_; }
  std::size_t finished_validators(const Ledger&, const Digest&, const Moment&) override {
    return finished_;
  }
  Digest preferred_parent(const Ledger&, const Digest&, Mode, const Moment&) override {
    return preferred_;
  }
  PauseInputs pause_inputs(const Ledger&, const Moment&) const override { return {}; }
  Closed on_close(const Ledger&, Mode, const Moment&) override { return {open_, previous_->id}; }
  void on_accept(ConsensusState state, std::size_t) override { accepted_.push_back(state); }
  void on_phase(Phase) override {}
  void on_round(const Ledger&) override { ++rounds_; }
  void on_position(const Position&) override {}
  void on_regression(NodeId) override { ++regressions_; }

  Store store_;
  SystemDescription description_;
  MessagePool pool_;
  Parameters parameters_;
  const Ledger* previous_;
  const Ledger* other_;
  std::vector<TxIndex> transactions_;
  const TxSet* open_;
  Digest preferred_;
  std::size_t validated_ = 0;
  std::size_t finished_ = 0;
  bool holds_other_ = false;
  std::uint32_t numbers_ = 0;
  int rounds_ = 0;
  int regressions_ = 0;
  std::map<Digest, const TxSet*> available_;
  std::vector<Digest> published_;
  std::vector<Position> proposals_;
  std::vector<std::vector<NodeId>> relayed_;
  std::vector<TxIndex> disputed_;
  std::vector<ConsensusState> accepted_;
  std::unique_ptr<Consensus> consensus_;
};

// 6.4 and 19.6: close, propose, evaluate after 2 s, accept.
TEST_F(ConsensusTest, AgreeingPeersAcceptAfterTwoSeconds) {
  start_and_close();
  EXPECT_EQ(consensus_->phase(), Phase::establish);
  ASSERT_EQ(proposals_.size(), 1u);
  EXPECT_EQ(proposals_[0].propose_seq, 0u);
  EXPECT_EQ(proposals_[0].close_time, kStart + 1);
  for (NodeId peer = 1; peer < 5; ++peer) {
    EXPECT_TRUE(propose_from(peer, 0, *store_.empty_set(), 1100, kStart + 1));
  }
  consensus_->timer_entry(at(2000));
  EXPECT_TRUE(accepted_.empty()) << "not before 1950 ms";
  consensus_->timer_entry(at(3000));
  EXPECT_EQ(accepted_, std::vector<ConsensusState>{ConsensusState::yes});
  EXPECT_EQ(consensus_->phase(), Phase::accepted);
  EXPECT_EQ(proposals_.size(), 1u) << "nothing to change";
}

// 7.3 step 4: only a larger sequence replaces a position.
TEST_F(ConsensusTest, OlderProposalsAreIgnored) {
  start_and_close();
  const TxSet& set_a = set({transactions_[0]});
  EXPECT_TRUE(propose_from(1, 1, set_a, 1100));
  EXPECT_FALSE(propose_from(1, 0, *store_.empty_set(), 1200));
  EXPECT_FALSE(propose_from(1, 1, *store_.empty_set(), 1300));
  EXPECT_TRUE(propose_from(1, 2, *store_.empty_set(), 1400));
}

// 16, B1: the check is gone and a delayed older proposal wins.
TEST_F(ConsensusTest, BugB1LetsOlderProposalsOverwrite) {
  Parameters parameters;
  ASSERT_TRUE(apply_bug("B1", parameters));
  rebuild(parameters);
  start_and_close();
  const TxSet& set_a = set({transactions_[0]});
  for (NodeId peer = 1; peer < 5; ++peer) propose_from(peer, 1, set_a, 1100, kStart + 1);
  for (NodeId peer = 1; peer < 5; ++peer) {
    EXPECT_TRUE(propose_from(peer, 0, *store_.empty_set(), 1200, kStart + 1));
  }
  EXPECT_EQ(regressions_, 4);
  consensus_->timer_entry(at(3000));
  ASSERT_EQ(accepted_.size(), 1u) << "counted against outdated positions";
  EXPECT_EQ(consensus_->position().set, store_.empty_set());
}

// 7.3 step 5: a bow-out ends a peer's part in the round, whatever follows.
TEST_F(ConsensusTest, BowOutIsFinal) {
  start_and_close();
  propose_from(1, 0, *store_.empty_set(), 1100);
  EXPECT_EQ(consensus_->peer_positions(), 1u);
  EXPECT_TRUE(propose_from(1, kBowOut, *store_.empty_set(), 1200));
  EXPECT_EQ(consensus_->peer_positions(), 0u);
  EXPECT_FALSE(propose_from(1, 3, *store_.empty_set(), 1300));
}

// 8: a set that differs raises disputes, and our vote follows the weights.
TEST_F(ConsensusTest, DisputesMoveOurPosition) {
  start_and_close();
  const TxSet& set_a = set({transactions_[0]});
  for (NodeId peer = 1; peer < 5; ++peer) propose_from(peer, 0, set_a, 1100, kStart + 1);
  ASSERT_EQ(consensus_->disputes().size(), 1u);
  EXPECT_EQ(disputed_, std::vector<TxIndex>{transactions_[0]});
  EXPECT_EQ(consensus_->disputes()[0].yes(), 4u);
  consensus_->timer_entry(at(3000));
  ASSERT_EQ(proposals_.size(), 2u);
  EXPECT_EQ(proposals_[1].set->id, set_a.id);
  EXPECT_EQ(proposals_[1].propose_seq, 1u);
  EXPECT_EQ(accepted_.size(), 1u) << "now everybody agrees";
}

// 8.3: positions with unknown sets count as different but raise no dispute.
TEST_F(ConsensusTest, UnknownSetsRaiseNoDispute) {
  start_and_close();
  const TxSet* unknown = store_.set_of({transactions_[1]});
  for (NodeId peer = 1; peer < 5; ++peer) propose_from(peer, 0, *unknown, 1100, kStart + 1);
  consensus_->timer_entry(at(3000));
  EXPECT_TRUE(consensus_->disputes().empty());
  EXPECT_TRUE(accepted_.empty());
  consensus_->got_set(at(3100), *unknown);
  EXPECT_EQ(consensus_->disputes().size(), 1u);
  consensus_->timer_entry(at(4000));
  EXPECT_EQ(accepted_.size(), 1u);
}

// 6.6 step 4: a position is repeated after 12 s; 6.6 step 1: a peer's is stale after 20 s.
TEST_F(ConsensusTest, RefreshAndFreshness) {
  start_and_close();
  const TxSet* unknown = store_.set_of({transactions_[1]});
  for (NodeId peer = 1; peer < 5; ++peer) propose_from(peer, 0, *unknown, 1000, kStart + 1);
  for (std::int64_t ms = 2000; ms <= 12000; ms += 1000) consensus_->timer_entry(at(ms));
  EXPECT_EQ(proposals_.size(), 1u);
  consensus_->timer_entry(at(13000));
  ASSERT_EQ(proposals_.size(), 2u);
  EXPECT_EQ(proposals_[1].propose_seq, 1u);
  consensus_->timer_entry(at(20000));
  EXPECT_EQ(consensus_->peer_positions(), 4u);
  consensus_->timer_entry(at(21000));
  EXPECT_EQ(consensus_->peer_positions(), 0u);
  EXPECT_EQ(accepted_.size(), 1u) << "1.7.2 accepts alone";
}

// 6.9: a wrong parent that is not held: bow out, wait; then switch and start over.
TEST_F(ConsensusTest, WrongLedgerBowsOutAndSwitches) {
  start_and_close();
  preferred_ = other_->id;
  consensus_->timer_entry(at(2000));
  EXPECT_EQ(consensus_->mode(), Mode::wrong_ledger);
  ASSERT_EQ(proposals_.size(), 2u);
  EXPECT_EQ(proposals_[1].propose_seq, kBowOut);
  consensus_->timer_entry(at(3000));
  EXPECT_EQ(proposals_.size(), 2u) << "one bow-out";
  holds_other_ = true;
  const int rounds = rounds_;
  validated_ = 0;
  consensus_->timer_entry(at(4000));
  EXPECT_EQ(consensus_->mode(), Mode::switched_ledger);
  EXPECT_EQ(rounds_, rounds + 1);
  EXPECT_EQ(consensus_->previous_ledger(), other_);
  EXPECT_EQ(consensus_->phase(), Phase::open) << "back to open, even from establish";
}

// 7.4: proposals for another parent are kept, and replayed and relayed when we get there.
TEST_F(ConsensusTest, StoredProposalsAreReplayed) {
  start_and_close();
  EXPECT_FALSE(propose_from(2, 0, *store_.empty_set(), 1100, kStart + 1, other_));
  consensus_->seen_again(2, numbers_, 3);
  EXPECT_EQ(consensus_->peer_positions(), 0u);
  preferred_ = other_->id;
  validated_ = 0;
  consensus_->timer_entry(at(2000));
  EXPECT_EQ(consensus_->peer_positions(), 1u);
  ASSERT_EQ(relayed_.size(), 1u);
  EXPECT_EQ(relayed_[0], (std::vector<NodeId>{2, 3})) << "not back to those who sent it";
}

// While a ledger is being built, proposals are only stored.
TEST_F(ConsensusTest, AcceptedPhaseOnlyStores) {
  Position position;
  position.set = store_.empty_set();
  consensus_->assume_accepted(at(0), *previous_, position, 4, 2000);
  EXPECT_FALSE(propose_from(1, 0, *store_.empty_set(), 100));
  validated_ = 0;
  consensus_->start_round(at(200), previous_->id, *previous_, true);
  EXPECT_EQ(consensus_->peer_positions(), 1u);
}

// 6.6: without enough votes for any bin everybody proposes 0, which can win itself (19.5 g).
TEST_F(ConsensusTest, CloseTimeZeroWins) {
  start_and_close();
  for (NodeId peer = 1; peer < 5; ++peer) {
    propose_from(peer, 0, *store_.empty_set(), 1100, kStart + 20 * peer);
  }
  consensus_->timer_entry(at(3000));
  ASSERT_EQ(proposals_.size(), 2u);
  EXPECT_EQ(proposals_[1].close_time, 0);
  EXPECT_TRUE(accepted_.empty());
  for (NodeId peer = 1; peer < 5; ++peer) propose_from(peer, 1, *store_.empty_set(), 3100, 0);
  consensus_->timer_entry(at(4000));
  EXPECT_EQ(accepted_.size(), 1u);
  EXPECT_EQ(consensus_->position().close_time, 0);
}

// Ties go to the later time.
TEST_F(ConsensusTest, CloseTimeTiesGoToTheLater) {
  start_and_close();
  propose_from(1, 0, *store_.empty_set(), 1100, kStart);
  propose_from(2, 0, *store_.empty_set(), 1100, kStart + 10);
  propose_from(3, 0, *store_.empty_set(), 1100, kStart + 10);
  consensus_->timer_entry(at(3000));
  // Bins: 2 votes for kStart (ours is rounded to it), 2 for kStart + 10.
  ASSERT_EQ(proposals_.size(), 2u);
  EXPECT_EQ(proposals_[1].close_time, kStart + 10);
}

// 15.3: after eight ticks and the limit, 2.5.0 bows out and accepts.
TEST_F(ConsensusTest, ExpiredRoundsEndInLaterVersions) {
  Parameters parameters = parameters_of(Profile::v2_5_0);
  parameters.stalled_without_disputes = false;
  rebuild(parameters);
  start_and_close();
  const TxSet* unknown = store_.set_of({transactions_[1]});
  std::int64_t ms = 1000;
  std::uint32_t seq = 0;
  for (; accepted_.empty() && ms < 60000; ms += 1000) {
    if (ms % 10000 == 1000) {
      for (NodeId peer = 1; peer < 5; ++peer) {
        propose_from(peer, seq, *unknown, ms, kStart + 1);
      }
      ++seq;
    }
    consensus_->timer_entry(at(ms));
  }
  ASSERT_EQ(accepted_.size(), 1u);
  EXPECT_EQ(accepted_[0], ConsensusState::expired);
  EXPECT_EQ(consensus_->mode(), Mode::observing) << "its validation will be partial";
  EXPECT_TRUE(proposals_.back().bowed_out());
  EXPECT_EQ(ms - 1000, 1000 + 21000) << "10 x 2 s, first tick beyond";
}

}  // namespace
}  // namespace dissensus::xrpl
