// The open ledger: transactions applied provisionally on top of the last closed ledger.
#pragma once

#include <cstdint>
#include <vector>

#include "systems/xrpl/apply.h"
#include "systems/xrpl/ledger.h"
#include "systems/xrpl/store.h"

namespace dissensus::xrpl {

class OpenLedger {
 public:
  OpenLedger(const Store& store, std::int64_t capacity)
      : store_(store), capacity_(static_cast<std::size_t>(capacity)) {}

  /// Starts anew on this parent, without transactions.
  void reset(const Ledger& parent) {
    parent_ = &parent;
    view_ = View(*parent.state, parent.seq + 1, true);
    transactions_.clear();
  }

  const Ledger& parent() const { return *parent_; }
  bool empty() const { return transactions_.empty(); }
  /// In the order of application.
  const std::vector<TxIndex>& transactions() const { return transactions_; }
  std::uint32_t seq() const { return parent_->seq + 1; }

  /// With `retry`, a tec is not applied (13.5). A full open ledger queues what pays no more than
  /// the base fee.
  TxResult apply(TxIndex tx, bool retry) {
    const Transaction& transaction = store_.transaction(tx);
    if (transactions_.size() >= capacity_ && transaction.payment.fee <= store_.fees().base &&
        view_.read(transaction.from).sequence == transaction.payment.sequence) {
      return TxResult::ter_queued;
    }
    const TxResult result = apply_transaction(view_, transaction, store_.fees(), retry);
    if (was_applied(result, retry)) transactions_.push_back(tx);
    return result;
  }

 private:
  const Store& store_;
  std::size_t capacity_;
  const Ledger* parent_ = nullptr;
  View view_;
  std::vector<TxIndex> transactions_;
};

}  // namespace dissensus::xrpl
