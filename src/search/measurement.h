// Measures a run while it goes on: the numbers that fitness functions and coverage are made of.
//
// Disagreement margin. A fork of a final level is prepared on the levels before it: nodes that put
// forward, build and validate different values for one instance. For each stage (proposals of level
// 0, decisions of level 0, proposals of level 1...) the split is that of the instance that was
// split most: nodes in the second-largest group of equal latest reports, over half of all nodes,
// which is the most that there can be. The margin is the sum of the splits with weights 1, 2, 4...:
// a split counts as much as all earlier stages together, because it is that much nearer to a fork.
// 1 is reserved for two nodes that did decide a final level differently. Levels of which neither
// agreement nor integrity is demanded have many values per instance and are left out.
//
// Abstract states. A node's state is its phase, how many instances it is behind the most advanced
// node on the level of progress (0, 1, 2, 3 or more), whether it is down, and the rank of its
// latest decision among the values of that instance (0: the first one that anybody decided, 1: the
// second...). The state of the run is the multiset of these: who is who does not matter. It is
// noted at each phase and decision.
//
// Happens-before summaries, in their place or beside them (Wanted::novelty). What a node had heard
// since its last decision or phase: of each kind, from how many. It is noted at each decision and
// phase, and needs to see messages: runs in worker processes do not show them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "dissensus/fitness.h"

#include "core/event.h"
#include "oracle/nearness.h"
#include "run/runner.h"
#include "run/scenario.h"
#include "search/split_table.h"
#include "search/state_set.h"
#include "search/wanted.h"

namespace dissensus::search {

/// Collects the summary of one run after another, reusing memory: give it to the runner as
/// RunOptions::sinks. One thread.
class Measurement final : public EventSink {
 public:
  /// `scenario` must outlive this.
  explicit Measurement(const run::Scenario& scenario, const Wanted& wanted = {});

  /// Before each run, or before a part of one that begins at `now`. Byzantine nodes are left out of
  /// margins and states.
  void reset(const NodeSet& byzantine = {}, Time now = {});
  EventMask wants() const override;
  void on_event(const Event& event) override;
  /// After the run; valid until the next reset.
  const RunSummary& summarize(const run::RunResult& result);

 private:
  struct NodeState {
    bool correct = true;
    bool down = false;
    bool reached_goal = false;
    std::uint8_t rank = 0;
    std::uint64_t phase = 0;
    bool has_phase = false;
    std::uint64_t decided = 0;  ///< highest instance on the level of progress
    Time behind_since{};        ///< counts where somebody has decided more
    Time last_decision{};       ///< on the level of termination
    std::uint64_t word = 0;     ///< its part of the abstract state
  };

  void on_decision(const Event& event, NodeState& node);
  void note_progress(const Event& event, NodeState& node);
  void end_wait(const NodeState& node, Time until);
  void enter_phase(std::uint64_t phase, NodeState& node);
  void advance(std::uint64_t instance, Time now, NodeState& node);
  void end_lag(NodeState& node, Time until);
  void refresh(NodeState& node);
  void update_state(NodeState& node);
  std::uint64_t word_of(const NodeState& node) const;
  double disagreement_margin() const;
  bool has_summaries() const {
    return wanted_.novelty == Novelty::happens_before || wanted_.novelty == Novelty::both;
  }
  bool has_states() const {
    return wanted_.novelty == Novelty::states || wanted_.novelty == Novelty::both;
  }
  void note_heard(const Event& report);

  const run::Scenario& scenario_;
  Wanted wanted_;
  oracle::Nearness nearness_;
  std::vector<std::uint64_t> heard_;  ///< by node and kind: senders, one bit each
  RunSummary summary_;
  std::vector<bool> single_valued_;  ///< by level
  Level progress_level_ = 0;
  std::vector<NodeState> nodes_;
  SplitTable splits_;
  StateSet states_;
  std::uint64_t state_sum_ = 0;   ///< over the words of all correct nodes
  std::uint64_t last_state_ = 0;  ///< what was noted last
  std::uint64_t most_decided_ = 0;
  bool final_disagreement_ = false;
  bool demand_started_ = false;
  Time demand_start_{};
  Duration longest_wait_{};
};

/// One run and what was measured in it; for callers without a Measurement to reuse. The runner's
/// result is returned through `result` where it is not null.
RunSummary summarize(run::Runner& runner, const run::Scenario& scenario,
                     const faults::Schedule& schedule, std::uint64_t seed,
                     run::RunResult* result = nullptr);

}  // namespace dissensus::search
