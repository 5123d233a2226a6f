#include "systems/live/pool.h"

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "dissensus/options.h"

#include "systems/live/wire/error.h"

namespace dissensus::live {

namespace {

bool is_lasting(const LiveError& error) {
  return dynamic_cast<const NoServerProgram*>(&error) != nullptr ||
         dynamic_cast<const NoPlaceForServers*>(&error) != nullptr || error.what() == kInterrupted;
}

}  // namespace

NetworkPool::NetworkPool(LiveNetwork::Plan plan, LiveSettings settings)
    : plan_(std::move(plan)),
      settings_(std::move(settings)),
      session_(plan_.folder),
      networks_(settings_.networks) {}

NetworkPool::~NetworkPool() = default;

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

std::unique_ptr<LiveNetwork> NetworkPool::take(std::uint64_t run_seed) {
  for (;;) {
    std::unique_ptr<LiveNetwork> network = take_place();
    try {
      if (network && is_fit(*network)) return network;
      network.reset();
      return start_new(run_seed);
    } catch (const NoServerProgram& error) {
      release_place();
      throw InputError(error.what());
    } catch (const LiveError& error) {
      if (!give_up_place(error)) throw;
    } catch (...) {
      release_place();
      throw;
    }
  }
}

/// Null: a new one is to be started.
std::unique_ptr<LiveNetwork> NetworkPool::take_place() {
  std::unique_lock lock(mutex_);
  // In virtual time there is one for each thread that runs something.
  returned_.wait(lock, [this] { return plan_.settings.is_virtual || in_use_ < networks_; });
  ++in_use_;
  if (idle_.empty()) return nullptr;
  std::unique_ptr<LiveNetwork> network = std::move(idle_.back());
  idle_.pop_back();
  return network;
}

bool NetworkPool::is_fit(LiveNetwork& network) const {
  network.keep_alive(false);
  const auto still = network.stillness();
  if (network.recover()) return true;
  if (network.is_interrupted()) throw LiveError(std::string(kInterrupted));
  std::string why = network.dead_server();
  if (why.empty() && still >= plan_.settings.recovery_limit) {
    why = fmt::format("no ledger was validated for {:.0f} s",
                      std::chrono::duration<double>(still).count());
  }
  say(fmt::format("{}: {}; starting the servers anew", network.plan().folder,
                  why.empty() ? "the network did not recover" : why));
  return false;
}

void NetworkPool::give_back(std::unique_ptr<LiveNetwork> network) {
  network->attach(nullptr);
  // A server that died, a log or a disk that is full: nobody else says so.
  if (const std::string trouble = network->servers().trouble(); !trouble.empty()) say(trouble);
  if (network->plan().settings.is_virtual) {
    network.reset();
  } else {
    network->keep_alive(true);
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(network));
  }
  release_place();
}

void NetworkPool::release_place() {
  {
    const std::lock_guard lock(mutex_);
    --in_use_;
  }
  returned_.notify_one();
}

/// Whoever could not start a network may wait for another one; false: there is none, or it would
/// not help.
bool NetworkPool::give_up_place(const LiveError& error) {
  std::size_t left = 0;
  {
    const std::lock_guard lock(mutex_);
    --in_use_;
    left = in_use_ + idle_.size();
    const bool goes_on = left > 0 && !plan_.settings.is_virtual && !is_lasting(error);
    if (goes_on) networks_ = left;
    if (!goes_on) left = 0;
  }
  returned_.notify_one();
  if (left == 0) return false;
  say(fmt::format("{}; going on with {} network{}", error.what(), left, left == 1 ? "" : "s"));
  return true;
}

std::unique_ptr<LiveNetwork> NetworkPool::start_new(std::uint64_t run_seed) {
  constexpr int kAttempts = 3;
  for (int attempt = 1;; ++attempt) {
    try {
      return start_once(run_seed);
    } catch (const LiveError& error) {
      // In virtual time the same would happen again.
      if (attempt == kAttempts || plan_.settings.is_virtual || is_lasting(error)) throw;
      say(fmt::format("{}; starting the servers again ({} of {})", error.what(), attempt + 1,
                      kAttempts));
    }
  }
}

std::unique_ptr<LiveNetwork> NetworkPool::start_once(std::uint64_t run_seed) {
  LiveNetwork::Plan plan = plan_;
  plan.binaries = binaries();
  bool is_first = false;
  {
    const std::lock_guard lock(mutex_);
    session_.begin();
    is_first = started_ == 0;
    plan.folder = fmt::format("{}/network-{}", session_.folder(), ++started_);
    // In virtual time every run has the same servers.
    plan.seed += plan.settings.is_virtual ? 1 : started_;
    plan.run_seed = run_seed;
  }
  if (is_first) {
    if (const std::size_t dead = remove_dead_sessions(plan_.folder); dead > 0) {
      say(fmt::format("{}: removed what {} killed {} had left", plan_.folder, dead,
                      dead == 1 ? "program" : "programs"));
    }
  }
  const bool is_said = !plan.settings.is_virtual;
  if (is_said) {
    say(fmt::format("starting {} servers ({}), logs in {}", plan.nodes, plan.binaries.front().path,
                    plan.folder));
  }
  auto network = std::make_unique<LiveNetwork>(std::move(plan));
  const LoopTime begin = network->now();
  network->start();
  if (is_said) {
    say(fmt::format("rippled {}: all servers propose after {:.0f} s", network->servers().version(),
                    std::chrono::duration<double>(network->now() - begin).count()));
  }
  const std::lock_guard lock(mutex_);
  binaries_ = network->servers().binaries();
  return network;
}

}  // namespace dissensus::live
