#include "discotest/properties.h"

#include <algorithm>

#include "systems/xrpl/messages.h"

namespace dissensus::discotest {

namespace {
constexpr Duration kSilence = std::chrono::seconds(65);
/// B3 counts only where proposals went as far as this.
constexpr std::uint32_t kLongDispute = 4;

template <class Item>
std::size_t index_of(const std::vector<Item>& items, std::string_view name) {
  std::size_t index = 0;
  const auto name_of = [](const auto& item) -> std::string_view {
    if constexpr (requires { item.name; }) {
      return item.name;
    } else {
      return item;
    }
  };
  while (index < items.size() && name_of(items[index]) != name) ++index;
  return index;
}

bool differ(const std::map<NodeId, Digest>& values) {
  return std::any_of(values.begin(), values.end(),
                     [&](const auto& entry) { return entry.second != values.begin()->second; });
}
}  // namespace

Properties::Properties(const SystemDescription& description, std::size_t nodes, bool keeps_sequence)
    : keeps_sequence_(keeps_sequence),
      ledger_level_(index_of(description.levels, "ledger")),
      validated_observable_(index_of(description.observables, "validated")),
      regressions_observable_(index_of(description.observables, "regressions")),
      delivered_(description.kinds.size()),
      validated_(nodes),
      validated_seq_(nodes) {}

void Properties::begin_case(Time) {
  deliveries_ = 0;
  std::fill(delivered_.begin(), delivered_.end(), 0);
  case_sequence_ = 0;
  bow_outs_.clear();
  old_proposal_ = false;
  accepted_.clear();
  ledgers_.clear();
}

void Properties::on_event(const Event& event) {
  if (event.type == EventType::deliver) {
    on_delivery(event);
  } else if (event.type == EventType::decide) {
    on_decision(event);
  } else if (event.type == EventType::observe) {
    on_observation(event);
  } else if (event.type == EventType::round) {
    newest_round_ = std::max(newest_round_, event.number);
  }
}

void Properties::on_delivery(const Event& event) {
  ++deliveries_;
  ++delivered_[event.message->kind()];
  if (const auto* proposal = event.message->get<xrpl::ProposeSet>()) {
    if (proposal->propose_seq == xrpl::kBowOut) {
      bow_outs_.insert(event.message->digest());
      return;
    }
    case_sequence_ = std::max(case_sequence_, proposal->propose_seq);
    run_sequence_ = std::max(run_sequence_, proposal->propose_seq);
  } else if (const auto* status = event.message->get<xrpl::StatusChange>()) {
    if (status->event == xrpl::StatusEvent::accepted_ledger) {
      accepted_[status->ledger_seq][event.peer] = status->ledger;
    }
  }
}

void Properties::on_decision(const Event& event) {
  if (event.detail != ledger_level_) return;
  last_validated_ = event.time;
  validated_seq_[event.node] = std::max(validated_seq_[event.node], event.number);
  ledgers_[event.number][event.node] = event.value;
}

void Properties::on_observation(const Event& event) {
  if (event.detail == validated_observable_) {
    validated_[event.node] = static_cast<std::int64_t>(event.number);
  } else if (event.detail == regressions_observable_) {
    old_proposal_ = true;
  }
}

bool Properties::take_silence(Time now) {
  const Time since = std::max(last_validated_, last_silence_);
  if (now - since < kSilence) return false;
  last_silence_ = now;
  return true;
}

bool Properties::has_fork() const {
  return std::any_of(ledgers_.begin(), ledgers_.end(),
                     [](const auto& entry) { return differ(entry.second); });
}

std::vector<std::string> Properties::judge() const {
  std::vector<std::string> result;
  const bool agreement_1 = std::any_of(accepted_.begin(), accepted_.end(), [&](const auto& entry) {
    return ledgers_.contains(entry.first) && differ(entry.second);
  });
  const bool agreement_2 = has_fork();
  const auto add = [&result](bool shown, std::string_view name) {
    if (shown) result.emplace_back(name);
  };
  add(agreement_1, kAgreement1);
  add(agreement_2, kAgreement2);
  add(old_proposal_, kOldProposal);
  add(agreement_1 && old_proposal_, kProgramB1);
  add(agreement_2, kProgramB2);
  return result;
}

std::vector<std::string> Properties::judge_silence() const {
  std::vector<std::string> result{std::string(kTermination)};
  const std::uint32_t sequence = keeps_sequence_ ? run_sequence_ : case_sequence_;
  if (sequence >= kLongDispute) result.emplace_back(kProgramB3);
  return result;
}

}  // namespace dissensus::discotest
