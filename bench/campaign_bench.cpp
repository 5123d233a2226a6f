// What a hunt costs beside its runs, and what a second thread brings, on the thesis's test case.
// Ratios within one run: the parts are measured in turn, again and again, and compared by their
// smallest times. Overhead is CPU time, so that a busy machine disturbs it little; what a second
// thread brings is wall time and needs an idle machine.
//
//   bench_campaign [RUNS] [ROUNDS]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include <stdlib.h>

#include "hunt/hunt.h"
#include "hunt/parts.h"
#include "hunt/sample_search.h"
#include "hunt/store.h"
#include "run/runner.h"
#include "run/schedule_space.h"
#include "systems/simulated/simulated.h"

namespace dissensus {
namespace {

struct Cost {
  double cpu = 1e9;
  double wall = 1e9;
  void lower_to(const Cost& other) {
    cpu = std::min(cpu, other.cpu);
    wall = std::min(wall, other.wall);
  }
};

/// Measures from its construction on; CPU time of all threads.
class Meter {
 public:
  Cost cost() const {
    return {static_cast<double>(std::clock() - cpu_) / CLOCKS_PER_SEC,
            std::chrono::duration<double>(Clock::now() - wall_).count()};
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::clock_t cpu_ = std::clock();
  Clock::time_point wall_ = Clock::now();
};

class Bench {
 public:
  explicit Bench(std::size_t runs) : runs_(runs) {
    std::string pattern = (std::filesystem::temp_directory_path() / "dissensus-XXXXXX").string();
    if (mkdtemp(pattern.data()) != nullptr) folder_ = pattern;
  }
  ~Bench() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  /// The runs alone, the same share of them made twice: what a hunt cannot do without.
  Cost bare_runs() const {
    std::vector<faults::Schedule> schedules;
    for (std::size_t i = 0; i < runs_; ++i) {
      Random random(1, "schedule", i);
      schedules.push_back(run::random_schedule(scenario_, random));
    }
    run::Runner runner;
    const Meter meter;
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < runs_; ++i) {
      const std::size_t times = i % hunt::kRepeatEvery == 0 ? 2 : 1;
      for (std::size_t time = 0; time < times; ++time) {
        hash ^= runner.run(scenario_, schedules[i], hunt::run_seed(1, i)).hash;
      }
    }
    const Cost cost = meter.cost();
    if (hash == 0) std::puts("");  // the runs must not be optimised away
    return cost;
  }

  /// The same runs, asked for by a search.
  Cost hunt(std::size_t jobs, bool with_store) {
    hunt::HuntOptions options;
    options.budget.runs = runs_;
    options.jobs = jobs;
    options.all = true;
    hunt::HuntParts parts;
    parts.search = hunt::make_sample_search(scenario_, 1);
    const std::string path = (folder_ / ("store" + std::to_string(++stores_))).string();
    const Meter meter;
    if (with_store) {
      hunt::Store store(path);
      store.begin(hunt::describe_hunt(scenario_, options));
      hunt::hunt(scenario_, parts, options, nullptr, &store);
    } else {
      hunt::hunt(scenario_, parts, options);
    }
    return meter.cost();
  }

 private:
  std::size_t runs_;
  run::Scenario scenario_ =
      run::load_scenario(DISSENSUS_SOURCE_DIR "/scenarios/xrpl/thesis.toml", simulated_systems());
  std::filesystem::path folder_;
  int stores_ = 0;
};

void print(std::size_t runs, std::size_t rounds) {
  Bench bench(runs);
  Cost bare;
  Cost plain;
  Cost stored;
  Cost parallel;
  for (std::size_t round = 0; round < rounds; ++round) {
    bare.lower_to(bench.bare_runs());
    plain.lower_to(bench.hunt(1, false));
    stored.lower_to(bench.hunt(1, true));
    parallel.lower_to(bench.hunt(2, true));
  }
  const auto line = [runs, &bare](const char* name, const Cost& cost) {
    std::printf("%-32s %7.1f us of CPU time per run, %+6.2f %%; %6.0f runs/s of wall time\n", name,
                1e6 * cost.cpu / static_cast<double>(runs), 100 * (cost.cpu / bare.cpu - 1),
                static_cast<double>(runs) / cost.wall);
  };
  line("runs alone", bare);
  line("hunt, one job, no store", plain);
  line("hunt, one job, store", stored);
  line("hunt, two jobs, store", parallel);
  std::printf("two jobs are %.2f times as fast as one\n", stored.wall / parallel.wall);
}

}  // namespace
}  // namespace dissensus

int main(int argc, char** argv) {
  const auto argument = [&](int index, std::size_t fallback) {
    return argc > index ? static_cast<std::size_t>(std::strtoull(argv[index], nullptr, 10))
                        : fallback;
  };
  dissensus::print(argument(1, 2000), argument(2, 5));
}
