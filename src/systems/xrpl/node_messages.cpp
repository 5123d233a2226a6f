// Messages from and to peers (consensus.md 7.2, 11.1, 14).
#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "systems/xrpl/node.h"

namespace dissensus::xrpl {
namespace {

constexpr std::uint8_t kSeen = 1;
constexpr std::uint8_t kNotRelayed = 2;  ///< a stored proposal that a replay may still relay

}  // namespace

void Validator::receive(Context& context, NodeId from, const Message& message) {
  context_ = &context;
  if (const auto* proposal = message.get<ProposeSet>()) {
    receive_proposal(from, *proposal, message);
  } else if (const auto* validation = message.get<Validation>()) {
    receive_validation(from, *validation, message);
  } else if (const auto* request = message.get<GetLedger>()) {
    receive_request(from, *request);
  } else if (const auto* data = message.get<LedgerData>()) {
    receive_data(from, *data);
  } else if (const auto* status = message.get<StatusChange>()) {
    receive_status(from, *status);
  } else if (const auto* transaction = message.get<TransactionMessage>()) {
    receive_transaction(from, *transaction);
  } else if (const auto* have = message.get<HaveTransactionSet>()) {
    peers_.sets.note(have->set, from);
  }
}

std::uint8_t& Validator::flags_of(std::uint32_t number) {
  if (number >= flood_flags_.size()) flood_flags_.resize(number + 256);
  return flood_flags_[number];
}

void Validator::flood(const Message& message, std::span<const NodeId> except) {
  for (const NodeId peer : context_->peers()) {
    if (std::find(except.begin(), except.end(), peer) == except.end()) {
      context_->send_message(peer, message);
    }
  }
}

// 7.2
void Validator::receive_proposal(NodeId from, const ProposeSet& proposal, const Message& message) {
  const std::uint32_t number =
      proposal.number != 0 ? proposal.number : store_.message_number(message.digest());
  std::uint8_t& flags = flags_of(number);
  if ((flags & kSeen) != 0) {
    if ((flags & kNotRelayed) != 0) consensus_.seen_again(proposal.origin, number, from);
    return;
  }
  flags |= kSeen;
  if (proposal.origin >= config_.nodes || proposal.origin == self_ ||
      !validations_.is_trusted(proposal.origin)) {
    return;
  }
  if (consensus_.peer_proposal(moment(), proposal, number, message, from)) {
    const NodeId senders[] = {from};
    if (config_.relay) flood(message, senders);
  } else {
    flags_of(number) |= kNotRelayed;
  }
}

void Validator::relay_proposal(const Message& message, std::span<const NodeId> senders) {
  const auto* proposal = message.get<ProposeSet>();
  const std::uint32_t number =
      proposal->number != 0 ? proposal->number : store_.message_number(message.digest());
  flags_of(number) = kSeen;
  if (config_.relay) flood(message, senders);
}

void Validator::propose(const Position& position) {
  ProposeSet proposal;
  proposal.position = position.set->id;
  proposal.previous_ledger = position.previous_ledger;
  proposal.close_time = static_cast<std::uint32_t>(position.close_time);
  proposal.propose_seq = position.propose_seq;
  proposal.origin = self_;
  proposal.scheme = config_.scheme;
  proposal.number = store_.message_number(proposal.digest());
  flags_of(proposal.number) |= kSeen;
  if (position.bowed_out()) {
    count(Observable::bow_outs);
  } else if (observables_[static_cast<std::size_t>(Observable::max_propose_seq)] <
             std::int64_t{position.propose_seq}) {
    set_observable(Observable::max_propose_seq, position.propose_seq);
  }
  context_->broadcast(proposal);
}

// 11.1
void Validator::receive_validation(NodeId from, const Validation& validation,
                                   const Message& message) {
  const std::uint32_t number =
      validation.number != 0 ? validation.number : store_.message_number(message.digest());
  std::uint8_t& flags = flags_of(number);
  if ((flags & kSeen) != 0) return;
  const NetTime now = close_time();
  if (validation.origin >= config_.nodes || !validations_.is_current(validation, now, now)) return;
  flags |= kSeen;
  if (validations_.is_trusted(validation.origin)) {
    const ValidationStatus status = validations_.add(validation, now, now);
    if (status == ValidationStatus::current) {
      check_accept(validation.ledger, validation.ledger_seq);
    } else if (context_->logging()) {
      context_->log(fmt::format("validation of node {} for seq {}: {}", validation.origin,
                                validation.ledger_seq, to_string(status)));
    }
  }
  const NodeId senders[] = {from};
  if (config_.relay) flood(message, senders);
}

void Validator::send_status(StatusEvent event, const Ledger& ledger) {
  StatusChange status;
  status.event = event;
  status.ledger = ledger.id;
  status.previous = ledger.parent == nullptr ? Digest{} : ledger.parent->id;
  status.network_time = static_cast<std::uint32_t>(network_now());
  status.ledger_seq = ledger.seq;
  status.first_seq = network_.first_ledger->seq;
  status.last_seq = chain_.valid_seq();
  status.scheme = config_.scheme;
  context_->broadcast(status);
}

void Validator::receive_status(NodeId from, const StatusChange& status) {
  PeerStatus& peer = peers_.status[from];
  if (status.event == StatusEvent::lost_sync) {
    peer.closed = Digest{};
    peer.previous = Digest{};
    return;
  }
  peer.closed = status.ledger;
  peer.previous = status.previous;
  if (!status.ledger.is_zero()) peers_.ledgers.note(status.ledger, from);
  if (!status.previous.is_zero()) peers_.ledgers.note(status.previous, from);
  const bool sane = status.first_seq != 0 && status.first_seq <= status.last_seq;
  peer.first_seq = sane ? status.first_seq : 0;
  peer.last_seq = sane ? status.last_seq : 0;
  constexpr NetTime kRecent = 120;
  if (chain_.valid == nullptr || network_now() - chain_.valid->close_time >= kRecent) return;
  constexpr std::int64_t kConverged = 24;
  constexpr std::int64_t kDiverged = 128;
  const std::int64_t distance =
      std::abs(std::int64_t{status.ledger_seq} - std::int64_t{chain_.valid_seq()});
  if (distance < kConverged) peer.diverged = false;
  if (distance > kDiverged) peer.diverged = true;
}

void Validator::request(NodeId to, const GetLedger& message) {
  GetLedger copy = message;
  copy.scheme = config_.scheme;
  context_->send(to, copy);
}

void Validator::receive_request(NodeId from, const GetLedger& request) {
  if (answer(from, request)) return;
  if (request.indirect && request.cookie == kNoNode) pass_on(from, request);
}

bool Validator::answer(NodeId to, const GetLedger& request) {
  LedgerData reply;
  reply.hash = request.hash;
  reply.item = request.item;
  reply.cookie = request.cookie;
  reply.scheme = config_.scheme;
  if (request.item == ItemType::candidate) {
    const TxSet* set = sets_.find(request.hash);
    if (set == nullptr || set->id.is_zero()) return false;
    if (request.wanted == nullptr) {
      reply.tree = set;
    } else {
      const auto inside = [set](TxIndex tx) { return set->contains(tx); };
      if (!std::all_of(request.wanted->begin(), request.wanted->end(), inside)) return false;
      reply.leaves = request.wanted;
    }
  } else {
    const Ledger* ledger = held_ledger(request.hash);
    if (ledger == nullptr) return false;
    reply.ledger = ledger;
    reply.ledger_seq = ledger->seq;
  }
  context_->send(to, reply);
  return true;
}

/// Asks one peer that is believed to have the item on behalf of `from`.
void Validator::pass_on(NodeId from, const GetLedger& request) {
  const Announcements& announced =
      request.item == ItemType::candidate ? peers_.sets : peers_.ledgers;
  std::vector<NodeId> candidates;
  for (const NodeId peer : context_->peers()) {
    if (peer != from && announced.has(request.hash, peer)) candidates.push_back(peer);
  }
  if (candidates.empty()) return;
  GetLedger copy = request;
  copy.cookie = from;
  context_->send(candidates[context_->random().below(candidates.size())], copy);
}

void Validator::receive_data(NodeId from, const LedgerData& data) {
  if (data.cookie != kNoNode) {
    const auto peers = context_->peers();
    if (!std::binary_search(peers.begin(), peers.end(), data.cookie)) return;
    LedgerData copy = data;
    copy.cookie = kNoNode;
    context_->send(data.cookie, copy);
    return;
  }
  if (data.item == ItemType::candidate) {
    sets_.data(from, data);
  } else {
    acquisitions_.data(from, data);
  }
}

void Validator::arm_set_timer(std::uint32_t id, std::int64_t delay_ms) {
  arm(TimerType::set_acquisition, id, std::chrono::milliseconds(delay_ms));
}

void Validator::arm_ledger_timer(std::uint32_t id, std::int64_t delay_ms) {
  arm(TimerType::ledger_acquisition, id, std::chrono::milliseconds(delay_ms));
}

void Validator::set_acquired(const TxSet& set) {
  context_->broadcast(HaveTransactionSet{set.id, config_.scheme});
  consensus_.got_set(moment(), set);
}

void Validator::ledger_acquired(const Ledger& ledger) {
  hold(ledger);
  check_accept(ledger);
}

void Validator::acquisition_failed(const Digest& id, bool is_set) {
  if (is_set) count(Observable::failed_set_acquisitions);
  if (context_->logging()) {
    context_->log(
        fmt::format("Failed to acquire {} {}", is_set ? "TX set" : "ledger", to_string(id)));
  }
}

}  // namespace dissensus::xrpl
