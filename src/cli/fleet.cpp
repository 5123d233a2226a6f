#include "cli/fleet.h"

#include <chrono>

#include <fmt/format.h>

#include "cli/finding_folder.h"
#include "cli/interrupt.h"
#include "hunt/islands.h"

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

LocalWorkers::LocalWorkers(const std::string& store, std::int64_t hunt,
                           const hunt::HuntOptions& hunt_options, bool examine,
                           const Registry& registry, hunt::Patience& patience) {
  if (hunt_options.jobs == 0) return;
  hunt::WorkOptions options;
  options.store = store;
  options.hunt = hunt;
  options.jobs = hunt_options.jobs;
  options.plugins = hunt_options.plugins;
  if (examine) options.examine = make_examiner(registry.systems);
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

void check_crew(bool is_shared, const run::Scenario& scenario, const hunt::HuntOptions& options) {
  if (!is_shared && options.jobs == 0) {
    throw InputError(
        "--jobs: 0 is for hunts with a shared store (--store URL), whose runs others make");
  }
  if (is_shared && !scenario.system->traits().repeatable) {
    throw InputError(
        fmt::format("{}: its runs do not repeat, so that they cannot be shared through a store",
                    scenario.path));
  }
}

hunt::HuntResult hunt_together(const run::Scenario& scenario, hunt::HuntParts& parts,
                               const hunt::HuntOptions& options, const Registry& registry,
                               hunt::HuntObserver& observer, hunt::Patience& patience, bool examine,
                               hunt::Store& store, hunt::WorkQueue& queue) {
  const LocalWorkers workers(store.location(), store.hunt(), options, examine, registry, patience);
  hunt::HuntResult result =
      options.islands ? hunt::gather_islands(scenario, parts, options, &observer, store, queue)
                      : hunt::hunt_with_workers(scenario, parts, options, &observer, store, queue);
  // Islands would go on for ever; those who want to go on open the hunt again (--resume).
  if (options.islands) store.finish();
  queue.clear(store.hunt());
  return result;
}

std::optional<hunt::ExaminationResult> await_examination(hunt::WorkQueue& queue, std::int64_t hunt,
                                                         const run::Scenario& scenario,
                                                         const hunt::Finding& finding,
                                                         const SystemRegistry& systems) {
  // Not renewed: who takes over after a minute does the same.
  const hunt::Tenant tenant{"the coordinator", 60, print_notice};
  const hunt::Examiner examine = make_examiner(systems);
  const auto keep_going = [] { return !is_interrupted(); };
  queue.put_examination(hunt, finding.signature, finding.item);
  while (keep_going()) {
    if (auto result = queue.examination_of(hunt, finding.item)) return result;
    if (!hunt::examine_next(queue, hunt, scenario, tenant, examine, keep_going)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }
  return std::nullopt;
}

}  // namespace dissensus::cli
