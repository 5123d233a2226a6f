// What verbs that share a PostgreSQL store have in common: patience with a server that went away,
// and workers in the background.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "dissensus/plugin.h"

#include "hunt/hunt.h"
#include "hunt/queue.h"
#include "hunt/store.h"
#include "hunt/work.h"

namespace dissensus::cli {

/// Says once that the store is waited for, and once that it is back; ends with Ctrl-C. Any thread.
class TerminalPatience final : public hunt::Patience {
 public:
  bool wait(const std::string& trouble) override;

 private:
  std::mutex mutex_;
  std::string said_;
};

/// Workers of this process for one hunt, from here to the end of the scope.
class LocalWorkers {
 public:
  /// With `examine`, they examine findings, too.
  LocalWorkers(const std::string& store, std::int64_t hunt, const hunt::HuntOptions& options,
               bool examine, const Registry& registry, hunt::Patience& patience);
  ~LocalWorkers();
  LocalWorkers(const LocalWorkers&) = delete;
  LocalWorkers& operator=(const LocalWorkers&) = delete;

 private:
  std::atomic<bool> stop_{false};
  hunt::WorkProgress progress_;
  std::jthread thread_;
};

/// Runs of a shared store are made by workers anywhere, which must be able to repeat them, and
/// those of a file here. Throws InputError.
void check_crew(bool is_shared, const run::Scenario& scenario, const hunt::HuntOptions& options);

/// Coordinates a hunt of a shared store, with workers of this process as options.jobs says.
hunt::HuntResult hunt_together(const run::Scenario& scenario, hunt::HuntParts& parts,
                               const hunt::HuntOptions& options, const Registry& registry,
                               hunt::HuntObserver& observer, hunt::Patience& patience, bool examine,
                               hunt::Store& store, hunt::WorkQueue& queue);

/// Has a finding examined by whoever is there, and examines it here where nobody is. None: somebody
/// interrupted.
std::optional<hunt::ExaminationResult> await_examination(hunt::WorkQueue& queue, std::int64_t hunt,
                                                         const run::Scenario& scenario,
                                                         const hunt::Finding& finding,
                                                         const SystemRegistry& systems);

/// A line for people on standard error.
void print_notice(const std::string& text);

}  // namespace dissensus::cli
