#include "systems/live/live_session.h"

#include <utility>

#include "systems/live/pool.h"

namespace dissensus::live {

std::unique_ptr<Cluster> LiveSession::make_cluster(std::uint64_t seed) {
  const auto give_back = [this](std::unique_ptr<LiveNetwork> network) {
    if (runs_ < runs_per_start_ && network->trouble().empty()) network_ = std::move(network);
  };
  return make_cluster_(take(seed), give_back, seed);
}

std::unique_ptr<LiveNetwork> LiveSession::take(std::uint64_t run_seed) {
  // One ledger more shows that it goes on; what a run left behind is then its successor's history.
  constexpr std::uint32_t kLedgersMore = 1;
  if (network_ && network_->recover(kLedgersMore)) {
    ++runs_;
    return std::move(network_);
  }
  network_.reset();
  runs_ = 1;
  std::unique_ptr<LiveNetwork> network = pool_.start(run_seed);
  network->fund_ahead(runs_per_start_);
  return network;
}

}  // namespace dissensus::live
