#include "systems/live/pool.h"

#include <utility>

#include "dissensus/options.h"

#include "systems/live/wire/error.h"

namespace dissensus::live {

std::vector<ServerBinary> NetworkPool::binaries() {
  const std::lock_guard lock(mutex_);
  if (!binaries_.empty()) return binaries_;
  try {
    const std::vector<std::string> programs =
        find_binaries(plan_.settings.binaries, plan_.rippled, plan_.nodes, "binaries");
    const auto& restarts = plan_.settings.restart_binaries;
    binaries_ = list_binaries(
        programs,
        restarts.empty() ? programs : find_binaries(restarts, "", plan_.nodes, "restart_binaries"));
  } catch (const NoServerProgram& error) {
    throw InputError(error.what());
  }
  return binaries_;
}

std::unique_ptr<LiveNetwork> NetworkPool::start(std::uint64_t run_seed) {
  LiveNetwork::Plan plan = plan_;
  plan.binaries = binaries();
  plan.run_seed = run_seed;
  try {
    auto network = std::make_unique<LiveNetwork>(std::move(plan));
    network->start();
    const std::lock_guard lock(mutex_);
    binaries_ = network->servers().binaries();
    return network;
  } catch (const NoServerProgram& error) {
    throw InputError(error.what());
  }
}

}  // namespace dissensus::live
