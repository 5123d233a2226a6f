// Is a trace of the implementation a trace of the model? (Workflow I)
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "conform/bound_mapping.h"
#include "conform/guard_coverage.h"
#include "conform/model_steps.h"
#include "conform/observed_trace.h"
#include "conform/violation.h"
#include "tla/logs/matcher.h"

namespace dissensus::conform {

/// Beyond these limits the model's verdict is unknown.
struct JudgeOptions {
  std::size_t frontier_most = 1'000;  ///< states that fit what was seen
  std::size_t hidden_states_most = 10'000;
  std::vector<std::string> ignored_properties;  ///< not judged
  GuardCoverage* coverage = nullptr;            ///< hears of the model's steps; null: nobody does
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
class Judge final : private tla::SeenEvents {
 public:
  explicit Judge(BoundMapping& mapping, const JudgeOptions& options = {});
  Judge(const Judge&) = delete;
  Judge& operator=(const Judge&) = delete;

  /// Back to the model's initial states.
  void start(std::span<const tla::Value> initial_node_states);
  /// Nullopt: the model admits it, or nobody can say. A property that is broken is told once.
  std::optional<Violation> observe(const Observation& observation);
  /// False: the model did not admit the last one; what comes after cannot be judged.
  bool goes_on() const { return goes_on_; }
  /// A limit was hit since the start: the model's verdict is unknown, properties are judged on.
  bool is_unknown() const { return is_unknown_; }
  /// start and observe over a whole trace.
  std::optional<Violation> judge(const ObservedTrace& trace);
  /// The implementation's states break a property (and none did before).
  std::optional<Violation> check_properties(const Observation& observation);

  const std::vector<tla::State>& frontier() const { return matcher_.frontier().states(); }
  void note_step() { ++step_; }
  std::size_t step() const { return step_; }

  JudgeCounters counters() const;
  /// Values of the store were released: forget those kept.
  void forget();
  /// Counts a (label, state) of the model for coverage; true when its view is new.
  bool cover(const tla::Label& label, NodeId node, const tla::State& state) {
    const bool is_new = steps_.cover(label, node, state);
    if (options_.coverage != nullptr)
      options_.coverage->took(machine_, weights_, label, state, is_new);
    return is_new;
  }

 private:
  struct Seen {
    Observation observation;
    std::vector<tla::Label> labels;
  };
  std::optional<Violation> follow(const Observation& observation);
  const Seen& seen_at(std::size_t event) const;
  bool steps(std::size_t event, const tla::State& from,
             tla::FunctionRef<bool(const tla::State&)> visit) override;

  BoundMapping& mapping_;
  tla::Machine& machine_;
  JudgeOptions options_;
  JudgeCounters counters_;  ///< without those of steps_
  ModelSteps steps_;
  tla::Matcher matcher_;
  std::vector<double> weights_;  ///< of walks; for the coverage
  bool is_unknown_ = false;
  bool goes_on_ = true;
  std::vector<std::string> broken_;  ///< properties that are not judged (any more)
  std::vector<Seen> seen_;           ///< with hidden steps all, otherwise the last one
  std::vector<tla::Value> node_states_;
  std::vector<tla::Value> histories_;
  bool states_changed_ = false;
  std::size_t step_ = 0;
};

}  // namespace dissensus::conform
