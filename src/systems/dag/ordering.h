// From a DAG to a chain of blocks: which leaders are decided, and in which order their histories
// are delivered. Functions of a DAG alone, so that all nodes with the same DAG agree.
#pragma once

#include <cstdint>
#include <vector>

#include "systems/dag/committee.h"
#include "systems/dag/guards.h"
#include "systems/dag/local_dag.h"

namespace dissensus::dag {

/// The waves that become decided with `wave`, ascending: those between the last decided one and
/// `wave` whose leader the next chosen leader reaches, and `wave` itself. Empty where the leader
/// is absent or lacks votes.
std::vector<std::uint32_t> decided_with(const LocalDag& dag, const Committee& committee,
                                        const Guards& guards, std::uint32_t wave,
                                        std::uint32_t decided);

struct Slot {
  std::uint32_t round = 0;
  NodeId creator = 0;
  friend bool operator==(const Slot&, const Slot&) = default;
};

/// How the vertices of a block are ordered.
struct LinearOrder {
  bool genesis = true;  ///< the genesis row is delivered with the first block
  /// Not 0: vertices of a round follow a hash with this seed, as in an unordered map.
  std::uint64_t hash_seed = 0;
};

/// The history of a wave's leader that is in no block yet, by round and creator, which is a
/// topological order. Marks it as delivered.
std::vector<Slot> deliver_history(LocalDag& dag, const Guards& guards, Slot leader,
                                  const LinearOrder& order);

/// The decided wave as a program computes it that keeps rounds in 32 unsigned bits and takes the
/// last leader between for granted: right unless that leader was skipped.
std::uint32_t wave_by_unsigned_lag(const std::vector<std::uint32_t>& chain, std::uint32_t decided);

}  // namespace dissensus::dag
