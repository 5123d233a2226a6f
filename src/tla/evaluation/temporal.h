// The temporal formulas of a specification for one machine: which atoms they are made of, and which
// of those are true of a step.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "tla/evaluation/evaluator.h"
#include "tla/liveness/formula.h"
#include "tla/liveness/graph.h"

namespace dissensus::tla {

/// Calls are unfolded and quantifiers written out, so that an atom is a node with a frame of its
/// own. Atoms are numbered alike on every machine.
class TemporalFormulas {
 public:
  explicit TemporalFormulas(Evaluator& evaluator) : evaluator_(evaluator) {}

  /// Reads the program's formulas. Throws EvaluationError, e.g. for a quantifier over a set that
  /// depends on the state. Inside a call of the machine.
  void make();
  /// The values that atoms hold are about to go: make() again before the next use.
  void forget();
  bool is_made() const { return is_made_; }

  const FormulaPtr& fairness() const { return fairness_; }
  /// In the order of Program::temporal_properties.
  const std::vector<FormulaPtr>& properties() const { return properties_; }
  std::size_t atoms() const { return atoms_.size(); }

  struct Atom {
    const Node* node = nullptr;
    Frame* frame = nullptr;
    bool is_of_state = false;
    /// Of ENABLED <<A>>_v: the atom <<A>>_v, which is evidence if it is true of any step.
    std::int64_t evidence = -1;
    /// <<Next>>_v for the next-state relation itself: true of every step that changes v.
    bool is_next = false;
  };
  const Atom& atom(std::size_t index) const { return atoms_[index]; }

 private:
  FormulaPtr translate(const Node& node, Frame& frame);
  FormulaPtr translate_junction(const Node& node, Frame& frame);
  FormulaPtr translate_quantifier(const Node& node, Frame& frame);
  FormulaPtr translate_call(const Operator& operation, const Node& node, Frame& frame,
                            Frame* outer);
  FormulaPtr translate_fairness(const Node& node, Frame& frame);
  FormulaPtr translate_let(const Node& node, Frame& frame);
  FormulaPtr translate_cases(const Node& node, Frame& frame);
  std::uint32_t add_atom(const Node& node, Frame& frame);
  /// What the node depends on, given what its parameters stand for. Rather too much than too
  /// little.
  Level level_of(const Node& node, const Frame& frame) const;
  bool is_next_action(const Node& angle) const;
  Frame& add_frame(std::uint32_t size, Frame* outer);

  Evaluator& evaluator_;
  bool is_made_ = false;
  FormulaPtr fairness_;
  std::vector<FormulaPtr> properties_;
  std::vector<Atom> atoms_;
  // What frames point to stays where it is.
  std::deque<Frame> frames_;
  std::deque<std::vector<Value>> slots_;
  std::deque<Thunk> thunks_;
  std::deque<Closure> closures_;
  std::deque<FunctionMemo> memos_;
};

}  // namespace dissensus::tla
