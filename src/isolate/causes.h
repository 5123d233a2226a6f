// How many causes failing runs have, and which run has which: failing runs that share the same
// predicates belong together, whatever single predicate holds in all of them.
//
// Elimination (isolation.h) takes the predicate that holds in the most failing runs and in no
// successful one; where two bugs end in the same symptom that is the symptom, and both are one
// cluster. Here a predicate is judged by how much it says about all the others: the failing runs
// are divided by the one that leaves the two sides most alike within themselves, and again, until
// no division explains enough.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "isolate/run_table.h"
#include "isolate/statistics.h"

namespace dissensus::isolate {

struct CauseOptions {
  std::size_t jobs = 1;
  std::size_t causes_max = 12;
  /// Failing runs that a cause has at least; 0: 3 of a hundred, but 4 to 20.
  std::size_t support_min = 0;
  /// Share of what differs among all failing runs that a division must explain.
  double division_min = 0.1;
  /// So many predicates must bear a division out; how runs fail counts as enough of them.
  std::size_t witnesses_min = 8;
  /// Predicates that are compared with each other, at most; more are sampled.
  std::size_t features_max = 1'500;
};

/// A condition on a failing run: a predicate holds or does not, or the run fails in this way.
struct Literal {
  Candidate candidate;
  std::string symptom;  ///< not empty: this is asked, and no predicate
  bool holds = true;
};

struct Cause {
  std::vector<Literal> rule;      ///< all of them hold: tells the cause from the other ones
  std::vector<std::size_t> runs;  ///< failing runs; indices into the table
  double alike = 0;  ///< share of predicates in which two of its runs agree, on average
  /// The run that is most like the others of its cause.
  std::size_t representative = 0;
};

/// A division of the failing runs, made or not.
struct Division {
  Literal literal;
  double explained = 0;       ///< share of what differs among all failing runs
  double within = 0;          ///< the same among the runs that it divides
  std::size_t witnesses = 0;  ///< predicates that bear it out, itself included
  std::size_t holds = 0;
  std::size_t rest = 0;
};

struct Separation {
  std::vector<Cause> causes;  ///< the largest first
  std::size_t features = 0;   ///< predicates that tell failing runs from successful ones
  std::size_t compared = 0;   ///< of these with different runs, and after sampling
  std::vector<Division> made;
  /// The best division that was not made: how near the number of causes is to being one more.
  std::optional<Division> next;
  /// Why the number of causes is in doubt; empty: it is not.
  std::string doubt;
};

Separation separate(const RunTable& table, const CauseOptions& options);

/// The cause of each run of a table of the same space, by the rules alone; the number of causes
/// where none fits. Successful runs have none either.
std::vector<std::size_t> assign(const RunTable& table, const Separation& separation);

}  // namespace dissensus::isolate
