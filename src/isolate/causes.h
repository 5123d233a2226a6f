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
#include "isolate/stopped.h"

namespace dissensus::isolate {

struct CauseOptions {
  std::size_t jobs = 1;
  /// Failing runs that a cause has at least.
  std::size_t support_min = 3;
  /// Share of what differs between two runs of a group, one of each side, that a division explains
  /// at least.
  double within_min = 0.08;
  /// So many witnesses (Feature::witness) must bear a division out: what a rare kind of message
  /// does to all predicates about that kind is one thing, not a hundred.
  std::size_t witnesses_min = 2;
  /// Predicates that are compared with each other, at most; more are sampled.
  std::size_t features_max = 3'000;
  /// So often four fifths of the failing runs are drawn and divided anew.
  std::size_t draws = 20;
  std::uint64_t seed = 1;  ///< of the draws
  KeepGoing keep_going = {};
};

/// A condition on a failing run: a predicate holds, or the run shows a sign, or not.
struct Literal {
  Candidate candidate;
  std::string sign;  ///< words of a sign; not empty: this is asked, and no predicate
  bool holds = true;
};

struct Cause {
  /// Of one of these all conditions hold: tells the cause from the other ones. Several where one
  /// cause shows in different ways.
  std::vector<std::vector<Literal>> rules;
  /// What several of them have in common, in words; empty where there is one.
  std::string shared;
  std::vector<std::size_t> runs;  ///< failing runs; indices into the table
  /// Share of the draws in which it came back, of those that had enough of its runs.
  double returns = 1;
  double alike = 0;  ///< share of predicates in which two of its runs agree, on average
  /// The run that is most like the others of its cause.
  std::size_t representative = 0;
};

/// A division of the failing runs, made or not.
struct Division {
  Literal literal;
  double within = 0;                  ///< share of what differs between its sides' runs
  std::vector<std::string> families;  ///< that bear it out, its own included
  std::size_t holds = 0;
  std::size_t rest = 0;
};

struct Separation {
  std::vector<Cause> causes;  ///< the largest first
  /// Between so many and so many causes there are: as many as come back in nine of ten draws, and
  /// as many as nine of ten draws have at most.
  std::size_t causes_low = 0;
  std::size_t causes_high = 0;
  std::size_t features = 0;  ///< predicates that tell failing runs from successful ones
  std::size_t compared = 0;  ///< of these with different runs, and after sampling
  std::vector<Division> made;
  /// The best divisions that were not made, of each group: how near the number of causes is to
  /// being one more.
  std::vector<Division> rejected;
  /// Why the number of causes is in doubt; empty: it is not.
  std::string doubt;
};

/// Throws Stopped.
Separation separate(const RunTable& table, const CauseOptions& options);

/// The cause of each run of a table of the same space, by the rules alone; the number of causes
/// where none fits. Successful runs have none either.
std::vector<std::size_t> assign(const RunTable& table, const Separation& separation);

}  // namespace dissensus::isolate
