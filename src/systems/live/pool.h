// Starts networks for runs.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "systems/live/network.h"

namespace dissensus::live {

/// Shared by threads.
class NetworkPool {
 public:
  /// `plan` is that of every network, but for its run's seed.
  explicit NetworkPool(LiveNetwork::Plan plan) : plan_(std::move(plan)) {}

  /// A new network whose servers all propose, or take payments where accounts are paid next; all
  /// that it does follows from the seed. Throws LiveError, and InputError where the binary is no
  /// server.
  std::unique_ptr<LiveNetwork> start(std::uint64_t run_seed);
  /// With paths and digests; versions once a network was started. Throws InputError where the
  /// binary is no server.
  std::vector<ServerBinary> binaries();

 private:
  LiveNetwork::Plan plan_;
  std::mutex mutex_;
  std::vector<ServerBinary> binaries_;  ///< once somebody asked
};

}  // namespace dissensus::live
