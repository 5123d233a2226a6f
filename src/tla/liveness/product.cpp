#include "tla/liveness/product.h"

#include <algorithm>

namespace dissensus::tla {

Product::Product(const BehaviourGraph& graph, const Automaton& automaton,
                 const Obligations& obligations)
    : graph_(graph),
      automaton_(automaton),
      formulas_(obligations.repeated.size()),
      repeated_(obligations.repeated.size() + automaton.promises),
      choices_(obligations.choices.size()) {
  for (std::uint32_t number = 0; number < graph.letters.size(); ++number) {
    const Letter& letter = graph.letters[number];
    const auto holds = [&letter](const FormulaPtr& formula) {
      return holds_on_step(*formula, [&](std::uint32_t atom) { return is_true(letter, atom); });
    };
    is_persistent_.push_back(
        std::all_of(obligations.persistent.begin(), obligations.persistent.end(), holds));
    for (const FormulaPtr& formula : obligations.repeated) meets_.push_back(holds(formula));
    for (const Obligations::Choice& choice : obligations.choices) {
      meets_.push_back(holds(choice.repeated));
      breaks_.push_back(!holds(choice.persistent));
    }
    for (const std::vector<Automaton::Transition>& state : automaton.states) {
      enabled_.push_back(transitions_.size());
      for (const Automaton::Transition& transition : state) {
        if (holds(transition.label)) transitions_.push_back(&transition);
      }
      enabled_counts_.push_back(static_cast<std::uint32_t>(transitions_.size() - enabled_.back()));
    }
  }
}

std::vector<std::uint32_t> Product::initial() const {
  std::vector<std::uint32_t> nodes;
  for (const std::uint32_t state : graph_.initial) {
    nodes.push_back(static_cast<std::uint32_t>(state * automaton_.size()));
  }
  return nodes;
}

bool Product::next(std::uint32_t node, Cursor& cursor, Edge& edge) const {
  const std::uint64_t end = graph_.first[state_of(node) + 1];
  const std::size_t states = automaton_.size();
  for (; cursor.edge < end; ++cursor.edge, cursor.transition = 0) {
    const BehaviourGraph::Edge& step = graph_.edges[cursor.edge];
    const std::size_t row = step.letter * states + node % states;
    if (cursor.transition == enabled_counts_[row]) continue;
    const Automaton::Transition* const transition = transitions_[enabled_[row] + cursor.transition];
    ++cursor.transition;
    edge.target = static_cast<std::uint32_t>(step.target * states + transition->target);
    edge.letter = step.letter;
    edge.transition = transition;
    return true;
  }
  return false;
}

bool Product::meets(const Edge& edge, std::size_t mark) const {
  const std::size_t width = formulas_ + choices_;
  if (mark < formulas_) return meets_[edge.letter * width + mark];
  if (mark >= repeated_) return meets_[edge.letter * width + formulas_ + (mark - repeated_)];
  const auto promise = static_cast<std::uint32_t>(mark - formulas_);
  const std::vector<std::uint32_t>& postponed = edge.transition->postponed;
  return std::find(postponed.begin(), postponed.end(), promise) == postponed.end();
}

}  // namespace dissensus::tla
