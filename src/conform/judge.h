// Is a trace of the implementation a trace of the model? (Workflow I)
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "conform/bound_mapping.h"
#include "conform/observed_trace.h"
#include "conform/violation.h"

namespace dissensus::conform {

struct JudgeOptions {
  std::size_t frontier_most = 1'000;  ///< states that fit what was seen; beyond: an error
  std::size_t hidden_states_most = 10'000;
  bool properties = true;
};

/// What judging cost and taught.
struct JudgeCounters {
  std::uint64_t events = 0;
  std::uint64_t stutters = 0;
  std::uint64_t model_steps = 0;
  std::uint64_t cached_steps = 0;  ///< known from before
  std::uint64_t new_views = 0;     ///< (action, view of the acting node) never seen before
  std::size_t frontier_max = 0;
};

/// The model's side of a conformance check: the set of states that fit all that was seen so far.
class Judge {
 public:
  explicit Judge(BoundMapping& mapping, const JudgeOptions& options = {});

  /// Back to the model's initial states.
  void start(std::span<const tla::Value> initial_node_states);
  /// Nullopt: the model admits it.
  std::optional<Violation> observe(const Observation& observation);
  /// start and observe over a whole trace.
  std::optional<Violation> judge(const ObservedTrace& trace);
  /// The implementation's states break a property (and none did before).
  std::optional<Violation> check_properties(const Observation& observation);

  const std::vector<tla::State>& frontier() const { return frontier_; }
  void note_step() { ++step_; }
  std::size_t step() const { return step_; }

  const JudgeCounters& counters() const { return counters_; }
  /// Values of the store were released: forget those kept.
  void forget();
  /// Counts a (label, state) of the model for coverage; true when its view is new.
  bool cover(const tla::Label& label, NodeId node, const tla::State& state);

 private:
  std::vector<tla::State> advance(const std::vector<tla::State>& from, const tla::Label& label);
  std::vector<tla::State> advance_hidden(const std::vector<tla::Label>& labels,
                                         const Observation& observation);
  std::vector<tla::State> advance_all(std::vector<tla::State> states,
                                      const std::vector<tla::Label>& labels);
  void keep_fitting(std::vector<tla::State>& states, const Observation& observation);
  Violation refusal(const Observation& observation, const std::vector<tla::Label>& labels);
  Violation mismatch(const Observation& observation, const std::vector<tla::Label>& labels,
                     const std::vector<tla::State>& reached);
  std::vector<std::string> nearest_actions(const tla::State& state, NodeId node);

  BoundMapping& mapping_;
  tla::Machine& machine_;
  JudgeOptions options_;
  JudgeCounters counters_;
  std::vector<tla::State> frontier_;
  std::vector<tla::Value> node_states_;
  std::vector<tla::Value> histories_;
  bool states_changed_ = false;
  std::size_t step_ = 0;
  std::unordered_map<std::uint64_t, std::vector<tla::State>> transitions_;  ///< never iterated
  std::unordered_set<std::uint64_t> covered_;                               ///< never iterated
};

}  // namespace dissensus::conform
