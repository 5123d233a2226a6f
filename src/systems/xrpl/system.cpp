#include "systems/xrpl/system.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "systems/xrpl/amount.h"
#include "systems/xrpl/messages.h"
#include "systems/xrpl/network.h"
#include "systems/xrpl/node.h"
#include "systems/xrpl/steps.h"

namespace dissensus::xrpl {

void describe_reports(SystemDescription& description, const NetworkConfig& config) {
  const auto level = [&](std::string name, bool final, bool agreement, bool integrity,
                         bool validity, std::uint8_t scope_bits) {
    final = final || std::find(config.final_levels.begin(), config.final_levels.end(), name) !=
                         config.final_levels.end();
    description.levels.push_back(
        {std::move(name), final, agreement, integrity, validity, scope_bits});
  };
  // In the order of Report. Unmodified servers may declare consensus on different sets of one
  // round and build different ledgers of one sequence: only fully validated ledgers are final.
  level("transaction-set", false, true, true, true, kRoundScopeBits);
  level("round-transaction", false, false, false, true, kRoundScopeBits);
  level("built", false, true, false, false, 0);
  description.levels.back().verb = "built";
  description.levels.back().noun = "ledger";
  level("validation", false, false, true, true, 0);
  level("switched", false, false, false, true, 0);
  level("ledger", true, true, true, true, 0);
  description.phases = {"open", "establish", "accepted"};
  description.first_round = config.start == NetworkConfig::Start::warm ? config.ledger : 1;
}

namespace {

class XrplCluster final : public Cluster {
 public:
  XrplCluster(const NetworkConfig& config, std::uint64_t seed) : network_(config, seed) {}
  std::unique_ptr<Node> make_node(NodeId id) override {
    return std::make_unique<Validator>(network_, id);
  }

 private:
  Network network_;
};

SystemDescription describe(const NetworkConfig& config) {
  SystemDescription description;
  description.name = "xrpl";
  description.nodes = NodeKind::simulated;
  description.summary = "XRP Ledger consensus";
  description.same_messages_as = {"rippled"};
  describe_messages(description, config.scheme);
  describe_reports(description, config);
  description.observables = {"validated",
                             "failed",
                             "cancelled",
                             "settled",
                             "validated_seq",
                             "max_propose_seq",
                             "bow_outs",
                             "incompatible",
                             "insufficient_support",
                             "failed_set_acquisitions",
                             "moved_on",
                             "switched",
                             "regressions"};
  description.steps = describe_steps();
  return description;
}

class XrplSystem final : public System {
 public:
  explicit XrplSystem(NetworkConfig config)
      : config_(std::move(config)), description_(describe(config_)) {}

  const SystemDescription& description() const override { return description_; }
  std::size_t node_count() const override { return config_.nodes; }
  std::unique_ptr<Cluster> make_cluster(std::uint64_t seed) const override {
    return std::make_unique<XrplCluster>(config_, seed);
  }
  std::vector<NodeId> links_of(NodeId id) const override { return config_.links[id]; }

  std::shared_ptr<const Request> make_request(const Options& options) const override {
    const std::string from = options.at("from").text();
    const std::string to = options.at("to").text();
    Payment payment;
    payment.from = digest_of_text(from);
    payment.to = digest_of_text(to);
    payment.amount = read_xrp(options.at("amount"));
    payment.fee = config_.fees.base;
    if (const auto fee = options.find("fee")) payment.fee = read_xrp(*fee);
    payment.last_ledger =
        static_cast<std::uint32_t>(options.integer("last_ledger", 0, 0, UINT32_MAX));
    payment.sequence = sequence_of(options, from);
    payment.tag = static_cast<std::uint32_t>(options.integer("tag", ++requests_, 0, UINT32_MAX));
    return std::make_shared<PaymentRequest>(payment, from, to);
  }

 private:
  std::uint32_t sequence_of(const Options& options, const std::string& from) const {
    std::uint32_t offset = 0;
    const auto value = options.find("sequence");
    if (value && value->is_integer()) {
      offset = static_cast<std::uint32_t>(value->integer(0, 1'000'000'000));
    } else {
      constexpr std::string_view kWords[] = {"next", "same"};
      if (!value || value->choice(kWords) == 0) offset = next_sequences_[from]++;
    }
    return config_.account_sequence + offset;
  }

  NetworkConfig config_;
  SystemDescription description_;
  // Requests are read once, in the order of the file and before any run, which gives "next" its
  // meaning; runs only read what was made of them.
  mutable std::map<std::string, std::uint32_t> next_sequences_;
  mutable std::int64_t requests_ = 0;
};

}  // namespace

SystemEntry xrpl_entry() {
  return {"xrpl", "XRP Ledger consensus (versions 1.7.2, 2.4.0, 2.5.0)",
          [](const Options& options) -> std::unique_ptr<System> {
            return std::make_unique<XrplSystem>(read_network(options));
          }};
}

}  // namespace dissensus::xrpl
