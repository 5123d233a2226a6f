// A finite run of a specification, to be shown: counterexamples, random walks, matched logs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tla/evaluation/machine.h"

namespace dissensus::tla {

/// States with the action that led to each. Its values live in a store of its own, so that it
/// outlives the machine.
class Behaviour {
 public:
  struct Step {
    std::string action;  ///< empty: an initial state, or a step that no named action explains
    std::vector<std::string> parameters;  ///< names
    std::vector<Value> arguments;         ///< their values
    std::string place;                    ///< of the action's definition: "file:line:column"
    State state;
    Value alias;  ///< what ALIAS of the configuration makes of the state; null: none
  };

  Behaviour() = default;
  explicit Behaviour(const Spec& spec);

  bool empty() const { return steps_.empty(); }
  std::size_t size() const { return steps_.size(); }
  const Step& operator[](std::size_t index) const { return steps_[index]; }
  const std::vector<std::string>& variables() const { return variables_; }
  const std::vector<Step>& steps() const { return steps_; }

  /// The behaviour goes on forever: after the last state comes this one again.
  std::optional<std::size_t> loop;
  std::string loop_action;  ///< what leads there; empty: nothing changes any more

  /// Copies the values. `label` is null for an initial state.
  void append(const Spec& spec, const Label* label, const State& state, Value alias = {});

 private:
  Value copy(Value value);

  std::shared_ptr<Store> store_;
  std::vector<std::string> variables_;
  std::vector<Step> steps_;
};

/// "Receive(p = 1, q = 2)"; "initial state" for the first.
std::string title_of(const Behaviour::Step& step);

struct TextOptions {
  std::size_t width = 100;
  /// Only variables that changed, after the first state.
  bool changes_only = false;
  /// Of a longer behaviour the first and the last states are shown; 0 = all.
  std::size_t states_max = 0;
};

/// Numbered states. What a step changed is marked, and what it was before is said.
std::string to_text(const Behaviour& behaviour, const TextOptions& options = {});
/// A list: [{"action": ..., "arguments": {...}, "state": {...}, "changed": [...]}, ...].
std::string to_json(const Behaviour& behaviour);
/// Informal Trace Format; action and arguments are under "#meta" of each state.
std::string to_itf(const Behaviour& behaviour, const std::string& source);
/// One line of JSON per step, as `tla trace` reads it: docs/formats/tla-trace.md.
std::string to_log(const Behaviour& behaviour);

}  // namespace dissensus::tla
