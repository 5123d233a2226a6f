// A stand-in for a server: what the server sends, it sends; what it receives, the server receives;
// and it reports what can be seen of the server from outside.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "dissensus/node.h"

#include "systems/live/cluster.h"
#include "systems/xrpl/network.h"

namespace dissensus::live {

/// Observables of a server, in the order of their description.
enum class Seen : std::uint8_t {
  validated,
  failed,
  cancelled,
  settled,
  validated_seq,
  max_propose_seq,
  bow_outs,
  switched
};
std::vector<std::string> observable_names();

class LiveNode final : public Node {
 public:
  LiveNode(LiveCluster& cluster, NodeId self) : cluster_(cluster), self_(self) {}

  void start(Context& context) override;
  void restart(Context& context, const Node& before) override;
  void happened(Context& context) override;
  void receive(Context& context, NodeId from, const Message& message) override;
  void submit(Context& context, const Request& request) override;

 private:
  void send(Context& context, NodeId to, RunMessage&& message);
  // The server's own messages; each is seen once per peer.
  void look_at(Context& context, const CarriedProposal& proposal);
  void look_at(Context& context, const CarriedStatus& status);
  void look_at(Context& context, const CarriedValidation& validation);
  template <class Other>
  void look_at(Context&, const Other&) {}

  void on_event(Context& context, const nlohmann::json& event);
  void on_ledger_closed(Context& context, const nlohmann::json& event);
  void on_transaction(Context& context, const nlohmann::json& event);
  void report_supported(Context& context, const Hash256& ledger, std::uint32_t seq);
  void report_set(Context& context, const Hash256& ledger, const Hash256& set);
  void report_position(Context& context, const Watch::Proposed& proposed);
  void report_waiting(Context& context);
  void take_submitted();
  void observe(Context& context, Seen seen, std::int64_t value);
  void count(Context& context, Seen seen, std::int64_t by = 1);

  LiveCluster& cluster_;
  NodeId self_;
  std::set<Digest> seen_;                           ///< own messages
  std::vector<Watch::Proposed> waiting_positions_;  ///< on ledgers that are not known yet
  /// Validated, but its parent is not known yet: ledger and set.
  std::vector<std::pair<Hash256, Hash256>> waiting_sets_;
  std::size_t submitted_seen_ = 0;
  std::vector<SubmittedPayment> unsettled_;
  std::vector<std::int64_t> observed_ = std::vector<std::int64_t>(observable_names().size());
};

}  // namespace dissensus::live
