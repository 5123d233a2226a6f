// The [system] table of a scenario for the DAG system (docs/systems/dag.md).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "dissensus/options.h"
#include "dissensus/time.h"

#include "systems/dag/committee.h"
#include "systems/dag/guards.h"

namespace dissensus::dag {

/// Faults of implementations that were found by checking them against a model, to be found again.
enum class Bug : std::uint8_t {
  rounds_from_one,
  genesis_outside_wave_one,
  duplicate_add,
  leader_sentinels,
  ignore_epoch_change,
  unordered_blocks,
  wave_underflow,
  future_vertices,
  late_round,
};
struct BugDescription {
  std::string_view name;
  std::string_view what;
};
/// Indexed by Bug.
std::span<const BugDescription> bugs();

/// A delay that is drawn anew each time.
struct DelayRange {
  Duration min{};
  Duration max{};
  bool is_zero() const { return max == Duration{}; }
};

struct Settings {
  explicit Settings(const Options& options);
  /// Of another implementation in the same network, and whose nodes are of it: an entry of
  /// `implementation`.
  Settings other(const Options& options, Mask& members) const;

  bool has(Bug bug) const { return (bug_mask >> static_cast<unsigned>(bug) & 1u) != 0; }
  bool is_equivocator(NodeId node) const { return (equivocators & mask_of(node)) != 0; }
  bool is_forger(NodeId node) const { return (forgers & mask_of(node)) != 0; }
  Committee committee(std::uint32_t epoch) const;
  /// The distance of a node's vertices in time.
  Duration production_interval() const;

  std::size_t nodes = 4;
  std::uint32_t production_rate = 20;  ///< vertices per second and node
  Duration iteration = std::chrono::milliseconds(20);
  DelayRange send_delay;
  DelayRange receive_delay;
  Duration fetch_interval = std::chrono::milliseconds(250);  ///< 0: nodes never ask for vertices

  std::size_t faulty = 0;
  double failure_chance = 0;
  Duration failure_window = std::chrono::seconds(5);
  Duration recovery = std::chrono::seconds(1);  ///< 0: a node that stops stays so
  bool equivocates_late = false;                ///< the second vertex comes after the first
  Mask equivocators = 0;                        ///< make two vertices for each of their places
  Mask forgers = 0;                             ///< send vertices that break the rules, too

  bool reliable = true;
  LeaderRule leader_rule = LeaderRule::round_robin;
  std::uint32_t epoch_waves = 0;                   ///< decided waves per epoch; 0: one epoch only
  std::vector<Mask> committees;                    ///< by epoch, over and over
  std::vector<std::vector<std::uint64_t>> stakes;  ///< by epoch, over and over; then by node
  bool full_state = false;                         ///< Node::state tells the DAG and all blocks
  std::uint32_t bug_mask = 0;
  Guards guards;

 private:
  void read_pace(const Options& options);
  void read_failures(const Options& options);
  void read_epochs(const Options& options);
  void read_faults(const Options& options);
  Mask read_nodes(const OptionValue& value) const;
  std::vector<std::uint64_t> read_stakes(const OptionValue& value) const;
};

}  // namespace dissensus::dag
