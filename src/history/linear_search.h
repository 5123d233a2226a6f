// Is there an order of the operations of one object that respects real time and that the object
// admits? Wing and Gong's search with Lowe's memory of configurations, and three savings that lose
// no order:
//  * an operation that never changes the state is placed as soon as it fits, without alternative:
//  in
//    any order in which it comes later, it can be moved to here;
//  * of operations with the same effect that nobody was told about, the one that was invoked first
//  is
//    used first: it can stand wherever a later one could;
//  * configurations are compared after the placing of the first kind, so that more of them are
//  equal;
//  * a configuration from which the result of a read that is due soon cannot come about any more is
//    given up at once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "history/verdict.h"

namespace dissensus::history {

using StateId = std::uint32_t;
inline constexpr StateId kNoState = ~StateId{0};

/// What an operation does, in numbers. The kinds of registers are known to the search, since most
/// histories are theirs.
struct LinearStep {
  enum class Kind : std::uint8_t {
    read,      ///< possible in state a only
    write,     ///< leads to state a
    cas,       ///< from state a to state b
    mismatch,  ///< possible in any state but a
    other,     ///< StateMachine::step knows
  };
  Kind kind = Kind::other;
  bool is_pure = false;  ///< never changes the state
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  friend bool operator==(const LinearStep&, const LinearStep&) = default;
};

/// States and steps of kind `other`.
class StateMachine {
 public:
  virtual ~StateMachine() = default;
  /// kNoState where the step is not possible.
  virtual StateId step(StateId state, const LinearStep& step) = 0;
  /// Could steps of kind `other` lead from one state to another? True when in doubt.
  virtual bool may_lead(StateId /*from*/, StateId /*to*/) { return true; }
  virtual std::size_t memory_bytes() const { return 0; }
};

/// The operations of one object, in the order of their invocations, and how they overlap.
struct LinearObject {
  struct Operation {
    std::uint32_t operation = 0;  ///< of the history
    bool is_answered = true;      ///< false: may have happened, at any time after its invocation
    LinearStep step;
  };
  /// Invocations and answers in real time.
  struct Moment {
    std::uint32_t index = 0;  ///< into operations
    bool is_answer = false;
  };
  StateId initial = 0;
  std::vector<Operation> operations;
  std::vector<Moment> moments;
};

struct LinearResult {
  Outcome outcome = Outcome::unknown;
  bool memory_exhausted = false;
  /// The whole order, or the longest one that was found; indices into operations.
  std::vector<std::uint32_t> order;
  std::uint32_t stuck = ~std::uint32_t{0};  ///< answered before it could be placed
  StateId state = kNoState;                 ///< after `order`
};

/// Keeps its memory between searches.
class LinearSearch {
 public:
  LinearResult run(const LinearObject& object, StateMachine* machine, Work& work);

 private:
  struct Frame {
    std::uint32_t place;  ///< in trail_
    StateId before;
  };
  struct Slot {
    std::uint64_t hash = 0;
    std::uint64_t offset = 0;  ///< into configurations_, plus 1; 0: empty
  };

  void prepare(const LinearObject& object);
  StateId after(StateId state, const LinearStep& step, StateMachine* machine) const {
    switch (step.kind) {
      case LinearStep::Kind::read:
        return state == step.a ? state : kNoState;
      case LinearStep::Kind::write:
        return step.a;
      case LinearStep::Kind::cas:
        return state == step.a ? step.b : kNoState;
      case LinearStep::Kind::mismatch:
        return state != step.a ? state : kNoState;
      case LinearStep::Kind::other:
        break;
    }
    return machine->step(state, step);
  }
  void lift(std::uint32_t op);
  void unlift();
  void place_pure(StateId state, StateMachine* machine);
  bool is_hopeless(StateId state, StateMachine* machine);
  void dive(StateId state, StateMachine* machine);
  bool waits_for_twin(std::uint32_t op) const;
  void backtrack(StateId& state, std::uint32_t& node);
  bool is_new(StateId state);
  bool is_stored(std::uint64_t offset, StateId state) const;
  void store(StateId state);
  void grow();
  void keep_best(StateId state, std::uint32_t node);
  std::size_t memory_bytes() const;

  // The object: operations renumbered so that answered ones come first, moments as a linked list
  // whose node 0 is before all.
  std::vector<LinearStep> steps_;
  std::vector<std::uint32_t> number_of_;    ///< in the object, by ours
  std::vector<std::uint32_t> twin_before_;  ///< unanswered with the same effect, invoked earlier
  std::vector<std::uint32_t> call_node_;
  std::vector<std::uint32_t> answer_node_;  ///< 0: none
  std::vector<std::uint32_t> node_;         ///< operation * 2 + is answer
  std::vector<std::uint32_t> next_;
  std::vector<std::uint32_t> previous_;
  std::uint32_t answered_ = 0;

  // The configuration: what has been placed.
  std::vector<std::uint64_t> placed_;  ///< bits of answered operations
  std::vector<std::uint64_t> extras_;  ///< bits of the others
  std::size_t low_ = 0;                ///< words of placed_ below are full
  std::size_t high_ = 0;               ///< words of placed_ from here on are empty
  std::uint64_t hash_ = 0;
  std::uint32_t count_ = 0;  ///< of answered operations
  std::vector<std::uint32_t> trail_;
  std::vector<Frame> frames_;
  std::vector<std::uint64_t> keys_;  ///< random numbers by operation

  // Configurations that were seen.
  std::vector<Slot> slots_;
  std::size_t used_ = 0;
  std::vector<std::uint64_t> configurations_;

  // The longest order so far.
  std::vector<std::uint32_t> best_;
  std::size_t common_ = 0;  ///< how much of best_ and trail_ is surely equal
  std::uint32_t best_count_ = 0;
  std::uint32_t dived_from_ = 0;  ///< operations in the deepest hopeless configuration
  std::uint32_t dives_ = 0;
  StateId best_state_ = kNoState;
  std::uint32_t best_stuck_ = ~std::uint32_t{0};
  std::uint64_t seen_ = 0;  ///< steps since the work was last told
};

}  // namespace dissensus::history
