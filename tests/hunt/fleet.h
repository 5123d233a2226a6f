// Coordinators and workers of a private PostgreSQL, for tests.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "hunt/hunting.h"
#include "hunt/islands.h"
#include "hunt/parts.h"
#include "hunt/queue.h"
#include "hunt/work.h"
#include "search/registry.h"

namespace dissensus::hunt {

class NoPatience final : public Patience {
 public:
  bool wait(const std::string&) override { return false; }
};

class ShortPatience final : public Patience {
 public:
  bool wait(const std::string&) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return ++waits < 5000;
  }
  std::atomic<int> waits{0};
};

inline Registry test_registry() {
  Registry registry = search::built_in_registry();
  registry.systems = simulated_systems();
  return registry;
}

class FleetTest : public StoreTest {
 protected:
  void SetUp() override {
    if (!test::PrivatePostgres::is_installed()) {
      GTEST_SKIP() << "PostgreSQL is not installed: scripts/setup test";
    }
    url_ = test::PrivatePostgres::instance().create_database();
  }

  static HuntOptions options(std::size_t runs, const std::string& search) {
    HuntOptions options = run_budget(7, runs);
    options.search = search;
    options.window = 64;
    options.all = true;
    return options;
  }

  void hunt_locally(const run::Scenario& scenario, const HuntOptions& options) {
    const Registry registry = test_registry();
    HuntParts parts = make_parts(scenario, registry, options);
    Store store(file("local"));
    store.begin(describe_hunt(scenario, options));
    hunt(scenario, parts, options, nullptr, &store);
  }

  HuntResult coordinate(const run::Scenario& scenario, const HuntOptions& options, bool resume,
                        HuntObserver* observer = nullptr) {
    const Registry registry = test_registry();
    HuntParts parts = make_parts(scenario, registry, options);
    Store store(url_, &patience_);
    const HuntRecord record = describe_hunt(scenario, options);
    resume ? store.resume(record) : store.begin(record);
    WorkQueue queue(url_, patience_);
    HuntResult result = options.islands
                            ? gather_islands(scenario, parts, options, observer, store, queue)
                            : hunt_with_workers(scenario, parts, options, observer, store, queue);
    if (result.end != HuntEnd::stopped) store.finish();
    return result;
  }

  /// A worker with two threads, from here to the end of the scope.
  class BackgroundWorker {
   public:
    BackgroundWorker(const std::string& url, Patience& patience, Examiner examine = {})
        : thread_([this, url, &patience, examine] {
            const Registry registry = test_registry();
            WorkOptions options;
            options.store = url;
            options.jobs = 2;
            options.lease_seconds = 1;
            options.turn_seconds = 0.1;
            options.examine = examine;
            work(
                options, registry, patience, [this] { return stop_.load(); },
                [](const std::string& text) { ADD_FAILURE() << text; }, progress);
          }) {}
    ~BackgroundWorker() { stop_ = true; }
    WorkProgress progress;

   private:
    std::atomic<bool> stop_{false};
    std::jthread thread_;
  };

  std::string url_;
  ShortPatience patience_;
};

}  // namespace dissensus::hunt
