// Specifications from text, for the tests of the linker and the machine.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tla/evaluation/machine.h"

namespace dissensus::tla {

inline Config config_of(const std::string& text) {
  return text.empty() ? Config() : parse_config(std::make_shared<Source>(Source{"M.cfg", text}));
}

/// Module M with this body, and other modules by name.
inline std::shared_ptr<const Spec> spec_of(
    const std::string& body, const std::string& config = "",
    const std::vector<std::pair<std::string, std::string>>& others = {}, SpecOptions options = {}) {
  options.modules.emplace_back("M", "---- MODULE M ----\n" + body + "\n====\n");
  for (const auto& [name, text] : others) {
    options.modules.emplace_back(name, "---- MODULE " + name + " ----\n" + text + "\n====\n");
  }
  return Spec::load("M.tla", config_of(config), options);
}

/// The value of an expression over the usual modules, as text.
inline std::string value_of(const std::string& expression, const std::string& definitions = "") {
  Machine machine(spec_of("EXTENDS Integers, Sequences, FiniteSets, TLC\n" + definitions + "\n"));
  return to_string(machine.evaluate(*machine.compile(expression)));
}

/// What an evaluation was refused with; empty when it was not.
inline std::string refusal_of(const std::string& expression, const std::string& definitions = "") {
  try {
    value_of(expression, definitions);
  } catch (const SpecError& error) {
    return error.message();
  }
  return "";
}

inline std::vector<State> initial_states(Machine& machine) {
  std::vector<State> states;
  machine.initial_states([&](const State& state) {
    states.push_back(state);
    return true;
  });
  return states;
}

/// Labels and states as text, "A(1): x = 2", in the order of the machine.
inline std::vector<std::string> successors_of(Machine& machine, const State& state) {
  std::vector<std::string> result;
  machine.successors(state, [&](const Label& label, const State& next) {
    std::string text = to_string(machine.spec(), label) + ":";
    for (std::size_t i = 0; i < next.size(); ++i) {
      text += " " + machine.spec().variables()[i] + " = " + to_string(next[i]);
    }
    result.push_back(text);
    return true;
  });
  return result;
}

}  // namespace dissensus::tla
