// A system under test: describes itself, reads its part of the scenario, and makes nodes.
// docs/guides/your-first-system.md writes one from scratch.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dissensus/description.h"
#include "dissensus/node.h"
#include "dissensus/options.h"
#include "dissensus/outside.h"

namespace dissensus {

/// The nodes of one run and whatever immutable or run-scoped things they share. One thread.
class Cluster {
 public:
  virtual ~Cluster() = default;
  /// Also called for a node that restarts after a crash.
  virtual std::unique_ptr<Node> make_node(NodeId id) = 0;
  /// Null: all nodes live in the simulation.
  virtual Outside* outside() { return nullptr; }
};

/// What a system is, for whoever runs it.
struct SystemTraits {
  /// The same schedule and seed give the same run. False: a run is there once, so it is recorded
  /// whole when it happens, and a finding is confirmed by further runs.
  bool repeatable = true;
  /// Its nodes live outside the simulation (Cluster::outside): one process and one clock each.
  bool outside = false;
  /// This is code that may end the process that runs it: an assertion that fails, memory that is
  /// not there. Runs then happen in a process of their own, and such an end is a finding.
  bool may_end_the_process = false;
  /// How many of the nodes, the last ones, are clients and services and not what is tested: random
  /// faults of the environment leave them alone, and partitions their links.
  std::size_t bystanders = 0;
  /// The system that simulates this one: schedules and scenarios of one are schedules and scenarios
  /// of the other. Empty: none.
  std::string twin;
  /// Keys of the [system] table that the twin does not have.
  std::vector<std::string> twin_lacks;
};

/// A configured system. Constant after construction and shared by concurrent runs.
class System {
 public:
  virtual ~System() = default;
  virtual const SystemDescription& description() const = 0;
  virtual std::size_t node_count() const = 0;

  /// Makes the node with this id. A system whose nodes share something overrides make_cluster.
  virtual std::unique_ptr<Node> make_node(NodeId id) const;
  virtual std::unique_ptr<Cluster> make_cluster(std::uint64_t seed) const;

  /// Reads one [[workload]] table; `at` and `node` were read before. Default: refuses it.
  virtual std::shared_ptr<const Request> make_request(const Options& options) const;

  /// The nodes that `id` has links to, ascending; default: all others.
  virtual std::vector<NodeId> links_of(NodeId id) const;

  virtual SystemTraits traits() const { return {}; }
};

/// Makes a System from the [system] table of a scenario. `kind` has been read before.
struct SystemEntry {
  std::string name;
  std::string summary;
  std::function<std::unique_ptr<System>(const Options& options)> make;
};

/// The systems this program knows. A plain value: whoever runs scenarios passes one along.
class SystemRegistry {
 public:
  void add(SystemEntry entry) { entries_.push_back(std::move(entry)); }
  /// In the place of the entry of the same name.
  void replace(SystemEntry entry);
  const SystemEntry* find(std::string_view name) const;
  const std::vector<SystemEntry>& entries() const { return entries_; }

 private:
  std::vector<SystemEntry> entries_;
};

}  // namespace dissensus
