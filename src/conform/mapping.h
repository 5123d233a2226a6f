// The mapping between an implementation and its model, as a person writes it
// (docs/formats/mapping.md): events to actions, states to views, and back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dissensus/options.h"

namespace dissensus::conform {

inline constexpr std::string_view kMappingFormat = "dissensus-mapping/1";

/// A TLA+ expression of the file, and where it stands.
struct MappedText {
  std::string text;
  OptionValue at;
};

/// A quantity that Workflow I draws at random for a run.
struct MappingInput {
  std::string name;  ///< {name} stands for its value in constants
  std::string sets;  ///< the key of the scenario, "system.nodes"; empty: only a constant
  double from = 0;
  double to = 0;
  bool is_whole = true;
  std::string unit;             ///< written after the number, as in "12.5ms"
  std::optional<double> usual;  ///< where it is not varied, and in walks
  OptionValue at;
};

/// What an event of the implementation is in the model.
struct MappingEvent {
  std::string name;                 ///< a step of the system, or crash and restart
  std::vector<MappedText> actions;  ///< none: a stutter; several: one after another
  std::optional<MappedText> when;   ///< only events for which this holds; the first entry counts
  /// Further events of the kind belong to the same model step until this holds (n:1).
  std::optional<MappedText> until;
  /// For logs: where the step is possible it stays so, whatever other nodes do, and hinders none of
  /// theirs (docs/formats/mapping.md).
  bool is_stable = false;
  OptionValue at;
};

/// A step that logs tell of, where no system of ours declares it.
struct MappingStep {
  std::string name;
  std::vector<std::string> arguments;
};

struct MappingHidden {
  std::string action;
  std::uint32_t most = 1;
  OptionValue at;
};

struct MappingView {
  enum class Compare : std::uint8_t { equal, subset, superset, prefix };
  std::string name;
  MappedText model;
  MappedText implementation;
  Compare compare = Compare::equal;
  std::optional<MappedText> when;  ///< compared only where this holds
};

/// What is remembered of a node from step to step, for properties: `was` is the value before.
struct MappingHistory {
  std::string name;
  MappedText starts;
  MappedText becomes;
};

/// How a step of the model is carried out (Workflow II).
struct MappingReplay {
  enum class Command : std::uint8_t { nothing, deliver, timer, submit, crash, restart };
  std::string action;
  std::vector<std::string> parameters;
  Command command = Command::nothing;
  std::string kind;                                       ///< deliver
  std::optional<MappedText> node;                         ///< who acts; deliver: the receiver
  std::optional<MappedText> from;                         ///< deliver
  std::vector<std::pair<std::string, MappedText>> where;  ///< deliver: fields of the message
  std::optional<MappedText> tag;                          ///< timer
  std::optional<OptionValue> request;                     ///< submit: as in a [[workload]] table
  OptionValue at;
};

struct MappingWeight {
  std::string action;
  double weight = 1;
  OptionValue at;
};

/// How guards of the implementation are switched off, for the test of the judge itself.
struct MappingMutation {
  std::string delete_key;  ///< of the scenario, "system.delete_guard"
  std::string negate_key;
  std::vector<std::string> guards;
  /// What a mutant is tried with, besides the mapping as it is: some guards matter only there.
  struct Setup {
    std::string name;
    std::vector<std::pair<std::string, std::string>> settings;   ///< scenario key, TOML value
    std::vector<std::pair<std::string, std::string>> constants;  ///< of the model, TLA+ value
  };
  std::vector<Setup> setups;
};

struct Mapping {
  std::string path;
  std::string name;
  std::string scenario;  ///< as it can be opened; empty: the mapping is for logs alone
  std::string spec;
  std::string config;
  std::vector<std::pair<std::string, std::string>> constants;  ///< TLA+ text with {input}
  std::vector<MappingInput> inputs;
  std::vector<MappingStep> steps;  ///< none: those of the scenario's system
  std::vector<MappingEvent> events;
  std::vector<MappingHidden> hidden;
  std::vector<MappingView> views;
  std::vector<MappingHistory> histories;
  std::vector<std::pair<std::string, MappedText>> abstraction;  ///< variable, expression
  std::vector<MappedText> properties;  ///< invariants of the spec, judged on the implementation
  std::vector<MappingReplay> replays;
  std::vector<std::pair<std::string, OptionValue>> automatic;  ///< kinds delivered at once (II)
  std::vector<MappingWeight> weights;
  bool swarm = true;
  MappingMutation mutation;
  /// "Add: r <= round[p]": guards that cannot decide, as the author of the mapping says.
  std::vector<std::string> implied_guards;
};

/// Inputs without a usual value: those that are always varied.
std::size_t varied_inputs(const Mapping& mapping);

/// Throws InputError.
Mapping load_mapping(const std::string& path);
Mapping parse_mapping(std::string_view text, const std::string& path);

}  // namespace dissensus::conform
