// Delta debugging over plain numbers: the algorithm behind shrink.h, free of schedules and runs.
//
// A candidate is a vector of levels, one per unit: a gene's delay, 1 for a request that is kept,
// the length of a window... Level 0 means that the unit is gone. The reduction lowers levels while
// the candidate still fails; where that is stuck it also tries other candidates with fewer units.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace dissensus::shrink {

using Levels = std::vector<std::int64_t>;
using Units = std::vector<std::uint32_t>;

struct Problem {
  Levels start;  ///< must fail
  /// Units that are worth removing together, in the order of trying.
  std::vector<Units> groups;
  /// Units that may be all that matters.
  std::vector<Units> stories;
  /// Smaller levels worth trying for a unit, ascending, all above 0 and below `level`.
  std::function<std::vector<std::int64_t>(std::size_t unit, std::int64_t level)> smaller;
  /// Units that may be removed in large numbers at once, ascending: the genes, not the time limit.
  Units bulk;
  /// The highest level that a unit of the bulk may be redrawn to; empty or 0: it is never redrawn.
  std::function<std::int64_t(std::size_t unit)> most;
  /// Units that the failing run had no use for: when runs are few, all are removed first, at once.
  Units unused;
  /// Removes what has no meaning any more, e.g. the receivers of a fault that is gone; may be
  /// empty.
  std::function<void(Levels&)> normalise;
};

/// What became of a row of candidates.
struct Tried {
  std::size_t count = 0;               ///< candidates judged, the failing one included
  std::optional<std::size_t> failing;  ///< the first that fails
  bool stopped = false;                ///< neither found nor judged all: a limit was reached
};

/// Judges the candidates make(0), make(1)... make(count - 1) in this order up to the first that
/// fails. `make` may be called from several threads.
using Judge =
    std::function<Tried(std::size_t count, const std::function<Levels(std::size_t)>& make)>;

struct Reduction {
  Levels levels;
  /// No unit can be removed, and none lowered to one of its smaller levels: each was tried.
  bool minimal = false;
  std::size_t judged = 0;  ///< candidates
  std::size_t known = 0;   ///< candidates that had been judged before
};

struct ReduceOptions {
  /// Random neighbours to try in a row before giving up; 0: none, nor all subsets.
  std::size_t jumps = 1'000;
  std::uint64_t seed = 1;
  /// For runs of which only some dozens can be made: unused units, the smaller levels of what is
  /// not bulk, halves, quarters... of all, and single units until none can be removed. No groups,
  /// stories and neighbours, and no smaller levels of the bulk.
  bool frugal = false;
};

/// Structure first (without a group, with nothing but one story), then halves, quarters... of
/// what is left, and single units. Failing need not be monotone: where no unit can be removed alone
/// smaller neighbours are tried at random, with some units redrawn (all subsets when few are left).
/// At last smaller levels, again until nothing changes. The last round is the proof of minimality.
/// The result depends on the problem, the options and what fails; when the judge stops it is what
/// was reached.
Reduction reduce(const Problem& problem, const Judge& judge, const ReduceOptions& options = {});

/// Round numbers below `value`, ascending: 1, 2, 5, 10, 20, 50, hundreds, then steps of 500 up to
/// 10,000, then 15, 20, 30, 45, 60 thousand, then 2, 5, 10... Milliseconds that people like to
/// read.
std::vector<std::int64_t> round_values_below(std::int64_t value);

}  // namespace dissensus::shrink
