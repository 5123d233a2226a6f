// Recursive elimination: the most important predicate, then the most important one for the failing
// runs that it leaves, and so on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "isolate/run_table.h"
#include "isolate/statistics.h"
#include "isolate/stopped.h"

namespace dissensus::isolate {

struct IsolationOptions {
  Mode mode = Mode::improved;
  std::size_t jobs = 1;
  /// Improved mode: at most so many predicates, each true in at least `support_min` of the failing
  /// runs that are left (0: a tenth of all failing runs, but 2 to 5).
  std::size_t predicates_max = 5;
  std::size_t support_min = 0;
  KeepGoing keep_going = {};
};

/// A predicate that says nearly the same as a finding.
struct Relative {
  enum class Type : std::uint8_t { equivalent, weaker, stronger, similar };
  Candidate candidate;
  Type type = Type::equivalent;
  std::size_t failing = 0;
  std::size_t successful = 0;
};
std::string_view to_string(Relative::Type type);

struct Finding {
  Candidate candidate;
  double importance = 0;
  double increase = 0;
  Interval increase_interval{0, 0};
  Counts counts;           ///< over the runs that were left when it was chosen
  std::size_t rivals = 0;  ///< candidates that could have been chosen, itself included
  /// Failing runs that were left and in which it holds: its cluster. Indices into the table.
  std::vector<std::size_t> cluster;
  /// All runs of the table in which it holds.
  std::vector<std::size_t> failing;
  std::vector<std::size_t> successful;
  /// Per label. Reference: the cluster against the failing runs; otherwise all runs in which it
  /// holds against all runs.
  std::vector<Scores> scores;
  std::size_t equivalent = 0;       ///< candidates that hold in exactly the same runs
  std::vector<Relative> relatives;  ///< the nearest few; improved mode
};

struct IsolationResult {
  Mode mode = Mode::improved;
  std::size_t base_predicates = 0;
  std::size_t candidates = 0;
  std::vector<Finding> findings;
  std::vector<std::size_t> unexplained;  ///< failing runs in no cluster
};

/// The table's space must have been made for the same mode. Given up, it has the findings that were
/// complete by then.
IsolationResult isolate(const RunTable& table, const IsolationOptions& options);

/// As isolate, on the runs with a set flag only, and only which predicates are chosen. Throws
/// Stopped.
std::vector<Candidate> choose_predicates(const RunTable& table, const std::vector<bool>& use,
                                         const IsolationOptions& options);

}  // namespace dissensus::isolate
