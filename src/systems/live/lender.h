// Where a run borrows its network.
#pragma once

#include <cstdint>
#include <memory>

#include "systems/live/network.h"

namespace dissensus::live {

class NetworkLender {
 public:
  virtual ~NetworkLender() = default;
  /// A network whose servers all propose. Throws LiveError.
  virtual std::unique_ptr<LiveNetwork> take(std::uint64_t run_seed) = 0;
  virtual void give_back(std::unique_ptr<LiveNetwork> network) = 0;
};

}  // namespace dissensus::live
