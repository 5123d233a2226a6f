#include "tla/evaluation/temporal.h"

#include <algorithm>

#include "tla/evaluation/evaluate_nodes.h"
#include "tla/linking/reading.h"

namespace dissensus::tla {

void TemporalFormulas::make() {
  forget();
  const Program& program = evaluator_.program;
  std::vector<FormulaPtr> parts;
  for (const EntryPoint& entry : program.fairness) {
    parts.push_back(translate(*entry.node, add_frame(entry.frame_size, nullptr)));
  }
  fairness_ = conjunction_of(parts);
  for (const TemporalProperty& property : program.temporal_properties) {
    const EntryPoint& entry = property.entry;
    properties_.push_back(translate(*entry.node, add_frame(entry.frame_size, nullptr)));
  }
  is_made_ = true;
}

void TemporalFormulas::forget() {
  is_made_ = false;
  fairness_.reset();
  properties_.clear();
  atoms_.clear();
  frames_.clear();
  slots_.clear();
  thunks_.clear();
  closures_.clear();
  memos_.clear();
}

Frame& TemporalFormulas::add_frame(std::uint32_t size, Frame* outer) {
  std::vector<Value>& slots = slots_.emplace_back(size);
  return frames_.emplace_back(Frame{slots.data(), outer, size});
}

Level TemporalFormulas::level_of(const Node& node, const Frame& frame) const {
  Level level = node.level;
  const auto out = [&](std::uint16_t hops) -> Frame& {
    return outward(const_cast<Frame&>(frame), hops);
  };
  if (node.type == NodeType::parameter) {
    const Value slot = out(node.hops).slots[node.index];
    if (!is_tagged(slot)) return level;
    const Thunk& thunk = *untagged<Thunk>(slot);
    return std::max(level, level_of(*thunk.node, *thunk.frame));
  }
  if (node.type == NodeType::call_argument || node.type == NodeType::operator_value) {
    const Operator* operation = node.callee;
    if (operation == nullptr) {
      operation = untagged<Closure>(out(node.hops).slots[node.index])->operation;
    }
    level = std::max(level, operation->level);
  }
  // An operator inside LET may read the parameters around it.
  if (node.type == NodeType::call && node.callee->depth > 1) level = std::max(level, kActionLevel);
  for_each_part(node, [&](const Node* part) { level = std::max(level, level_of(*part, frame)); });
  // Whatever is inside, the question is about the state.
  if (node.type == NodeType::enabled) return kStateLevel;
  return level;
}

bool TemporalFormulas::is_next_action(const Node& angle) const {
  if (!evaluator_.program.next) return false;
  const Node* action = angle.first;
  const Node* next = evaluator_.program.next->node;
  return action->type == NodeType::call && action->kids.empty() && next->type == NodeType::call &&
         next->kids.empty() && action->callee == next->callee && action->callee->depth == 1;
}

std::uint32_t TemporalFormulas::add_atom(const Node& node, Frame& frame) {
  Atom atom;
  atom.node = &node;
  atom.frame = &frame;
  atom.is_of_state = level_of(node, frame) <= kStateLevel;
  atom.is_next = node.type == NodeType::action_angle && is_next_action(node);
  atoms_.push_back(atom);
  return static_cast<std::uint32_t>(atoms_.size() - 1);
}

FormulaPtr TemporalFormulas::translate(const Node& node, Frame& frame) {
  if (node.type == NodeType::immediate && node.value.is_boolean()) {
    return truth_formula(node.value.truth());
  }
  const Level level = level_of(node, frame);
  if (level == kConstantLevel) return truth_formula(evaluator_.truth(node, frame));
  if (level != kTemporalLevel) return literal_formula(add_atom(node, frame), true);
  switch (node.type) {
    case NodeType::conjunction:
    case NodeType::disjunction:
    case NodeType::implies:
    case NodeType::equivalent:
    case NodeType::negation:
      return translate_junction(node, frame);
    case NodeType::for_all:
    case NodeType::exists:
      return translate_quantifier(node, frame);
    case NodeType::always:
      return always_formula(translate(*node.first, frame));
    case NodeType::eventually:
      return eventually_formula(translate(*node.first, frame));
    case NodeType::leads_to:
      return always_formula(disjunction_of({negation_of(translate(*node.first, frame)),
                                            eventually_formula(translate(*node.second, frame))}));
    case NodeType::weak_fairness:
    case NodeType::strong_fairness:
      return translate_fairness(node, frame);
    case NodeType::call:
      return translate_call(*node.callee, node, frame,
                            node.callee->depth == 1 ? nullptr : &outward(frame, node.hops));
    case NodeType::call_argument: {
      const Closure closure = *untagged<Closure>(outward(frame, node.hops).slots[node.index]);
      return translate_call(*closure.operation, node, frame, closure.outer);
    }
    case NodeType::parameter: {
      const Thunk& thunk = *untagged<Thunk>(outward(frame, node.hops).slots[node.index]);
      return translate(*thunk.node, *thunk.frame);
    }
    case NodeType::let:
      return translate_let(node, frame);
    case NodeType::let_value:
      return translate(*node.first, outward(frame, node.hops));
    case NodeType::if_else:
    case NodeType::case_of:
      return translate_cases(node, frame);
    default:
      evaluator_.fail(node, "this temporal formula cannot be checked: " + node.at.excerpt());
  }
}

FormulaPtr TemporalFormulas::translate_junction(const Node& node, Frame& frame) {
  std::vector<FormulaPtr> parts;
  for (const Node* kid : node.kids) parts.push_back(translate(*kid, frame));
  switch (node.type) {
    case NodeType::conjunction:
      return conjunction_of(parts);
    case NodeType::disjunction:
      return disjunction_of(parts);
    case NodeType::implies:
      return disjunction_of({negation_of(parts[0]), parts[1]});
    case NodeType::negation:
      return negation_of(parts[0]);
    default:
      return disjunction_of(
          {conjunction_of(parts), conjunction_of({negation_of(parts[0]), negation_of(parts[1])})});
  }
}

FormulaPtr TemporalFormulas::translate_quantifier(const Node& node, Frame& frame) {
  std::vector<FormulaPtr> parts;
  // Each element has a frame of its own, which the atoms inside keep.
  evaluating::for_each_binding(evaluator_, node, frame, [&] {
    Frame& own = add_frame(frame.size, frame.outer);
    std::copy(frame.slots, frame.slots + frame.size, own.slots);
    for (const Binding& binding : node.detail->bindings) {
      for (const std::uint32_t slot : binding.slots) {
        own.slots[slot] = evaluator_.store.canonical(own.slots[slot]);
      }
    }
    parts.push_back(translate(*node.first, own));
    return true;
  });
  return node.type == NodeType::for_all ? conjunction_of(parts) : disjunction_of(parts);
}

FormulaPtr TemporalFormulas::translate_call(const Operator& operation, const Node& node,
                                            Frame& frame, Frame* outer) {
  if (operation.is_recursive || operation.body == nullptr) {
    evaluator_.fail(node, "this temporal formula cannot be checked: " + node.at.excerpt());
  }
  Frame& inner = add_frame(operation.frame_size, outer);
  for (std::size_t i = 0; i < node.kids.size(); ++i) {
    const Node& argument = *node.kids[i];
    if (argument.type == NodeType::operator_value) {
      inner.slots[i] = tagged(&closures_.emplace_back(evaluator_.closure_of(argument, frame)));
    } else if (argument.type == NodeType::local || argument.type == NodeType::parameter) {
      inner.slots[i] = outward(frame, argument.hops).slots[argument.index];
    } else {
      inner.slots[i] = tagged(&thunks_.emplace_back(Thunk{&argument, &frame, Value(), 0}));
    }
  }
  return translate(*operation.body, inner);
}

FormulaPtr TemporalFormulas::translate_fairness(const Node& node, Frame& frame) {
  const std::uint32_t taken = add_atom(*node.first, frame);
  const std::uint32_t enabled = add_atom(*node.second, frame);
  atoms_[enabled].evidence = taken;
  const FormulaPtr is_taken = literal_formula(taken, true);
  const FormulaPtr is_disabled = literal_formula(enabled, false);
  if (node.type == NodeType::weak_fairness) {
    return always_formula(eventually_formula(disjunction_of({is_disabled, is_taken})));
  }
  return disjunction_of({eventually_formula(always_formula(is_disabled)),
                         always_formula(eventually_formula(is_taken))});
}

FormulaPtr TemporalFormulas::translate_let(const Node& node, Frame& frame) {
  for (const std::uint32_t slot : node.detail->slots) frame.slots[slot] = Value();
  for (const std::uint32_t slot : node.detail->memo_slots) {
    frame.slots[slot] = tagged(&memos_.emplace_back());
  }
  return translate(*node.first, frame);
}

/// IF and CASE whose conditions are formulas, too: (c /\ a) \/ (~c /\ b).
FormulaPtr TemporalFormulas::translate_cases(const Node& node, Frame& frame) {
  if (node.type == NodeType::case_of) {
    evaluator_.fail(node, "CASE of temporal formulas cannot be checked: " + node.at.excerpt());
  }
  const FormulaPtr condition = translate(*node.first, frame);
  return disjunction_of({conjunction_of({condition, translate(*node.second, frame)}),
                         conjunction_of({negation_of(condition), translate(*node.third, frame)})});
}

}  // namespace dissensus::tla
