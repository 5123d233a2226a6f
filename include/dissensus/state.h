// What a node tells a formal model about itself: its state as plain values, and the protocol steps
// it takes. Only conformance checks ask for it; other runs pay nothing.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "dissensus/ids.h"

namespace dissensus {

/// A value in the terms of a model: truth, whole number, text, sequence, set or record.
struct StateValue {
  struct Sequence {
    std::vector<StateValue> items;
  };
  /// In any order; equal items count once.
  struct Set {
    std::vector<StateValue> items;
  };
  struct Record {
    std::vector<std::pair<std::string, StateValue>> fields;
  };

  std::variant<bool, std::int64_t, std::string, Sequence, Set, Record> value = false;

  StateValue() = default;
  StateValue(bool truth) : value(truth) {}                       // NOLINT: a value is a value
  StateValue(std::int64_t number) : value(number) {}             // NOLINT
  StateValue(std::string text) : value(std::move(text)) {}       // NOLINT
  StateValue(const char* text) : value(std::string(text)) {}     // NOLINT
  StateValue(Sequence sequence) : value(std::move(sequence)) {}  // NOLINT
  StateValue(Set set) : value(std::move(set)) {}                 // NOLINT
  StateValue(Record record) : value(std::move(record)) {}        // NOLINT
  template <class Integer>
  requires std::is_integral_v<Integer> StateValue(Integer number)
      : value(static_cast<std::int64_t>(number)) {}  // NOLINT
};

/// A step that a node took (index into SystemDescription::steps) with its arguments in the order of
/// the description.
struct StepReport {
  NodeId node = kNoNode;
  std::uint32_t step = 0;
  std::span<const StateValue> arguments;
  /// The node's state right after the step (Node::state). Valid during the call only, like the
  /// arguments.
  const StateValue::Record* state = nullptr;
};

}  // namespace dissensus
