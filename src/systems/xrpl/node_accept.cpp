// The end of a round, the validation of ledgers, and what consensus asks of the node
// (consensus.md 6.4, 10, 11.6).
#include <algorithm>

#include <fmt/format.h>

#include "systems/xrpl/close_time.h"
#include "systems/xrpl/node.h"

namespace dissensus::xrpl {

const Ledger* Validator::obtain_parent(const Digest& id) {
  return obtain_ledger(id, 0);
}

const TxSet* Validator::make_set(std::vector<TxIndex> transactions) {
  return store_.set_of(std::move(transactions));
}

void Validator::publish_set(const TxSet& set) {
  if (!sets_.give(set)) return;
  context_->broadcast(HaveTransactionSet{set.id, config_.scheme});
}

std::size_t Validator::full_validations(const Digest& ledger) const {
  return validations_.count_full(ledger);
}

std::size_t Validator::finished_validators(const Ledger& held, const Digest& id,
                                           const Moment& now) {
  return validations_.finished(held, id, now.network);
}

Digest Validator::preferred_parent(const Ledger& held, const Digest& id, Mode mode,
                                   const Moment& now) {
  const Digest preferred = validations_.preferred_id(held, chain_.valid_seq(), now.network);
  if (preferred != id && mode != Mode::wrong_ledger) lower_operating_mode();
  return preferred;
}

PauseInputs Validator::pause_inputs(const Ledger& held, const Moment& now) const {
  PauseInputs inputs;
  const LaggardCount counted = validations_.laggards(held.seq, now.network);
  inputs.working_seq = held.seq;
  inputs.valid_seq = chain_.valid_seq();
  inputs.laggards = counted.laggards;
  inputs.offline = counted.offline;
  inputs.trusted = trusted_count_;
  inputs.quorum = quorum_;
  inputs.have_validated = chain_.valid != nullptr;
  return inputs;
}

ConsensusHost::Closed Validator::on_close(const Ledger& held, Mode mode, const Moment&) {
  send_status(mode == Mode::wrong_ledger ? StatusEvent::lost_sync : StatusEvent::closing_ledger,
              held);
  apply_held();
  chain_.building_seq = held.seq + 1;
  std::vector<TxIndex> transactions = open_.transactions();
  std::sort(transactions.begin(), transactions.end());
  return {make_set(std::move(transactions)), open_.parent().id};
}

void Validator::on_accept(ConsensusState state, std::size_t positions) {
  if (positions == 0 && operating_mode_ == OperatingMode::full) {
    operating_mode_ = OperatingMode::connected;
  }
  const Ledger& parent = *consensus_.previous_ledger();
  const Position& position = consensus_.position();
  step_accept(state);
  if (state == ConsensusState::yes) {
    const std::uint64_t instance = round_instance(parent.seq + 1, parent.id);
    decided(Report::transaction_set, instance, position.set->id);
    for (const TxIndex tx : position.set->transactions) {
      decided(Report::round_transaction, instance, store_.transaction(tx).id);
    }
  }
  if (state == ConsensusState::moved_on) count(Observable::moved_on);
  if (context_->logging()) {
    context_->log(fmt::format("accept seq {} set {} close {} positions {} state {}", parent.seq + 1,
                              to_string(position.set->id), position.close_time, positions,
                              state == ConsensusState::yes
                                  ? "yes"
                                  : (state == ConsensusState::moved_on ? "moved on" : "expired")));
  }
  arm(TimerType::accept, 0, processing_time(config_.accept_delay));
}

void Validator::on_phase(Phase phase) {
  context_->phase(static_cast<std::uint32_t>(phase));
}

void Validator::on_round(const Ledger& previous) {
  context_->round(previous.seq + 1);
  if (consensus_.mode() != Mode::switched_ledger) return;
  decided(Report::switched, previous.seq, previous.id);
  count(Observable::switched);
}

void Validator::on_position(const Position& position) {
  step_position(position);
  const Ledger& parent = *consensus_.previous_ledger();
  const std::uint64_t instance = round_instance(parent.seq + 1, parent.id);
  proposed(Report::transaction_set, instance, position.set->id);
  for (const TxIndex tx : position.set->transactions) {
    proposed(Report::round_transaction, instance, store_.transaction(tx).id);
  }
}

// 10
void Validator::accept() {
  const Position& position = consensus_.position();
  const Ledger& parent = *consensus_.previous_ledger();
  const BuildResult built =
      store_.build(parent, *position.set, position.close_time, consensus_.close_resolution());
  const Ledger& ledger = *built.ledger;
  hold(ledger);
  last_closed_ = &ledger;
  step_ledger(Step::build, ledger.id);
  report_supported(ledger);
  decided(Report::built, ledger.seq, ledger.id);
  send_status(consensus_.mode() == Mode::wrong_ledger ? StatusEvent::lost_sync
                                                      : StatusEvent::accepted_ledger,
              ledger);
  validate_built(ledger);
  chain_.building_seq = 0;
  consensus_built(ledger);

  std::vector<TxIndex> disputed;
  for (const Dispute& dispute : consensus_.disputes()) {
    if (!dispute.our_vote()) disputed.push_back(dispute.tx());
  }
  rebuild_open_ledger(ledger, disputed, *built.retries);
  check_accept(ledger);
  adjust_close_offset();
  end_consensus();
}

// 10.4 and 10.5
void Validator::validate_built(const Ledger& ledger) {
  if (validating_ && !chain_.is_compatible(ledger)) {
    validating_ = false;
    count(Observable::incompatible);
    if (context_->logging()) {
      context_->log(fmt::format("Not validating incompatible ledger {} seq {}",
                                to_string(ledger.id), ledger.seq));
    }
  }
  const NetTime now = close_time();
  if (!validating_ || consensus_.state() == ConsensusState::moved_on ||
      !validations_.may_issue(ledger.seq, now)) {
    return;
  }
  Validation validation;
  validation.ledger = ledger.id;
  validation.consensus_set = consensus_.position().set->id;
  last_sign_time_ = std::max(now, last_sign_time_ + 1);
  validation.sign_time = static_cast<std::uint32_t>(last_sign_time_);
  validation.cookie = cookie_;
  validation.ledger_seq = ledger.seq;
  validation.origin = self_;
  validation.full = consensus_.mode() == Mode::proposing;
  validation.scheme = config_.scheme;
  validation.number = store_.message_number(validation.digest());
  flags_of(validation.number) |= 1;
  if (validations_.add(validation, now, now) == ValidationStatus::current) {
    check_accept(ledger.id, ledger.seq);
  }
  decided(Report::validation, ledger.seq, ledger.id);
  context_->broadcast(validation);
}

// 10.6
void Validator::consensus_built(const Ledger& ledger) {
  if (check_accept(ledger)) return;
  validations_.current_votes(votes_, close_time());
  const Validations::CurrentVotes* best = nullptr;
  bool contradicted = false;
  for (const Validations::CurrentVotes& votes : votes_) {
    contradicted = contradicted || (votes.seq == ledger.seq && votes.ledger != ledger.id);
    if (votes.count > quorum_ && votes.seq > chain_.valid_seq() &&
        (best == nullptr || votes.seq > best->seq)) {
      best = &votes;
    }
  }
  if (contradicted) count(Observable::insufficient_support);
  if (best != nullptr) check_accept(Digest{best->ledger}, best->seq);
}

// 2
void Validator::adjust_close_offset() {
  const Mode mode = consensus_.mode();
  if ((mode != Mode::proposing && mode != Mode::observing) ||
      consensus_.state() == ConsensusState::moved_on) {
    return;
  }
  const RawCloseTimes& times = consensus_.raw_close_times();
  NetTime sum = times.self;
  NetTime voters = 1;
  for (const auto& [time, votes] : times.peers) {
    sum += time * static_cast<NetTime>(votes);
    voters += static_cast<NetTime>(votes);
  }
  const NetTime average = (sum + voters / 2) / voters;
  close_offset_ = next_close_offset(close_offset_, average - times.self);
}

std::size_t Validator::full_validation_count(const Digest& id, std::uint32_t seq) const {
  return parameters_.count_by_sequence ? validations_.count_full(id, seq)
                                       : validations_.count_full(id);
}

// 11.6, from a validation
void Validator::check_accept(const Digest& id, std::uint32_t seq) {
  if (seq != 0) {
    if (seq < chain_.valid_seq()) return;
    if (seq > chain_.pair_seq && full_validation_count(id, seq) >= quorum_) {
      chain_.pair_id = id;
      chain_.pair_seq = seq;
    }
    if (seq == chain_.valid_seq() || seq == chain_.building_seq) return;
  }
  const Ledger* ledger = obtain_ledger(id, seq);
  if (ledger != nullptr) check_accept(*ledger);
}

bool Validator::check_accept(const Ledger& ledger) {
  if (ledger.seq <= chain_.valid_seq() || !chain_.can_be_current(ledger, close_time()) ||
      full_validation_count(ledger.id, ledger.seq) < quorum_) {
    return false;
  }
  fully_validated(ledger);
  return true;
}

void Validator::fully_validated(const Ledger& ledger) {
  // Ledgers are published in order: the chain of the new one settles those in between too.
  std::vector<const Ledger*> fresh;
  for (const Ledger* next = &ledger;
       next != nullptr && next->parent != nullptr && next->seq > chain_.valid_seq();
       next = next->parent) {
    fresh.push_back(next);
  }
  chain_.valid = &ledger;
  step_ledger(Step::fully_validate, ledger.id);
  for (auto next = fresh.rbegin(); next != fresh.rend(); ++next) {
    decided(Report::ledger, (*next)->seq, (*next)->id);
    settle_transactions(**next);
  }
  set_observable(Observable::validated_seq, ledger.seq);
  std::erase_if(local_, [&](const LocalTransaction& entry) {
    const Transaction& transaction = store_.transaction(entry.tx);
    const auto& accounts = ledger.state->accounts;
    return transaction.from < accounts.size() &&
           accounts[transaction.from].sequence > transaction.payment.sequence;
  });
}

/// Keeps the counts of client transactions by their fate in the validated chain.
void Validator::settle_transactions(const Ledger& ledger) {
  for (; submitted_seen_ < network_.submitted.size(); ++submitted_seen_) {
    unsettled_.push_back(network_.submitted[submitted_seen_]);
  }
  if (unsettled_.empty()) return;
  std::int64_t settled = 0;
  for (const AppliedTransaction& applied : ledger.applied) {
    const auto place = std::find(unsettled_.begin(), unsettled_.end(), applied.tx);
    if (place == unsettled_.end()) continue;
    unsettled_.erase(place);
    count(applied.result == TxResult::tes_success ? Observable::validated : Observable::failed);
    ++settled;
  }
  const auto cancelled = std::erase_if(unsettled_, [&](TxIndex tx) {
    const Transaction& transaction = store_.transaction(tx);
    const auto& accounts = ledger.state->accounts;
    const std::uint32_t last = transaction.payment.last_ledger;
    return (last != 0 && last <= ledger.seq) ||
           (transaction.from < accounts.size() &&
            accounts[transaction.from].sequence > transaction.payment.sequence);
  });
  if (cancelled != 0) count(Observable::cancelled, static_cast<std::int64_t>(cancelled));
  settled += static_cast<std::int64_t>(cancelled);
  if (settled != 0) count(Observable::settled, settled);
}

void Validator::proposed(Report level, std::uint64_t instance, const Digest& value) {
  context_->proposed(static_cast<Level>(level), instance, value);
}

void Validator::decided(Report level, std::uint64_t instance, const Digest& value) {
  context_->decided(static_cast<Level>(level), instance, value);
}

void Validator::count(Observable observable, std::int64_t by) {
  set_observable(observable, observables_[static_cast<std::size_t>(observable)] + by);
}

void Validator::set_observable(Observable observable, std::int64_t value) {
  observables_[static_cast<std::size_t>(observable)] = value;
  context_->observe(static_cast<std::uint32_t>(observable), value);
}

/// This node stands behind a ledger: it may be validated, switched to and decided.
void Validator::report_supported(const Ledger& ledger) {
  proposed(Report::validation, ledger.seq, ledger.id);
  proposed(Report::switched, ledger.seq, ledger.id);
  proposed(Report::ledger, ledger.seq, ledger.id);
}

}  // namespace dissensus::xrpl
