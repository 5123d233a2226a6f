#include "systems/live/pool.h"

#include <atomic>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include "systems/live/wire/error.h"

namespace dissensus::live {

namespace {
/// Other programs, and other pools of this one, may keep servers below the same folder.
std::string session_name() {
  static std::atomic<unsigned> pools{0};
  const auto now =
      std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
  const unsigned number = pools++;
  const std::string name = fmt::format("{:%Y-%m-%dT%H-%M-%S}-{}", now, getpid());
  return number == 0 ? name : fmt::format("{}-{}", name, number);
}
}  // namespace

NetworkPool::NetworkPool(LiveNetwork::Plan plan, LiveSettings settings)
    : plan_(std::move(plan)), settings_(std::move(settings)) {
  plan_.folder += '/';
  plan_.folder += session_name();
}

NetworkPool::~NetworkPool() = default;

std::unique_ptr<LiveNetwork> NetworkPool::take(std::uint64_t run_seed) {
  std::unique_ptr<LiveNetwork> network;
  {
    std::unique_lock lock(mutex_);
    // In virtual time there is one for each thread that runs something.
    returned_.wait(lock,
                   [this] { return plan_.settings.is_virtual || in_use_ < settings_.networks; });
    ++in_use_;
    if (!idle_.empty()) {
      network = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  try {
    if (network) {
      network->keep_alive(false);
      if (network->recover()) return network;
      if (network->is_interrupted()) throw LiveError(std::string(kInterrupted));
      const std::string dead = network->dead_server();
      say(fmt::format("{}: {}; starting the servers anew", network->plan().folder,
                      dead.empty() ? "the network did not recover" : dead));
      network.reset();
    }
    return start_new(run_seed);
  } catch (...) {
    release_place();
    throw;
  }
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

std::unique_ptr<LiveNetwork> NetworkPool::start_new(std::uint64_t run_seed) {
  LiveNetwork::Plan plan = plan_;
  {
    const std::lock_guard lock(mutex_);
    plan.folder += fmt::format("/network-{}", ++started_);
    // In virtual time every run has the same servers.
    plan.seed += plan.settings.is_virtual ? 1 : started_;
    plan.run_seed = run_seed;
    plan.version = version_;
  }
  const bool is_said = !plan.settings.is_virtual;
  if (is_said) {
    say(fmt::format("starting {} servers ({}), logs in {}", plan.nodes, plan.rippled, plan.folder));
  }
  auto network = std::make_unique<LiveNetwork>(std::move(plan));
  const LoopTime begin = network->now();
  network->start();
  if (is_said) {
    say(fmt::format("rippled {}: all servers propose after {:.0f} s", network->servers().version(),
                    std::chrono::duration<double>(network->now() - begin).count()));
  }
  const std::lock_guard lock(mutex_);
  version_ = network->servers().version();
  return network;
}

}  // namespace dissensus::live
