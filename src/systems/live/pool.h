// Networks that runs borrow. Starting one takes most of a minute, so they are kept.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "systems/live/lender.h"
#include "systems/live/network.h"
#include "systems/live/session_folder.h"
#include "systems/live/settings.h"

namespace dissensus::live {

/// Shared by threads.
class NetworkPool final : public NetworkLender {
 public:
  /// `plan` is that of every network; each has a folder of its own below plan.folder.
  NetworkPool(LiveNetwork::Plan plan, LiveSettings settings);
  ~NetworkPool() override;

  /// A network whose servers all propose: one that has recovered from its last run, or a new one.
  /// Waits while as many as allowed are in use. Throws LiveError.
  /// In virtual time always a new one, and all that it does follows from the seed.
  /// A start that fails is tried again; where others run, the run then waits for one of them, and
  /// there are fewer networks from then on. Throws InputError where the binary is no server.
  std::unique_ptr<LiveNetwork> take(std::uint64_t run_seed) override;
  /// Its next run begins where this one has left it, if it recovers.
  void give_back(std::unique_ptr<LiveNetwork> network) override;
  /// With paths and digests; versions once a network was started. Throws InputError where the
  /// binary is no server.
  std::vector<ServerBinary> binaries();

 private:
  std::unique_ptr<LiveNetwork> take_place();
  bool is_fit(LiveNetwork& network) const;
  std::unique_ptr<LiveNetwork> start_new(std::uint64_t run_seed);
  std::unique_ptr<LiveNetwork> start_once(std::uint64_t run_seed);
  void release_place();
  bool give_up_place(const LiveError& error);
  void say(std::string_view line) const {
    if (settings_.say) settings_.say(line);
  }

  LiveNetwork::Plan plan_;
  LiveSettings settings_;
  SessionFolder session_;
  std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<std::unique_ptr<LiveNetwork>> idle_;  ///< go before the session
  std::size_t in_use_ = 0;
  std::size_t started_ = 0;
  std::size_t networks_;                ///< at most; fewer when starts fail
  std::vector<ServerBinary> binaries_;  ///< once somebody asked
};

}  // namespace dissensus::live
