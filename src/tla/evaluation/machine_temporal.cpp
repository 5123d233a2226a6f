// Temporal formulas of a machine: their atoms on states and steps.
#include "tla/evaluation/evaluate_nodes.h"
#include "tla/evaluation/machine_inside.h"

namespace dissensus::tla {

const TemporalFormulas& Machine::temporal() {
  TemporalFormulas& temporal = implementation_->temporal;
  if (!temporal.is_made()) {
    const Entry scope(*implementation_, nullptr, nullptr, kConstantLevel);
    temporal.make();
  }
  return temporal;
}

void Machine::judge_step_atoms(const State& from, const State& to, bool is_generated,
                               Letter& letter) {
  const TemporalFormulas& formulas = temporal();
  Evaluator& evaluator = implementation_->evaluator;
  for (std::size_t i = 0; i < formulas.atoms(); ++i) {
    const TemporalFormulas::Atom& atom = formulas.atom(i);
    if (atom.is_of_state) continue;
    const Entry scope(*implementation_, &from, const_cast<Value*>(to.data()), kActionLevel);
    const bool holds =
        is_generated && atom.is_next
            ? !evaluating::is_unchanged(evaluator, *atom.node, *atom.node->second, *atom.frame)
            : evaluator.truth(*atom.node, *atom.frame);
    if (holds) set_true(letter, static_cast<std::uint32_t>(i));
  }
}

void Machine::judge_state_atoms(const State& state, const Letter& evidence, Letter& letter) {
  const TemporalFormulas& formulas = temporal();
  for (std::size_t i = 0; i < formulas.atoms(); ++i) {
    const TemporalFormulas::Atom& atom = formulas.atom(i);
    if (!atom.is_of_state) continue;
    const bool is_shown =
        atom.evidence >= 0 && is_true(evidence, static_cast<std::uint32_t>(atom.evidence));
    if (!is_shown) {
      const Entry scope(*implementation_, &state, nullptr, kStateLevel);
      if (!implementation_->evaluator.truth(*atom.node, *atom.frame)) continue;
    }
    set_true(letter, static_cast<std::uint32_t>(i));
  }
}

}  // namespace dissensus::tla
