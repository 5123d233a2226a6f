// Ledgers, transactions and their results (consensus.md 1, 13).
#include "systems/xrpl/apply.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "systems/xrpl/open_ledger.h"
#include "systems/xrpl/store.h"

namespace dissensus::xrpl {
namespace {

constexpr Drops xrp(Drops amount) {
  return amount * kDropsPerXrp;
}

class ApplyTest : public ::testing::Test {
 protected:
  ApplyTest() : store_(Fees{10, xrp(10)}) {
    State state;
    state.total = xrp(1000);
    for (const char* name : {"alice", "bob"}) {
      const AccountIndex account = store_.account(digest_of_text(name));
      state.accounts.resize(account + 1);
      state.accounts[account] = {xrp(100) + 100, 1, true};
    }
    root_ = store_.add_root(state, 5, 1000);
  }

  TxIndex pay(std::uint32_t sequence, Drops amount, std::uint32_t tag = 0, const char* to = "bob") {
    Payment payment;
    payment.from = digest_of_text("alice");
    payment.to = digest_of_text(to);
    payment.amount = amount;
    payment.sequence = sequence;
    payment.tag = tag;
    return store_.add(payment);
  }
  TxSet const& set_of(std::vector<TxIndex> transactions) {
    std::sort(transactions.begin(), transactions.end());
    return *store_.set_of(std::move(transactions));
  }
  AccountRoot alice(const State& state) const { return state.accounts[0]; }
  TxResult try_closed(TxIndex tx, bool retry = false) {
    View view(*root_->state, root_->seq + 1, false);
    return apply_transaction(view, store_.transaction(tx), store_.fees(), retry);
  }
  TxResult try_open(TxIndex tx) {
    View view(*root_->state, root_->seq + 1, true);
    return apply_transaction(view, store_.transaction(tx), store_.fees(), false);
  }

  Store store_;
  const Ledger* root_;
};

// 13.2, in the order of the checks.
TEST_F(ApplyTest, ChecksGiveTheResultCodes) {
  Payment payment;
  payment.from = digest_of_text("nobody");
  payment.to = digest_of_text("bob");
  payment.sequence = 1;
  EXPECT_EQ(try_closed(store_.add(payment)), TxResult::ter_no_account);
  EXPECT_EQ(try_closed(pay(2, 1)), TxResult::ter_pre_seq);
  EXPECT_EQ(try_closed(pay(0, 1)), TxResult::tef_past_seq);
  payment.from = digest_of_text("alice");
  payment.last_ledger = 5;
  EXPECT_EQ(try_closed(store_.add(payment)), TxResult::tef_max_ledger);
  payment.last_ledger = 6;
  payment.fee = 9;
  EXPECT_EQ(try_open(store_.add(payment)), TxResult::tel_insuf_fee_p);
  payment.fee = xrp(101);
  EXPECT_EQ(try_open(store_.add(payment)), TxResult::ter_insuf_fee_b);
  EXPECT_EQ(try_closed(store_.add(payment)), TxResult::tec_insuff_fee);
  EXPECT_EQ(try_closed(pay(1, xrp(9), 0, "newcomer")), TxResult::tec_no_dst_insuf_xrp);
  EXPECT_EQ(try_closed(pay(1, xrp(10), 0, "newcomer")), TxResult::tes_success);
  // The balance before the fee must cover amount + reserve: 100.0001 >= 90.0001 + 10.
  EXPECT_EQ(try_closed(pay(1, xrp(90) + 100)), TxResult::tes_success);
  EXPECT_EQ(try_closed(pay(1, xrp(90) + 101)), TxResult::tec_unfunded_payment);
}

TEST_F(ApplyTest, ResultClasses) {
  EXPECT_EQ(class_of(TxResult::tes_success), TxClass::tes);
  EXPECT_EQ(class_of(TxResult::tec_insuff_fee), TxClass::tec);
  EXPECT_EQ(class_of(TxResult::ter_queued), TxClass::ter);
  EXPECT_EQ(class_of(TxResult::tef_past_seq), TxClass::tef);
  EXPECT_EQ(class_of(TxResult::tel_insuf_fee_p), TxClass::tel);
  EXPECT_EQ(class_of(TxResult::tem_bad), TxClass::tem);
}

// The example of 13.3: the second payment is retried in pass 1 and claimed in pass 2.
TEST_F(ApplyTest, UnfundedPaymentIsClaimedInTheLastPass) {
  const TxIndex first = pay(1, xrp(80));
  const TxIndex second = pay(2, xrp(80));
  const BuildResult built = store_.build(*root_, set_of({second, first}), 1010, 10);
  ASSERT_EQ(built.ledger->applied.size(), 2u);
  EXPECT_EQ(built.ledger->applied[0].tx, first);
  EXPECT_EQ(built.ledger->applied[0].result, TxResult::tes_success);
  EXPECT_EQ(built.ledger->applied[1].tx, second);
  EXPECT_EQ(built.ledger->applied[1].result, TxResult::tec_unfunded_payment);
  EXPECT_EQ(alice(*built.ledger->state).sequence, 3u);
  EXPECT_EQ(alice(*built.ledger->state).balance, xrp(20) + 100 - 20);
  EXPECT_TRUE(built.retries->empty());
}

// 13.6: four payments of 80 XRP with consecutive sequences: the lowest succeeds.
TEST_F(ApplyTest, OverspendingConsecutivePayments) {
  std::vector<TxIndex> transactions;
  for (std::uint32_t i = 0; i < 4; ++i) transactions.push_back(pay(1 + i, xrp(80)));
  const Ledger& ledger = *store_.build(*root_, set_of(transactions), 1010, 10).ledger;
  ASSERT_EQ(ledger.applied.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(ledger.applied[i].result,
              i == 0 ? TxResult::tes_success : TxResult::tec_unfunded_payment);
  }
  EXPECT_EQ(alice(*ledger.state).sequence, 5u);
}

// 13.6: same sequence twice: the lower id is applied, the other can never be.
TEST_F(ApplyTest, ConflictingPaymentsApplyTheLowerId) {
  const TxIndex one = pay(1, xrp(80), 1);
  const TxIndex two = pay(1, xrp(80), 2);
  const Ledger& ledger = *store_.build(*root_, set_of({one, two}), 1010, 10).ledger;
  ASSERT_EQ(ledger.applied.size(), 1u);
  const TxIndex lower = store_.transaction(one).id < store_.transaction(two).id ? one : two;
  EXPECT_EQ(ledger.applied[0].tx, lower);
  View view(*ledger.state, 7, false);
  EXPECT_EQ(
      apply_transaction(view, store_.transaction(lower == one ? two : one), store_.fees(), false),
      TxResult::tef_past_seq);
}

// 13.6: a gap in the sequences leaves the transaction for later.
TEST_F(ApplyTest, SequenceGapWaits) {
  const TxIndex gap = pay(3, xrp(1));
  const BuildResult built = store_.build(*root_, set_of({gap}), 1010, 10);
  EXPECT_TRUE(built.ledger->applied.empty());
  EXPECT_EQ(*built.retries, std::vector<TxIndex>{gap});
}

// A dependent transaction that comes first in canonical order succeeds in a later pass.
TEST_F(ApplyTest, LaterPassesResolveDependencies) {
  Payment funded;
  funded.from = digest_of_text("dave");
  funded.to = digest_of_text("bob");
  funded.amount = xrp(1);
  funded.sequence = 1;
  const TxIndex dependent = store_.add(funded);
  const TxIndex funding = pay(1, xrp(30), 0, "dave");
  std::vector<TxIndex> order{dependent, funding};
  View view(*root_->state, 6, false);
  const auto applied = apply_in_passes(view, order, store_, store_.fees());
  ASSERT_EQ(applied.size(), 2u);
  EXPECT_EQ(applied[0].tx, funding);
  EXPECT_EQ(applied[1].tx, dependent);
  EXPECT_EQ(applied[1].result, TxResult::tes_success);
}

// 13.4: account XOR salt first, then sequence, then id.
TEST_F(ApplyTest, CanonicalOrder) {
  std::vector<TxIndex> transactions{pay(2, 1), pay(1, 2), pay(1, 1)};
  Payment other;
  other.from = digest_of_text("bob");
  other.to = digest_of_text("alice");
  other.sequence = 1;
  transactions.push_back(store_.add(other));
  for (const Digest salt : {Digest{}, digest_of_text("salt"), digest_of_text("pepper")}) {
    std::vector<TxIndex> sorted = transactions;
    sort_canonically(sorted, salt, store_);
    for (std::size_t i = 1; i < sorted.size(); ++i) {
      const Transaction& a = store_.transaction(sorted[i - 1]);
      const Transaction& b = store_.transaction(sorted[i]);
      const std::uint64_t key_a = a.payment.from.high ^ salt.high;
      const std::uint64_t key_b = b.payment.from.high ^ salt.high;
      if (key_a != key_b) {
        EXPECT_LT(key_a, key_b);
      } else if (a.payment.sequence != b.payment.sequence) {
        EXPECT_LT(a.payment.sequence, b.payment.sequence);
      } else {
        EXPECT_LT(a.id, b.id);
      }
    }
  }
}

// 17, integrity: what leaves the balances is burnt and nothing else.
TEST_F(ApplyTest, DropsAreConserved) {
  const Ledger& ledger =
      *store_.build(*root_, set_of({pay(1, xrp(80)), pay(2, xrp(80))}), 1010, 10).ledger;
  Drops before = 0;
  Drops after = 0;
  for (const AccountRoot& account : root_->state->accounts) before += account.balance;
  for (const AccountRoot& account : ledger.state->accounts) after += account.balance;
  EXPECT_EQ(before - after, 20u);
  EXPECT_EQ(root_->state->total - ledger.state->total, 20u);
}

// 1: equal content gives equal ids; every part of the header matters.
TEST_F(ApplyTest, LedgerIdentity) {
  const TxSet& set = set_of({pay(1, xrp(80))});
  const Ledger* ledger = store_.build(*root_, set, 1010, 10).ledger;
  EXPECT_EQ(store_.build(*root_, set, 1010, 10).ledger, ledger);
  EXPECT_NE(store_.build(*root_, set, 1020, 10).ledger->id, ledger->id) << "close time";
  EXPECT_NE(store_.build(*root_, set, 1010, 20).ledger->id, ledger->id) << "resolution";
  EXPECT_NE(store_.build(*root_, set, 0, 10).ledger->id, ledger->id) << "agree flag";
  EXPECT_NE(store_.build(*root_, *store_.empty_set(), 1010, 10).ledger->id, ledger->id);
  // A transaction that fails leaves no trace: another set, the same ledger.
  const TxIndex impossible = pay(0, 1);
  const TxSet& larger = set_of({pay(1, xrp(80)), impossible});
  EXPECT_NE(larger.id, set.id);
  EXPECT_EQ(store_.build(*root_, larger, 1010, 10).ledger, ledger);
  EXPECT_EQ(store_.empty_set()->id, Digest{}) << "the empty set has the zero id";
}

TEST_F(ApplyTest, CloseTimeOfABuiltLedger) {
  const Ledger& agreed = *store_.build(*root_, *store_.empty_set(), 1014, 10).ledger;
  EXPECT_EQ(agreed.close_time, 1010);
  EXPECT_TRUE(agreed.agree);
  const Ledger& disagreed = *store_.build(*root_, *store_.empty_set(), 0, 10).ledger;
  EXPECT_EQ(disagreed.close_time, root_->close_time + 1);
  EXPECT_FALSE(disagreed.agree);
}

// Set ids do not depend on the order in which a run met the transactions.
TEST_F(ApplyTest, SetIdentityIsContent) {
  Store other(store_.fees());
  Payment a;
  a.from = digest_of_text("a");
  Payment b = a;
  b.sequence = 1;
  const TxIndex here_a = store_.add(a);
  const TxIndex here_b = store_.add(b);
  other.add(b);
  other.add(a);
  EXPECT_EQ(set_of({here_a, here_b}).id, other.set_of({0, 1})->id);
}

TEST_F(ApplyTest, OpenLedgerKeepsTheFirstAndQueuesBeyondCapacity) {
  OpenLedger open(store_, 2);
  open.reset(*root_);
  EXPECT_EQ(open.apply(pay(1, xrp(1), 1), false), TxResult::tes_success);
  EXPECT_EQ(open.apply(pay(1, xrp(1), 2), false), TxResult::tef_past_seq);
  EXPECT_EQ(open.apply(pay(3, xrp(1)), false), TxResult::ter_pre_seq);
  EXPECT_EQ(open.apply(pay(2, xrp(95)), false), TxResult::tec_unfunded_payment);
  EXPECT_EQ(open.transactions().size(), 2u) << "a tec claims its fee in the open ledger";
  EXPECT_EQ(open.apply(pay(3, xrp(1)), false), TxResult::ter_queued);
}

}  // namespace
}  // namespace dissensus::xrpl
