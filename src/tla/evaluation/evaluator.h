// The inside of a machine: evaluates nodes, and steps through actions.
//
// Arguments are passed unevaluated where that can make a difference and are evaluated on first use.
// An action is gone through conjunct by conjunct: what is still to be satisfied is a chain of
// Pending on the stack, a primed variable gets its value where it is first required to equal
// something, and each way to the end of the chain is a successor.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "tla/evaluation/function_ref.h"
#include "tla/evaluation/machine.h"
#include "tla/evaluation/memo.h"
#include "tla/linking/program.h"
#include "tla/values/store_memory.h"

namespace dissensus::tla {

struct Frame {
  Value* slots = nullptr;
  Frame* outer = nullptr;
  std::uint32_t size = 0;
};

/// An argument that is evaluated when it is needed. The value is good in one context: the same
/// argument under a prime is evaluated anew.
struct Thunk {
  const Node* node;
  Frame* frame;
  Value value;
  std::uint64_t context;
};

struct Closure {
  const Operator* operation;
  Frame* outer;
};

// A slot holds a value or, tagged, a pointer to one of the above or to a FunctionMemo.
inline bool is_tagged(Value slot) {
  return (slot.word() & 3) == 3;
}
template <class Target>
Value tagged(Target* target) {
  return Value::of(
      reinterpret_cast<const Cell*>(reinterpret_cast<std::uintptr_t>(target) | std::uintptr_t{3}));
}
template <class Target>
Target* untagged(Value slot) {
  return reinterpret_cast<Target*>(slot.word() - 3);
}

inline Frame& outward(Frame& frame, std::uint16_t hops) {
  Frame* result = &frame;
  for (; hops != 0; --hops) result = result->outer;
  return *result;
}

/// A function defined in LET remembers its values while the LET is evaluated.
struct FunctionMemo {
  std::uint64_t context = 0;
  std::unordered_map<std::uint64_t, Value> values;  // never iterated
};

/// What is still to be satisfied after the present conjunct.
struct Pending {
  enum class Type : std::uint8_t {
    conjuncts,  ///< node's kids from `index`
    node,
    changed,  ///< node: v of <<A>>_v
    compose,  ///< node: the right side of \cdot
    restore,  ///< go on with other states
    for_all,  ///< the body for the elements from `index`
    initial,  ///< the program's initial predicates from `index`
  };
  Type type = Type::node;
  std::uint32_t index = 0;
  const Node* node = nullptr;
  Frame* frame = nullptr;
  const Pending* rest = nullptr;
  Value* current = nullptr;
  Value* next = nullptr;
  const std::vector<Value>* elements = nullptr;
};

/// Receives the states that a step leads to. False: enough.
class Sink {
 public:
  virtual bool found() = 0;

 protected:
  ~Sink() = default;
};

/// Where conjuncts that fail are written down.
class Recorder {
 public:
  virtual void failed(const Node& node, Frame& frame, std::uint32_t held) = 0;

 protected:
  ~Recorder() = default;
};

/// Lets one conjunct of each way through an action be false: what then leads to a state was kept
/// back by that conjunct alone.
struct Pardoner {
  const Node* pardoned = nullptr;  ///< on the present way
  std::uint64_t left = 0;          ///< so many more may be tried
  FunctionRef<void(const Location&)> decided;
  /// A conjunct was false, and the others of its conjunction true.
  void alone(const Node& conjunct) {
    if (pardoned == nullptr) decided(conjunct.at);
  }
};

struct CallLink {
  const Operator* operation;
  const Node* node;
  const CallLink* outer;
};

template <class Type>
class Saved {
 public:
  explicit Saved(Type& place) : place_(place), value_(place) {}
  Saved(Type& place, Type value) : place_(place), value_(place) { place = value; }
  ~Saved() { place_ = value_; }
  Saved(const Saved&) = delete;
  Saved& operator=(const Saved&) = delete;

 private:
  Type& place_;
  Type value_;
};

class Evaluator {
 public:
  Evaluator(const Program& program, const MachineOptions& options);
  ~Evaluator();

  const Program& program;
  const MachineOptions options;
  Store store;
  Environment environment;

  // The states that expressions are about.
  Value* current = nullptr;
  Value* next = nullptr;
  std::uint64_t context = 1;
  std::uint64_t contexts = 1;
  /// Values up to this level do not change while the present call of the machine runs.
  Level cacheable = kStateLevel;
  bool is_initial = false;  ///< Init: unprimed variables are assigned
  /// The next state of an ENABLED inside an INSTANCE: after the variables come those of instances,
  /// which have values of their own there.
  Value* freed = nullptr;

  // Stepping.
  Sink* sink = nullptr;
  Recorder* recorder = nullptr;
  Pardoner* pardoner = nullptr;
  Random* shuffle = nullptr;
  std::span<const double> weights;
  const Operator* label_operator = nullptr;
  Frame* label_frame = nullptr;
  std::uint32_t assigned = 0;  ///< variables that have a value in the state being made
  std::uint64_t composed = 0;  ///< states between the two sides of \cdot
  std::uint32_t held = 0;      ///< conjuncts satisfied so far

  // Limits.
  const CallLink* calls = nullptr;
  std::uint32_t depth = 0;
  std::uint64_t steps = 0;
  const char* stack_limit = nullptr;

  // What is remembered, by index of the node.
  std::vector<Value> literals;
  std::vector<Value> constants;
  /// Sets of constant level up to this size are listed once.
  static constexpr std::uint64_t kListedMax = 4096;
  /// Up to this size where an action takes a value from them.
  static constexpr std::uint64_t kEnumeratedMax = 1 << 17;
  /// Tables with rows of a value and what was read for it.
  static constexpr std::size_t kRememberedRows = 256;
  std::vector<std::vector<Value>> remembered;
  struct FieldCache {
    Value names;
    std::uint32_t position = 0;
  };
  std::vector<FieldCache> fields;
  MemoTable memo;
  MemoTable memo_in_full;  ///< of evaluations under a pardoner

  std::vector<Value> scratch;

  Value evaluate(const Node& node, Frame& frame) { return node.evaluate(*this, node, frame); }
  bool truth(const Node& node, Frame& frame) {
    const Value value = node.evaluate(*this, node, frame);
    if (!value.is_boolean()) expected("TRUE or FALSE", value, node);
    return value.truth();
  }
  /// Evaluates a parameter's slot.
  Value force(Value slot, const Node& at) {
    return is_tagged(slot) ? force_thunk(*untagged<Thunk>(slot), at) : slot;
  }
  Value force_thunk(Thunk& thunk, const Node& at);

  /// Goes on after `node` for every way in which it can be satisfied. False: enough was found.
  bool step(const Node& node, Frame& frame, const Pending* rest, bool is_labelling);
  bool resume(const Pending* rest);
  bool step_initial(std::uint32_t index);

  /// Calls with values.
  Value call(const Closure& closure, std::span<const Value> arguments);
  Closure closure_of(const Node& node, Frame& frame);

  [[noreturn]] void fail(const Node& at, const std::string& message) const;
  [[noreturn]] void expected(const char* what, Value found, const Node& at) const;
  /// Runs something that may throw ValueError, and adds where.
  template <class Work>
  auto guarded(const Node& node, Work&& work) -> decltype(work()) {
    try {
      return work();
    } catch (const ValueError& error) {
      fail(node, error.what());
    }
  }

  void make_literals();
  Value make_config_value(const ConfigValue& value);
  void grow();  ///< after more was linked
  void forget_values();

  std::uint64_t fresh_context() { return ++contexts; }
  void count_step(const Node& at) {
    if (counts_steps_) check_step(at);
  }
  Value read_variable(const Node& node) {
    const Value value = current == nullptr ? Value() : current[node.index];
    if (value.is_null()) no_value(node);
    return value;
  }
  [[noreturn]] void no_value(const Node& node) const;

  /// Runs work on a new, large stack when little is left of this one.
  bool is_stack_low() const {
    return static_cast<const char*>(__builtin_frame_address(0)) < stack_limit;
  }
  void on_new_stack(FunctionRef<void()> work, const Node& at);
  void enter_stack();  ///< finds out where the stack of this thread ends
  void use_weights(std::span<const double> given);

  // Slots of frames.
  Value* push_slots(std::size_t count, const Node& at) {
    if (static_cast<std::size_t>(slots_end_ - slots_top_) < count) too_deep(at);
    Value* result = slots_top_;
    slots_top_ += count;
    return result;
  }
  Frame new_frame(std::uint32_t size, Frame* outer, const Node& at) {
    return {push_slots(size, at), outer, size};
  }
  Value* slots_top() const { return slots_top_; }
  void pop_slots(Value* top) { slots_top_ = top; }
  [[noreturn]] void too_deep(const Node& at) const;

  /// Number of the variable that an expression is, through parameters; -1: none.
  std::int64_t target_variable(const Node& node, Frame& frame);

 private:
  friend class Activation;
  bool step_conjuncts(const Node& node, std::uint32_t index, Frame& frame, const Pending* rest);
  bool step_disjuncts(const Node& node, Frame& frame, const Pending* rest, bool is_labelling);
  bool step_exists(const Node& node, std::size_t binding, Frame& frame, const Pending* rest,
                   bool is_labelling);
  bool step_elements(const Node& node, std::size_t binding, Value set, Frame& frame,
                     const Pending* rest, bool is_labelling);
  bool step_element(const Node& node, std::size_t binding, Value element, Frame& frame,
                    const Pending* rest, bool is_labelling);
  bool step_for_all(const Node& node, Frame& frame, const Pending* rest);
  std::optional<bool> rest_holds(const Pending*& rest);
  Frame copy_frame(const Frame& frame, const Node& at);
  bool step_for_all_from(const Pending& pending);
  bool step_call(const Node& node, Frame& frame, const Pending* rest, bool is_labelling);
  bool step_closure(const Node& node, Frame& frame, const Pending* rest, bool is_labelling);
  bool step_body(const Operator& operation, Frame& frame, const Pending* rest, bool is_labelling);
  bool step_equal(const Node& node, Frame& frame, const Pending* rest);
  bool step_member(const Node& node, Frame& frame, const Pending* rest, bool is_subset);
  bool step_case(const Node& node, Frame& frame, const Pending* rest, bool is_labelling);
  bool step_unchanged(const Node& node, const Node& subject, Frame& frame, const Pending* rest);
  bool step_unchanged_variables(const Node& node, Frame& frame, const Pending* rest);
  bool step_compose(const Node& node, Frame& frame, const Pending* rest);
  bool step_predicate(const Node& node, Frame& frame, const Pending* rest);
  bool step_pardoned(const Node& node, std::uint32_t index, Frame& frame, const Pending* rest);
  bool assign(std::uint32_t variable, Value value, const Pending* rest);
  bool refuse(const Node& node, Frame& frame) {
    if (recorder != nullptr) recorder->failed(node, frame, held);
    return true;
  }
  Value listed_constant(const Node& node, Value set);
  bool is_assignable(const Node& node, Frame& frame, std::uint32_t& variable);
  double weight_of(const Node& node, double around);
  void check_step(const Node& at);

  bool counts_steps_ = false;
  /// A random step goes through larger sets by drawing so many elements before all others.
  static constexpr std::uint64_t kShuffledMax = 4096;
  static constexpr int kDrawsOfLargeSet = 64;

  bool is_on_large_stack_ = false;
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  /// Left as it comes: machines are made often, and few frames are ever in use.
  std::unique_ptr<void, Free> slots_;
  Value* slots_top_ = nullptr;
  Value* slots_end_ = nullptr;
  std::unordered_map<const Node*, double> node_weights_;  // never iterated
  std::vector<double> node_weights_for_;
};

/// A call: its frame's slots, its place in the chain of calls, its depth.
class Activation {
 public:
  Activation(Evaluator& evaluator, const Operator& operation, const Node& node)
      : evaluator_(evaluator),
        top_(evaluator.slots_top()),
        link_{&operation, &node, evaluator.calls} {
    if (++evaluator.depth > evaluator.options.call_depth) {
      --evaluator.depth;
      evaluator.too_deep(node);
    }
    evaluator.calls = &link_;
  }
  ~Activation() {
    evaluator_.calls = link_.outer;
    --evaluator_.depth;
    evaluator_.pop_slots(top_);
  }
  Activation(const Activation&) = delete;
  Activation& operator=(const Activation&) = delete;

 private:
  Evaluator& evaluator_;
  Value* top_;
  CallLink link_;
};

/// Fills the slots of the parameters from the nodes of a call.
void bind_arguments(Evaluator& evaluator, const Operator& operation, const Node& node,
                    std::size_t first_kid, std::size_t count, Frame& caller, Value* slots);
/// Puts an element into the slots of a binding; a tuple is taken apart.
void bind_element(Evaluator& evaluator, const Binding& binding, Value element, Frame& frame,
                  const Node& at);

/// The slots of LET are empty on entry; functions have something to remember in until its end.
class LetScope {
 public:
  LetScope(const Node& node, Frame& frame) : detail_(*node.detail), frame_(frame) {
    for (const std::uint32_t slot : detail_.slots) frame_.slots[slot] = Value();
    for (const std::uint32_t slot : detail_.memo_slots) {
      frame_.slots[slot] = tagged(new FunctionMemo);
    }
  }
  ~LetScope() {
    for (const std::uint32_t slot : detail_.memo_slots) {
      delete untagged<FunctionMemo>(frame_.slots[slot]);
    }
  }
  LetScope(const LetScope&) = delete;
  LetScope& operator=(const LetScope&) = delete;

 private:
  const NodeDetail& detail_;
  Frame& frame_;
};

/// A stretch of the evaluator's scratch vector, given back on exit.
class Scratch {
 public:
  explicit Scratch(Evaluator& evaluator) : values_(evaluator.scratch), start_(values_.size()) {}
  ~Scratch() { values_.resize(start_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  void push(Value value) { values_.push_back(value); }
  std::span<const Value> values() const { return std::span<const Value>(values_).subspan(start_); }

 private:
  std::vector<Value>& values_;
  std::size_t start_;
};

}  // namespace dissensus::tla
