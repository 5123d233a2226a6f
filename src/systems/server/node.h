// The stand-in of a server: what the server sends, it sends; what it receives, the server receives;
// and it reports what can be read in what programs write.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "dissensus/node.h"

#include "hosted/cluster.h"
#include "systems/server/client_events.h"
#include "systems/server/settings.h"

namespace dissensus::server {

class ServerNode final : public Node {
 public:
  /// All of these outlive it. The clients of a run share `client_events`.
  ServerNode(hosted::Cluster& cluster, const Settings& settings, ClientEvents& client_events,
             NodeId self)
      : cluster_(cluster),
        settings_(settings),
        client_events_(client_events),
        self_(self),
        counts_(settings.observables.size()) {}

  void start(Context& context) override;
  void restart(Context& context, const Node& before) override;
  void happened(Context& context) override;
  void receive(Context& context, NodeId from, const Message& message) override;
  void timer(Context& context, TimerId timer, std::uint64_t tag) override;
  void submit(Context& context, const Request& request) override;

 private:
  void begin(Context& context);
  void send(Context& context, NodeId to, const hosted::Segment& segment);
  void read_line(Context& context, const std::string& line, bool of_client);
  void count(Context& context, std::uint32_t observable);

  hosted::Cluster& cluster_;
  const Settings& settings_;
  ClientEvents& client_events_;
  NodeId self_;
  std::vector<std::int64_t> counts_;           ///< of the scenario's observables
  std::map<std::uint32_t, std::int64_t> own_;  ///< of those that every node has
  std::map<std::size_t, std::uint64_t> decided_;
};

}  // namespace dissensus::server
