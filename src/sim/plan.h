// What is the same in every run of a scenario: nodes, links, clocks, workload, limits.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "dissensus/ids.h"
#include "dissensus/time.h"

#include "core/limits.h"
#include "sim/disk.h"
#include "sim/link.h"

namespace dissensus {
class Request;
}

namespace dissensus::sim {

/// A node's clock reads `offset + (1 + drift) x virtual time`.
struct ClockSkew {
  Duration offset{};
  std::int32_t drift_ppm = 0;
  friend bool operator==(const ClockSkew&, const ClockSkew&) = default;
};

/// A request of the workload.
struct Submission {
  Time at{};
  NodeId node = 0;
  std::shared_ptr<const Request> request;
};

/// Everything about a world that is the same in every run of a scenario. Constant; shared.
struct WorldPlan {
  std::size_t nodes = 0;
  std::vector<std::vector<NodeId>> peers;  ///< per node, ascending
  std::vector<LinkModel> models;           ///< models in use
  std::vector<std::uint16_t> link_model;   ///< index [from * nodes + to] into models
  std::vector<ClockSkew> skew;             ///< per node; empty = none
  std::vector<Submission> submissions;     ///< in order of time
  std::vector<Time> start;                 ///< start time per node; empty = all at once
  std::optional<Time> fault_phase_end;     ///< end_fault_phase happens by itself then
  DiskModel disk;                          ///< of every node that uses one
  RunLimits limits;
};

}  // namespace dissensus::sim
