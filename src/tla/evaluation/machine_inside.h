// What machine.cpp and machine_temporal.cpp share: what is behind a Machine.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <pthread.h>

#include "core/assert.h"
#include "tla/evaluation/evaluator.h"
#include "tla/evaluation/machine.h"
#include "tla/evaluation/predicate.h"
#include "tla/evaluation/symmetry.h"
#include "tla/evaluation/temporal.h"

namespace dissensus::tla {

class CompiledExpression {
 public:
  EntryPoint entry;
  std::size_t parameters = 0;
};

struct Machine::Implementation {
  Implementation(std::shared_ptr<const Spec> given, const MachineOptions& options)
      : spec(std::move(given)),
        evaluator(spec->program(), options),
        symmetry(evaluator),
        temporal(evaluator) {
    const Program& program = spec->program();
    for (const EntryPoint& entry : program.invariants) {
      invariants.emplace_back(evaluator, entry);
    }
    for (const EntryPoint& entry : program.constraints) {
      constraints.emplace_back(evaluator, entry);
    }
    for (const StepProperty& property : program.properties) {
      if (!property.steps.empty()) step_properties.push_back(&property);
      if (!property.initial.empty()) initial_properties.push_back(&property);
    }
    base = evaluator.store.mark();
    literals_in_base = evaluator.literals.size();
  }

  std::shared_ptr<const Spec> spec;
  Evaluator evaluator;
  Symmetry symmetry;
  TemporalFormulas temporal;
  std::vector<CachedPredicate> invariants;
  std::vector<CachedPredicate> constraints;
  std::vector<const StepProperty*> step_properties;
  std::vector<const StepProperty*> initial_properties;
  std::vector<std::unique_ptr<State>> spare;
  std::uint32_t entered = 0;
  pthread_t thread{};
  bool has_thread = false;
  Store::Mark base;
  std::size_t literals_in_base = 0;
  std::vector<bool> is_in_base;  ///< constants

  std::size_t variables() const { return spec->program().variables.size(); }
};

/// What a call of the machine changes in the evaluator, given back at its end, also by exception.
class Entry {
 public:
  template <class Implementation>
  Entry(Implementation& machine, const State* state, Value* next, Level cacheable)
      : evaluator_(machine.evaluator),
        entered_(machine.entered, machine.entered + 1),
        current_(evaluator_.current,
                 state == nullptr ? nullptr : const_cast<Value*>(state->data())),
        next_(evaluator_.next, next),
        context_(evaluator_.context, evaluator_.fresh_context()),
        cacheable_(evaluator_.cacheable, cacheable),
        initial_(evaluator_.is_initial, false),
        sink_(evaluator_.sink, static_cast<Sink*>(nullptr)),
        recorder_(evaluator_.recorder, static_cast<Recorder*>(nullptr)),
        pardoner_(evaluator_.pardoner, static_cast<Pardoner*>(nullptr)),
        shuffle_(evaluator_.shuffle, static_cast<Random*>(nullptr)),
        label_(evaluator_.label_operator, static_cast<const Operator*>(nullptr)),
        label_frame_(evaluator_.label_frame, static_cast<Frame*>(nullptr)),
        held_(evaluator_.held, std::uint32_t{0}),
        assigned_(evaluator_.assigned, std::uint32_t{0}),
        calls_(evaluator_.calls),
        depth_(evaluator_.depth),
        top_(evaluator_.slots_top()),
        scratch_(evaluator_.scratch.size()) {
    DISSENSUS_ASSERT(state == nullptr || state->size() == machine.variables(),
                     "Machine : a state has a value for each variable");
    if (machine.entered > 1) return;
    evaluator_.steps = 0;
    if (machine.has_thread && pthread_equal(machine.thread, pthread_self()) != 0) return;
    machine.thread = pthread_self();
    machine.has_thread = true;
    evaluator_.enter_stack();
  }
  ~Entry() {
    evaluator_.pop_slots(top_);
    evaluator_.scratch.resize(scratch_);
  }
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;

 private:
  Evaluator& evaluator_;
  Saved<std::uint32_t> entered_;
  Saved<Value*> current_;
  Saved<Value*> next_;
  Saved<std::uint64_t> context_;
  Saved<Level> cacheable_;
  Saved<bool> initial_;
  Saved<Sink*> sink_;
  Saved<Recorder*> recorder_;
  Saved<Pardoner*> pardoner_;
  Saved<Random*> shuffle_;
  Saved<const Operator*> label_;
  Saved<Frame*> label_frame_;
  Saved<std::uint32_t> held_;
  Saved<std::uint32_t> assigned_;
  Saved<const CallLink*> calls_;
  Saved<std::uint32_t> depth_;
  Value* top_;
  std::size_t scratch_;
};

/// A state of nulls to be filled; nested calls have one each.
class SpareState {
 public:
  template <class Implementation>
  explicit SpareState(Implementation& machine) : spare_(machine.spare) {
    if (spare_.empty()) {
      state_ = std::make_unique<State>(machine.variables());
    } else {
      state_ = std::move(spare_.back());
      spare_.pop_back();
    }
    std::fill(state_->begin(), state_->end(), Value());
  }
  ~SpareState() { spare_.push_back(std::move(state_)); }
  SpareState(const SpareState&) = delete;
  SpareState& operator=(const SpareState&) = delete;
  State& operator*() { return *state_; }
  State* operator->() { return state_.get(); }

 private:
  std::vector<std::unique_ptr<State>>& spare_;
  std::unique_ptr<State> state_;
};

}  // namespace dissensus::tla
