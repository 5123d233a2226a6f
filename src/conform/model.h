// The seam to formal models: what judges an implementation. TLA+ and Quint text run on the
// engine's machine, a C++ class computes its own steps; a model in another process (TLC) judges
// whole traces (external_tlc.h).
//
// States and labels are values of the engine for all of them, so that mappings, views and
// properties are written once, as TLA+ expressions.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dissensus/random.h"

#include "tla/evaluation/machine.h"

namespace dissensus::conform {

class Model {
 public:
  virtual ~Model() = default;

  /// Evaluates expressions over the model's variables and operators.
  virtual tla::Machine& machine() = 0;
  virtual const std::vector<tla::ActionDescription>& actions() const = 0;

  // All throw tla::EvaluationError. Visitors return false to stop.

  virtual void initial_states(tla::FunctionRef<bool(const tla::State&)> visit) = 0;
  virtual void perform(const tla::State& state, tla::ActionId action,
                       std::span<const tla::Value> arguments,
                       tla::FunctionRef<bool(const tla::State&)> visit) = 0;
  /// All steps by any action; for hidden steps.
  virtual void successors(const tla::State& state,
                          tla::FunctionRef<bool(const tla::Label&, const tla::State&)> visit) = 0;
  /// False: no step is possible. Weights by action; empty: all alike; 0: never.
  virtual bool random_step(const tla::State& state, std::span<const double> weights, Random& random,
                           tla::Label& label, tla::State& next) = 0;
  virtual tla::Explanation explain(const tla::State& state, tla::ActionId action,
                                   std::span<const tla::Value> arguments) = 0;

  std::optional<tla::ActionId> find_action(std::string_view name) const;
};

/// TLA+ text, the default; also Quint, whose modules become TLA+ modules.
class TlaModel final : public Model {
 public:
  explicit TlaModel(std::shared_ptr<const tla::Spec> spec);

  tla::Machine& machine() override { return machine_; }
  const std::vector<tla::ActionDescription>& actions() const override {
    return machine_.spec().actions();
  }
  void initial_states(tla::FunctionRef<bool(const tla::State&)> visit) override {
    machine_.initial_states(visit);
  }
  void perform(const tla::State& state, tla::ActionId action, std::span<const tla::Value> arguments,
               tla::FunctionRef<bool(const tla::State&)> visit) override {
    machine_.perform(state, action, arguments, visit);
  }
  void successors(const tla::State& state,
                  tla::FunctionRef<bool(const tla::Label&, const tla::State&)> visit) override {
    machine_.successors(state, visit);
  }
  bool random_step(const tla::State& state, std::span<const double> weights, Random& random,
                   tla::Label& label, tla::State& next) override {
    return machine_.random_step(state, weights, random, label, next);
  }
  tla::Explanation explain(const tla::State& state, tla::ActionId action,
                           std::span<const tla::Value> arguments) override {
    return machine_.explain(state, action, arguments);
  }

 private:
  tla::Machine machine_;
};

/// A model written in C++: derive, declare variables and actions, and compute steps. Expressions
/// of mappings see the variables by name and the standard modules.
class CxxModel : public Model {
 public:
  CxxModel(std::string name, std::vector<std::string> variables,
           std::vector<tla::ActionDescription> actions);

  tla::Machine& machine() final { return *machine_; }
  const std::vector<tla::ActionDescription>& actions() const final { return actions_; }
  /// By perform() over candidates(): override where there is a better way.
  void successors(const tla::State& state,
                  tla::FunctionRef<bool(const tla::Label&, const tla::State&)> visit) override;
  bool random_step(const tla::State& state, std::span<const double> weights, Random& random,
                   tla::Label& label, tla::State& next) override;
  tla::Explanation explain(const tla::State& state, tla::ActionId action,
                           std::span<const tla::Value> arguments) override;

 protected:
  /// Labels that may be possible in a state.
  virtual std::vector<tla::Label> candidates(const tla::State& state) = 0;

 private:
  std::vector<tla::ActionDescription> actions_;
  std::unique_ptr<tla::Machine> machine_;
};

}  // namespace dissensus::conform
