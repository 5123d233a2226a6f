// What verbs that share a PostgreSQL store have in common: patience with a server that went away,
// and workers in the background.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <thread>

#include "dissensus/plugin.h"

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
  LocalWorkers(const std::string& store, std::int64_t hunt, std::size_t jobs,
               const Registry& registry, hunt::Patience& patience);
  ~LocalWorkers();
  LocalWorkers(const LocalWorkers&) = delete;
  LocalWorkers& operator=(const LocalWorkers&) = delete;

 private:
  std::atomic<bool> stop_{false};
  hunt::WorkProgress progress_;
  std::jthread thread_;
};

/// A line for people on standard error.
void print_notice(const std::string& text);

}  // namespace dissensus::cli
