#include "systems/xrpl/apply.h"

#include <algorithm>
#include <tuple>

#include "systems/xrpl/store.h"

namespace dissensus::xrpl {

AccountRoot& View::write(AccountIndex account) {
  if (!changed_) {
    accounts_ = base_->accounts;
    changed_ = true;
  }
  if (account >= accounts_.size()) accounts_.resize(account + 1);
  return accounts_[account];
}

State View::finish() const {
  State state;
  state.accounts = changed_ ? accounts_ : base_->accounts;
  state.total = base_->total - burnt_;
  state.digest = digest_of_state(state);
  return state;
}

namespace {

/// The checks before anything is changed, in the order of consensus.md 13.2.
TxResult check(const View& view, const Transaction& transaction, const Fees& fees) {
  const Payment& payment = transaction.payment;
  const AccountRoot from = view.read(transaction.from);
  if (!from.exists) return TxResult::ter_no_account;
  if (payment.sequence > from.sequence) return TxResult::ter_pre_seq;
  if (payment.sequence < from.sequence) return TxResult::tef_past_seq;
  if (payment.last_ledger != 0 && view.seq() > payment.last_ledger) {
    return TxResult::tef_max_ledger;
  }
  if (view.is_open() && payment.fee < fees.base) return TxResult::tel_insuf_fee_p;
  if (from.balance < payment.fee) {
    if (view.is_open() || from.balance == 0) return TxResult::ter_insuf_fee_b;
    return TxResult::tec_insuff_fee;
  }
  if (!view.read(transaction.to).exists && payment.amount < fees.reserve) {
    return TxResult::tec_no_dst_insuf_xrp;
  }
  if (from.balance < payment.amount + std::max(fees.reserve, payment.fee)) {
    return TxResult::tec_unfunded_payment;
  }
  return TxResult::tes_success;
}

void charge(View& view, const Transaction& transaction) {
  AccountRoot& from = view.write(transaction.from);
  const Drops fee = std::min(from.balance, transaction.payment.fee);
  from.balance -= fee;
  ++from.sequence;
  view.burn(fee);
}

void move_amount(View& view, const Transaction& transaction) {
  view.write(transaction.from).balance -= transaction.payment.amount;
  AccountRoot& to = view.write(transaction.to);
  if (!to.exists) {
    to.exists = true;
    to.sequence = 1;
  }
  to.balance += transaction.payment.amount;
}

}  // namespace

TxResult apply_transaction(View& view, const Transaction& transaction, const Fees& fees,
                           bool retry) {
  const TxResult result = check(view, transaction, fees);
  if (!was_applied(result, retry)) return result;
  charge(view, transaction);
  if (result == TxResult::tes_success) move_amount(view, transaction);
  return result;
}

void sort_canonically(std::vector<TxIndex>& transactions, const Digest& salt, const Store& store) {
  const auto key = [&](TxIndex tx) {
    const Transaction& transaction = store.transaction(tx);
    const Digest& account = transaction.payment.from;
    return std::tuple(Digest{account.high ^ salt.high, account.low ^ salt.low},
                      transaction.payment.sequence, transaction.id);
  };
  std::sort(transactions.begin(), transactions.end(),
            [&](TxIndex a, TxIndex b) { return key(a) < key(b); });
}

std::vector<AppliedTransaction> apply_in_passes(View& view, std::vector<TxIndex>& transactions,
                                                const Store& store, const Fees& fees) {
  constexpr int kPasses = 3;
  std::vector<AppliedTransaction> applied;
  bool retry = true;
  for (int pass = 0; pass < kPasses && !transactions.empty(); ++pass) {
    std::size_t changes = 0;
    std::size_t kept = 0;
    for (const TxIndex tx : transactions) {
      const TxResult result = apply_transaction(view, store.transaction(tx), fees, retry);
      if (was_applied(result, retry)) {
        applied.push_back({tx, result});
        ++changes;
      } else if (class_of(result) == TxClass::ter || class_of(result) == TxClass::tec) {
        transactions[kept++] = tx;
      }
    }
    transactions.resize(kept);
    if (changes == 0 && !retry) break;
    if (changes == 0 || pass >= 1) retry = false;
  }
  return applied;
}

}  // namespace dissensus::xrpl
