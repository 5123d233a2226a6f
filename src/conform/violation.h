// What is wrong between a model and an implementation, in words.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conform/bound_mapping.h"

namespace dissensus::conform {

/// A conjunct of an action that did not hold, in words: it outlives the model.
struct RefusingGuard {
  std::string at;                                             ///< file:line:column
  std::string text;                                           ///< as written
  std::vector<std::pair<std::string, std::string>> operands;  ///< expressions and their values
};
std::vector<RefusingGuard> to_guards(const tla::Explanation& explanation);

struct Violation {
  enum class Type : std::uint8_t {
    property,  ///< the implementation's own state breaks a property
    type_one,  ///< the implementation does what the model does not allow
    type_two,  ///< the implementation cannot do what the model allows
  };
  Type type = Type::type_one;
  std::size_t step = 0;  ///< number of the event or model step, from 1
  std::string event;     ///< of the implementation; empty where there was none
  std::string action;    ///< of the model; empty for an event that no entry maps
  std::string message;   ///< one line
  std::string property;
  std::vector<RefusingGuard> guards;  ///< why the model refuses; the first is the culprit
  std::vector<ViewDifference> differences;
  std::vector<std::string> enabled;  ///< what the model could have done
};

/// "Prop", "Type-I", "Type-II".
std::string_view to_string(Violation::Type type);
/// Several lines for a person.
std::string to_text(const Violation& violation);
/// What findings of one cause have in common, whichever workflow met them: the broken property; or
/// the action and the guard that refused it, the view that differs, or that it was not taken.
std::string signature_of(const Violation& violation);
/// Two violations of one cause: the same type, action (without arguments), guard or views.
bool is_same_kind(const Violation& a, const Violation& b);

}  // namespace dissensus::conform
