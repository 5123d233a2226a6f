// What the search writes down for liveness: every step between states of the model, with the truth
// of the atoms.
#pragma once

#include <cstdint>
#include <vector>

#include "tla/liveness/graph.h"

namespace dissensus::tla {

/// The steps that a unit of work found. States are named by their fingerprints: which numbers they
/// have is not known yet.
struct UnitSteps {
  struct Source {
    std::uint32_t state = 0;
    std::uint32_t steps = 0;
  };
  std::vector<Source> sources;
  std::vector<std::uint64_t> targets;  ///< steps of the first source, of the second...
  std::vector<std::uint32_t> letters;  ///< likewise, numbers in the table
  LetterTable table;
};

class BehaviourRecord {
 public:
  /// The next state, in the order of numbers from 0.
  void add_state(std::uint64_t fingerprint, bool is_initial);
  void add_steps(const UnitSteps& steps);
  std::uint64_t bytes() const;
  std::uint64_t fingerprint(std::uint32_t state) const { return fingerprints_[state]; }
  /// The graph of all that was written down; the steps are gone from here.
  BehaviourGraph take_graph();

 private:
  struct Range {
    std::uint64_t first = 0;
    std::uint32_t count = 0;
  };
  std::vector<std::uint64_t> fingerprints_;
  std::vector<std::uint32_t> initial_;
  std::vector<Range> ranges_;  // by state
  std::vector<std::uint64_t> targets_;
  std::vector<std::uint32_t> letters_;
  LetterTable table_;
};

}  // namespace dissensus::tla
