// What a validator tells a formal model: its steps and its state (specs/xrpl/README.md).
#include <utility>

#include "systems/xrpl/node.h"

namespace dissensus::xrpl {

std::vector<StepDescription> describe_steps() {
  return {{"start-round", {"ledger", "have", "takes_part"}},
          {"close", {"set"}},
          {"update-position", {"set", "level"}},
          {"accept", {"how"}},
          {"bow-out", {}},
          {"receive-proposal", {"from", "seq", "set"}},
          {"receive-bow-out", {"from"}},
          {"expire", {"from"}},
          {"got-set", {"set"}},
          {"build", {"ledger"}},
          {"validate", {"ledger", "full"}},
          {"receive-validation", {"from", "ledger", "seq", "full"}},
          {"count-tip", {"from", "ledger"}},
          {"drop-tip", {"from"}},
          {"fully-validate", {"ledger"}},
          {"switch-ledger", {"ledger"}}};
}

void Validator::report_step(Step step, std::initializer_list<StateValue> arguments) {
  context_->step(static_cast<std::uint32_t>(step), {arguments.begin(), arguments.size()});
}

/// Ids depend on the seed; a model has a constant for the ledger that everybody starts from.
StateValue Validator::name_of(const Digest& ledger) const {
  return ledger == network_.first_ledger->id ? std::string("first") : to_string(ledger);
}

/// The transactions of a set. One that nobody has made is like a single unknown transaction.
StateValue Validator::content_of(const TxSet* set, const Digest& id) const {
  StateValue::Set content;
  if (set == nullptr) {
    content.items.emplace_back("set " + to_string(id));
  } else {
    for (const TxIndex tx : set->transactions) {
      content.items.emplace_back(to_string(store_.transaction(tx).id));
    }
  }
  return content;
}

StateValue::Record Validator::state() const {
  constexpr const char* kPhaseNames[] = {"open", "establish", "accepted"};
  const bool proposing = consensus_.mode() == Mode::proposing;
  const bool has_position = consensus_.has_position();
  const TxSet* set = has_position ? consensus_.position().set : store_.empty_set();
  StateValue::Record record;
  record.fields = {
      {"phase", kPhaseNames[static_cast<std::size_t>(consensus_.phase())]},
      {"proposing", proposing},
      {"prior", name_of(consensus_.previous_id())},
      {"position", content_of(set, set->id)},
      {"propose_seq", proposing && has_position ? consensus_.position().propose_seq : 0u},
      {"positions", consensus_.peer_positions()},
      {"agreeing", has_position ? consensus_.agreeing_positions() : 0u},
      {"closed", name_of(last_closed_->id)},
      {"closed_seq", last_closed_->seq},
      {"valid", chain_.valid == nullptr ? StateValue("none") : name_of(chain_.valid->id)},
      {"valid_seq", chain_.valid_seq()}};
  return record;
}

void Validator::step_ledger(Step step, const Digest& ledger) {
  if (context_->stepping()) report_step(step, {name_of(ledger)});
}

void Validator::on_begun() {
  if (!context_->stepping()) return;
  report_step(Step::start_round,
              {name_of(consensus_.previous_id()), name_of(consensus_.previous_ledger()->id),
               consensus_.mode() == Mode::proposing});
}

void Validator::on_left() {
  if (context_->stepping()) report_step(Step::bow_out, {});
}

void Validator::on_other_parent() {
  step_ledger(Step::switch_ledger, consensus_.previous_id());
}

void Validator::step_position(const Position& position) {
  if (!context_->stepping()) return;
  StateValue set = content_of(position.set, position.set->id);
  if (position.propose_seq == 0) {
    report_step(Step::close, {std::move(set)});
  } else {
    report_step(Step::update_position,
                {std::move(set), avalanche_at(parameters_, consensus_.converge_percent()).percent});
  }
}

void Validator::step_accept(ConsensusState state) {
  if (!context_->stepping()) return;
  const char* how = state == ConsensusState::yes ? "yes" : "moved on";
  report_step(Step::accept, {state == ConsensusState::expired ? "expired" : how});
}

void Validator::on_peer_position(const ProposeSet& proposal) {
  if (!context_->stepping()) return;
  if (proposal.propose_seq == kBowOut) {
    report_step(Step::receive_bow_out, {proposal.origin});
  } else {
    report_step(Step::receive_proposal,
                {proposal.origin, proposal.propose_seq,
                 content_of(store_.find_set(proposal.position), proposal.position)});
  }
}

void Validator::on_stale_position(NodeId origin) {
  if (context_->stepping()) report_step(Step::expire, {origin});
}

void Validator::on_set(const TxSet& set) {
  if (context_->stepping()) report_step(Step::got_set, {content_of(&set, set.id)});
}

void Validator::on_counted(const Validation& validation) {
  // What a warm start assumes is no step.
  if (!context_->stepping() || validation.ledger == network_.first_ledger->id) return;
  if (validation.origin == self_) {
    report_step(Step::validate, {name_of(validation.ledger), validation.full});
  } else {
    report_step(Step::receive_validation, {validation.origin, name_of(validation.ledger),
                                           validation.ledger_seq, validation.full});
  }
}

void Validator::on_tip(NodeId validator, const Ledger* ledger) {
  if (!context_->stepping()) return;
  if (ledger == nullptr) {
    report_step(Step::drop_tip, {validator});
  } else if (validator != self_ && ledger != network_.first_ledger) {
    report_step(Step::count_tip, {validator, name_of(ledger->id)});
  }
}

}  // namespace dissensus::xrpl
