// The exhaustive search itself: who expands which states, and in which order findings count.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tla/exploration/search_worker.h"
#include "tla/exploration/shown_trace.h"
#include "tla/liveness/judge.h"

namespace dissensus::tla {

/// Workers take units from the front of a queue and hand in what they found; findings enter the set
/// of states in the order in which the units were taken, whoever finishes first. So the result is
/// that of one worker.
class Search {
 public:
  Search(std::shared_ptr<const Spec> spec, const CheckOptions& options);
  CheckResult run();

 private:
  using Clock = std::chrono::steady_clock;

  bool check_assumptions();
  void find_initial_states();
  void run_worker(std::size_t worker);
  bool is_finished() const;
  using Queue = std::map<std::uint64_t, StateBlock>;  // by number
  /// Where a worker goes on: with its own values if it can, else at the front.
  Queue::iterator next_block(std::size_t worker);
  SearchUnit take_unit(Queue::iterator first);
  SearchUnit take_state();
  void hand_in(UnitResult result, std::unique_lock<std::mutex>& lock);
  /// Enters what a unit found. False: the search is over.
  bool commit(UnitResult& result, std::vector<StateBlock>& found);
  void measure(const UnitResult& result, std::size_t candidate);
  void enqueue(std::vector<StateBlock> found);
  void make_room(StateBlock& block);
  void free_memory(std::size_t worker, std::unique_lock<std::mutex>& lock);
  void check_limits();
  void end_with(SearchEvent event);
  void report_progress();
  void finish();
  void check_postcondition();
  void describe_end();
  void find_maximum();
  Behaviour behaviour_to(Origin origin);
  /// Keeps the trace for the postcondition, and makes it something to show.
  Behaviour shown(StateTrace trace);
  // search_liveness.cpp
  void check_liveness();
  void judge_properties(const BehaviourGraph& graph);
  Behaviour behaviour_along(const Lasso& lasso);
  double seconds() const;
  bool is_time_over() const;

  std::shared_ptr<const Spec> spec_;
  const CheckOptions& options_;
  CheckOptions worker_options_;
  CheckResult result_;
  bool checks_deadlock_;
  bool checks_liveness_;
  Clock::time_point start_;
  double cpu_start_ = 0;
  SearchStatistics statistics_;
  std::vector<std::unique_ptr<SearchWorker>> workers_;

  std::mutex mutex_;
  std::condition_variable changed_;
  Queue queue_;
  std::uint64_t queued_states_ = 0, queued_bytes_ = 0;
  std::uint64_t too_deep_ = 0;  // states that the limit of depth keeps from being expanded
  SpillFile spill_;
  // Breadth first, numbers grow to the back of the queue; depth first, to its front.
  std::uint64_t next_number_ = 0, next_commit_ = 0;
  std::uint64_t expanding_ = 0;       // units that were taken and not yet entered
  std::vector<std::size_t> readers_;  // per worker: others that read its values
  std::map<std::uint64_t, UnitResult> ready_;
  bool is_committing_ = false;
  bool is_over_ = false;
  bool is_searching_ = true;  ///< from the end on, evaluation has all the time it needs
  std::exception_ptr failure_;
  std::uint64_t states_bytes_ = 0;        // of what the committing thread owns
  std::vector<std::size_t> store_bytes_;  // per worker
  std::shared_ptr<const FingerprintSet::Slots> known_;
  std::string time_limit_;
  Clock::time_point last_progress_;

  // Only the committing thread touches these.
  FingerprintSet states_;
  std::deque<Origin> origins_;
  std::optional<SearchEvent> end_;
  std::string state_limit_;  // that was reached
  std::optional<Origin> maximum_at_;
  std::vector<bool> marks_;
  BehaviourRecord record_;
  StateTrace trace_;  // that was shown last
};

}  // namespace dissensus::tla
