// One line of a log of ours, and how its JSON compares with values of a model.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "tla/evaluation/machine.h"

namespace dissensus::tla {

using LogJson = nlohmann::ordered_json;

struct LogEvent {
  std::uint32_t line = 0;
  std::string text;
  bool is_initial = false;
  std::optional<ActionId> action;  ///< none: any step of Next
  bool has_arguments = false;
  std::vector<LogJson> arguments;
  struct Expectation {
    std::string what;  ///< a variable or an expression, in which the action's parameters may occur
    LogJson value;
  };
  std::vector<Expectation> before, after;
};

/// Throws InputError with `name` and the line.
std::vector<LogEvent> read_log(const Spec& spec, std::string_view text, const std::string& name);

/// JSON as values: numbers, strings (a model value where the configuration knows one of that name),
/// lists (sequences), objects (records), and the tagged forms of ITF.
class JsonValues {
 public:
  explicit JsonValues(const Spec& spec);
  /// Throws ValueError.
  Value value_of(const LogJson& json, Store& store) const;
  /// Does the JSON describe the value? A list also describes a set, an object also a function.
  bool describes(const LogJson& json, Value value, Store& store) const;

 private:
  bool describes_set(const LogJson& list, Value set, Store& store) const;
  bool describes_function(const LogJson& object, Value function, Store& store) const;

  std::set<std::string, std::less<>> model_values_;
};

}  // namespace dissensus::tla
