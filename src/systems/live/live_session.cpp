#include "systems/live/live_session.h"

#include <utility>

#include "systems/live/pool.h"

namespace dissensus::live {

LiveSession::~LiveSession() {
  if (network_) pool_.give_back(std::move(network_));
}

std::unique_ptr<Cluster> LiveSession::make_cluster(std::uint64_t seed) {
  return make_cluster_(*this, seed);
}

std::unique_ptr<LiveNetwork> LiveSession::take(std::uint64_t run_seed) {
  if (network_) {
    // One ledger more shows that it goes on; what a run left behind is then its successor's
    // history.
    constexpr std::uint32_t kLedgersMore = 1;
    if (network_->recover(kLedgersMore)) {
      ++runs_;
      return std::move(network_);
    }
    pool_.give_back(std::move(network_));
  }
  runs_ = 1;
  std::unique_ptr<LiveNetwork> network = pool_.take(run_seed);
  network->fund_ahead(runs_per_start_);
  return network;
}

void LiveSession::give_back(std::unique_ptr<LiveNetwork> network) {
  network->attach(nullptr);
  const bool is_usable = network->dead_server().empty() && !network->is_interrupted();
  if (runs_ < runs_per_start_ && is_usable) {
    network_ = std::move(network);
  } else {
    pool_.give_back(std::move(network));
  }
}

}  // namespace dissensus::live
