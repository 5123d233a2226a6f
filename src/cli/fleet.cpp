#include "cli/fleet.h"

#include <chrono>

#include <fmt/format.h>

#include "cli/interrupt.h"

namespace dissensus::cli {

void print_notice(const std::string& text) {
  fmt::print(stderr, "dissensus: {}\n", text);
}

bool TerminalPatience::wait(const std::string& trouble) {
  {
    const std::lock_guard lock(mutex_);
    if (said_ != trouble) print_notice(trouble + "; waiting for it, Ctrl-C ends");
    said_ = trouble;
  }
  for (int i = 0; i < 5 && !is_interrupted(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return !is_interrupted();
}

LocalWorkers::LocalWorkers(const std::string& store, std::int64_t hunt, std::size_t jobs,
                           const Registry& registry, hunt::Patience& patience) {
  if (jobs == 0) return;
  hunt::WorkOptions options;
  options.store = store;
  options.hunt = hunt;
  options.jobs = jobs;
  thread_ = std::jthread([this, options, &registry, &patience] {
    try {
      hunt::work(
          options, registry, patience, [this] { return stop_.load(); }, print_notice, progress_);
    } catch (const std::exception& error) {
      // Others may work on it; the coordinator goes on.
      print_notice(fmt::format("the workers of this process have ended: {}", error.what()));
    }
  });
}

LocalWorkers::~LocalWorkers() {
  stop_ = true;
}

}  // namespace dissensus::cli
