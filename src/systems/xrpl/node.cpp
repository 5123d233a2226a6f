// Start, heartbeat and what happens between rounds (consensus.md 5).
#include "systems/xrpl/node.h"

#include <algorithm>

#include "core/assert.h"

namespace dissensus::xrpl {
namespace {

constexpr NetTime kSyncedAge = 60;  ///< 5.1: a validated ledger younger than this is recent

std::size_t count_trusted(const std::vector<bool>& trusted) {
  return static_cast<std::size_t>(std::count(trusted.begin(), trusted.end(), true));
}

constexpr std::int64_t floor_seconds(std::int64_t microseconds) {
  constexpr std::int64_t kPerSecond = 1'000'000;
  return microseconds / kPerSecond - (microseconds % kPerSecond < 0 ? 1 : 0);
}

}  // namespace

std::vector<std::pair<std::string, FieldValue>> PaymentRequest::fields() const {
  return {{"from", from_},
          {"to", to_},
          {"amount", std::uint64_t{payment_.amount}},
          {"fee", std::uint64_t{payment_.fee}},
          {"sequence", std::uint64_t{payment_.sequence}},
          {"last_ledger", std::uint64_t{payment_.last_ledger}},
          {"transaction", transaction_id(payment_)}};
}

Validator::Validator(Network& network, NodeId self)
    : network_(network),
      config_(network.config),
      parameters_(network.config.parameters[self]),
      store_(network.store),
      self_(self),
      trusted_count_(count_trusted(network.config.trusted[self])),
      quorum_(validation_quorum(parameters_, trusted_count_)),
      consensus_(parameters_, *this, network.config.nodes),
      validations_(parameters_, *this, self, network.config.trusted[self]),
      sets_(parameters_, *this, *network.store.empty_set()),
      acquisitions_(parameters_, *this),
      peers_(network.config.nodes),
      open_(network.store, parameters_.open_ledger_capacity),
      sender_words_((network.config.nodes + 63) / 64) {}

NetTime Validator::network_now() const {
  return network_.network_time + floor_seconds(microseconds_of(context_->now()));
}

void Validator::arm(TimerType type, std::uint32_t id, Duration delay) {
  context_->set_timer(delay, (static_cast<std::uint64_t>(type) << 32) | id);
}

Duration Validator::processing_time(Duration mean) {
  constexpr double kFixedShare = 0.3;
  const double share = kFixedShare + (1 - kFixedShare) * context_->random().exponential();
  return Duration(static_cast<std::int64_t>(share * static_cast<double>(mean.count())));
}

void Validator::start(Context& context) {
  context_ = &context;
  cookie_ = self_ + 1u;
  const Ledger& first = *network_.first_ledger;
  hold(first);
  last_closed_ = &first;
  open_.reset(first);
  report_supported(first);
  constexpr std::uint64_t kPhases = 1000;
  Duration heartbeat = std::chrono::milliseconds(context.random().below(kPhases));
  if (!config_.heartbeat_phases.empty()) heartbeat = config_.heartbeat_phases[self_];
  arm(TimerType::heartbeat, 0, heartbeat);
  if (config_.start == NetworkConfig::Start::warm) {
    begin_warm(heartbeat);
  } else {
    operating_mode_ = OperatingMode::connected;
    begin_round();
  }
}

/// As if the network had been running: the first ledger is validated by everybody, and the round
/// that follows it begins, or is about to end without transactions.
void Validator::begin_warm(Duration heartbeat) {
  constexpr std::int64_t kUsualRoundMs = 2000;
  const Ledger& first = *last_closed_;
  chain_.valid = &first;
  chain_.pair_id = first.id;
  chain_.pair_seq = first.seq;
  operating_mode_ = OperatingMode::full;
  const NetTime now = close_time();
  for (NodeId node = 0; node < config_.nodes; ++node) {
    if (!validations_.is_trusted(node)) continue;
    Validation validation;
    validation.ledger = first.id;
    validation.ledger_seq = first.seq;
    validation.sign_time = static_cast<std::uint32_t>(now - 1);
    validation.cookie = node + 1u;
    validation.origin = node;
    validation.full = true;
    validations_.add(validation, now, now);
  }
  last_sign_time_ = now - 1;
  for (const NodeId peer : context_->peers()) {
    PeerStatus& status = peers_.status[peer];
    status.closed = first.id;
    status.last_seq = first.seq;
    peers_.ledgers.note(first.id, peer);
  }
  // The second before the first close is the open phase; what lies before it ended a round.
  constexpr Duration kOpenPhase = std::chrono::seconds(1);
  const bool accept_first = network_.first_close >= kOpenPhase;
  const Ledger& parent = accept_first ? first : *first.parent;
  Position position;
  position.previous_ledger = parent.id;
  position.set = store_.empty_set();
  position.close_time = position.time = network_.network_time - 1;
  consensus_.assume_accepted(moment(), parent, position, trusted_count_ - 1, kUsualRoundMs);
  if (accept_first) {
    chain_.building_seq = first.seq + 1;
    arm(TimerType::accept, 0, network_.first_close - kOpenPhase + heartbeat + config_.accept_delay);
  } else {
    begin_round();
  }
}

void Validator::restart(Context& context, const Node& before) {
  context_ = &context;
  const auto& old = static_cast<const Validator&>(before);
  held_ = old.held_;
  cookie_ = old.cookie_ + config_.nodes;
  last_closed_ = old.chain_.valid != nullptr ? old.chain_.valid : network_.first_ledger;
  chain_.valid = old.chain_.valid;
  persisted_seq_ = old.last_closed_->seq;
  observables_ = old.observables_;
  unsettled_ = old.unsettled_;
  submitted_seen_ = old.submitted_seen_;
  for (std::size_t i = 0; i < old.transactions_.size(); ++i) {
    record_of(static_cast<TxIndex>(i)).known = old.transactions_[i].known;
  }
  open_.reset(*last_closed_);
  operating_mode_ = OperatingMode::connected;
  constexpr std::uint64_t kPhases = 1000;
  arm(TimerType::heartbeat, 0, std::chrono::milliseconds(context.random().below(kPhases)));
  begin_round();
}

void Validator::timer(Context& context, TimerId, std::uint64_t tag) {
  context_ = &context;
  const auto id = static_cast<std::uint32_t>(tag);
  switch (static_cast<TimerType>(tag >> 32)) {
    case TimerType::heartbeat:
      heartbeat();
      return;
    case TimerType::accept:
      accept();
      return;
    case TimerType::set_acquisition:
      sets_.tick(id);
      return;
    case TimerType::ledger_acquisition:
      acquisitions_.tick(id);
      return;
  }
}

// 5.1
void Validator::heartbeat() {
  arm(TimerType::heartbeat, 0,
      std::chrono::milliseconds(parameters_.granularity_ms) +
          processing_time(config_.heartbeat_lateness));
  if (context_->peers().empty() && config_.nodes > 1) {
    operating_mode_ = OperatingMode::disconnected;
    return;
  }
  if (operating_mode_ == OperatingMode::disconnected) operating_mode_ = OperatingMode::connected;
  if (operating_mode_ == OperatingMode::connected || operating_mode_ == OperatingMode::syncing) {
    const bool recent =
        chain_.valid != nullptr && network_now() - chain_.valid->close_time < kSyncedAge;
    operating_mode_ = recent ? OperatingMode::syncing : OperatingMode::connected;
  }
  consensus_.timer_entry(moment());
}

void Validator::lower_operating_mode() {
  if (operating_mode_ >= OperatingMode::tracking) operating_mode_ = OperatingMode::connected;
}

// 5.2
void Validator::end_consensus() {
  const Digest parent_id = last_closed_->parent == nullptr ? Digest{} : last_closed_->parent->id;
  for (const NodeId peer : context_->peers()) {
    PeerStatus& status = peers_.status[peer];
    if (!parent_id.is_zero() && status.closed == parent_id) {
      status.previous = status.closed;
      status.closed = Digest{};
    }
  }
  const Digest preferred = preferred_closed_ledger();
  const bool changed = jump_to(preferred);
  if (!changed) {
    if (operating_mode_ == OperatingMode::connected || operating_mode_ == OperatingMode::syncing) {
      operating_mode_ = OperatingMode::tracking;
    }
    const NetTime limit = last_closed_->close_time + 2 * NetTime{consensus_.close_resolution()};
    if ((operating_mode_ == OperatingMode::connected ||
         operating_mode_ == OperatingMode::tracking) &&
        network_now() < limit) {
      operating_mode_ = OperatingMode::full;
    }
  }
  validating_ = open_.parent().seq >= persisted_seq_;
  sets_.new_round(open_.parent().seq);
  consensus_.start_round(moment(), changed ? preferred : last_closed_->id, open_.parent(),
                         validating_ && operating_mode_ == OperatingMode::full);
}

void Validator::begin_round() {
  validating_ = open_.parent().seq >= persisted_seq_;
  sets_.new_round(open_.parent().seq);
  consensus_.start_round(moment(), last_closed_->id, open_.parent(),
                         validating_ && operating_mode_ == OperatingMode::full);
}

// 11.5 getPreferredLCL
Digest Validator::preferred_closed_ledger() {
  const Validations::Preferred preferred = validations_.preferred(*last_closed_, close_time());
  if (preferred.any) {
    return preferred.seq >= chain_.valid_seq() ? preferred.id : last_closed_->id;
  }
  std::vector<std::pair<Digest, std::size_t>> counts;
  counts.emplace_back(last_closed_->id, operating_mode_ >= OperatingMode::tracking ? 1 : 0);
  for (const NodeId peer : context_->peers()) {
    const Digest& closed = peers_.status[peer].closed;
    if (closed.is_zero()) continue;
    const auto same = std::find_if(counts.begin(), counts.end(),
                                   [&](const auto& entry) { return entry.first == closed; });
    if (same == counts.end()) {
      counts.emplace_back(closed, 1);
    } else {
      ++same->second;
    }
  }
  const auto best =
      std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
        return a.second != b.second ? a.second < b.second : a.first < b.first;
      });
  return best->first;
}

/// 5.2 step 2: true when the ledger to work on changes.
bool Validator::jump_to(const Digest& preferred) {
  if (preferred == last_closed_->id) return false;
  if (last_closed_->parent != nullptr && preferred == last_closed_->parent->id) return false;
  const Ledger* ledger = obtain_ledger(preferred, 0);
  if (ledger != nullptr &&
      (!chain_.can_be_current(*ledger, close_time()) || !chain_.is_compatible(*ledger))) {
    return false;
  }
  lower_operating_mode();
  if (ledger == nullptr) return true;
  last_closed_ = ledger;
  step_ledger(Step::switch_ledger, ledger->id);
  rebuild_open_ledger(*ledger, {}, {});
  send_status(StatusEvent::switched_ledger, *ledger);
  decided(Report::switched, ledger->seq, ledger->id);
  count(Observable::switched);
  return true;
}

void Validator::hold(const Ledger& ledger) {
  if (ledger.index >= held_.size()) held_.resize(ledger.index + 16);
  held_[ledger.index] = true;
}

bool Validator::holds(const Ledger& ledger) const {
  return ledger.index < held_.size() && held_[ledger.index];
}

const Ledger* Validator::held_ledger(const Digest& id) {
  const Ledger* ledger = store_.find_ledger(id);
  return ledger != nullptr && holds(*ledger) ? ledger : nullptr;
}

bool Validator::holds_ledger(const Digest& id) const {
  const Ledger* ledger = store_.find_ledger(id);
  return ledger != nullptr && holds(*ledger);
}

const Ledger* Validator::obtain_ledger(const Digest& id, std::uint32_t seq) {
  const Ledger* ledger = held_ledger(id);
  if (ledger == nullptr) acquisitions_.acquire(id, seq);
  return ledger;
}

}  // namespace dissensus::xrpl
