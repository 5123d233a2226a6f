// States that are sequences of numbers, each stored once, with every step computed once.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "history/linear_search.h"

namespace dissensus::history {

class StateTable : public StateMachine {
 public:
  using Content = std::vector<std::uint32_t>;

  StateId state_of(std::span<const std::uint32_t> content);
  std::span<const std::uint32_t> content_of(StateId state) const;
  StateId step(StateId state, const LinearStep& step) final;
  std::size_t memory_bytes() const final;

 protected:
  /// Changes the content as the step does; false where it is not possible.
  virtual bool apply(Content& content, const LinearStep& step) = 0;

 private:
  struct Entry {
    std::size_t begin = 0;
    std::uint32_t length = 0;
    StateId next_with_hash = kNoState;
  };
  struct StepKey {
    StateId state;
    LinearStep step;
    bool operator==(const StepKey&) const = default;
  };
  struct HashStep {
    std::size_t operator()(const StepKey& key) const;
  };
  std::vector<std::uint32_t> contents_;
  std::vector<Entry> entries_;
  std::unordered_map<std::uint64_t, StateId> by_hash_;
  std::unordered_map<StepKey, StateId, HashStep> steps_;
  Content scratch_;
};

}  // namespace dissensus::history
