// Temporal formulas over numbered atoms: what is left of a temporal property once operators are
// unfolded and quantifiers over constant sets are written out.
//
// An atom is true or false of a step (a state and the next one); of a state predicate the next one
// does not matter. Formulas are in negation normal form, and are simplified as they are made, so
// that []<> and <>[] come to stand on the outside where they can.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace dissensus::tla {

struct Formula;
using FormulaPtr = std::shared_ptr<const Formula>;

struct Formula {
  enum class Type : std::uint8_t { truth, literal, conjunction, disjunction, always, eventually };
  Type type = Type::truth;
  bool is_positive = true;  ///< of truth and literal
  std::uint32_t atom = 0;
  std::vector<FormulaPtr> parts;
  /// No temporal operator in it: true or false of one step.
  bool is_step = true;
  /// Does not change when a behaviour loses its beginning: []<>f and <>[]f, and what they make.
  bool is_tail = false;
  std::string key;  ///< equal exactly when two formulas are written alike

  const Formula& part() const { return *parts.front(); }
};

FormulaPtr truth_formula(bool value);
FormulaPtr literal_formula(std::uint32_t atom, bool is_positive);
FormulaPtr conjunction_of(const std::vector<FormulaPtr>& parts);
FormulaPtr disjunction_of(const std::vector<FormulaPtr>& parts);
FormulaPtr always_formula(const FormulaPtr& part);
FormulaPtr eventually_formula(const FormulaPtr& part);
FormulaPtr negation_of(const FormulaPtr& formula);

/// Whether a formula without temporal operators is true, given its atoms.
bool holds_on_step(const Formula& formula, const std::function<bool(std::uint32_t)>& is_true);
/// Whether a formula is true of the behaviour in which the steps from `loop` on repeat forever.
/// `is_true(i, a)`: atom a of step i.
bool holds_on_lasso(const Formula& formula, std::size_t steps, std::size_t loop,
                    const std::function<bool(std::size_t, std::uint32_t)>& is_true);

/// A conjunction, sorted by what a search for a cycle does with each part.
struct Obligations {
  std::vector<FormulaPtr> repeated;    ///< step formulas f of []<>f
  std::vector<FormulaPtr> persistent;  ///< step formulas f of <>[]f
  /// <>[]f or []<>g: strong fairness has f = not enabled, g = taken.
  struct Choice {
    FormulaPtr persistent, repeated;
  };
  std::vector<Choice> choices;
  std::vector<FormulaPtr> others;  ///< for an automaton
};

/// Behaviours that satisfy the formula satisfy one of these, and the other way round. Nothing:
/// there would be more than `most` of them.
bool split_into_obligations(const FormulaPtr& formula, std::size_t most,
                            std::vector<Obligations>& result);

}  // namespace dissensus::tla
