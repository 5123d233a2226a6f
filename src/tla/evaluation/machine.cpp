#include "tla/evaluation/machine.h"

#include <algorithm>

#include "core/assert.h"
#include "core/bytes.h"
#include "tla/evaluation/explain.h"
#include "tla/evaluation/machine_inside.h"

namespace dissensus::tla {

namespace {

Value evaluate_entry(Evaluator& evaluator, const EntryPoint& entry) {
  Frame frame = evaluator.new_frame(entry.frame_size, nullptr, *entry.node);
  return evaluator.evaluate(*entry.node, frame);
}

bool entry_holds(Evaluator& evaluator, const EntryPoint& entry) {
  Frame frame = evaluator.new_frame(entry.frame_size, nullptr, *entry.node);
  return evaluator.truth(*entry.node, frame);
}

/// Checks that a state is complete and hands it on, with its label if there is one.
/// Hears of ways that one conjunct alone kept back.
class PardonSink final : public Sink {
 public:
  explicit PardonSink(const Pardoner& pardoner) : pardoner_(pardoner) {}
  bool found() override {
    if (pardoner_.pardoned != nullptr) pardoner_.decided(pardoner_.pardoned->at);
    return true;
  }

 private:
  const Pardoner& pardoner_;
};

class SwappedMemo {
 public:
  SwappedMemo(MemoTable& one, MemoTable& other) : one_(one), other_(other) {
    std::swap(one_, other_);
  }
  ~SwappedMemo() { std::swap(one_, other_); }
  SwappedMemo(const SwappedMemo&) = delete;
  SwappedMemo& operator=(const SwappedMemo&) = delete;

 private:
  MemoTable& one_;
  MemoTable& other_;
};

class StateSink final : public Sink {
 public:
  StateSink(Evaluator& evaluator, const State& state, bool has_label,
            FunctionRef<bool(const Label&, const State&)> visit)
      : evaluator_(evaluator), state_(state), has_label_(has_label), visit_(visit) {}

  bool found() override {
    for (std::size_t i = 0; i < state_.size(); ++i) {
      if (state_[i].is_null()) incomplete(i);
    }
    if (has_label_) make_label();
    return visit_(label_, state_);
  }

 private:
  void make_label() {
    label_.arguments.clear();
    const Operator* operation = evaluator_.label_operator;
    if (operation == nullptr) {
      label_.action = evaluator_.program.default_action;
      return;
    }
    label_.action = operation->action;
    Value* slots = evaluator_.label_frame->slots;
    for (std::size_t i = 0; i < operation->parameters.size(); ++i) {
      label_.arguments.push_back(
          operation->parameters[i].arity > 0
              ? evaluator_.store.text("operator")
              : evaluator_.store.canonical(evaluator_.force(slots[i], *operation->body)));
    }
  }
  [[noreturn]] void incomplete(std::size_t variable) const {
    const std::string& name = evaluator_.program.variables[variable];
    const bool is_initial = evaluator_.is_initial;
    const Operator* operation = evaluator_.label_operator;
    const EntryPoint& whole =
        is_initial ? evaluator_.program.initial.front() : *evaluator_.program.next;
    const Node& at = operation != nullptr ? *operation->body : *whole.node;
    evaluator_.fail(at, is_initial ? "the initial predicate gives " + name + " no value"
                                   : (operation != nullptr ? "action " + operation->name
                                                           : std::string("the next-state action")) +
                                         " gives " + name + "' no value: expected " + name +
                                         "' = ... or UNCHANGED " + name);
  }

  Evaluator& evaluator_;
  const State& state_;
  bool has_label_;
  FunctionRef<bool(const Label&, const State&)> visit_;
  Label label_;
};

}  // namespace

Machine::Machine(std::shared_ptr<const Spec> spec, const MachineOptions& options)
    : implementation_(std::make_unique<Implementation>(std::move(spec), options)) {}

Machine::~Machine() = default;

const Spec& Machine::spec() const {
  return *implementation_->spec;
}

Store& Machine::store() {
  return implementation_->evaluator.store;
}

Environment& Machine::environment() {
  return implementation_->evaluator.environment;
}

std::optional<Location> Machine::check_assumptions() {
  Evaluator& evaluator = implementation_->evaluator;
  for (const EntryPoint& entry : evaluator.program.assumptions) {
    const Entry scope(*implementation_, nullptr, nullptr, kActionLevel);
    if (!entry_holds(evaluator, entry)) return entry.at;
  }
  return std::nullopt;
}

bool Machine::initial_states(FunctionRef<bool(const State&)> visit) {
  Evaluator& evaluator = implementation_->evaluator;
  DISSENSUS_ASSERT(!evaluator.program.initial.empty(), "Machine::initial_states : has an Init");
  SpareState state(*implementation_);
  const Entry scope(*implementation_, &*state, nullptr, kConstantLevel);
  evaluator.is_initial = true;
  // The sink keeps a reference: the callable must have a name.
  const auto forward = [&](const Label&, const State& found) { return visit(found); };
  StateSink sink(evaluator, *state, false, forward);
  evaluator.sink = &sink;
  return evaluator.step_initial(0);
}

bool Machine::successors(const State& state, FunctionRef<bool(const Label&, const State&)> visit) {
  Evaluator& evaluator = implementation_->evaluator;
  DISSENSUS_ASSERT(evaluator.program.next.has_value(), "Machine::successors : has a Next");
  SpareState next(*implementation_);
  const Entry scope(*implementation_, &state, next->data(), kStateLevel);
  StateSink sink(evaluator, *next, true, visit);
  evaluator.sink = &sink;
  const EntryPoint& entry = *evaluator.program.next;
  Frame frame = evaluator.new_frame(entry.frame_size, nullptr, *entry.node);
  return evaluator.step(*entry.node, frame, nullptr, true);
}

std::uint64_t Machine::composed_states() const {
  return implementation_->evaluator.composed;
}

namespace {

/// Steps through one action whose arguments are values.
bool step_action(Evaluator& evaluator, ActionId action, std::span<const Value> arguments) {
  const Operator* operation = evaluator.program.action_operators[action];
  if (operation == nullptr) {
    const EntryPoint& entry = *evaluator.program.next;
    Frame frame = evaluator.new_frame(entry.frame_size, nullptr, *entry.node);
    return evaluator.step(*entry.node, frame, nullptr, false);
  }
  if (arguments.size() != operation->parameters.size()) {
    evaluator.fail(*operation->body,
                   operation->name + " takes " + std::to_string(operation->parameters.size()) +
                       " arguments, " + std::to_string(arguments.size()) + " are given");
  }
  Frame frame = evaluator.new_frame(operation->frame_size, nullptr, *operation->body);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    frame.slots[i] = evaluator.store.canonical(arguments[i]);
  }
  return evaluator.step(*operation->body, frame, nullptr, false);
}

}  // namespace

bool Machine::perform(const State& state, ActionId action, std::span<const Value> arguments,
                      FunctionRef<bool(const State&)> visit) {
  Evaluator& evaluator = implementation_->evaluator;
  SpareState next(*implementation_);
  const Entry scope(*implementation_, &state, next->data(), kStateLevel);
  const auto forward = [&](const Label&, const State& found) { return visit(found); };
  StateSink sink(evaluator, *next, false, forward);
  evaluator.sink = &sink;
  return step_action(evaluator, action, arguments);
}

bool Machine::random_step(const State& state, std::span<const double> weights, Random& random,
                          Label& label, State& next) {
  Evaluator& evaluator = implementation_->evaluator;
  DISSENSUS_ASSERT(evaluator.program.next.has_value(), "Machine::random_step : has a Next");
  SpareState found(*implementation_);
  const Entry scope(*implementation_, &state, found->data(), kStateLevel);
  const auto take = [&](const Label& taken, const State& reached) {
    if (taken.action < weights.size() && weights[taken.action] <= 0) return true;
    label = taken;
    next = reached;
    return false;
  };
  StateSink sink(evaluator, *found, true, take);
  evaluator.sink = &sink;
  evaluator.shuffle = &random;
  evaluator.use_weights(weights);
  const EntryPoint& entry = *evaluator.program.next;
  Frame frame = evaluator.new_frame(entry.frame_size, nullptr, *entry.node);
  const bool is_found = !evaluator.step(*entry.node, frame, nullptr, true);
  evaluator.weights = {};
  return is_found;
}

bool Machine::is_step(const State& from, const State& to) {
  Evaluator& evaluator = implementation_->evaluator;
  DISSENSUS_ASSERT(evaluator.program.next.has_value(), "Machine::is_step : has a Next");
  const Entry scope(*implementation_, &from, const_cast<Value*>(to.data()), kActionLevel);
  if (from == to && evaluator.program.subscript) return true;
  return entry_holds(evaluator, *evaluator.program.next);
}

bool Machine::invariant_holds(std::size_t index, const State& state) {
  const Entry scope(*implementation_, &state, nullptr, kActionLevel);
  return implementation_->invariants[index].holds(implementation_->evaluator);
}

std::size_t Machine::action_properties() const {
  return implementation_->step_properties.size();
}

const std::string& Machine::action_property_name(std::size_t index) const {
  return implementation_->step_properties[index]->name;
}

bool Machine::action_property_holds(std::size_t index, const State& from, const State& to) {
  Evaluator& evaluator = implementation_->evaluator;
  for (const EntryPoint& entry : implementation_->step_properties[index]->steps) {
    if (entry.node->level >= kActionLevel) {
      const Entry scope(*implementation_, &from, const_cast<Value*>(to.data()), kActionLevel);
      if (!entry_holds(evaluator, entry)) return false;
    } else {
      const Entry scope(*implementation_, &to, nullptr, kActionLevel);
      if (!entry_holds(evaluator, entry)) return false;
    }
  }
  return true;
}

std::size_t Machine::initial_properties() const {
  return implementation_->initial_properties.size();
}

const std::string& Machine::initial_property_name(std::size_t index) const {
  return implementation_->initial_properties[index]->name;
}

bool Machine::initial_property_holds(std::size_t index, const State& state) {
  Evaluator& evaluator = implementation_->evaluator;
  for (const EntryPoint& entry : implementation_->initial_properties[index]->initial) {
    const Entry scope(*implementation_, &state, nullptr, kActionLevel);
    if (!entry_holds(evaluator, entry)) return false;
  }
  return true;
}

bool Machine::is_within_constraints(const State& state) {
  if (implementation_->constraints.empty()) return true;
  const Entry scope(*implementation_, &state, nullptr, kActionLevel);
  for (CachedPredicate& constraint : implementation_->constraints) {
    if (!constraint.holds(implementation_->evaluator)) return false;
  }
  return true;
}

bool Machine::is_within_action_constraints(const State& from, const State& to) {
  Evaluator& evaluator = implementation_->evaluator;
  if (evaluator.program.action_constraints.empty()) return true;
  const Entry scope(*implementation_, &from, const_cast<Value*>(to.data()), kActionLevel);
  return std::all_of(evaluator.program.action_constraints.begin(),
                     evaluator.program.action_constraints.end(),
                     [&](const EntryPoint& entry) { return entry_holds(evaluator, entry); });
}

bool Machine::postcondition_holds() {
  Evaluator& evaluator = implementation_->evaluator;
  if (!evaluator.program.postcondition) return true;
  const Entry scope(*implementation_, nullptr, nullptr, kActionLevel);
  return entry_holds(evaluator, *evaluator.program.postcondition);
}

std::uint64_t Machine::fingerprint(const State& state) {
  Evaluator& evaluator = implementation_->evaluator;
  const bool is_symmetric =
      evaluator.options.uses_symmetry && !evaluator.program.symmetries.empty();
  if (!evaluator.program.view && !is_symmetric) return fingerprint_of(state);
  const Entry scope(*implementation_, &state, nullptr, kActionLevel);
  if (!evaluator.program.view) return implementation_->symmetry.fingerprint(state);
  const Value view = evaluate_entry(evaluator, *evaluator.program.view);
  const Value canonical = evaluator.guarded(*evaluator.program.view->node,
                                            [&] { return evaluator.store.canonical(view); });
  const std::span<const Value> values(&canonical, 1);
  return is_symmetric ? implementation_->symmetry.fingerprint(values) : fingerprint_of(values);
}

std::shared_ptr<const CompiledExpression> Machine::compile(
    const std::string& text, const std::vector<std::string>& parameters) {
  auto compiled = std::make_shared<CompiledExpression>();
  // Linking adds to what machines share, and takes nothing from it.
  auto& program = const_cast<Program&>(implementation_->spec->program());
  compiled->entry = link_expression(program, text, parameters);
  compiled->parameters = parameters.size();
  const std::lock_guard lock(program.linking);
  implementation_->evaluator.grow();
  return compiled;
}

Value Machine::evaluate(const CompiledExpression& expression, const State* state,
                        std::span<const Value> arguments, const State* next) {
  Evaluator& evaluator = implementation_->evaluator;
  DISSENSUS_ASSERT(arguments.size() == expression.parameters,
                   "Machine::evaluate : one argument per parameter");
  const Entry scope(*implementation_, state,
                    next == nullptr ? nullptr : const_cast<Value*>(next->data()), kActionLevel);
  const EntryPoint& entry = expression.entry;
  Frame frame = evaluator.new_frame(entry.frame_size, nullptr, *entry.node);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    frame.slots[i] = evaluator.store.canonical(arguments[i]);
  }
  const Value value = evaluator.evaluate(*entry.node, frame);
  return evaluator.guarded(*entry.node, [&] { return evaluator.store.canonical(value); });
}

Explanation Machine::explain(const State& state, ActionId action,
                             std::span<const Value> arguments) {
  Evaluator& evaluator = implementation_->evaluator;
  SpareState next(*implementation_);
  const Entry scope(*implementation_, &state, next->data(), kStateLevel);
  const auto ignore = [](const Label&, const State&) { return true; };
  StateSink sink(evaluator, *next, false, ignore);
  GuardRecorder recorder(evaluator);
  evaluator.sink = &sink;
  evaluator.recorder = &recorder;
  step_action(evaluator, action, arguments);
  return recorder.explanation();
}

bool Machine::deciding_guards(const State& state, std::span<const double> weights,
                              std::uint64_t limit, FunctionRef<void(const Location&)> visit) {
  Evaluator& evaluator = implementation_->evaluator;
  DISSENSUS_ASSERT(evaluator.program.next.has_value(), "Machine::deciding_guards : has a Next");
  SpareState next(*implementation_);
  const Entry scope(*implementation_, &state, next->data(), kStateLevel);
  // Results from elsewhere would hide what decided them.
  const SwappedMemo memo(evaluator.memo, evaluator.memo_in_full);
  Pardoner pardoner{nullptr, limit, visit};
  PardonSink sink(pardoner);
  evaluator.sink = &sink;
  evaluator.pardoner = &pardoner;
  const Saved saved_weights(evaluator.weights, weights);
  const EntryPoint& entry = *evaluator.program.next;
  Frame frame = evaluator.new_frame(entry.frame_size, nullptr, *entry.node);
  return evaluator.step(*entry.node, frame, nullptr, true);
}

std::vector<Label> Machine::enabled(const State& state, std::size_t limit) {
  std::vector<Label> labels;
  if (limit == 0) return labels;
  successors(state, [&](const Label& label, const State&) {
    const bool is_known = std::any_of(labels.begin(), labels.end(), [&](const Label& each) {
      return each.action == label.action && each.arguments == label.arguments;
    });
    if (!is_known) labels.push_back(label);
    return labels.size() < limit;
  });
  return labels;
}

void Machine::collect(std::span<State*> keep) {
  Implementation& machine = *implementation_;
  DISSENSUS_ASSERT(machine.entered == 0, "Machine::collect : not inside a visit");
  Evaluator& evaluator = machine.evaluator;
  std::string bytes;
  std::vector<std::size_t> kept;  // constants evaluated since the last time
  for (std::size_t i = 0; i < evaluator.constants.size(); ++i) {
    const bool is_in_base = i < machine.is_in_base.size() && machine.is_in_base[i];
    if (evaluator.constants[i].is_null() || is_in_base) continue;
    kept.push_back(i);
    serialize(evaluator.constants[i], bytes);
  }
  for (const State* state : keep) {
    for (const Value value : *state) serialize(value, bytes);
  }
  evaluator.store.release(machine.base);
  evaluator.forget_values();
  for (CachedPredicate& predicate : machine.invariants) predicate.forget();
  for (CachedPredicate& predicate : machine.constraints) predicate.forget();
  machine.symmetry.forget();
  machine.temporal.forget();
  evaluator.literals.resize(machine.literals_in_base);
  evaluator.make_literals();
  ByteReader reader(bytes, "a value");
  machine.is_in_base.resize(evaluator.constants.size());
  for (const std::size_t i : kept) {
    evaluator.constants[i] = deserialize(evaluator.store, reader);
    machine.is_in_base[i] = true;
  }
  machine.literals_in_base = evaluator.literals.size();
  machine.base = evaluator.store.mark();
  for (State* state : keep) {
    for (Value& value : *state) value = deserialize(evaluator.store, reader);
  }
}

std::string to_string(const Spec& spec, const Label& label) {
  std::string text = spec.actions()[label.action].name;
  for (std::size_t i = 0; i < label.arguments.size(); ++i) {
    text += (i == 0 ? "(" : ", ") + to_string(label.arguments[i]);
  }
  if (!label.arguments.empty()) text += ")";
  return text;
}

}  // namespace dissensus::tla
