// Runs a specification: initial states, successors, named actions, properties, expressions, and
// why an action is not possible. One per thread, with a store of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tla/evaluation/function_ref.h"
#include "tla/library/native.h"
#include "tla/linking/spec.h"
#include "tla/values/value.h"

namespace dissensus::tla {

/// The variables' values in the order of Spec::variables.
using State = std::vector<Value>;

/// Which action a step was: the innermost named one, and the values of its parameters.
struct Label {
  ActionId action = 0;
  std::vector<Value> arguments;
};

struct MachineOptions {
  StoreLimits store;
  std::size_t stack_bytes = std::size_t{256} << 20;  ///< evaluation has a stack of its own
  std::uint32_t call_depth = 100'000;                ///< nested calls; beyond: EvaluationError
  std::uint64_t steps =
      0;  ///< evaluated nodes per call of the machine; 0 = no limit (fuzzers set one)
  /// Asked now and then during an evaluation; true ends it with EvaluationStopped. Empty: never.
  std::function<bool()> is_over;
  bool memoise = true;
  bool uses_symmetry = true;  ///< of the configuration, where states are told apart
};

/// A call of the machine was ended by MachineOptions::is_over. It is no error of the specification:
/// nothing that handles those (AssertError, arguments that cannot be evaluated) may see it.
struct EvaluationStopped {};

/// Property numbers: index into the list of their kind in Config.
struct FailedGuard {
  Location at;
  std::string text;         ///< the conjunct as written
  std::uint32_t depth = 0;  ///< how many conjuncts of the action held before it
  /// Sub-expressions with their values, outermost first: "r" = 1, "round[p]" = 0.
  std::vector<std::pair<std::string, std::string>> operands;
};

/// Why an action gave no successor.
struct Explanation {
  std::vector<FailedGuard> guards;  ///< deepest first; the first is the culprit
};

class CompiledExpression;
class TemporalFormulas;

class Machine {
 public:
  explicit Machine(std::shared_ptr<const Spec> spec, const MachineOptions& options = {});
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  const Spec& spec() const;
  Store& store();
  Environment& environment();

  /// All throw EvaluationError. Visitors return false to stop; then so does the call. They may
  /// call the machine again. The order of what they see is the same on every machine.

  /// Evaluates the ASSUMEs; returns the place of the first that is false.
  std::optional<Location> check_assumptions();
  bool initial_states(FunctionRef<bool(const State&)> visit);
  /// Every successor by Next, duplicates included (TLC's "generated"), those that the constraints
  /// forbid included, too: see is_within_constraints.
  bool successors(const State& state, FunctionRef<bool(const Label&, const State&)> visit);
  /// States passed through inside A \cdot B since the machine was made: TLC counts them as
  /// generated, too.
  std::uint64_t composed_states() const;
  /// Successors by one named action with given arguments. It need not be part of Next.
  bool perform(const State& state, ActionId action, std::span<const Value> arguments,
               FunctionRef<bool(const State&)> visit);
  /// One successor at random: tries the disjuncts and values of Next in random order and takes the
  /// first that is possible. `weights` by action (empty: all 1; 0: never). False: none found.
  bool random_step(const State& state, std::span<const double> weights, Random& random,
                   Label& label, State& next);
  /// Does Next (or [Next]_vars) allow this step?
  bool is_step(const State& from, const State& to);

  bool invariant_holds(std::size_t index, const State& state);
  /// PROPERTY [][A]_v on one step. Other temporal properties were refused at loading with a notice.
  std::size_t action_properties() const;
  bool action_property_holds(std::size_t index, const State& from, const State& to);
  const std::string& action_property_name(std::size_t index) const;
  /// The same of the initial part: PROPERTY Init /\ [][A]_v, []P, or a refined Spec.
  std::size_t initial_properties() const;
  bool initial_property_holds(std::size_t index, const State& state);
  const std::string& initial_property_name(std::size_t index) const;
  /// Temporal properties and fairness (liveness/formula.h), and which of their atoms are true. The
  /// letter has room for all atoms and is only added to.
  const TemporalFormulas& temporal();
  /// Of a step: `is_generated` if it is one of Next.
  void judge_step_atoms(const State& from, const State& to, bool is_generated,
                        std::vector<std::uint64_t>& letter);
  /// Of a state. `evidence` has the atoms that were true of any step from it.
  void judge_state_atoms(const State& state, const std::vector<std::uint64_t>& evidence,
                         std::vector<std::uint64_t>& letter);
  bool is_within_constraints(const State& state);
  bool is_within_action_constraints(const State& from, const State& to);
  bool postcondition_holds();
  /// Content hash of the state as VIEW and SYMMETRY see it: equal on all machines.
  std::uint64_t fingerprint(const State& state);

  /// An expression over the spec's names, e.g. "round[p]" with parameters {"p"}. Throws SpecError.
  std::shared_ptr<const CompiledExpression> compile(
      const std::string& text, const std::vector<std::string>& parameters = {});
  Value evaluate(const CompiledExpression& expression, const State* state = nullptr,
                 std::span<const Value> arguments = {}, const State* next = nullptr);

  Explanation explain(const State& state, ActionId action, std::span<const Value> arguments);
  /// Conjuncts that decide in a state: of a step of Next, or of a condition that is looked at on
  /// the way, this one is false and all others hold. A place may come several times. False: more
  /// than `limit` conjuncts of steps were tried.
  bool deciding_guards(const State& state, std::uint64_t limit,
                       FunctionRef<void(const Location&)> visit);
  /// Actions that are enabled in a state, with arguments found by Next; at most `limit`.
  std::vector<Label> enabled(const State& state, std::size_t limit);

  /// Frees what evaluation left behind except constants, memoised or not. `keep` survives: its
  /// values are made anew. Memory is bounded by calling it once per trace or per level.
  void collect(std::span<State*> keep = {});

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

std::string to_string(const Spec& spec, const Label& label);  ///< "Receive(1, 2, 3)"

}  // namespace dissensus::tla
