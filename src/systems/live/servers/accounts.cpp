#include "systems/live/servers/accounts.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "systems/live/servers/configuration.h"
#include "systems/live/wire/payment.h"

namespace dissensus::live {

using nlohmann::json;

namespace {

/// Far above what a busy open ledger asks for; genesis can afford it.
constexpr std::uint64_t kFee = 20'000;
/// Payments made at once: servers queue few transactions of one account.
constexpr std::size_t kBatch = 16;
/// Ledgers after which a payment that was not validated never will be.
constexpr std::uint32_t kPatience = 10;
constexpr auto kPollInterval = std::chrono::milliseconds(250);
constexpr auto kAnswerLimit = std::chrono::seconds(5);

/// One account at one node.
struct Sighting {
  bool asked = false;
  std::optional<std::uint32_t> sequence;
};

std::optional<std::uint32_t> sequence_in(const json& reply) {
  if (!succeeded(reply)) return std::nullopt;
  const json number = reply.value("/result/account_data/Sequence"_json_pointer, json());
  if (!number.is_number_unsigned()) return std::nullopt;
  return number.get<std::uint32_t>();
}

json account_info(const std::string& address, const char* ledger) {
  return {{"command", "account_info"}, {"account", address}, {"ledger_index", ledger}};
}

class Funding {
 public:
  Funding(ServerNetwork& network, std::vector<FundedAccount>& accounts,
          const std::vector<AccountRequest>& requests, LoopTime deadline)
      : network_(network), accounts_(accounts), requests_(requests), deadline_(deadline) {}

  void run();

 private:
  /// Runs until `call` has answered; nothing if it does not in time.
  template <typename Answer, typename Call>
  std::optional<Answer> answer_of(Call&& call);
  void pay_batch(const std::vector<std::size_t>& batch);
  void pay(std::size_t account, std::uint32_t sequence, std::uint32_t last_ledger);
  /// True once all of the batch are validated on all nodes; false if the payments have expired.
  bool confirm(const std::vector<std::size_t>& batch, std::uint32_t last_ledger);
  void look_for(const std::vector<std::size_t>& batch);
  std::size_t nodes_with(std::size_t account) const;
  bool seen_everywhere(std::size_t account) const { return nodes_with(account) == network_.size(); }
  std::uint32_t validated_max() const;
  std::uint32_t validated_min() const;
  void pause() {
    network_.run_until([] { return false; }, std::min(deadline_, network_.now() + kPollInterval));
  }
  [[noreturn]] void fail() const;

  ServerNetwork& network_;
  std::vector<FundedAccount>& accounts_;
  const std::vector<AccountRequest>& requests_;
  LoopTime deadline_;
  NodeId entry_ = 0;  ///< where payments are submitted; another one after a failure
  std::string last_problem_;
  /// Shared with callbacks that may come after we have given up.
  std::shared_ptr<std::map<std::pair<NodeId, std::size_t>, Sighting>> sightings_ =
      std::make_shared<std::map<std::pair<NodeId, std::size_t>, Sighting>>();
};

void Funding::run() {
  for (std::size_t first = 0; first < accounts_.size(); first += kBatch) {
    std::vector<std::size_t> batch;
    for (std::size_t i = first; i < std::min(first + kBatch, accounts_.size()); ++i) {
      batch.push_back(i);
    }
    pay_batch(batch);
  }
}

template <typename Answer, typename Call>
std::optional<Answer> Funding::answer_of(Call&& call) {
  const auto slot = std::make_shared<std::optional<Answer>>();
  call([slot](const Answer& answer) { *slot = answer; });
  network_.run_until([&slot] { return slot->has_value(); },
                     std::min(deadline_, network_.now() + kAnswerLimit));
  return *slot;
}

void Funding::pay_batch(const std::vector<std::size_t>& batch) {
  const std::string genesis = genesis_keys().public_key.account_address();
  while (network_.now() < deadline_) {
    const auto reply = answer_of<json>([&](auto done) {
      network_.client(entry_).request(account_info(genesis, "current"), done);
    });
    // With what the open ledger holds already: payments of an earlier, failed call count.
    const auto sequence = reply ? sequence_in(*reply) : std::nullopt;
    if (sequence) {
      const std::uint32_t last_ledger = validated_max() + kPatience;
      std::uint32_t next = *sequence;
      for (const std::size_t account : batch) {
        if (nodes_with(account) == 0) pay(account, next++, last_ledger);
      }
      if (confirm(batch, last_ledger)) return;
    } else {
      last_problem_ = reply ? error_of(*reply) : "no answer";
      pause();
    }
    entry_ = static_cast<NodeId>((entry_ + 1U) % network_.size());
  }
  fail();
}

void Funding::pay(std::size_t account, std::uint32_t sequence, std::uint32_t last_ledger) {
  Payment payment;
  payment.keys = genesis_keys();
  payment.destination = accounts_[account].address();
  payment.drops = requests_[account].drops;
  payment.fee = kFee;
  payment.sequence = sequence;
  payment.last_ledger = last_ledger;
  const SignedTransaction transaction = sign_payment(payment);
  const auto submission =
      answer_of<Submission>([&](auto done) { network_.submit(entry_, transaction.blob, done); });
  if (!submission) return;
  const std::string& result = submission->engine_result;
  if (result.starts_with("tes") || result == "terQUEUED") return;
  last_problem_ = result.empty() ? submission->error : result;
  // These do not get better with time: not enough for the reserve, malformed.
  if (result.starts_with("tec") || result.starts_with("tem")) {
    throw LiveError(fmt::format("account {}: cannot be paid {} drops: {}", accounts_[account].name,
                                requests_[account].drops, result));
  }
}

bool Funding::confirm(const std::vector<std::size_t>& batch, std::uint32_t last_ledger) {
  while (network_.now() < deadline_) {
    look_for(batch);
    pause();
    const bool all = std::all_of(batch.begin(), batch.end(),
                                 [this](std::size_t account) { return seen_everywhere(account); });
    if (all) {
      for (const std::size_t account : batch) {
        accounts_[account].sequence = *(*sightings_)[{NodeId{0}, account}].sequence;
      }
      return true;
    }
    if (validated_min() > last_ledger) return false;
  }
  return false;
}

void Funding::look_for(const std::vector<std::size_t>& batch) {
  for (NodeId node = 0; node < network_.size(); ++node) {
    for (const std::size_t account : batch) {
      Sighting& sighting = (*sightings_)[{node, account}];
      if (sighting.asked || sighting.sequence) continue;
      sighting.asked = true;
      network_.client(node).request(account_info(accounts_[account].address(), "validated"),
                                    [sightings = sightings_, node, account](const json& reply) {
                                      (*sightings)[{node, account}] = {false, sequence_in(reply)};
                                    });
    }
  }
}

std::size_t Funding::nodes_with(std::size_t account) const {
  std::size_t count = 0;
  for (NodeId node = 0; node < network_.size(); ++node) {
    const auto found = sightings_->find({node, account});
    if (found != sightings_->end() && found->second.sequence) ++count;
  }
  return count;
}

std::uint32_t Funding::validated_max() const {
  std::uint32_t result = 0;
  for (NodeId node = 0; node < network_.size(); ++node) {
    result = std::max(result, network_.state(node).validated_seq);
  }
  return result;
}

std::uint32_t Funding::validated_min() const {
  std::uint32_t result = network_.state(0).validated_seq;
  for (NodeId node = 1; node < network_.size(); ++node) {
    result = std::min(result, network_.state(node).validated_seq);
  }
  return result;
}

void Funding::fail() const {
  std::string text = "accounts not funded in time";
  if (!last_problem_.empty()) text += fmt::format(" ({})", last_problem_);
  for (NodeId node = 0; node < network_.size(); ++node) {
    text += fmt::format("; node {}: {}", node, network_.describe(node));
  }
  throw LiveError(text);
}

}  // namespace

KeyPair genesis_keys() {
  return account_keys(Seed::from_passphrase("masterpassphrase"));
}

std::vector<FundedAccount> fund_accounts(ServerNetwork& network,
                                         const std::vector<AccountRequest>& requests,
                                         LoopTime deadline) {
  const std::uint64_t call = network.next_account_call();
  std::vector<FundedAccount> accounts;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const Seed seed = derived_seed(network.options().seed, fmt::format("account 1 {} {}", call, i));
    accounts.push_back({requests[i].name, account_keys(seed), 0});
  }
  Funding(network, accounts, requests, deadline).run();
  return accounts;
}

}  // namespace dissensus::live
