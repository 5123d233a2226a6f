#include "systems/xrpl/dispute.h"

namespace dissensus::xrpl {
namespace {

std::int64_t percent_of(const Parameters& parameters, AvalancheState state) {
  switch (state) {
    case AvalancheState::init:
      return parameters.av_init_percent;
    case AvalancheState::mid:
      return parameters.av_mid_percent;
    case AvalancheState::late:
      return parameters.av_late_percent;
    case AvalancheState::stuck:
      break;
  }
  return parameters.av_stuck_percent;
}

std::int64_t next_state_time(const Parameters& parameters, AvalancheState state) {
  switch (state) {
    case AvalancheState::init:
      return parameters.av_mid_time;
    case AvalancheState::mid:
      return parameters.av_late_time;
    case AvalancheState::late:
    case AvalancheState::stuck:
      break;
  }
  return parameters.av_stuck_time;
}

}  // namespace

Avalanche avalanche_at(const Parameters& parameters, std::int64_t converge_percent) {
  AvalancheState state = AvalancheState::stuck;
  if (converge_percent < parameters.av_mid_time) {
    state = AvalancheState::init;
  } else if (converge_percent < parameters.av_late_time) {
    state = AvalancheState::mid;
  } else if (converge_percent < parameters.av_stuck_time) {
    state = AvalancheState::late;
  }
  return {state, percent_of(parameters, state)};
}

bool Dispute::set_vote(NodeId peer, bool yes) {
  const Vote vote = yes ? Vote::yes : Vote::no;
  if (votes_[peer] == vote) return false;
  withdraw(peer);
  votes_[peer] = vote;
  ++(yes ? yes_ : no_);
  return true;
}

void Dispute::withdraw(NodeId peer) {
  if (votes_[peer] == Vote::yes) --yes_;
  if (votes_[peer] == Vote::no) --no_;
  votes_[peer] = Vote::none;
}

std::int64_t Dispute::threshold(const Parameters& parameters, std::int64_t converge_percent) {
  if (!parameters.avalanche_states) return avalanche_at(parameters, converge_percent).percent;
  ++rounds_in_state_;
  if (state_ != AvalancheState::stuck && rounds_in_state_ >= parameters.av_min_rounds &&
      converge_percent >= next_state_time(parameters, state_)) {
    state_ = static_cast<AvalancheState>(static_cast<int>(state_) + 1);
    rounds_in_state_ = 0;
  }
  return percent_of(parameters, state_);
}

bool Dispute::update_vote(const Parameters& parameters, std::int64_t converge_percent,
                          bool proposing) {
  // Counted before the unanimous cases return: a tick without change is a tick (15.3).
  const std::int64_t needed = threshold(parameters, converge_percent);
  ++rounds_with_vote_;
  if (ours_ ? no_ == 0 : yes_ == 0) return false;
  bool vote = yes_ > no_;
  if (proposing) {
    const auto weight =
        static_cast<std::int64_t>((yes_ * 100 + (ours_ ? 100 : 0)) / (yes_ + no_ + 1));
    vote = weight > needed;
  }
  if (vote == ours_) return false;
  ours_ = vote;
  rounds_with_vote_ = 0;
  return true;
}

bool Dispute::is_stalled(const Parameters& parameters, bool proposing,
                         std::int64_t peers_unchanged) const {
  if (state_ != AvalancheState::stuck || rounds_in_state_ < parameters.av_min_rounds) return false;
  if (proposing && rounds_with_vote_ < parameters.av_min_rounds) return false;
  if (peers_unchanged < parameters.av_stalled_rounds && proposing &&
      rounds_with_vote_ < parameters.av_stalled_rounds) {
    return false;
  }
  const std::size_t self = proposing ? 1 : 0;
  const std::size_t total = yes_ + no_ + self;
  if (total == 0) return false;
  const auto percent = static_cast<std::int64_t>((yes_ + (ours_ ? self : 0)) * 100 / total);
  return percent > parameters.min_consensus_percent ||
         percent < 100 - parameters.min_consensus_percent;
}

}  // namespace dissensus::xrpl
