// Acquisition of transaction sets and ledgers (consensus.md 12), with a host that keeps time by
// hand.
#include "systems/xrpl/acquisition.h"

#include <map>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

namespace dissensus::xrpl {
namespace {

class AcquisitionTest : public ::testing::Test, public AcquisitionHost {
 protected:
  AcquisitionTest() : store_(Fees{}), peers_(9), table_(8), random_(1) {
    std::iota(peers_.begin(), peers_.end(), NodeId{0});
    peers_.resize(7);
    Payment payment;
    payment.from = digest_of_text("alice");
    tx_ = store_.add(payment);
    set_ = store_.set_of({tx_});
    rebuild({});
  }
  void rebuild(const Parameters& parameters) {
    parameters_ = parameters;
    sets_ = std::make_unique<SetTable>(parameters_, *this, *store_.empty_set());
    sets_->new_round(10);
    ledgers_ = std::make_unique<LedgerAcquisitions>(parameters_, *this);
    requests_.clear();
    timers_.clear();
  }
  /// Runs timers up to and including this time.
  void advance_to(std::int64_t ms) {
    while (!timers_.empty() && timers_.begin()->first <= ms) {
      const auto [at, timer] = *timers_.begin();
      timers_.erase(timers_.begin());
      now_ms_ = at;
      if (timer.first) {
        sets_->tick(timer.second);
      } else {
        ledgers_->tick(timer.second);
      }
    }
    now_ms_ = ms;
  }
  std::size_t requests_at(std::int64_t ms) const { return requests_.count(ms); }
  LedgerData tree_reply() const {
    LedgerData data;
    data.item = ItemType::candidate;
    data.hash = set_->id;
    data.tree = set_;
    return data;
  }
  LedgerData leaf_reply(const GetLedger& request) const {
    LedgerData data;
    data.item = ItemType::candidate;
    data.hash = request.hash;
    data.leaves = request.wanted;
    return data;
  }

  std::span<const NodeId> peer_ids() const override { return peers_; }
  Random& random() override { return random_; }
  const PeerTable& peer_table() const override { return table_; }
  Time steady_now() const override { return Time{std::chrono::milliseconds(now_ms_)}; }
  void request(NodeId to, const GetLedger& message) override {
    requests_.insert({now_ms_, {to, message}});
    last_ = message;
  }
  void arm_set_timer(std::uint32_t id, std::int64_t delay_ms) override {
    timers_.insert({now_ms_ + delay_ms, {true, id}});
  }
  void arm_ledger_timer(std::uint32_t id, std::int64_t delay_ms) override {
    timers_.insert({now_ms_ + delay_ms, {false, id}});
  }
  bool knows_transaction(TxIndex tx) const override { return known_.count(tx) != 0; }
  void learn_transaction(TxIndex tx) override {
    known_.insert(tx);
    ++learnt_;
  }
  const TxList* keep_list(TxList list) override { return store_.keep(std::move(list)); }
  void set_acquired(const TxSet& set) override { acquired_ = &set; }
  bool holds_ledger(const Digest&) const override { return holds_; }
  void ledger_acquired(const Ledger& ledger) override { acquired_ledger_ = &ledger; }
  void acquisition_failed(const Digest&, bool) override { failed_at_ = now_ms_; }

  Store store_;
  Parameters parameters_;
  std::vector<NodeId> peers_;
  PeerTable table_;
  Random random_;
  std::unique_ptr<SetTable> sets_;
  std::unique_ptr<LedgerAcquisitions> ledgers_;
  std::multimap<std::int64_t, std::pair<bool, std::uint32_t>> timers_;
  std::multimap<std::int64_t, std::pair<NodeId, GetLedger>> requests_;
  GetLedger last_;
  std::set<TxIndex> known_;
  TxIndex tx_ = 0;
  const TxSet* set_ = nullptr;
  const TxSet* acquired_ = nullptr;
  const Ledger* acquired_ledger_ = nullptr;
  std::int64_t now_ms_ = 0;
  std::int64_t failed_at_ = -1;
  int learnt_ = 0;
  bool holds_ = false;
};

// 12.1: two peers at the start, one more per 250 ms, all of them from the fourth empty tick on.
TEST_F(AcquisitionTest, RequestsSpread) {
  EXPECT_EQ(sets_->obtain(set_->id), nullptr);
  advance_to(1250);
  EXPECT_EQ(requests_at(0), 2u);
  EXPECT_EQ(requests_at(250), 1u);
  EXPECT_EQ(requests_at(500), 1u);
  EXPECT_EQ(requests_at(750), 1u);
  EXPECT_EQ(requests_at(1000), 5u + 1u);
  EXPECT_EQ(requests_at(1250), 6u + 1u);
  EXPECT_FALSE(requests_.find(0)->second.second.indirect);
  EXPECT_TRUE(requests_.find(250)->second.second.indirect);
}

// Those who announced the set are asked first.
TEST_F(AcquisitionTest, AnnouncersComeFirst) {
  table_.sets.note(set_->id, 3);
  table_.sets.note(set_->id, 6);
  sets_->obtain(set_->id);
  std::set<NodeId> asked;
  for (const auto& [at, request] : requests_) asked.insert(request.first);
  EXPECT_EQ(asked, (std::set<NodeId>{3, 6}));
}

// 12.1 and B3: the 21st empty tick, 5250 ms, ends it for good.
TEST_F(AcquisitionTest, FailsAfterTwentyOneEmptyTicks) {
  sets_->obtain(set_->id);
  advance_to(5249);
  EXPECT_EQ(failed_at_, -1);
  advance_to(5250);
  EXPECT_EQ(failed_at_, 5250);
  EXPECT_TRUE(timers_.empty()) << "the timer is dead";
  EXPECT_TRUE(sets_->has_failed(set_->id));
}

// B3 in 1.7.2: a further proposal changes nothing, late data is discarded.
TEST_F(AcquisitionTest, FailureIsFinalInTheOldVersion) {
  known_.insert(tx_);
  sets_->obtain(set_->id);
  advance_to(6000);
  requests_.clear();
  EXPECT_EQ(sets_->obtain(set_->id), nullptr);
  EXPECT_TRUE(requests_.empty());
  sets_->data(1, tree_reply());
  EXPECT_EQ(acquired_, nullptr);
  EXPECT_TRUE(sets_->give(*set_)) << "only building the set locally rescues the entry";
  EXPECT_EQ(sets_->obtain(set_->id), set_);
}

// 2.4.0: after the next proposal for it, late data is accepted; still no request, no timer.
TEST_F(AcquisitionTest, FailureIsRevivedInTheLaterVersion) {
  rebuild(parameters_of(Profile::v2_4_0));
  known_.insert(tx_);
  sets_->obtain(set_->id);
  advance_to(6000);
  sets_->data(1, tree_reply());
  EXPECT_EQ(acquired_, nullptr) << "not before stillNeed";
  requests_.clear();
  sets_->obtain(set_->id);
  EXPECT_TRUE(requests_.empty());
  EXPECT_TRUE(timers_.empty());
  sets_->data(1, tree_reply());
  EXPECT_EQ(acquired_, set_);
}

// B3-cured: the next proposal for a set that could not be had starts over.
TEST_F(AcquisitionTest, CuredVersionAsksAgain) {
  Parameters parameters;
  ASSERT_TRUE(apply_bug("B3-cured", parameters));
  rebuild(parameters);
  sets_->obtain(set_->id);
  advance_to(6000);
  EXPECT_TRUE(sets_->has_failed(set_->id));
  sets_->obtain(set_->id);
  EXPECT_EQ(requests_at(6000), 2u);
  EXPECT_FALSE(sets_->has_failed(set_->id));
  EXPECT_FALSE(timers_.empty());
}

// Data puts off the failure: only ticks without it count.
TEST_F(AcquisitionTest, ProgressResetsOneTick) {
  sets_->obtain(set_->id);
  advance_to(1100);
  sets_->data(1, tree_reply());
  advance_to(5499);
  EXPECT_EQ(failed_at_, -1);
  advance_to(5500);
  EXPECT_EQ(failed_at_, 5500);
}

// A known transaction needs one round trip, an unknown one two.
TEST_F(AcquisitionTest, UnknownLeavesCostASecondRoundTrip) {
  sets_->obtain(set_->id);
  sets_->data(4, tree_reply());
  EXPECT_EQ(acquired_, nullptr);
  ASSERT_NE(last_.wanted, nullptr);
  EXPECT_EQ(*last_.wanted, TxList{tx_});
  sets_->data(4, leaf_reply(last_));
  EXPECT_EQ(acquired_, set_);
  EXPECT_EQ(learnt_, 1) << "learnt transactions are processed too";
  EXPECT_EQ(sets_->find(set_->id), set_);
}

// A reply whose content does not have the hash it claims is worth nothing.
TEST_F(AcquisitionTest, WrongContentIsIgnored) {
  sets_->obtain(set_->id);
  LedgerData forged = tree_reply();
  forged.tree = store_.empty_set();
  sets_->data(1, forged);
  EXPECT_EQ(acquired_, nullptr);
}

// 12.1: entries live while they are within three rounds.
TEST_F(AcquisitionTest, EntriesExpireWithTheRound) {
  EXPECT_TRUE(sets_->give(*set_));
  EXPECT_FALSE(sets_->give(*set_));
  sets_->new_round(13);
  EXPECT_EQ(sets_->find(set_->id), set_);
  sets_->new_round(14);
  EXPECT_EQ(sets_->find(set_->id), nullptr);
  EXPECT_EQ(sets_->find(Digest{}), store_.empty_set()) << "the empty set is always there";
}

// 12.2: header, state, transactions; requests go to the peer that answered.
TEST_F(AcquisitionTest, LedgerComesInStages) {
  State state;
  state.accounts = {{1000 * kDropsPerXrp, 0, true}};
  const Ledger* root = store_.add_root(state, 5, 1000);
  const Ledger* ledger = store_.build(*root, *set_, 1010, 10).ledger;
  ASSERT_EQ(ledger->applied.size(), 1u);
  ledgers_->acquire(ledger->id, 6);
  ledgers_->acquire(ledger->id, 6);
  EXPECT_EQ(requests_at(0), 4u) << "once only";
  LedgerData data;
  data.hash = ledger->id;
  data.ledger = ledger;
  for (const ItemType stage : {ItemType::base, ItemType::state, ItemType::transactions}) {
    EXPECT_EQ(acquired_ledger_, nullptr);
    EXPECT_EQ(last_.item, stage);
    data.item = stage;
    ledgers_->data(2, data);
  }
  EXPECT_EQ(acquired_ledger_, ledger);
}

// 12.2: the first tick is at once, ten more are 2.5 s apart, the eleventh timeout ends it.
TEST_F(AcquisitionTest, LedgerFailsAfterElevenTimeouts) {
  ledgers_->acquire(digest_of_text("unknown"), 6);
  advance_to(24'999);
  EXPECT_EQ(failed_at_, -1);
  advance_to(25'000);
  EXPECT_EQ(failed_at_, 25'000);
  requests_.clear();
  ledgers_->acquire(digest_of_text("unknown"), 6);
  EXPECT_TRUE(requests_.empty()) << "failures are remembered for five minutes";
  advance_to(325'000);
  ledgers_->acquire(digest_of_text("unknown"), 6);
  EXPECT_FALSE(requests_.empty());
}

TEST_F(AcquisitionTest, LedgerBuiltMeanwhileEndsTheAcquisition) {
  ledgers_->acquire(digest_of_text("soon"), 6);
  advance_to(0);
  requests_.clear();
  holds_ = true;
  advance_to(10'000);
  EXPECT_TRUE(requests_.empty());
  EXPECT_TRUE(timers_.empty());
}

}  // namespace
}  // namespace dissensus::xrpl
