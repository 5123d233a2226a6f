#include "systems/xrpl/store.h"

#include <algorithm>
#include <utility>

#include "core/assert.h"
#include "systems/xrpl/close_time.h"

namespace dissensus::xrpl {

std::string_view to_string(TxResult result) {
  switch (result) {
    case TxResult::tel_insuf_fee_p:
      return "telINSUF_FEE_P";
    case TxResult::tem_bad:
      return "temBAD";
    case TxResult::tef_past_seq:
      return "tefPAST_SEQ";
    case TxResult::tef_already:
      return "tefALREADY";
    case TxResult::tef_max_ledger:
      return "tefMAX_LEDGER";
    case TxResult::ter_no_account:
      return "terNO_ACCOUNT";
    case TxResult::ter_pre_seq:
      return "terPRE_SEQ";
    case TxResult::ter_insuf_fee_b:
      return "terINSUF_FEE_B";
    case TxResult::ter_queued:
      return "terQUEUED";
    case TxResult::tes_success:
      return "tesSUCCESS";
    case TxResult::tec_unfunded_payment:
      return "tecUNFUNDED_PAYMENT";
    case TxResult::tec_no_dst_insuf_xrp:
      return "tecNO_DST_INSUF_XRP";
    case TxResult::tec_insuff_fee:
      return "tecINSUFF_FEE";
  }
  return "?";
}

Digest digest_of_state(const State& state) {
  DigestBuilder builder;
  builder.add(state.total);
  for (const AccountRoot& account : state.accounts) {
    builder.add(account.balance).add((std::uint64_t{account.sequence} << 1) | account.exists);
  }
  return builder.finish();
}

namespace {

/// Everything consensus.md 1 lists; the ancestor list follows from the parent's id.
Digest ledger_id(const Ledger& ledger, const Digest& parent_id, const Store& store) {
  DigestBuilder builder;
  builder.add(parent_id)
      .add(ledger.seq)
      .add(static_cast<std::uint64_t>(ledger.parent_close_time))
      .add(static_cast<std::uint64_t>(ledger.close_time))
      .add((std::uint64_t{ledger.resolution} << 1) | (ledger.agree ? 0u : 1u))
      .add(ledger.state->digest);
  for (const AppliedTransaction& applied : ledger.applied) {
    builder.add(store.transaction(applied.tx).id).add(static_cast<std::uint64_t>(applied.result));
  }
  return builder.finish();
}

}  // namespace

Store::Store(const Fees& fees) : fees_(fees) {
  sets_.emplace_back();
  set_numbers_.insert(Digest{}, 0);
}

AccountIndex Store::account(const Digest& id) {
  const auto next = static_cast<AccountIndex>(accounts_.size());
  const AccountIndex index = account_numbers_.insert(id, next);
  if (index == next) accounts_.push_back(id);
  return index;
}

TxIndex Store::add(const Payment& payment) {
  const Digest id = transaction_id(payment);
  const auto next = static_cast<TxIndex>(transactions_.size());
  const TxIndex index = transaction_numbers_.insert(id, next);
  if (index != next) return index;
  transactions_.push_back({id, payment, account(payment.from), account(payment.to), next});
  return next;
}

const TxSet* Store::set_of(std::vector<TxIndex> transactions) {
  if (transactions.empty()) return empty_set();
  std::vector<Digest> ids;
  ids.reserve(transactions.size());
  for (const TxIndex tx : transactions) ids.push_back(transaction(tx).id);
  std::sort(ids.begin(), ids.end());
  DigestBuilder builder;
  for (const Digest& id : ids) builder.add(id);
  const Digest id = builder.finish();
  const auto next = static_cast<std::uint32_t>(sets_.size());
  const std::uint32_t index = set_numbers_.insert(id, next);
  if (index == next) sets_.push_back({id, std::move(transactions)});
  return &sets_[index];
}

const TxSet* Store::find_set(const Digest& id) const {
  const std::uint32_t index = set_numbers_.find(id);
  return index == DigestMap::kAbsent ? nullptr : &sets_[index];
}

const Ledger* Store::add_ledger(Ledger ledger) {
  const auto next = static_cast<std::uint32_t>(ledgers_.size());
  const std::uint32_t index = ledger_numbers_.insert(ledger.id, next);
  if (index == next) {
    ledger.index = next;
    ledgers_.push_back(std::move(ledger));
  }
  return &ledgers_[index];
}

const Ledger* Store::add_root(State state, std::uint32_t seq, NetTime close_time) {
  state.digest = digest_of_state(state);
  states_.push_back(std::move(state));
  Ledger ledger;
  ledger.seq = seq;
  ledger.state = &states_.back();
  ledger.close_time = close_time;
  ledger.parent_close_time = close_time == 0 ? 0 : close_time - kResolutions[0];
  ledger.resolution = kResolutions[0];
  ledger.id = ledger_id(ledger, Digest{}, *this);
  return add_ledger(std::move(ledger));
}

BuildResult Store::build(const Ledger& parent, const TxSet& set, NetTime close_time,
                         std::uint8_t resolution) {
  const Digest key = DigestBuilder{}
                         .add(parent.index)
                         .add(set.id)
                         .add(static_cast<std::uint64_t>(close_time))
                         .add(resolution)
                         .finish();
  const auto next = static_cast<std::uint32_t>(builds_.size());
  const std::uint32_t known = build_numbers_.insert(key, next);
  if (known != next) return {builds_[known].ledger, &builds_[known].retries};

  Ledger ledger;
  ledger.parent = &parent;
  ledger.seq = parent.seq + 1;
  ledger.parent_close_time = parent.close_time;
  ledger.resolution = resolution;
  ledger.agree = close_time != 0;
  ledger.close_time = ledger.agree ? effective_close_time(close_time, resolution, parent.close_time)
                                   : parent.close_time + 1;
  std::vector<TxIndex> transactions = set.transactions;
  sort_canonically(transactions, set.id, *this);
  View view(*parent.state, ledger.seq, false);
  ledger.applied = apply_in_passes(view, transactions, *this, fees_);
  ledger.state = parent.state;
  if (view.changed()) {
    states_.push_back(view.finish());
    ledger.state = &states_.back();
  }
  ledger.id = ledger_id(ledger, parent.id, *this);
  const Ledger* built = add_ledger(std::move(ledger));
  builds_.push_back({built, std::move(transactions)});
  return {built, &builds_.back().retries};
}

const Ledger* Store::find_ledger(const Digest& id) const {
  const std::uint32_t index = ledger_numbers_.find(id);
  return index == DigestMap::kAbsent ? nullptr : &ledgers_[index];
}

std::uint32_t Store::message_number(const Digest& content) {
  const std::uint32_t number = message_numbers_.insert(content, messages_ + 1);
  if (number == messages_ + 1) ++messages_;
  return number;
}

const TxList* Store::keep(TxList list) {
  lists_.push_back(std::move(list));
  return &lists_.back();
}

}  // namespace dissensus::xrpl
