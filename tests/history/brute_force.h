// Linearizability by trying every order: slow, short, and written without a look at the search.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dissensus/history.h"

namespace dissensus::history {

/// The state after an operation that happened; nothing if it could not have this result. The answer
/// is null when nobody was told.
using BruteStep =
    std::function<std::optional<std::string>(const std::string& state, const std::string& function,
                                             const Value& asked, const Value* answer)>;

class BruteForce {
 public:
  BruteForce(const History& history, const std::vector<Operation>& operations, BruteStep step)
      : history_(history), step_(std::move(step)) {
    for (const Operation& operation : operations) {
      if (operation.outcome != EventKind::fail) operations_.push_back(operation);
    }
  }

  bool is_linearizable(const std::string& initial) {
    placed_.assign(operations_.size(), false);
    return can_finish(initial);
  }

 private:
  bool is_answered(std::size_t i) const { return operations_[i].outcome == EventKind::ok; }

  bool can_finish(const std::string& state) {
    bool all_placed = true;
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      all_placed = all_placed && (placed_[i] || !is_answered(i));
    }
    if (all_placed) return true;
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      if (placed_[i] || !may_be_next(i)) continue;
      const Event& asked = history_.events()[operations_[i].invoked];
      const Value* answer =
          is_answered(i) ? &history_.events()[operations_[i].completed].value : nullptr;
      const std::optional<std::string> after =
          step_(state, std::string(asked.function), asked.value, answer);
      if (!after) continue;
      placed_[i] = true;
      const bool works = can_finish(*after);
      placed_[i] = false;
      if (works) return true;
    }
    return false;
  }

  /// Nothing that is not placed yet was answered before it was invoked.
  bool may_be_next(std::size_t i) const {
    for (std::size_t j = 0; j < operations_.size(); ++j) {
      if (j == i || placed_[j] || !is_answered(j)) continue;
      if (operations_[j].completed < operations_[i].invoked) return false;
    }
    return true;
  }

  const History& history_;
  BruteStep step_;
  std::vector<Operation> operations_;
  std::vector<bool> placed_;
};

}  // namespace dissensus::history
