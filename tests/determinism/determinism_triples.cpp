// Prints the trace hashes of 2,000 random (scenario, schedule, seed) triples, one per line. Each
// triple is run twice in this process, which must agree; scripts/check-determinism compares the
// output of several builds, processes and numbers of workers.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "dissensus/faults.h"

#include "core/parallel.h"
#include "faults/schedule.h"
#include "run/runner.h"
#include "run/schedule_space.h"
#include "systems/simulated/simulated.h"
#include "trace/trace.h"

namespace dissensus {
namespace {

constexpr std::size_t kTriples = 2000;

/// Those whose runs happen in this process, or in worker processes.
std::vector<run::Scenario> shipped_scenarios(bool workers) {
  std::vector<std::string> paths;
  for (const auto& file :
       std::filesystem::recursive_directory_iterator(DISSENSUS_SOURCE_DIR "/scenarios")) {
    // Programs of this machine are compared by tests of their own; real servers are never equal.
    const std::string folder = file.path().parent_path().filename().string();
    static const std::set<std::string> programs{"etcd",  "ovsdb",   "process",
                                                "redis", "rippled", "server"};
    if (programs.contains(folder)) continue;
    if (file.path().extension() == ".toml") paths.push_back(file.path().string());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<run::Scenario> scenarios;
  for (const std::string& path : paths) {
    run::Scenario scenario = run::load_scenario(path, simulated_systems());
    // A forked worker per thread is no place for sanitizers: these are asked for by name.
    if (scenario.system->traits().may_end_the_process != workers) continue;
    scenarios.push_back(std::move(scenario));
    // Debug builds and sanitizers must get through all of them in a minute or two.
    scenarios.back().plan.limits.events = 20'000;
  }
  return scenarios;
}

faults::Window random_window(Random& random) {
  faults::Window window;
  if (random.chance(0.3)) {
    window.from_round = random.below(4);
    window.until_round = *window.from_round + 1 + random.below(3);
  } else {
    window.from = std::chrono::milliseconds(random.below(5000));
    window.until = window.from + std::chrono::milliseconds(1 + random.below(5000));
  }
  return window;
}

/// A scheduler of either type or none, and up to four faults of any kind.
faults::Schedule random_triple_schedule(const run::Scenario& scenario, Random& random) {
  run::Scenario copy = scenario;
  copy.space.type = static_cast<run::ScheduleSpace::Type>(random.below(3));
  faults::Schedule schedule = run::random_schedule(copy, random);
  const auto node = [&] { return static_cast<NodeId>(random.below(scenario.nodes())); };
  for (std::uint64_t count = random.below(5); count > 0; --count) {
    faults::MessageFilter filter;
    if (random.chance(0.7)) filter.from = node();
    if (random.chance(0.5)) {
      filter.kind =
          static_cast<MessageKind>(random.below(scenario.system_description().kinds.size()));
    }
    switch (random.below(4)) {
      case 0:
        schedule.faults.emplace_back(faults::DropFault{filter, random_window(random), {}});
        break;
      case 1:
        schedule.faults.emplace_back(faults::DuplicateFault{
            filter, random_window(random), {}, std::chrono::milliseconds(random.below(900))});
        break;
      case 2:
        schedule.faults.emplace_back(faults::PartitionFault{{{node()}}, random_window(random)});
        break;
      default:
        schedule.faults.emplace_back(
            faults::CrashFault{node(),
                               std::chrono::milliseconds(random.below(8000)),
                               {},
                               std::chrono::milliseconds(random.below(4000))});
        break;
    }
  }
  return schedule;
}

int print_hashes(std::size_t jobs, bool workers) {
  const std::vector<run::Scenario> scenarios = shipped_scenarios(workers);
  bool equal = true;
  for_each_in_order(
      kTriples, jobs, [] { return std::make_unique<run::Runner>(); },
      [&](run::Runner& runner, std::size_t index) {
        Random random(20261115, "triple", index);
        const run::Scenario& scenario = scenarios[random.below(scenarios.size())];
        const faults::Schedule schedule = workers ? run::random_schedule(scenario, random)
                                                  : random_triple_schedule(scenario, random);
        const std::uint64_t seed = random.next() >> 11;
        const std::uint64_t first = runner.run(scenario, schedule, seed).hash;
        const std::uint64_t second = run::Runner().run(scenario, schedule, seed).hash;
        return std::pair(first, second);
      },
      [&](std::size_t index, std::pair<std::uint64_t, std::uint64_t> hashes) {
        std::printf("%zu %s\n", index, trace::to_hex(hashes.first).c_str());
        if (hashes.first != hashes.second) {
          std::fprintf(stderr, "triple %zu: the second run in this process differs\n", index);
          equal = false;
        }
        return true;
      });
  return equal ? 0 : 1;
}

}  // namespace
}  // namespace dissensus

int main(int argc, char** argv) {
  std::size_t jobs = 1;
  if (argc >= 3 && std::strcmp(argv[1], "--jobs") == 0)
    jobs = static_cast<std::size_t>(std::atoi(argv[2]));
  const bool workers = argc == 4 && std::strcmp(argv[3], "--workers") == 0;
  return dissensus::print_hashes(jobs, workers);
}
