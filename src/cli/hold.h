// --hold and --logs: looking at real servers while they run in virtual time.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/verb.h"
#include "run/runner.h"

namespace dissensus::cli {

class HoldOptions {
 public:
  void add_to(CLI::App& app);
  /// Throws InputError where the scenario's servers cannot be held.
  void apply(const run::Scenario& scenario, run::RunOptions& options);
  bool is_asked() const { return !when_.empty() || logs_; }

 private:
  std::string when_;
  bool logs_ = false;
  std::shared_ptr<EventSink> tail_;
};

/// Waits on standard input: an empty line, its end, or SIGUSR1 goes on.
void wait_held(Time time, const std::string& why, Outside& servers);

}  // namespace dissensus::cli
