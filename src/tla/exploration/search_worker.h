// One thread's part of the exhaustive search: expands states and judges what it finds.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tla/evaluation/machine.h"
#include "tla/exploration/behaviour_record.h"
#include "tla/exploration/check.h"
#include "tla/exploration/fingerprint_set.h"
#include "tla/exploration/state_block.h"

namespace dissensus::tla {

/// How a state was found: by which successor of which state. Enough to find it again.
struct Origin {
  std::uint32_t parent = 0;   ///< kNoParent: an initial state
  std::uint32_t ordinal = 0;  ///< among the successors (or initial states), from 1
};
inline constexpr std::uint32_t kNoParent = ~std::uint32_t{0};

/// Something that ends the search.
struct SearchEvent {
  CheckOutcome outcome = CheckOutcome::ok;
  bool is_goal = false;
  bool is_exit = false;  ///< the spec asked for the end: TLCSet("exit", TRUE)
  std::string message, property;
  Location at;
  std::vector<EvaluationError::Call> calls;
  Origin origin;                ///< ordinal 0: the parent itself
  std::uint64_t generated = 0;  ///< by the unit until then
};

/// A state that may be new.
struct Candidate {
  std::uint64_t fingerprint = 0;
  Origin origin;
  std::int32_t event = -1;      ///< happens if the state is new
  std::uint64_t generated = 0;  ///< by the unit until then
};

/// Blocks that follow each other in the queue.
struct SearchUnit {
  std::uint64_t number = 0;  ///< of the first block
  std::vector<StateBlock> blocks;
};

struct UnitResult {
  std::uint64_t number = 0, number_end = 0;  ///< of the blocks that were expanded
  std::vector<StateBlock> blocks;            ///< the candidates, in order
  std::vector<Candidate> candidates;
  std::vector<std::int64_t> measures;  ///< of CheckOptions::maximise
  std::vector<SearchEvent> events;
  std::optional<SearchEvent> end;  ///< happens after all candidates
  bool is_stopped = false;         ///< the time is over: states are missing
  std::uint64_t generated = 0;
  std::vector<std::uint64_t> steps_by_action;
  UnitSteps steps;  ///< for liveness
};

/// What all workers may read while the search goes on.
struct SearchStatistics {
  std::atomic<std::uint64_t> generated{0}, distinct{0}, queued{0};
  std::atomic<std::uint32_t> depth{0};
  std::atomic<bool> stop{false};
  double (*seconds)(const void*) = nullptr;
  const void* clock = nullptr;
};

/// Gives Environment::statistic, IOEnv and the rest to a machine.
struct MachineSettings {
  const SearchStatistics* statistics = nullptr;
  std::size_t workers = 1;
  std::size_t worker = 0;  ///< which of them
  bool checks_deadlock = true;
  std::string mode = "bfs";
  std::int64_t depth = -1;
  std::uint64_t seed = 1;
  bool records_steps = false;  ///< for liveness
};
void set_up_environment(Machine& machine, const CheckOptions& options,
                        const MachineSettings& settings, const std::uint32_t* level);

class SearchWorker {
 public:
  SearchWorker(std::shared_ptr<const Spec> spec, const CheckOptions& options,
               const MachineSettings& settings);

  Machine& machine() { return machine_; }
  BlockCodec& codec() { return codec_; }
  /// Expands the states of a unit. `known` may miss what was found lately.
  UnitResult expand(SearchUnit& unit, const FingerprintSet::Slots& known);
  /// True when values have piled up: then the queue's raw blocks are encoded and collect() called.
  bool is_full();
  void collect();
  /// Gives all initial states in pieces.
  void initial(const std::function<bool(UnitResult)>& consume);
  /// Prepares for the expansion of a state: randomness depends on the state alone.
  void prepare(std::uint32_t index, std::uint32_t level);
  /// The state that an origin names, from its parent (null for initial states).
  bool find(const State* parent, Origin origin, Label& label, State& state);
  /// A successor with this fingerprint.
  bool find_step(const State& from, std::uint64_t fingerprint, Label& label, State& state);

 private:
  void expand_state(const State& state, std::uint32_t index, std::uint32_t level,
                    const FingerprintSet::Slots& known);
  /// False: the unit ends here.
  bool visit(const State* from, const State& state, Origin origin,
             const FingerprintSet::Slots* known);
  bool is_in_model(const State* from, const State& state);
  /// Judges a state; the event that a violation or error is.
  std::optional<SearchEvent> judge_state(const State& state, bool is_initial);
  std::optional<SearchEvent> judge_step(const State& from, const State& to);
  void add_candidate(const State& state, std::uint64_t fingerprint, Origin origin);
  bool end_with(SearchEvent event, Origin origin);
  void record_step(const State& from, const State& to, std::uint64_t fingerprint,
                   bool is_generated);
  void record_state(const State& state, std::uint32_t index);

  const CheckOptions& options_;
  MachineSettings settings_;
  std::shared_ptr<const Spec> spec_;
  Machine machine_;
  BlockCodec codec_;
  RecentFingerprints recent_;
  std::shared_ptr<const CompiledExpression> measure_, goal_;
  UnitResult result_;
  State scratch_;
  std::size_t collect_at_;
  std::uint32_t level_ = 0;        // of the state being evaluated, for TLCGet("level")
  std::uint32_t block_level_ = 0;  // of the states being found
  // Steps of the state being expanded, for liveness.
  RecentFingerprints step_seen_;
  std::vector<std::uint64_t> step_targets_;
  std::vector<Letter> step_letters_;
  std::size_t steps_recorded_ = 0;
};

}  // namespace dissensus::tla
