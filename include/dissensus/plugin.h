// What a plugin brings: systems, searches, fitness functions, schedulers and fault strategies. A
// plugin is a shared library with one function; `dissensus hunt --plugin ./mine.so` loads it.
//
//   DISSENSUS_PLUGIN(registry) {
//     registry.searches.push_back({"mine", "What it does", {"time"}, make_mine});
//   }
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dissensus/fitness.h"
#include "dissensus/scheduler.h"
#include "dissensus/search.h"
#include "dissensus/system.h"

namespace dissensus {

/// A scheduler for each run; `--search NAME` hunts with it. Run n of a hunt gets `seed` of n.
struct SchedulerEntry {
  std::string name;
  std::string summary;
  std::unique_ptr<Scheduler> (*make)(std::uint64_t seed, const Options& options);
};

/// `--faults NAME` replaces the fault space of the scenario.
struct FaultStrategyEntry {
  std::string name;
  std::string summary;
  std::unique_ptr<FaultStrategy> (*make)(std::size_t nodes, const SystemDescription& description,
                                         const Options& options);
};

/// Everything that can be named. A plain value, passed along.
struct Registry {
  SystemRegistry systems;
  std::vector<SearchEntry> searches;
  std::vector<FitnessEntry> fitness;
  std::vector<SchedulerEntry> schedulers;
  std::vector<FaultStrategyEntry> fault_strategies;
};

inline constexpr int kPluginInterface = 3;

}  // namespace dissensus

/// The entry point of a plugin, followed by its body.
#define DISSENSUS_PLUGIN(registry)              \
  extern "C" int dissensus_plugin_interface() { \
    return ::dissensus::kPluginInterface;       \
  }                                             \
  extern "C" void dissensus_plugin(::dissensus::Registry& registry)
