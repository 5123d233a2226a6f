// Runs that share a start of the servers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "dissensus/session.h"

#include "systems/live/cluster.h"

namespace dissensus::live {

class NetworkPool;

/// `pool` outlives it.
class LiveSession final : public Session {
 public:
  using MakeCluster = std::function<std::unique_ptr<Cluster>(
      std::unique_ptr<LiveNetwork> network, LiveCluster::GiveBack give_back, std::uint64_t seed)>;

  LiveSession(NetworkPool& pool, std::size_t runs_per_start, MakeCluster make_cluster)
      : pool_(pool), runs_per_start_(runs_per_start), make_cluster_(std::move(make_cluster)) {}

  std::unique_ptr<Cluster> make_cluster(std::uint64_t seed) override;
  std::size_t earlier_runs() const override { return runs_ - 1; }

 private:
  std::unique_ptr<LiveNetwork> take(std::uint64_t run_seed);

  NetworkPool& pool_;
  std::size_t runs_per_start_;
  MakeCluster make_cluster_;
  std::unique_ptr<LiveNetwork> network_;  ///< between runs
  std::size_t runs_ = 0;                  ///< of the network that was lent last, that one included
};

}  // namespace dissensus::live
