#include "systems/xrpl/validations.h"

#include <algorithm>
#include <utility>

namespace dissensus::xrpl {

std::string_view to_string(ValidationStatus status) {
  constexpr std::string_view kNames[] = {"current", "stale", "badSeq", "multiple", "conflicting"};
  return kNames[static_cast<std::size_t>(status)];
}

Validations::Validations(const Parameters& parameters, LedgerSource& source, NodeId self,
                         const std::vector<bool>& trusted)
    : parameters_(parameters),
      source_(source),
      self_(self),
      trusted_(trusted),
      current_(trusted.size()),
      enforcers_(trusted.size()),
      by_sequence_(trusted.size() * kSequencesKept) {
  for (std::size_t node = 0; node < trusted.size(); ++node) {
    if (trusted[node]) trusted_nodes_.push_back(static_cast<NodeId>(node));
  }
}

bool Validations::is_current(const Validation& validation, NetTime seen, NetTime now) const {
  return validation.sign_time > now - parameters_.current_early_s &&
         validation.sign_time < now + parameters_.current_wall_s &&
         (seen == 0 || seen < now + parameters_.current_local_s);
}

bool Validations::enforce(Enforcer& enforcer, std::uint32_t seq, NetTime now) const {
  if (now > enforcer.last_success + parameters_.set_expires_s) enforcer.largest = 0;
  if (seq <= enforcer.largest) return false;
  enforcer.largest = seq;
  enforcer.last_success = now;
  return true;
}

bool Validations::may_issue(std::uint32_t seq, NetTime now) {
  Enforcer probe = enforcers_[self_];
  // The enforcer itself advances when the validation is added.
  return enforce(probe, seq, now);
}

Validations::SequenceEntry& Validations::sequence_entry(const Validation& validation) {
  SequenceEntry& entry =
      by_sequence_[validation.origin * kSequencesKept + validation.ledger_seq % kSequencesKept];
  const bool absent = entry.seq != validation.ledger_seq;
  constexpr NetTime kMuchLater = 300;
  if (absent || validation.sign_time > entry.sign_time + kMuchLater) {
    entry = {validation.ledger, validation.sign_time, validation.cookie, validation.ledger_seq};
  }
  return entry;
}

ValidationStatus Validations::rejected_status(const Validation& validation,
                                              const SequenceEntry& entry) const {
  if (entry.ledger != validation.ledger) return ValidationStatus::conflicting;
  if (parameters_.conflicting_sign_time && entry.sign_time != validation.sign_time) {
    return ValidationStatus::conflicting;
  }
  if (entry.cookie != validation.cookie) return ValidationStatus::multiple;
  return ValidationStatus::bad_seq;
}

Validations::LedgerVotes& Validations::votes_of(const Digest& ledger, NetTime now) {
  for (auto votes = by_ledger_.rbegin(); votes != by_ledger_.rend(); ++votes) {
    if (votes->ledger == ledger) {
      votes->last_use = now;
      return *votes;
    }
  }
  LedgerVotes fresh;
  if (by_ledger_.size() >= kLedgersKept ||
      (!by_ledger_.empty() && by_ledger_.front().last_use < now - parameters_.set_expires_s)) {
    fresh = std::move(by_ledger_.front());
    by_ledger_.pop_front();
  }
  fresh.ledger = ledger;
  fresh.last_use = now;
  fresh.full = 0;
  fresh.ballots.assign(trusted_.size(), Ballot{});
  return by_ledger_.emplace_back(std::move(fresh));
}

const Validations::LedgerVotes* Validations::find_votes(const Digest& ledger) const {
  for (auto votes = by_ledger_.rbegin(); votes != by_ledger_.rend(); ++votes) {
    if (votes->ledger == ledger) return &*votes;
  }
  return nullptr;
}

ValidationStatus Validations::add(const Validation& validation, NetTime seen, NetTime now) {
  if (!is_current(validation, seen, now)) return ValidationStatus::stale;
  const NodeId origin = validation.origin;
  const SequenceEntry& entry = sequence_entry(validation);
  if (!enforce(enforcers_[origin], validation.ledger_seq, now)) {
    return rejected_status(validation, entry);
  }
  LedgerVotes& votes = votes_of(validation.ledger, now);
  Ballot& ballot = votes.ballots[origin];
  votes.full -= ballot.present && ballot.full ? 1 : 0;
  ballot = {validation.ledger_seq, true, validation.full};
  votes.full += ballot.full ? 1 : 0;
  source_.on_counted(validation);

  Current& current = current_[origin];
  if (current.present && validation.sign_time <= current.sign_time) {
    return ValidationStatus::stale;
  }
  const Digest prior = current.present ? current.ledger : Digest{};
  current.ledger = validation.ledger;
  current.sign_time = validation.sign_time;
  current.seen = seen;
  current.seq = validation.ledger_seq;
  current.full = validation.full;
  current.present = true;
  oldest_sign_time_ = std::min(oldest_sign_time_, NetTime{validation.sign_time});
  feed_tips(origin, validation, prior);
  return ValidationStatus::current;
}

// 11.3: a validator's old ledger keeps counting until the new one is held.
void Validations::feed_tips(NodeId origin, const Validation& validation, const Digest& prior) {
  drop_pending(origin, prior);
  retry_pending();
  const Ledger* ledger = source_.obtain_ledger(validation.ledger, validation.ledger_seq);
  if (ledger != nullptr) {
    set_tip(origin, ledger);
    return;
  }
  for (Pending& pending : pending_) {
    if (pending.ledger == validation.ledger && pending.seq == validation.ledger_seq) {
      pending.nodes.push_back(origin);
      return;
    }
  }
  pending_.push_back({validation.ledger, validation.ledger_seq, {origin}});
}

void Validations::set_tip(NodeId origin, const Ledger* ledger) {
  Current& current = current_[origin];
  if (current.tip == ledger) return;
  if (current.tip != nullptr) tips_.remove(current.tip);
  current.tip = ledger;
  if (ledger != nullptr) tips_.add(ledger);
  source_.on_tip(origin, ledger);
}

void Validations::drop_pending(NodeId origin, const Digest& ledger) {
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    if (pending_[i].ledger != ledger) continue;
    std::vector<NodeId>& nodes = pending_[i].nodes;
    nodes.erase(std::remove(nodes.begin(), nodes.end(), origin), nodes.end());
    if (nodes.empty()) pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(i--));
  }
}

void Validations::retry_pending() {
  for (std::size_t i = 0; i < pending_.size();) {
    const Ledger* ledger = source_.obtain_ledger(pending_[i].ledger, pending_[i].seq);
    if (ledger == nullptr) {
      ++i;
      continue;
    }
    const std::vector<NodeId> nodes = std::move(pending_[i].nodes);
    pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(i));
    for (const NodeId node : nodes) set_tip(node, ledger);
  }
}

void Validations::expire(NetTime now) {
  const NetTime limit = now - parameters_.current_early_s;
  if (oldest_sign_time_ > limit) return;
  oldest_sign_time_ = now + parameters_.current_wall_s;
  for (const NodeId node : trusted_nodes_) {
    Current& current = current_[node];
    if (!current.present) continue;
    if (current.sign_time > limit) {
      oldest_sign_time_ = std::min(oldest_sign_time_, current.sign_time);
      continue;
    }
    drop_pending(node, current.ledger);
    set_tip(node, nullptr);
    current.present = false;
  }
}

std::size_t Validations::count_full(const Digest& ledger) const {
  const LedgerVotes* votes = find_votes(ledger);
  return votes == nullptr ? 0 : votes->full;
}

std::size_t Validations::count_full(const Digest& ledger, std::uint32_t seq) const {
  const LedgerVotes* votes = find_votes(ledger);
  if (votes == nullptr) return 0;
  return static_cast<std::size_t>(std::count_if(
      votes->ballots.begin(), votes->ballots.end(),
      [seq](const Ballot& ballot) { return ballot.present && ballot.full && ballot.seq == seq; }));
}

Validations::Preferred Validations::preferred(const Ledger& current, NetTime now) {
  expire(now);
  retry_pending();
  if (tips_.empty()) {
    const Pending* best = nullptr;
    for (const Pending& pending : pending_) {
      if (best == nullptr || pending.nodes.size() > best->nodes.size() ||
          (pending.nodes.size() == best->nodes.size() && pending.ledger > best->ledger)) {
        best = &pending;
      }
    }
    return best == nullptr ? Preferred{} : Preferred{best->ledger, best->seq, true};
  }
  const Preferred keep{current.id, current.seq, true};
  const Ledger* preferred = tips_.preferred(largest_issued());
  if (preferred == nullptr) return keep;  // the root is an ancestor of everything
  // A child of the ledger we work on: we are about to build it ourselves.
  if (preferred->seq == current.seq + 1 && preferred->parent == &current) return keep;
  if (preferred->seq > current.seq) return {preferred->id, preferred->seq, true};
  if (ancestor_at(current, preferred->seq) != preferred) {
    return {preferred->id, preferred->seq, true};
  }
  return keep;
}

Digest Validations::preferred_id(const Ledger& current, std::uint32_t min_seq, NetTime now) {
  const Preferred answer = preferred(current, now);
  return answer.any && answer.seq >= min_seq ? answer.id : current.id;
}

std::size_t Validations::finished(const Ledger& held, const Digest& id, NetTime now) {
  expire(now);
  retry_pending();
  return held.id == id ? tips_.strict_descendants(held) : tips_.children_of(id);
}

LaggardCount Validations::laggards(std::uint32_t seq, NetTime now) const {
  LaggardCount result;
  for (const NodeId node : trusted_nodes_) {
    const Current& current = current_[node];
    const bool fresh = current.present && current.seen > now - parameters_.validation_freshness_s &&
                       current.sign_time > now - parameters_.current_early_s;
    if (!fresh) {
      ++result.offline;
    } else if (current.seq < seq) {
      ++result.laggards;
    }
  }
  return result;
}

void Validations::current_votes(std::vector<CurrentVotes>& votes, NetTime now) const {
  votes.clear();
  for (const NodeId node : trusted_nodes_) {
    const Current& current = current_[node];
    if (!current.present || !current.full ||
        current.sign_time <= now - parameters_.current_early_s) {
      continue;
    }
    const auto same = std::find_if(votes.begin(), votes.end(), [&](const CurrentVotes& entry) {
      return entry.ledger == current.ledger;
    });
    if (same == votes.end()) {
      votes.push_back({current.ledger, current.seq, 1});
    } else {
      ++same->count;
    }
  }
}

}  // namespace dissensus::xrpl
