// Servers in virtual time that stand still, so that people can look at them.
#include "systems/live/cluster.h"
#include "systems/live/virtual_servers.h"

namespace dissensus::live {

namespace {

/// Null: the servers run in real time, and go on.
host::Host* host_of(const LiveNetwork& network) {
  const VirtualServers* const servers = network.virtual_servers();
  return servers != nullptr ? servers->host() : nullptr;
}

}  // namespace

std::string LiveCluster::held() const {
  const host::Host* const host = host_of(*network_);
  return host != nullptr ? host::to_text(host->processes()) : std::string();
}

std::string LiveCluster::held_threads() const {
  const host::Host* const host = host_of(*network_);
  return host != nullptr ? host::to_text(host->threads()) : std::string();
}

std::vector<std::string> LiveCluster::write_cores(const std::string& folder) const {
  const host::Host* const host = host_of(*network_);
  return host != nullptr ? host->write_cores(folder) : std::vector<std::string>();
}

void LiveCluster::excuse(std::chrono::nanoseconds real_time) {
  if (host::Host* const host = host_of(*network_)) host->excuse(real_time);
}

}  // namespace dissensus::live
