// How well predicates that were chosen on some runs find the labels of others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "isolate/isolation.h"

namespace dissensus::isolate {

struct CrossValidationOptions {
  std::size_t folds = 10;
  std::uint64_t seed = 1;
};

struct CrossValidation {
  /// Scores over the held-out runs of all folds together, successful ones included.
  struct Label {
    /// The predicate that found the label best on the runs it was chosen on.
    Scores single;
    /// All predicates of which most training runs in which they hold had the label.
    Scores together;
  };
  std::vector<Label> labels;
  std::vector<std::size_t> predicates;  ///< length of the list, per fold
};

/// Folds are drawn from the seed, failing and successful runs evenly. Predicates are chosen knowing
/// which training runs fail; labels only say afterwards which predicate stands for which. Throws
/// Stopped.
CrossValidation cross_validate(const RunTable& table, const IsolationOptions& isolation,
                               const CrossValidationOptions& options);

}  // namespace dissensus::isolate
