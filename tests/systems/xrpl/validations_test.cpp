// The validation store (consensus.md 11) and the validated chain (11.6, 11.7).
#include "systems/xrpl/validations.h"

#include <set>

#include <gtest/gtest.h>

#include "systems/xrpl/chain.h"

namespace dissensus::xrpl {
namespace {

constexpr NetTime kNow = 10'000;

class ValidationsTest : public ::testing::Test, public LedgerSource {
 protected:
  ValidationsTest() : store_(Fees{}), trusted_(5, true) {
    root_ = store_.add_root(State{}, 4, kNow - 10);
    a5_ = child(*root_, 1);
    b5_ = child(*root_, 2);
    a6_ = child(*a5_, 3);
    for (const Ledger* ledger : {root_, a5_, b5_, a6_}) held_.insert(ledger->id);
    rebuild({});
  }
  void rebuild(const Parameters& parameters) {
    parameters_ = parameters;
    validations_ = std::make_unique<Validations>(parameters_, *this, NodeId{0}, trusted_);
  }
  const Ledger* child(const Ledger& parent, int which) {
    return store_.build(parent, *store_.empty_set(), kNow + 10 * which, 10).ledger;
  }
  const Ledger* held_ledger(const Digest& id) override {
    return held_.count(id) != 0 ? store_.find_ledger(id) : nullptr;
  }
  const Ledger* obtain_ledger(const Digest& id, std::uint32_t) override {
    if (held_.count(id) == 0) wanted_.insert(id);
    return held_ledger(id);
  }
  Validation validation(NodeId origin, const Ledger& ledger, NetTime sign_time = kNow,
                        bool full = true) {
    Validation result;
    result.ledger = ledger.id;
    result.ledger_seq = ledger.seq;
    result.sign_time = static_cast<std::uint32_t>(sign_time);
    result.origin = origin;
    result.full = full;
    return result;
  }
  ValidationStatus add(const Validation& value, NetTime now = kNow) {
    return validations_->add(value, now, now);
  }

  Store store_;
  std::vector<bool> trusted_;
  Parameters parameters_;
  std::unique_ptr<Validations> validations_;
  std::set<Digest> held_;
  std::set<Digest> wanted_;
  const Ledger* root_;
  const Ledger* a5_;
  const Ledger* b5_;
  const Ledger* a6_;
};

// 3.2: older than 3 minutes is refused, up to 5 minutes in the future is accepted.
TEST_F(ValidationsTest, CurrentWindow) {
  EXPECT_FALSE(validations_->is_current(validation(1, *a5_, kNow - 180), kNow, kNow));
  EXPECT_TRUE(validations_->is_current(validation(1, *a5_, kNow - 179), kNow, kNow));
  EXPECT_TRUE(validations_->is_current(validation(1, *a5_, kNow + 299), kNow, kNow));
  EXPECT_FALSE(validations_->is_current(validation(1, *a5_, kNow + 300), kNow, kNow));
  EXPECT_EQ(add(validation(1, *a5_, kNow - 180)), ValidationStatus::stale);
}

// 11.2 step 3: what the enforcer answers to a sequence that is not larger.
TEST_F(ValidationsTest, EnforcerStatuses) {
  EXPECT_EQ(add(validation(1, *a5_)), ValidationStatus::current);
  EXPECT_EQ(add(validation(1, *b5_, kNow + 1)), ValidationStatus::conflicting);
  EXPECT_EQ(add(validation(1, *a5_, kNow + 1)), ValidationStatus::bad_seq);
  Validation other_server = validation(1, *a5_);
  other_server.cookie = 9;
  EXPECT_EQ(add(other_server), ValidationStatus::multiple);
  EXPECT_EQ(add(validation(1, *a6_, kNow + 2)), ValidationStatus::current);
  EXPECT_EQ(validations_->count_full(b5_->id), 0u) << "rejected votes do not count";
}

// 15.1: since 1.10.0 the same ledger signed at another time conflicts.
TEST_F(ValidationsTest, LaterVersionsRefuseAnotherSignTime) {
  rebuild(parameters_of(Profile::v2_4_0));
  EXPECT_EQ(add(validation(1, *a5_)), ValidationStatus::current);
  EXPECT_EQ(add(validation(1, *a5_, kNow + 1)), ValidationStatus::conflicting);
}

// The enforcer forgets after ten minutes without success.
TEST_F(ValidationsTest, EnforcerExpires) {
  EXPECT_EQ(add(validation(1, *a6_)), ValidationStatus::current);
  EXPECT_EQ(add(validation(1, *a5_, kNow + 600), kNow + 600), ValidationStatus::bad_seq);
  EXPECT_EQ(add(validation(1, *a5_, kNow + 601), kNow + 601), ValidationStatus::current);
}

// 11.2 step 5: an earlier signing time is stored for its ledger but changes nothing else.
TEST_F(ValidationsTest, EarlierSignTimeIsStaleButCounts) {
  EXPECT_EQ(add(validation(1, *a5_, kNow)), ValidationStatus::current);
  EXPECT_EQ(add(validation(1, *a6_, kNow - 1)), ValidationStatus::stale);
  EXPECT_EQ(validations_->count_full(a6_->id), 1u);
}

// Partial validations steer the preferred branch but are no votes for full validation.
TEST_F(ValidationsTest, PartialValidationsDoNotCountButSteer) {
  add(validation(1, *a5_, kNow, false));
  EXPECT_EQ(validations_->count_full(a5_->id), 0u);
  EXPECT_EQ(validations_->preferred_id(*b5_, 0, kNow), a5_->id);
}

// 1.7.2 counts by hash; since 1.10.0 by hash and sequence. The incompatible-ledger bug lives here.
TEST_F(ValidationsTest, CountsWithAndWithoutSequence) {
  for (NodeId node = 1; node < 4; ++node) add(validation(node, *a5_));
  Validation lie = validation(4, *a5_);
  lie.ledger_seq = 6;
  EXPECT_EQ(add(lie), ValidationStatus::current);
  EXPECT_EQ(validations_->count_full(a5_->id), 4u);
  EXPECT_EQ(validations_->count_full(a5_->id, 5), 3u);
  EXPECT_EQ(validations_->count_full(a5_->id, 6), 1u);
}

// 11.3: the old ledger counts until the new one is held; the new one is acquired.
TEST_F(ValidationsTest, UnknownLedgersArePending) {
  const Ledger* unknown = child(*a6_, 9);
  add(validation(1, *b5_));
  EXPECT_EQ(validations_->preferred(*root_, kNow).id, root_->id) << "a child of ours: keep ours";
  add(validation(1, *unknown, kNow + 1));
  EXPECT_EQ(wanted_.count(unknown->id), 1u);
  EXPECT_EQ(validations_->finished(*root_, root_->id, kNow), 1u);
  EXPECT_EQ(validations_->preferred_id(*a5_, 0, kNow), b5_->id);
  held_.insert(unknown->id);
  EXPECT_EQ(validations_->preferred_id(*a5_, 0, kNow), unknown->id);
}

// 11.5: without any held tip, the pending ledger with most supporters.
TEST_F(ValidationsTest, PendingLedgersAreTheLastResort) {
  EXPECT_FALSE(validations_->preferred(*root_, kNow).any);
  held_.clear();
  add(validation(1, *a5_));
  add(validation(2, *b5_));
  add(validation(3, *b5_));
  EXPECT_EQ(validations_->preferred(*root_, kNow).id, b5_->id);
}

// 11.5: minSeq protects what is validated already.
TEST_F(ValidationsTest, PreferenceBelowTheMinimumIsIgnored) {
  for (NodeId node = 1; node < 5; ++node) add(validation(node, *b5_));
  EXPECT_EQ(validations_->preferred_id(*a6_, 5, kNow), b5_->id);
  EXPECT_EQ(validations_->preferred_id(*a6_, 6, kNow), a6_->id);
}

// 11.3: validations older than three minutes lose their support when the trie is consulted.
TEST_F(ValidationsTest, OldValidationsAreFlushed) {
  for (NodeId node = 1; node < 5; ++node) add(validation(node, *a6_));
  EXPECT_EQ(validations_->finished(*a5_, a5_->id, kNow + 179), 4u);
  EXPECT_EQ(validations_->finished(*a5_, a5_->id, kNow + 180), 0u);
}

// 6.8: who lags and who is silent, seen within 20 s.
TEST_F(ValidationsTest, LaggardsAndOffline) {
  add(validation(0, *a6_));
  add(validation(1, *a6_));
  add(validation(2, *a5_));
  const LaggardCount now = validations_->laggards(6, kNow + 19);
  EXPECT_EQ(now.laggards, 1u);
  EXPECT_EQ(now.offline, 2u);
  EXPECT_EQ(validations_->laggards(6, kNow + 20).offline, 5u);
}

TEST_F(ValidationsTest, OwnSequenceIsEnforced) {
  EXPECT_TRUE(validations_->may_issue(5, kNow));
  add(validation(0, *a5_));
  EXPECT_FALSE(validations_->may_issue(5, kNow));
  EXPECT_TRUE(validations_->may_issue(6, kNow));
  EXPECT_EQ(validations_->largest_issued(), 5u);
}

class ChainTest : public ValidationsTest {};

// 11.7 against the validated ledger.
TEST_F(ChainTest, CompatibilityWithTheValidatedLedger) {
  ValidatedChain chain;
  EXPECT_TRUE(chain.is_compatible(*a5_));
  chain.valid = a5_;
  EXPECT_TRUE(chain.is_compatible(*a5_));
  EXPECT_TRUE(chain.is_compatible(*a6_));
  EXPECT_TRUE(chain.is_compatible(*root_));
  EXPECT_FALSE(chain.is_compatible(*b5_));
  EXPECT_FALSE(chain.is_compatible(*child(*b5_, 4)));
}

// 16, incompatible ledger: a wrong pair (H, S+1) makes the real S+1 and S+2 incompatible.
TEST_F(ChainTest, WrongPairMakesTheRealLedgerIncompatible) {
  ValidatedChain chain;
  chain.valid = a5_;
  chain.pair_id = a5_->id;
  chain.pair_seq = 6;
  EXPECT_TRUE(chain.is_compatible(*a5_)) << "below the pair's sequence";
  EXPECT_FALSE(chain.is_compatible(*a6_)) << "at it";
  EXPECT_FALSE(chain.is_compatible(*child(*a6_, 5))) << "after it";
}

TEST_F(ChainTest, CanBeCurrent) {
  ValidatedChain chain;
  EXPECT_TRUE(chain.can_be_current(*a5_, kNow + 100'000)) << "early ledgers have no time check";
  chain.valid = a5_;
  EXPECT_FALSE(chain.can_be_current(*root_, kNow)) << "older than the validated one";
  EXPECT_TRUE(chain.can_be_current(*a6_, a6_->parent_close_time + 300));
  EXPECT_FALSE(chain.can_be_current(*a6_, a6_->parent_close_time + 301));
  // At most ten ahead, plus one for every two seconds since the validated ledger's parent closed.
  const Ledger* far = a5_;
  for (int i = 0; i < 11; ++i) far = store_.build(*far, *store_.empty_set(), kNow, 10).ledger;
  EXPECT_EQ(far->seq, 16u);
  EXPECT_FALSE(chain.can_be_current(*far, a5_->parent_close_time + 1));
  EXPECT_TRUE(chain.can_be_current(*far, a5_->parent_close_time + 2));
}

}  // namespace
}  // namespace dissensus::xrpl
