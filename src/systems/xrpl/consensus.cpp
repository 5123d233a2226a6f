#include "systems/xrpl/consensus.h"

#include <algorithm>

#include "core/assert.h"
#include "systems/xrpl/close_time.h"

namespace dissensus::xrpl {

Consensus::Consensus(const Parameters& parameters, ConsensusHost& host, std::size_t nodes)
    : parameters_(parameters),
      host_(host),
      peers_(nodes),
      recent_(nodes * static_cast<std::size_t>(parameters.recent_proposals)),
      recent_next_(nodes) {}

std::int64_t Consensus::milliseconds_since(Time start) const {
  return std::chrono::duration_cast<std::chrono::milliseconds>(now_.steady - start).count();
}

void Consensus::set_phase(Phase phase) {
  phase_ = phase;
  host_.on_phase(phase);
}

void Consensus::assume_accepted(const Moment& now, const Ledger& previous, const Position& position,
                                std::size_t proposers, std::int64_t round_ms) {
  first_round_ = false;
  now_ = now;
  previous_ = &previous;
  previous_id_ = previous.id;
  close_resolution_ = next_resolution(previous.resolution, previous.agree, previous.seq + 1);
  mode_ = Mode::proposing;
  state_ = ConsensusState::yes;
  position_ = position;
  has_position_ = true;
  previous_proposers_ = proposers;
  previous_round_ms_ = round_ms;
  raw_close_times_.self = position.close_time;
  set_phase(Phase::accepted);
}

// 6.1
void Consensus::start_round(const Moment& now, const Digest& previous_id, const Ledger& previous,
                            bool proposing) {
  if (first_round_) {
    previous_round_ms_ = parameters_.idle_interval_ms;
    previous_close_time_ = previous.close_time;
    first_round_ = false;
  } else {
    previous_close_time_ = raw_close_times_.self;
  }
  Mode mode = proposing ? Mode::proposing : Mode::observing;
  const Ledger* parent = &previous;
  if (previous.id != previous_id) {
    const Ledger* wanted = host_.obtain_parent(previous_id);
    if (wanted != nullptr) {
      parent = wanted;
    } else {
      mode = Mode::wrong_ledger;
    }
  }
  begin(now, mode, previous_id, *parent);
}

// startRoundInternal
void Consensus::begin(const Moment& now, Mode mode, const Digest& previous_id,
                      const Ledger& previous) {
  now_ = now;
  mode_ = mode;
  previous_id_ = previous_id;
  previous_ = &previous;
  host_.on_round(previous);
  set_phase(Phase::open);
  state_ = ConsensusState::no;
  has_position_ = false;
  converge_percent_ = 0;
  round_ms_ = 0;
  establish_ticks_ = 0;
  peers_unchanged_ticks_ = 0;
  have_close_time_consensus_ = false;
  open_since_ = now.steady;
  acquired_.clear();
  raw_close_times_.self = 0;
  clear_positions();
  close_resolution_ = next_resolution(previous.resolution, previous.agree, previous.seq + 1);
  host_.on_begun();
  replay_proposals();
  if (positions_ > previous_proposers_ / 2) timer_entry(now_);
}

void Consensus::clear_positions() {
  disputes_.clear();
  compared_.clear();
  raw_close_times_.peers.clear();
  for (PeerPosition& peer : peers_) {
    peer.present = false;
    peer.dead = false;
  }
  positions_ = 0;
}

// 6.2
void Consensus::timer_entry(const Moment& now) {
  if (phase_ == Phase::accepted) return;
  now_ = now;
  check_ledger();
  if (phase_ == Phase::open) {
    phase_open();
  } else if (phase_ == Phase::establish) {
    phase_establish();
  }
}

// 6.3
void Consensus::phase_open() {
  const bool use_ledger_time = mode_ != Mode::wrong_ledger && previous_->agree &&
                               previous_->close_time != previous_->parent_close_time + 1;
  const NetTime last_close = use_ledger_time ? previous_->close_time : previous_close_time_;
  CloseInputs inputs;
  inputs.any_transactions = host_.open_ledger_has_transactions();
  inputs.closed = static_cast<std::int64_t>(positions_);
  inputs.validated = static_cast<std::int64_t>(host_.full_validations(previous_id_));
  inputs.previous_proposers = static_cast<std::int64_t>(previous_proposers_);
  inputs.previous_round_ms = previous_round_ms_;
  inputs.open_ms = milliseconds_since(open_since_);
  inputs.since_close_ms = (now_.network - last_close) * 1000;
  inputs.idle_ms =
      std::max(parameters_.idle_interval_ms, std::int64_t{2000} * previous_->resolution);
  if (should_close(parameters_, inputs)) close_ledger();
}

// 6.4
void Consensus::close_ledger() {
  set_phase(Phase::establish);
  raw_close_times_.self = now_.network;
  const ConsensusHost::Closed closed = host_.on_close(*previous_, mode_, now_);
  position_ = {closed.parent, closed.set, now_.network, now_.network, 0};
  has_position_ = true;
  round_since_ = now_.steady;
  if (acquired(closed.set->id) == nullptr) {
    acquired_.push_back(closed.set);
    host_.publish_set(*closed.set);
    // Peers that were on this set before its content was known vote from now on (8.1).
    for (PeerPosition& peer : peers_) {
      if (peer.present && peer.set_id == closed.set->id) peer.set = closed.set;
    }
  }
  host_.on_position(position_);
  if (mode_ == Mode::proposing) host_.propose(position_);
  for (const PeerPosition& peer : peers_) {
    if (peer.present && peer.set != nullptr) create_disputes(*peer.set);
  }
}

// 6.5
void Consensus::phase_establish() {
  DISSENSUS_ASSERT(has_position_, "Consensus::phase_establish : a closed ledger has a position");
  ++establish_ticks_;
  ++peers_unchanged_ticks_;
  round_ms_ = milliseconds_since(round_since_);
  converge_percent_ =
      round_ms_ * 100 / std::max(previous_round_ms_, parameters_.av_min_consensus_ms);
  if (round_ms_ < parameters_.min_consensus_ms) return;
  update_our_positions();
  PauseInputs pause = host_.pause_inputs(*previous_, now_);
  pause.round_ms = round_ms_;
  if (should_pause(parameters_, pause)) return;
  if (!have_consensus()) return;
  if (!have_close_time_consensus_) return;
  previous_proposers_ = positions_;
  previous_round_ms_ = round_ms_;
  set_phase(Phase::accepted);
  host_.on_accept(state_, positions_);
}

// 6.6
void Consensus::update_our_positions() {
  drop_stale_positions();
  const TxSet* changed = update_disputed_votes();
  const NetTime close_time = vote_on_close_time();
  const bool refresh = close_time != round_close_time(position_.close_time, close_resolution_) ||
                       position_.time <= now_.network - parameters_.propose_interval_s;
  if (changed != nullptr) {
    change_position(*changed, close_time);
  } else if (refresh) {
    change_position(*position_.set, close_time);
  }
}

void Consensus::drop_stale_positions() {
  close_votes_.clear();
  const auto vote = [this](NetTime time) {
    const auto place = std::lower_bound(
        close_votes_.begin(), close_votes_.end(), time,
        [](const std::pair<NetTime, std::int64_t>& entry, NetTime t) { return entry.first < t; });
    if (place != close_votes_.end() && place->first == time) {
      ++place->second;
    } else {
      close_votes_.insert(place, {time, 1});
    }
  };
  for (std::size_t node = 0; node < peers_.size(); ++node) {
    PeerPosition& peer = peers_[node];
    if (!peer.present) continue;
    if (peer.seen <= now_.network - parameters_.propose_freshness_s) {
      withdraw(static_cast<NodeId>(node));
      host_.on_stale_position(static_cast<NodeId>(node));
    } else {
      vote(round_close_time(peer.close_time, close_resolution_));
    }
  }
  if (mode_ == Mode::proposing) vote(round_close_time(position_.close_time, close_resolution_));
}

const TxSet* Consensus::update_disputed_votes() {
  const bool proposing = mode_ == Mode::proposing;
  std::vector<TxIndex> edited;
  bool changed = false;
  for (Dispute& dispute : disputes_) {
    if (!dispute.update_vote(parameters_, converge_percent_, proposing)) continue;
    if (!changed) edited = position_.set->transactions;
    changed = true;
    const auto place = std::lower_bound(edited.begin(), edited.end(), dispute.tx());
    const bool inside = place != edited.end() && *place == dispute.tx();
    if (dispute.our_vote() && !inside) edited.insert(place, dispute.tx());
    if (!dispute.our_vote() && inside) edited.erase(place);
  }
  return changed ? host_.make_set(std::move(edited)) : nullptr;
}

NetTime Consensus::vote_on_close_time() {
  have_close_time_consensus_ = false;
  if (positions_ == 0) {
    have_close_time_consensus_ = true;
    return round_close_time(position_.close_time, close_resolution_);
  }
  const std::int64_t percent = avalanche_at(parameters_, converge_percent_).percent;
  const auto participants =
      static_cast<std::int64_t>(positions_) + (mode_ == Mode::proposing ? 1 : 0);
  std::int64_t needed = needed_votes(participants, percent);
  const std::int64_t consensus = needed_votes(participants, parameters_.av_close_time_percent);
  NetTime candidate = 0;
  for (const auto& [time, votes] : close_votes_) {
    if (votes < needed) continue;
    candidate = time;
    needed = votes;
    if (votes >= consensus) have_close_time_consensus_ = true;
  }
  return candidate;
}

// 6.6 step 5
void Consensus::change_position(const TxSet& set, NetTime close_time) {
  position_.set = &set;
  position_.close_time = close_time;
  position_.time = now_.network;
  if (!position_.bowed_out()) ++position_.propose_seq;
  if (acquired(set.id) == nullptr) {
    acquired_.push_back(&set);
    if (!position_.bowed_out()) host_.publish_set(set);
    for (std::size_t node = 0; node < peers_.size(); ++node) {
      PeerPosition& peer = peers_[node];
      if (!peer.present || peer.set_id != set.id) continue;
      peer.set = &set;
      update_disputes(static_cast<NodeId>(node), set);
    }
  }
  host_.on_position(position_);
  if (mode_ == Mode::proposing && !position_.bowed_out()) host_.propose(position_);
}

std::size_t Consensus::agreeing_positions() const {
  return static_cast<std::size_t>(
      std::count_if(peers_.begin(), peers_.end(), [this](const PeerPosition& peer) {
        return peer.present && peer.set_id == position_.set->id;
      }));
}

// 6.7
bool Consensus::have_consensus() {
  ConsensusCounts counts;
  counts.agree = static_cast<std::int64_t>(agreeing_positions());
  counts.previous_proposers = static_cast<std::int64_t>(previous_proposers_);
  counts.proposers = static_cast<std::int64_t>(positions_);
  counts.finished =
      static_cast<std::int64_t>(host_.finished_validators(*previous_, previous_id_, now_));
  counts.previous_round_ms = previous_round_ms_;
  counts.round_ms = round_ms_;
  counts.stalled = is_stalled();
  counts.proposing = mode_ == Mode::proposing;
  state_ = check_consensus(parameters_, counts);
  if (state_ == ConsensusState::no) return false;
  if (state_ == ConsensusState::expired) {
    if (establish_ticks_ < parameters_.expired_ticks_min) {
      state_ = ConsensusState::no;
      return false;
    }
    leave_consensus();
  }
  return true;
}

// 15.3
bool Consensus::is_stalled() const {
  if (!parameters_.avalanche_states || !have_close_time_consensus_) return false;
  if (disputes_.empty()) return parameters_.stalled_without_disputes;
  return std::all_of(disputes_.begin(), disputes_.end(), [this](const Dispute& dispute) {
    return dispute.is_stalled(parameters_, mode_ == Mode::proposing, peers_unchanged_ticks_);
  });
}

// 6.9
void Consensus::check_ledger() {
  const Digest preferred = host_.preferred_parent(*previous_, previous_id_, mode_, now_);
  if (preferred != previous_id_ || previous_->id != previous_id_) handle_wrong_ledger(preferred);
}

void Consensus::handle_wrong_ledger(const Digest& preferred) {
  leave_consensus();
  if (previous_id_ != preferred) {
    previous_id_ = preferred;
    clear_positions();
    host_.on_other_parent();
    replay_proposals();
  }
  if (previous_->id == previous_id_) return;
  const Ledger* wanted = host_.obtain_parent(previous_id_);
  if (wanted != nullptr) {
    begin(now_, Mode::switched_ledger, previous_id_, *wanted);
  } else {
    mode_ = Mode::wrong_ledger;
  }
}

void Consensus::leave_consensus() {
  if (mode_ != Mode::proposing) return;
  if (has_position_ && !position_.bowed_out()) {
    position_.propose_seq = kBowOut;
    position_.time = now_.network;
    host_.propose(position_);
  }
  mode_ = Mode::observing;
  host_.on_left();
}

}  // namespace dissensus::xrpl
