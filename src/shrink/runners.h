// Runners that outlive the loops they serve, so that their memory is reused.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "run/runner.h"

namespace dissensus::shrink {

/// Threads may share it; it must outlive what it lends.
class RunnerPool {
 public:
  class Return {
   public:
    explicit Return(RunnerPool& pool) : pool_(&pool) {}
    void operator()(run::Runner* runner) const { pool_->take_back(runner); }

   private:
    RunnerPool* pool_;
  };
  using Lent = std::unique_ptr<run::Runner, Return>;

  Lent lend() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) free_.push_back(std::make_unique<run::Runner>());
    Lent lent(free_.back().release(), Return(*this));
    free_.pop_back();
    return lent;
  }

 private:
  void take_back(run::Runner* runner) {
    const std::lock_guard lock(mutex_);
    free_.emplace_back(runner);
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<run::Runner>> free_;
};

}  // namespace dissensus::shrink
