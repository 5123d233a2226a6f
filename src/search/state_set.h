// A set of 64-bit states: small, reused from run to run, and one that remembers a whole hunt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dissensus::search {

/// Open addressing. Contents come out sorted, so that the table's order never shows.
class StateSet {
 public:
  StateSet() { clear(); }
  void clear();
  /// True if it was not there before.
  bool insert(std::uint64_t state);
  bool contains(std::uint64_t state) const;
  std::size_t size() const { return states_.size(); }
  void sorted_into(std::vector<std::uint64_t>& states) const;

 private:
  /// Where the state is, or the free place for it.
  std::size_t place_of(std::uint64_t state) const;
  void grow();

  std::vector<std::uint64_t> states_;   ///< in the order of insertion
  std::vector<std::uint32_t> buckets_;  ///< index into states_ + 1; 0: free; a power of two of them
};

/// What all runs of a hunt have reached so far: gives Evaluation::new_states. Tell it the runs in
/// the order of the hunt, and the numbers are the same with any number of jobs.
class StateMemory {
 public:
  /// How many of these states no earlier run had reached.
  std::size_t add(std::span<const std::uint64_t> states);
  std::size_t size() const { return seen_.size(); }

 private:
  StateSet seen_;
};

}  // namespace dissensus::search
