// Positions of peers and the disputes they raise (consensus.md 7 and 8).
#include <algorithm>

#include "systems/xrpl/consensus.h"

namespace dissensus::xrpl {

bool Consensus::peer_proposal(const Moment& now, const ProposeSet& proposal, std::uint32_t number,
                              const Message& message, NodeId from) {
  const auto kept = static_cast<std::size_t>(parameters_.recent_proposals);
  StoredProposal* stored = nullptr;
  if (kept != 0) {
    std::uint32_t& next = recent_next_[proposal.origin];
    stored = &recent_[proposal.origin * kept + next];
    next = static_cast<std::uint32_t>((next + 1) % kept);
    stored->message = message;
    stored->senders.clear();
    stored->seen = now.network;
    stored->number = number;
    stored->relayed = false;
  }
  if (phase_ == Phase::accepted) {
    if (stored != nullptr) stored->senders.push_back(from);
    return false;
  }
  now_ = now;
  const bool relay = take_position(proposal.origin, proposal, now.network);
  if (stored != nullptr) {
    stored->relayed = relay;
    if (!relay) stored->senders.push_back(from);
  }
  return relay;
}

void Consensus::seen_again(NodeId origin, std::uint32_t number, NodeId from) {
  const auto kept = static_cast<std::size_t>(parameters_.recent_proposals);
  for (std::size_t i = 0; i < kept; ++i) {
    StoredProposal& stored = recent_[origin * kept + i];
    if (stored.number == number && stored.message && !stored.relayed) {
      stored.senders.push_back(from);
    }
  }
}

// 7.4
void Consensus::replay_proposals() {
  const auto kept = static_cast<std::size_t>(parameters_.recent_proposals);
  for (std::size_t node = 0; node < peers_.size() && kept != 0; ++node) {
    for (std::size_t i = 0; i < kept; ++i) {
      StoredProposal& stored = recent_[node * kept + (recent_next_[node] + i) % kept];
      if (!stored.message) continue;
      const ProposeSet& proposal = *stored.message.get<ProposeSet>();
      if (proposal.previous_ledger != previous_id_) continue;
      if (!take_position(static_cast<NodeId>(node), proposal, stored.seen)) continue;
      if (stored.relayed) continue;
      stored.relayed = true;
      host_.relay_proposal(stored.message, stored.senders);
    }
  }
}

// 7.3 from step 2 on
bool Consensus::take_position(NodeId origin, const ProposeSet& proposal, NetTime seen) {
  if (proposal.previous_ledger != previous_id_) return false;
  PeerPosition& peer = peers_[origin];
  if (peer.dead) return false;
  if (peer.present && proposal.propose_seq <= peer.propose_seq) {
    if (!parameters_.ignore_propose_sequence) return false;
    host_.on_regression(origin);
  }
  if (proposal.propose_seq == kBowOut) {
    withdraw(origin);
    peer.dead = true;
    host_.on_peer_position(proposal);
    return true;
  }
  if (!peer.present) ++positions_;
  peer.present = true;
  peer.set_id = proposal.position;
  peer.set = acquired(proposal.position);
  peer.close_time = proposal.close_time;
  peer.seen = seen;
  peer.propose_seq = proposal.propose_seq;
  if (proposal.propose_seq == 0) {
    auto& times = raw_close_times_.peers;
    const auto place = std::lower_bound(
        times.begin(), times.end(), NetTime{proposal.close_time},
        [](const std::pair<NetTime, std::size_t>& entry, NetTime t) { return entry.first < t; });
    if (place != times.end() && place->first == proposal.close_time) {
      ++place->second;
    } else {
      times.insert(place, {NetTime{proposal.close_time}, 1});
    }
  }
  host_.on_peer_position(proposal);
  if (peer.set != nullptr) {
    if (has_position_) update_disputes(origin, *peer.set);
  } else if (const TxSet* set = host_.obtain_set(proposal.position); set != nullptr) {
    got_set(now_, *set);
  }
  return true;
}

void Consensus::withdraw(NodeId origin) {
  PeerPosition& peer = peers_[origin];
  if (!peer.present) return;
  for (Dispute& dispute : disputes_) dispute.withdraw(origin);
  peer.present = false;
  --positions_;
}

// 7.5
void Consensus::got_set(const Moment& now, const TxSet& set) {
  if (phase_ == Phase::accepted || acquired(set.id) != nullptr) return;
  now_ = now;
  acquired_.push_back(&set);
  for (std::size_t node = 0; node < peers_.size(); ++node) {
    PeerPosition& peer = peers_[node];
    if (!peer.present || peer.set_id != set.id) continue;
    peer.set = &set;
    if (has_position_) update_disputes(static_cast<NodeId>(node), set);
  }
  host_.on_set(set);
}

const TxSet* Consensus::acquired(const Digest& id) const {
  for (const TxSet* set : acquired_) {
    if (set->id == id) return set;
  }
  return nullptr;
}

// 8.1
void Consensus::create_disputes(const TxSet& other) {
  if (std::find(compared_.begin(), compared_.end(), other.id) != compared_.end()) return;
  compared_.push_back(other.id);
  if (other.id == position_.set->id) return;
  std::vector<TxIndex> differing;
  std::set_symmetric_difference(position_.set->transactions.begin(),
                                position_.set->transactions.end(), other.transactions.begin(),
                                other.transactions.end(), std::back_inserter(differing));
  for (const TxIndex tx : differing) {
    const auto place = std::lower_bound(
        disputes_.begin(), disputes_.end(), tx,
        [](const Dispute& dispute, TxIndex index) { return dispute.tx() < index; });
    if (place != disputes_.end() && place->tx() == tx) continue;
    Dispute dispute(tx, position_.set->contains(tx), peers_.size());
    for (std::size_t node = 0; node < peers_.size(); ++node) {
      const PeerPosition& peer = peers_[node];
      if (!peer.present || peer.set == nullptr) continue;
      if (dispute.set_vote(static_cast<NodeId>(node), peer.set->contains(tx))) {
        peers_unchanged_ticks_ = 0;
      }
    }
    disputes_.insert(place, std::move(dispute));
    host_.relay_disputed(tx);
  }
}

// 8.2
void Consensus::update_disputes(NodeId origin, const TxSet& other) {
  create_disputes(other);
  for (Dispute& dispute : disputes_) {
    if (dispute.set_vote(origin, other.contains(dispute.tx()))) peers_unchanged_ticks_ = 0;
  }
}

}  // namespace dissensus::xrpl
