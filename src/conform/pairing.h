// A model and an implementation of the same size, ready to be compared: what a mapping and one
// choice of its inputs make.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "conform/judge.h"
#include "conform/lockstep.h"
#include "conform/mapping.h"
#include "run/scenario.h"

namespace dissensus::conform {

/// What a person changes without editing files: bugs of the system, faults of the model.
struct Variant {
  std::vector<std::pair<std::string, std::string>> settings;   ///< scenario key, TOML value
  std::vector<std::pair<std::string, std::string>> constants;  ///< of the model, TLA+ value
  std::optional<tla::SpecOptions::GuardChange> change;         ///< of the model
};

/// Values of the mapping's inputs, in its order.
using InputValues = std::vector<double>;

/// As it is written into scenarios and constants: "12", "17.43ms".
std::string input_text(const MappingInput& input, double value, bool with_unit);

/// The model of a mapping with these values of its inputs. Throws InputError.
std::shared_ptr<const tla::Spec> load_model(const Mapping& mapping, const Variant& variant,
                                            const InputValues& values);

/// The scenario of a mapping with these values of its inputs. Throws InputError.
run::Scenario load_scenario(const Mapping& mapping, const Variant& variant,
                            const InputValues& values, const SystemRegistry& systems);

class Pairing {
 public:
  /// Throws InputError.
  Pairing(const Mapping& mapping, const Variant& variant, const InputValues& values,
          const SystemRegistry& systems, const JudgeOptions& judge = {});

  const run::Scenario& scenario() const { return scenario_; }
  tla::Machine& machine() { return *machine_; }  ///< the model
  /// Constants that the inputs gave the model: pairings of one mapping and variant with equal
  /// constants have the same model.
  const std::string& constants() const { return constants_; }
  BoundMapping& mapping() { return *bound_; }
  Judge& judge() { return *judge_; }
  Lockstep& lockstep() { return *lockstep_; }

  /// Frees what a trace left behind.
  void clean();

 private:
  run::Scenario scenario_;
  std::string constants_;
  std::unique_ptr<tla::Machine> machine_;
  std::unique_ptr<BoundMapping> bound_;
  std::unique_ptr<Judge> judge_;
  std::unique_ptr<Lockstep> lockstep_;
};

}  // namespace dissensus::conform
