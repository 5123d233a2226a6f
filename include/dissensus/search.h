// Search algorithms: asked for schedules, told how their runs went. A search never runs anything
// itself, so the same algorithm drives one thread or many, with the same result for the same seed.
// docs/guides/your-own-search.md writes one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dissensus/options.h"
#include "dissensus/random.h"
#include "dissensus/schedule.h"
#include "dissensus/time.h"

namespace dissensus {

/// A point of the search space: numbers that operators work on, and a plan of faults beside them.
struct Genotype {
  /// Delays: milliseconds, whole numbers. Priorities: a permutation of 1..genes, high goes first.
  std::vector<double> genes;
  std::vector<faults::Fault> faults;
  friend bool operator==(const Genotype&, const Genotype&) = default;
};

/// Draws one fault of the scenario's fault space, and alters one a little.
class FaultStrategy {
 public:
  virtual ~FaultStrategy() = default;
  virtual faults::Fault draw(Random& random) const = 0;
  /// A neighbour of `fault`; default: a new draw.
  virtual faults::Fault vary(const faults::Fault& /*fault*/, Random& random) const {
    return draw(random);
  }
  /// A plan of at most `most` faults that belong together; default: a number of draws.
  virtual std::vector<faults::Fault> draw_plan(std::size_t most, Random& random) const {
    std::vector<faults::Fault> plan;
    for (std::uint64_t left = random.below(most + 1); left > 0; --left) {
      plan.push_back(draw(random));
    }
    return plan;
  }
};

/// What may vary. Genes are numbered from 0 over what varies only; search/genotype.h maps them to
/// the genes of schedules.
struct SearchSpace {
  enum class Type : std::uint8_t { delay, priority };
  Type type = Type::delay;
  /// Delay space: bounds per gene, both included. Priority space: 1 and the number of genes.
  std::vector<double> low;
  std::vector<double> high;
  bool integral = true;  ///< genes are whole numbers
  /// What a gene is about, by gene number; kNoNode and kNoKind where that says nothing. Searches
  /// may use it (same sender, same kind); a search that ignores it stays generic.
  struct Subject {
    NodeId from = kNoNode;
    NodeId to = kNoNode;
    MessageKind kind = kNoKind;
    /// Which of the kinds of its message type this is, of so many: kinds of one type are told
    /// apart by a number that goes up (ProposeSet0, ProposeSet1...).
    std::uint8_t rank = 0;
    std::uint8_t ranks = 1;
  };
  std::vector<Subject> subjects;
  std::size_t nodes = 0;
  /// Null: no faults. At most `faults_max` faults in a genotype.
  std::shared_ptr<const FaultStrategy> fault_strategy;
  std::size_t faults_max = 0;

  std::size_t size() const { return low.size(); }
};

class Scheduler;

/// One run that a search wishes for.
struct Candidate {
  Genotype genotype;
  /// Instead of a genotype: decides message by message while the run goes on (scheduler.h). What it
  /// decided is recorded and becomes the schedule of the run.
  std::shared_ptr<Scheduler> scheduler;
  /// How it was made, for the statistics of yield: "random", "sbx+gaussian".
  std::string_view origin;
  /// Which member of a portfolio made it; empty elsewhere.
  std::string_view member;
  std::uint64_t tag = 0;  ///< for the search itself
};

/// How the run of a candidate went.
struct Evaluation {
  /// One per objective of the hunt (--fitness), smaller is better.
  std::vector<double> objectives;
  bool failed = false;   ///< a violation
  bool unknown = false;  ///< could not be judged to the end
  std::size_t violations = 0;
  std::string signature;  ///< of the first violation; empty when there is none
  /// Abstract states that no earlier run of the hunt had reached.
  std::size_t new_states = 0;
  double virtual_seconds = 0;
  /// Margins of the run (dissensus/fitness.h, RunSummary), 0 far from a violation, 1 at it.
  double disagreement_margin = 0;
  double termination_margin = 0;
};

/// An algorithm. One thread.
///
/// The hunt asks until a fixed number of candidates is under way or ask() has none, tells the
/// oldest result, and so on: which results are known at the n-th ask does not depend on threads.
/// An interrupted hunt is resumed by asking and telling again from the start with the results that
/// are known; a search must therefore draw randomness from its `Random` only.
class Search {
 public:
  virtual ~Search() = default;
  /// The next candidate; none: a result of an earlier candidate must be told first. When nothing
  /// is under way there must be one.
  virtual std::optional<Candidate> ask() = 0;
  /// In the order of asking, each candidate once.
  virtual void tell(const Candidate& candidate, const Evaluation& evaluation) = 0;
  /// True: a budget of virtual time is tested between generations only, and what is found in the
  /// one that was under way still counts.
  virtual bool completes_generations() const { return false; }
  /// Asked only of such a search, when no candidate is under way that has not been told.
  virtual bool is_between_generations() const { return true; }
  /// How many candidates may be under way once so many results are told: fewer where a search gains
  /// more from news than from many threads. The hunt's own number is the most.
  virtual std::size_t look_ahead(std::size_t /*told*/) const { return ~std::size_t{0}; }
};

/// The pace of a system, measured in a run without faults and delays; zero: nobody measured it.
struct TimeScales {
  Duration round{};  ///< the usual time between two decisions of a node
};

/// What a search is made from.
struct SearchContext {
  SearchSpace space;
  std::size_t objectives = 1;
  std::uint64_t seed = 0;
  TimeScales times = {};
};

/// Makes a search; `options` is the table of its parameters (--set population=20, or the table of
/// an experiment file), every key of which must be asked for.
struct SearchEntry {
  std::string name;
  std::string summary;
  /// Objectives that it works on when the user names none, e.g. {"time"}; empty: uses none.
  std::vector<std::string> fitness;
  std::unique_ptr<Search> (*make)(const SearchContext& context, const Options& options);
  /// True: it wants to know the pace of the system (SearchContext::times), which costs a run.
  bool paced = false;
};

}  // namespace dissensus
