// Transactions: arrival, relay, the open ledger (consensus.md 13.1 and 13.5).
#include <algorithm>

#include <fmt/format.h>

#include "systems/xrpl/node.h"

namespace dissensus::xrpl {

Validator::TransactionRecord& Validator::record_of(TxIndex tx) {
  if (tx >= transactions_.size()) {
    transactions_.resize(tx + 8);
    transaction_senders_.resize(transactions_.size() * sender_words_);
  }
  return transactions_[tx];
}

bool Validator::knows_transaction(TxIndex tx) const {
  return tx < transactions_.size() && transactions_[tx].known;
}

void Validator::note_sender(TxIndex tx, NodeId from) {
  record_of(tx);
  transaction_senders_[tx * sender_words_ + from / 64] |= std::uint64_t{1} << (from % 64);
}

void Validator::submit(Context& context, const Request& request) {
  context_ = &context;
  const auto* payment = dynamic_cast<const PaymentRequest*>(&request);
  if (payment == nullptr) return;
  const std::size_t before = store_.transaction_count();
  const TxIndex tx = store_.add(payment->payment());
  if (store_.transaction_count() != before) network_.submitted.push_back(tx);
  record_of(tx).local = true;
  local_.push_back(
      {tx, open_.seq() + static_cast<std::uint32_t>(parameters_.local_transaction_ledgers)});
  process_transaction(tx, true);
}

void Validator::receive_transaction(NodeId from, const TransactionMessage& message) {
  const TxIndex tx = message.transaction->index;
  note_sender(tx, from);
  if (peers_.status[from].diverged) return;
  const TransactionRecord& record = record_of(tx);
  const Duration interval = std::chrono::milliseconds(parameters_.transaction_interval_ms);
  if (record.was_processed && context_->now() < record.processed + interval) return;
  constexpr NetTime kTooOld = 240;
  if (chain_.valid == nullptr || network_now() - chain_.valid->close_time > kTooOld) return;
  const std::uint32_t last = message.transaction->payment.last_ledger;
  if (last != 0 && last < chain_.valid_seq()) return;
  process_transaction(tx, false);
}

void Validator::learn_transaction(TxIndex tx) {
  record_of(tx).known = true;
  process_transaction(tx, false);
}

// 13.1
void Validator::process_transaction(TxIndex tx, bool local) {
  TransactionRecord& record = record_of(tx);
  record.known = true;
  record.was_processed = true;
  record.processed = context_->now();
  const TxResult result = open_.apply(tx, false);
  if (context_->logging()) {
    context_->log(
        fmt::format("transaction {}: {}", to_string(store_.transaction(tx).id), to_string(result)));
  }
  switch (class_of(result)) {
    case TxClass::tes:
      relay_transaction(tx, TransactionStatus::current, false);
      try_held(store_.transaction(tx).from);
      return;
    case TxClass::tec:
      relay_transaction(tx, TransactionStatus::current, false);
      return;
    case TxClass::ter: {
      const bool queued = result == TxResult::ter_queued;
      std::vector<TxIndex>& list = queued ? queue_ : waiting_;
      if (std::find(list.begin(), list.end(), tx) == list.end()) list.push_back(tx);
      if (queued || (local && operating_mode_ != OperatingMode::full)) {
        relay_transaction(tx, TransactionStatus::current, queued);
      }
      return;
    }
    case TxClass::tef:
    case TxClass::tel:
    case TxClass::tem:
      return;
  }
}

void Validator::try_held(AccountIndex account) {
  const auto next = std::find_if(waiting_.begin(), waiting_.end(), [&](TxIndex tx) {
    return store_.transaction(tx).from == account;
  });
  if (next == waiting_.end()) return;
  // The held transaction of the account with the lowest sequence is the next in line.
  auto best = next;
  for (auto candidate = next; candidate != waiting_.end(); ++candidate) {
    const Transaction& transaction = store_.transaction(*candidate);
    if (transaction.from == account &&
        transaction.payment.sequence < store_.transaction(*best).payment.sequence) {
      best = candidate;
    }
  }
  const TxIndex tx = *best;
  waiting_.erase(best);
  process_transaction(tx, record_of(tx).local);
}

/// At the close held transactions enter the open ledger without being relayed; where others lack
/// them, they become disputes. Those that still cannot be applied are forgotten: recorded servers
/// (docs/results/xrpl-fidelity.md) try a held transaction at one close only; after that, a local
/// one comes back with the next open ledger.
void Validator::apply_held() {
  if (waiting_.empty()) return;
  sort_canonically(waiting_, open_.parent().id, store_);
  for (const TxIndex tx : waiting_) open_.apply(tx, false);
  waiting_.clear();
}

// 13.5
void Validator::rebuild_open_ledger(const Ledger& parent, const std::vector<TxIndex>& disputed,
                                    const std::vector<TxIndex>& retries) {
  if (open_.empty() && disputed.empty() && queue_.empty() && local_.empty()) {
    open_.reset(parent);
    return;
  }
  const std::vector<TxIndex> old = open_.transactions();
  open_.reset(parent);
  if (!disputed.empty()) {
    std::vector<TxIndex> first = disputed;
    for (const TxIndex tx : retries) {
      if (std::find(first.begin(), first.end(), tx) == first.end()) first.push_back(tx);
    }
    sort_canonically(first, parent.id, store_);
    apply_to_open(std::move(first));
  }
  apply_to_open(old);
  std::vector<TxIndex> queued;
  queued.swap(queue_);
  apply_to_open(std::move(queued));
  std::erase_if(local_,
                [&](const LocalTransaction& entry) { return open_.seq() > entry.last_seq; });
  std::vector<TxIndex> local;
  for (const LocalTransaction& entry : local_) local.push_back(entry.tx);
  sort_canonically(local, Digest{}, store_);
  apply_to_open(std::move(local));
}

/// Three passes as in 13.3; what is left over is dropped.
void Validator::apply_to_open(std::vector<TxIndex> transactions) {
  constexpr int kPasses = 3;
  const auto& inside = open_.transactions();
  std::erase_if(transactions, [&](TxIndex tx) {
    return std::find(inside.begin(), inside.end(), tx) != inside.end();
  });
  bool retry = true;
  for (int pass = 0; pass < kPasses && !transactions.empty(); ++pass) {
    std::size_t changes = 0;
    std::vector<TxIndex> kept;
    for (const TxIndex tx : transactions) {
      const TxResult result = open_.apply(tx, retry);
      if (was_applied(result, retry)) {
        ++changes;
        relay_transaction(tx, TransactionStatus::fresh, false);
      } else if (result == TxResult::ter_queued) {
        queue_.push_back(tx);
      } else if (class_of(result) == TxClass::ter || class_of(result) == TxClass::tec) {
        kept.push_back(tx);
      }
    }
    transactions = std::move(kept);
    if (changes == 0 && !retry) break;
    if (changes == 0 || pass >= 1) retry = false;
  }
}

// 8.1: a disputed transaction goes to all peers, also to those it came from.
void Validator::relay_disputed(TxIndex tx) {
  if (!mark_relayed(tx)) return;
  context_->broadcast(message_of(tx, TransactionStatus::fresh, false));
}

/// False when this node has relayed the transaction a short while ago.
bool Validator::mark_relayed(TxIndex tx) {
  TransactionRecord& record = record_of(tx);
  const Duration interval = std::chrono::milliseconds(parameters_.relay_interval_ms);
  if (record.was_relayed && context_->now() < record.relayed + interval) return false;
  record.was_relayed = true;
  record.relayed = context_->now();
  return true;
}

TransactionMessage Validator::message_of(TxIndex tx, TransactionStatus status,
                                         bool deferred) const {
  return {&store_.transaction(tx), status, deferred, config_.scheme};
}

void Validator::relay_transaction(TxIndex tx, TransactionStatus status, bool deferred) {
  if (!config_.relay && !record_of(tx).local) return;
  if (!mark_relayed(tx)) return;
  const Message message = context_->make(message_of(tx, status, deferred));
  for (const NodeId peer : context_->peers()) {
    const std::uint64_t senders = transaction_senders_[tx * sender_words_ + peer / 64];
    if ((senders >> (peer % 64) & 1) == 0) context_->send_message(peer, message);
  }
}

}  // namespace dissensus::xrpl
