#include "tla/liveness/automaton.h"

#include <algorithm>
#include <map>
#include <string>

namespace dissensus::tla {

namespace {

using FormulaMap = std::map<std::string, FormulaPtr>;  // by key

/// One way to satisfy a set of formulas: what must be true of the step that is read, and what of
/// the rest of the behaviour.
struct Expansion {
  std::vector<FormulaPtr> now;
  FormulaMap later;
  FormulaMap postponed;  ///< <>f for which f was put off
};

/// After Couvreur, "On-the-fly verification of linear temporal logic": the states are sets of
/// formulas still to be satisfied; <>f is f, or a promise to satisfy <>f later.
class AutomatonMaker {
 public:
  AutomatonMaker(std::size_t most_states, Automaton& result)
      : most_states_(most_states), automaton_(result) {}

  bool make(const std::vector<FormulaPtr>& formulas) {
    FormulaMap start;
    for (const FormulaPtr& formula : formulas) start.emplace(formula->key, formula);
    state_of(start);
    for (std::size_t state = 0; state < sets_.size(); ++state) {
      if (sets_.size() > most_states_) return false;
      add_transitions(state);
    }
    automaton_.promises = static_cast<std::uint32_t>(promises_.size());
    return true;
  }

 private:
  std::uint32_t state_of(const FormulaMap& set) {
    std::string key;
    for (const auto& [name, formula] : set) key += name + ";";
    const auto [place, is_new] = numbers_.try_emplace(key, sets_.size());
    if (is_new) {
      sets_.push_back(set);
      automaton_.states.emplace_back();
    }
    return static_cast<std::uint32_t>(place->second);
  }

  std::uint32_t promise_of(const std::string& key) {
    return static_cast<std::uint32_t>(promises_.try_emplace(key, promises_.size()).first->second);
  }

  void add_transitions(std::size_t state) {
    std::vector<FormulaPtr> waiting;
    for (const auto& [key, formula] : sets_[state]) waiting.push_back(formula);
    std::vector<Expansion> ways;
    expand(std::move(waiting), {}, ways);
    std::map<std::string, bool> seen;
    for (const Expansion& way : ways) {
      Automaton::Transition transition;
      transition.label = conjunction_of(way.now);
      if (transition.label->type == Formula::Type::truth && !transition.label->is_positive) {
        continue;
      }
      transition.target = state_of(way.later);
      std::string key = std::to_string(transition.target) + " " + transition.label->key;
      for (const auto& [name, formula] : way.postponed) {
        transition.postponed.push_back(promise_of(name));
        key += " " + name;
      }
      if (!seen.emplace(key, true).second) continue;
      automaton_.states[state].push_back(std::move(transition));
    }
  }

  void expand(std::vector<FormulaPtr> waiting, Expansion so_far, std::vector<Expansion>& ways) {
    while (!waiting.empty()) {
      const FormulaPtr formula = waiting.back();
      waiting.pop_back();
      if (formula->is_step) {
        so_far.now.push_back(formula);
        continue;
      }
      switch (formula->type) {
        case Formula::Type::conjunction:
          waiting.insert(waiting.end(), formula->parts.begin(), formula->parts.end());
          break;
        case Formula::Type::disjunction:
          for (const FormulaPtr& part : formula->parts) {
            std::vector<FormulaPtr> others = waiting;
            others.push_back(part);
            expand(std::move(others), so_far, ways);
          }
          return;
        case Formula::Type::always:
          so_far.later.emplace(formula->key, formula);
          waiting.push_back(formula->parts.front());
          break;
        default: {  // eventually
          std::vector<FormulaPtr> others = waiting;
          others.push_back(formula->parts.front());
          expand(std::move(others), so_far, ways);
          so_far.later.emplace(formula->key, formula);
          so_far.postponed.emplace(formula->key, formula);
          break;
        }
      }
    }
    ways.push_back(std::move(so_far));
  }

  std::size_t most_states_;
  Automaton& automaton_;
  std::map<std::string, std::size_t> numbers_;
  std::vector<FormulaMap> sets_;
  std::map<std::string, std::size_t> promises_;
};

}  // namespace

bool make_automaton(const std::vector<FormulaPtr>& formulas, std::size_t most_states,
                    Automaton& result) {
  result = {};
  return AutomatonMaker(most_states, result).make(formulas);
}

}  // namespace dissensus::tla
