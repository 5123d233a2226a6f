// An island: a search of a worker's own for a hunt that many share. It runs for a turn, sends what
// others may want to know, and hears what they have found.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_set>
#include <vector>

#include "dissensus/plugin.h"

#include "hunt/known_hunt.h"
#include "hunt/seen_states.h"
#include "hunt/shipment.h"

namespace dissensus::hunt {

/// One thread.
class Island {
 public:
  /// `id` is its number in the store, from which its seed follows. Throws InputError as KnownHunt
  /// does. `registry` must outlive this.
  Island(const HuntRecord& hunt, std::int64_t id, const std::string& store,
         const Registry& registry);

  std::int64_t id() const { return id_; }
  /// Turns that were sent: the number of the next one.
  std::uint64_t turn() const { return turn_; }
  /// Items of the hunt from this number on are news to it.
  std::uint64_t news_from() const { return news_from_; }

  /// Asks, runs and tells until `keep_going` is false; at least one run.
  Shipment run_turn(const std::function<bool()>& keep_going);
  /// The last turn was sent.
  void end_turn() { ++turn_; }
  /// An item of the hunt, in the order of numbers. Its own are passed over.
  void hear(const ItemRecord& item);

 private:
  void run_once(Shipment& shipment);
  void note(const ItemRecord& record, Shipment& shipment);

  std::int64_t id_;
  KnownHunt hunt_;
  EvaluationWorker worker_;
  SeenStates states_;
  std::unordered_set<std::uint64_t> sent_;  ///< seeds of runs; only ever asked for membership
  std::uint64_t runs_ = 0;
  std::uint64_t turn_ = 1;
  std::uint64_t news_from_ = 0;
};

/// The seed of the search of an island.
std::uint64_t island_seed(std::uint64_t hunt_seed, std::int64_t island);

}  // namespace dissensus::hunt
