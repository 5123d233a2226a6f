// TLC's configuration files.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tla/syntax/ast.h"

namespace dissensus::tla {

/// A value as a configuration writes it: 3, "a", TRUE, {a, 1}, name (a model value).
struct ConfigValue {
  enum class Type : std::uint8_t { number, text, boolean, set, name };
  Type type = Type::name;
  std::string text;  ///< digits, content or name
  std::vector<ConfigValue> elements;
  Location at;
};

struct ConfigName {
  std::string name;
  Location at;
};

struct Config {
  SourcePtr source;
  struct Assignment {  ///< CONSTANT c = value, or Op(1, 2) = value
    ConfigName name;
    std::vector<ConfigValue> arguments;
    std::string module;  ///< CONSTANT c = [Module] value; empty: the root module's
    ConfigValue value;
  };
  struct Replacement {  ///< CONSTANT c <- Definition, or c <- [Module] Definition
    ConfigName name;
    std::string module;
    ConfigName definition;
  };
  std::vector<Assignment> assignments;
  std::vector<Replacement> replacements;
  std::optional<ConfigName> init, next, specification, view, postcondition, alias;
  std::vector<ConfigName> invariants, properties, constraints, action_constraints, symmetries;
  std::optional<bool> check_deadlock;
  std::vector<Notice> notices;  ///< entries that were read and have no effect
};

/// Throws SpecError.
Config parse_config(SourcePtr source);

}  // namespace dissensus::tla
