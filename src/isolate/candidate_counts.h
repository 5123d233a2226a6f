// In how many runs of each class every candidate is true: the one loop over runs x predicates. It
// keeps counts only, so its memory does not depend on the number of runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "isolate/run_table.h"
#include "isolate/stopped.h"

namespace dissensus::isolate {

class CandidateCounts {
 public:
  /// Class of a run that is left out.
  static constexpr std::uint8_t kSkip = 255;

  /// `classes` has one entry per run of the table: a number below `class_count`, or kSkip. The
  /// result does not depend on `jobs`. Throws Stopped.
  CandidateCounts(const RunTable& table, std::span<const std::uint8_t> classes,
                  std::size_t class_count, std::size_t jobs, const KeepGoing& keep_going = {});

  std::size_t runs(std::size_t of_class) const { return runs_[of_class]; }
  std::size_t observed(std::size_t of_class, std::uint32_t base) const;
  std::size_t holds(std::size_t of_class, const Candidate& candidate) const {
    return true_[of_class][index_of(candidate)];
  }

  /// Calls visit(candidate) for every ranked candidate that is true in some counted run, by base
  /// predicate, then tolerance: the reference's order.
  template <class Visit>
  void for_each(const Visit& visit) const;

 private:
  std::size_t index_of(const Candidate& candidate) const {
    return (candidate.tolerance - space_->options().tolerances.front()) * bits_ + candidate.base;
  }

  const PredicateSpace* space_;
  std::size_t bits_;
  std::vector<std::size_t> runs_;
  std::vector<std::vector<std::uint32_t>> true_;      ///< per class, per tolerance and base
  std::vector<std::vector<std::uint32_t>> observed_;  ///< per class, per base without assertions
};

template <class Visit>
void CandidateCounts::for_each(const Visit& visit) const {
  for (std::uint32_t base = 0; base < bits_; ++base) {
    if ((space_->ranked()[base / 64] >> (base % 64) & 1) == 0) continue;
    for (const std::uint32_t tolerance : space_->options().tolerances) {
      const Candidate candidate{base, tolerance};
      const std::size_t index = index_of(candidate);
      bool seen = false;
      for (const std::vector<std::uint32_t>& counts : true_) seen = seen || counts[index] > 0;
      // Where it never holds for a tolerance, it does not for the higher ones.
      if (!seen) break;
      visit(candidate);
    }
  }
}

}  // namespace dissensus::isolate
