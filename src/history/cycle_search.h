// Cycles of a dependency graph, the shortest of each kind, under their names: Adya's phenomena,
// with the suffix -process or -realtime where the order of a client or of real time is needed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "history/dependency_graph.h"
#include "history/verdict.h"

namespace dissensus::history {

struct Cycle {
  std::string name;
  /// Of transactions, each to the next; real time is one edge, whatever was passed.
  std::vector<Edge> edges;
};

struct CycleReport {
  struct Kind {
    Cycle shortest;
    std::uint64_t components = 0;  ///< in which such a cycle was found
  };
  std::map<std::string, Kind> kinds;
  std::uint64_t cyclic_components = 0;
  bool is_complete = true;  ///< false: cycles are there, and not all kinds were looked for
};

CycleReport find_cycles(const DependencyGraph& graph, Work& work);

}  // namespace dissensus::history
