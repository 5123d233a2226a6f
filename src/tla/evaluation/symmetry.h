// Fingerprints of states, and SYMMETRY: states that differ by a permutation of model values count
// as one.
#pragma once

#include <span>
#include <unordered_map>

#include "tla/evaluation/evaluator.h"

namespace dissensus::tla {

std::uint64_t fingerprint_of(std::span<const Value> values);

class Symmetry {
 public:
  explicit Symmetry(Evaluator& evaluator) : evaluator_(evaluator) {}
  /// The least fingerprint over all permutations; without any, that of the values.
  std::uint64_t fingerprint(std::span<const Value> values);
  void forget() {
    permutations_.clear();
    hashes_.clear();
  }

 private:
  struct Permutation {
    std::unordered_map<std::uint64_t, Value> permuted;  // never iterated
  };
  void prepare();
  Value permute(Permutation& permutation, Value value);
  Value permute_function(Permutation& permutation, Value value);
  const std::vector<std::uint64_t>& hashes_of(Value value);

  Evaluator& evaluator_;
  std::vector<Permutation> permutations_;  ///< the identity among them
  /// Of whole values of variables, one per permutation: states have most of them in common.
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> hashes_;  // never iterated
};

}  // namespace dissensus::tla
