// Algorithm 2: which candidates are true in a run. One bit per base predicate, in one row per
// tolerance; 64 predicates are evaluated at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "isolate/run_table.h"

namespace dissensus::isolate {

class RunEvaluator {
 public:
  explicit RunEvaluator(const RunTable& table);

  /// Fills rows and observed bits for a run of the table.
  void evaluate(const RunSummary& run);

  /// Truth of the base predicates under the index-th tolerance of the space.
  std::span<const std::uint64_t> row(std::size_t index) const {
    return {rows_.data() + index * words_, words_};
  }
  bool is_true(const Candidate& candidate) const;
  /// True where some node saw a message of the left kind from enough senders, then one of the right
  /// kind. For bits from PredicateSpace::observed_bit.
  bool observed(std::uint32_t observed_bit) const {
    return observed_bit == PredicateSpace::kAlwaysObserved ||
           (any_node_[observed_bit / 64] >> (observed_bit % 64) & 1) != 0;
  }

 private:
  void expand(std::span<const Sighting> profile);
  void add_traits(const RunSummary& run, std::size_t node);

  const RunTable& table_;
  const PredicateSpace& space_;
  std::size_t words_;
  std::size_t levels_;                    ///< counts of nodes up to the largest tolerance
  std::vector<std::uint32_t> code_pair_;  ///< the pair of kinds of a code
  std::vector<std::uint64_t> node_bits_;  ///< true on the current node
  std::vector<std::uint64_t> any_node_;
  std::vector<std::uint64_t> group_rows_;  ///< per group and level: on more nodes than the level
  std::vector<std::uint64_t> rows_;
};

}  // namespace dissensus::isolate
