#include "systems/live/servers/toy_consensus.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

#include "systems/live/wire/payment.h"
#include "systems/live/wire/validation.h"

namespace dissensus::live::toy {

using nlohmann::json;

namespace {

constexpr unsigned kOpenTicks = 8;
constexpr unsigned kEstablishTicksMin = 2;
constexpr unsigned kFollowTicks = 4;   // between changes of mind
constexpr unsigned kRepeatTicks = 20;  // between repetitions of an unchanged position
constexpr unsigned kStuckTicks = 24;
constexpr std::uint32_t kLedgersKept = 64;
constexpr std::size_t kSeenMax = 200'000;
constexpr std::uint8_t kTransactionNode = 0;

std::uint32_t network_time() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint32_t>(std::chrono::duration_cast<std::chrono::seconds>(now).count() -
                                    kNetworkEpochSeconds);
}

}  // namespace

Consensus::Consensus(KeyPair validator, std::set<PublicKey> trusted, bool proposes, Outside outside)
    : validator_(validator),
      trusted_(std::move(trusted)),
      proposes_(proposes),
      outside_(std::move(outside)) {
  trusted_.insert(validator_.public_key);
  Ledger first = first_ledger();
  closed_ = first.hash;
  ledgers_.emplace(closed_, std::move(first));
  sets_.emplace(Hash256{}, TransactionSet{});
}

void Consensus::tick() {
  if (outside_.links() == 0) return;
  ++ticks_;
  catch_up();
  if (!establishing_ && ticks_ >= kOpenTicks) {
    close_ledger();
  } else if (establishing_) {
    establish();
  }
}

void Consensus::enter(const char* phase) {
  establishing_ = std::string_view(phase) == "establish";
  ticks_ = 0;
  outside_.emit({{"type", "consensusPhase"}, {"consensus", phase}});
}

void Consensus::close_ledger() {
  enter("establish");
  Accounts accounts = closed().accounts;
  TransactionSet set;
  for (const auto& [blob, result] : apply_all(accounts, waiting_, closed().sequence() + 1)) {
    set.emplace(transaction_id(blob), blob);
  }
  const Hash256 id = set_id(set);
  sets_[id] = std::move(set);
  tell_status(NodeEvent::closing_ledger);
  propose_seq_ = 0;
  propose(id);
}

void Consensus::propose(const Hash256& set) {
  position_ = set;
  if (!proposes_) return;
  Proposal proposal;
  proposal.propose_seq = propose_seq_++;
  proposal.transaction_set = set;
  proposal.close_time = network_time();
  proposal.previous_ledger = closed_;
  sign(proposal, validator_);
  first_time(suppression_id(proposal));
  proposals_[closed_][validator_.public_key] = proposal;
  HaveSet have;
  have.hash = set;
  outside_.broadcast(encode(have), kNoLink);
  outside_.broadcast(encode(proposal), kNoLink);
}

void Consensus::establish() {
  std::size_t agreeing = 0;
  for (const auto& [key, proposal] : proposals_[closed_]) {
    if (proposal.transaction_set == position_) ++agreeing;
  }
  if (agreeing >= quorum() && ticks_ >= kEstablishTicksMin) return accept(position_);
  if (ticks_ % kFollowTicks == 0) follow_plurality();
  if (ticks_ % kRepeatTicks == 0) propose(position_);
}

void Consensus::follow_plurality() {
  std::map<Hash256, std::size_t> support;
  for (const auto& [key, proposal] : proposals_[closed_]) ++support[proposal.transaction_set];
  if (support.empty()) return;
  const auto best = std::max_element(
      support.begin(), support.end(),
      [](const auto& one, const auto& other) { return one.second < other.second; });
  if (best->first == position_) return;
  if (sets_.contains(best->first)) return propose(best->first);
  GetLedger request;
  request.item = LedgerItem::candidate_set;
  request.hash = best->first;
  request.node_ids.emplace_back(33, std::uint8_t{0});
  outside_.broadcast(encode(request), kNoLink);
}

void Consensus::accept(const Hash256& set) {
  Ledger ledger = next_ledger(closed(), sets_.at(set));
  enter("accepted");
  adopt(std::move(ledger), NodeEvent::accepted_ledger);
  validate(closed());
}

void Consensus::adopt(Ledger ledger, NodeEvent event) {
  closed_ = ledger.hash;
  for (const auto& [blob, result] : ledger.transactions) waiting_.erase(transaction_id(blob));
  std::erase_if(waiting_, [&ledger](const auto& entry) {
    Accounts accounts = ledger.accounts;
    return apply(accounts, entry.second, ledger.sequence() + 1).starts_with("tef");
  });
  ledgers_.insert_or_assign(closed_, std::move(ledger));
  tell_status(event);
  const auto votes = validations_.find(closed_);
  if (votes != validations_.end() && votes->second.keys.size() >= quorum()) publish(closed_);
  prune();
  enter("open");
}

void Consensus::validate(const Ledger& ledger) {
  if (!proposes_) return;
  ValidationObject object = ValidationObject::make(ledger.sequence(), network_time(), ledger.hash,
                                                   ledger.header.transactions_hash);
  object.sign(validator_);
  const ValidationMessage message = with_validation({}, object);
  first_time(suppression_id(message));
  outside_.broadcast(encode(message), kNoLink);
  count_validation(validator_.public_key, ledger.hash, ledger.sequence());
}

void Consensus::count_validation(const PublicKey& key, const Hash256& hash,
                                 std::uint32_t sequence) {
  if (!trusted_.contains(key)) return;
  Votes& votes = validations_[hash];
  votes.sequence = sequence;
  votes.keys.insert(key);
  if (votes.keys.size() >= quorum() && ledgers_.contains(hash)) publish(hash);
}

void Consensus::catch_up() {
  // Who is stuck in a round joins the ledger that most have gone on to, be it validated or not:
  // otherwise lost proposals could leave the servers split between two ledgers for ever.
  const bool stuck = establishing_ && ticks_ > kStuckTicks;
  const std::size_t needed = stuck ? 1 : quorum();
  const Hash256* best = nullptr;
  std::size_t best_votes = 0;
  for (const auto& [hash, votes] : validations_) {
    const bool later = votes.sequence > closed().sequence();
    const bool other = votes.sequence == closed().sequence() && votes.keys.size() >= quorum();
    if (hash == closed_ || !(later || other) || votes.keys.size() < needed) continue;
    if (votes.keys.size() <= best_votes) continue;
    best = &hash;
    best_votes = votes.keys.size();
  }
  if (best == nullptr) return;
  const auto found = ledgers_.find(*best);
  if (found != ledgers_.end()) return adopt(Ledger(found->second), NodeEvent::switched_ledger);
  GetLedger request;
  request.hash = *best;
  request.ledger_seq = validations_.at(*best).sequence;
  outside_.broadcast(encode(request), kNoLink);
}

void Consensus::publish(const Hash256& hash) {
  const Ledger& ledger = ledgers_.at(hash);
  const Ledger* const before = validated();
  if (before != nullptr && ledger.sequence() <= before->sequence()) return;
  const Hash256& parent = ledger.header.parent_hash;
  // In order, as far as they are known.
  if (before != nullptr && parent != validated_ && ledgers_.contains(parent)) publish(parent);
  validated_ = hash;
  outside_.emit({{"type", "ledgerClosed"},
                 {"ledger_index", ledger.sequence()},
                 {"ledger_hash", hash.text()},
                 {"ledger_time", ledger.header.close_time},
                 {"txn_count", ledger.transactions.size()},
                 {"fee_base", 10},
                 {"reserve_base", 10'000'000},
                 {"reserve_inc", 2'000'000}});
  for (const auto& [blob, result] : ledger.transactions) {
    const ParsedTransaction parsed = parse_transaction(blob);
    outside_.emit({{"type", "transaction"},
                   {"validated", true},
                   {"engine_result", result},
                   {"ledger_index", ledger.sequence()},
                   {"ledger_hash", hash.text()},
                   {"meta", {{"TransactionResult", result}}},
                   {"transaction",
                    {{"hash", parsed.id.text()},
                     {"Account", parsed.account.value_or("")},
                     {"Destination", parsed.destination.value_or("")},
                     {"Amount", std::to_string(parsed.drops.value_or(0))},
                     {"Fee", std::to_string(parsed.fee.value_or(0))},
                     {"Sequence", parsed.sequence.value_or(0)},
                     {"TransactionType", "Payment"}}}});
  }
}

void Consensus::tell_status(NodeEvent event) {
  StatusChange status;
  status.event = event;
  status.ledger_seq = closed().sequence();
  status.ledger_hash = closed_;
  status.previous_hash = closed().header.parent_hash;
  status.network_time = network_time();
  outside_.broadcast(encode(status), kNoLink);
}

void Consensus::prune() {
  const std::uint32_t newest = closed().sequence();
  std::erase_if(ledgers_, [&](const auto& entry) {
    return entry.second.sequence() + kLedgersKept < newest && entry.first != validated_;
  });
  std::erase_if(validations_,
                [&](const auto& entry) { return entry.second.sequence + kLedgersKept < newest; });
  if (proposals_.size() > kLedgersKept) {
    std::erase_if(proposals_, [&](const auto& entry) { return !ledgers_.contains(entry.first); });
  }
  if (sets_.size() > kLedgersKept) sets_ = {{Hash256{}, TransactionSet{}}};
  if (seen_.size() > kSeenMax) seen_.clear();
}

bool Consensus::first_time(const Hash256& id) {
  return seen_.insert(id).second;
}

void Consensus::receive(LinkNumber link, const Frame& frame) {
  std::visit([&](const auto& message) { handle(link, frame, message); }, decode(frame));
}

void Consensus::handle(LinkNumber link, const Frame& frame, const Proposal& proposal) {
  if (!first_time(suppression_id(proposal)) || !trusted_.contains(proposal.node_key)) return;
  if (!verify(proposal)) throw WireError("proposal with a wrong signature");
  outside_.broadcast(frame, link);
  auto& positions = proposals_[proposal.previous_ledger];
  const auto known = positions.find(proposal.node_key);
  if (known == positions.end() || known->second.propose_seq < proposal.propose_seq) {
    positions[proposal.node_key] = proposal;
  }
}

void Consensus::handle(LinkNumber link, const Frame& frame, const ValidationMessage& message) {
  if (!first_time(suppression_id(message))) return;
  const ValidationObject object = ValidationObject::parse(message);
  if (!object.verify()) throw WireError("validation with a wrong signature");
  outside_.emit({{"type", "validationReceived"},
                 {"validation_public_key", object.signing_key().node_text()},
                 {"ledger_hash", object.ledger_hash().text()},
                 {"ledger_index", std::to_string(object.ledger_seq())},
                 {"full", object.full()},
                 {"flags", object.flags()},
                 {"signing_time", object.sign_time()},
                 {"signature", to_hex(object.signature())}});
  outside_.broadcast(frame, link);
  count_validation(object.signing_key(), object.ledger_hash(), object.ledger_seq());
}

void Consensus::handle(LinkNumber link, const Frame& frame, const TransactionMessage& message) {
  if (!first_time(suppression_id(message)) || !verify_transaction(message.raw)) return;
  waiting_[transaction_id(message.raw)] = message.raw;
  outside_.broadcast(frame, link);
}

void Consensus::handle(LinkNumber, const Frame&, const StatusChange& status) {
  static constexpr const char* kActions[] = {"", "CLOSING_LEDGER", "ACCEPTED_LEDGER",
                                             "SWITCHED_LEDGER", "LOST_SYNC"};
  if (!status.event) return;
  outside_.emit({{"type", "peerStatusChange"},
                 {"action", kActions[static_cast<std::size_t>(*status.event)]},
                 {"ledger_index", status.ledger_seq.value_or(0)},
                 {"ledger_hash", status.ledger_hash.value_or(Hash256{}).text()}});
}

void Consensus::handle(LinkNumber link, const Frame&, const HaveSet& have) {
  if (sets_.contains(have.hash)) return;
  GetLedger request;
  request.item = LedgerItem::candidate_set;
  request.hash = have.hash;
  request.node_ids.emplace_back(33, std::uint8_t{0});
  outside_.send(link, encode(request));
}

void Consensus::handle(LinkNumber link, const Frame&, const GetLedger& request) {
  if (!request.hash) return;
  if (request.item == LedgerItem::base && ledgers_.contains(*request.hash)) {
    outside_.send(link, encode(to_data(ledgers_.at(*request.hash))));
  } else if (request.item == LedgerItem::candidate_set && sets_.contains(*request.hash)) {
    LedgerData data;
    data.hash = *request.hash;
    data.item = LedgerItem::candidate_set;
    for (const auto& [id, blob] : sets_.at(*request.hash)) {
      LedgerNode node;
      node.data = blob;
      node.data.push_back(kTransactionNode);
      node.id = Bytes(id.begin(), id.end());
      node.id->push_back(64);
      data.nodes.push_back(std::move(node));
    }
    outside_.send(link, encode(data));
  }
}

void Consensus::handle(LinkNumber, const Frame&, const LedgerData& data) {
  if (data.item == LedgerItem::base && !ledgers_.contains(data.hash)) {
    Ledger ledger = from_data(data);
    ledgers_.emplace(ledger.hash, std::move(ledger));
  } else if (data.item == LedgerItem::candidate_set && !sets_.contains(data.hash)) {
    TransactionSet set;
    for (Bytes& blob : candidate_transactions(data)) set.emplace(transaction_id(blob), blob);
    if (set_id(set) != data.hash) throw WireError("a set that does not hash to its name");
    waiting_.insert(set.begin(), set.end());
    sets_[data.hash] = std::move(set);
  }
}

void Consensus::handle(LinkNumber link, const Frame&, const Ping& ping) {
  if (ping.pong) return;
  Ping pong = ping;
  pong.pong = true;
  outside_.send(link, encode(pong));
}

std::string Consensus::submit(const Bytes& blob) {
  Accounts accounts = open_accounts();
  const Hash256 id = transaction_id(blob);
  if (waiting_.contains(id)) return "tefALREADY";
  const std::string result = apply(accounts, blob, closed().sequence() + 1);
  if (result.starts_with("tem") || result.starts_with("tef")) return result;
  TransactionMessage message;
  message.raw = blob;
  first_time(suppression_id(message));
  waiting_[id] = blob;
  outside_.broadcast(encode(message), kNoLink);
  return result;
}

std::string Consensus::server_state() const {
  if (outside_.links() == 0) return "disconnected";
  if (validated() == nullptr) return "connected";
  const bool in_step = validated()->sequence() + 3 >= closed().sequence();
  return proposes_ && in_step ? "proposing" : "full";
}

const Ledger* Consensus::validated() const {
  const auto found = ledgers_.find(validated_);
  return found == ledgers_.end() ? nullptr : &found->second;
}

const Ledger* Consensus::ledger(std::uint32_t sequence) const {
  // Along the closed chain: only its ledgers have numbers of their own.
  auto found = ledgers_.find(closed_);
  while (found != ledgers_.end() && found->second.sequence() > sequence) {
    found = ledgers_.find(found->second.header.parent_hash);
  }
  const bool has = found != ledgers_.end() && found->second.sequence() == sequence;
  return has ? &found->second : nullptr;
}

Accounts Consensus::open_accounts() const {
  Accounts accounts = closed().accounts;
  apply_all(accounts, waiting_, closed().sequence() + 1);
  return accounts;
}

}  // namespace dissensus::live::toy
