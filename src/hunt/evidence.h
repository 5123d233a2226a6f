// What a hunt keeps of its runs, and what it asks of a finding. Runs that repeat are made again
// whenever somebody wants to see them, and a sample is made twice to prove it. Runs that happen
// once, as those of real servers in real time, are recorded whole, and findings are confirmed by
// further runs.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "hunt/hunt.h"
#include "hunt/item.h"
#include "run/runner.h"

namespace dissensus::hunt {

struct EvaluationWorker;
struct Item;

/// Constant; shared by threads.
class Evidence {
 public:
  virtual ~Evidence() = default;
  /// Candidates under way at any time.
  virtual std::size_t window(std::size_t jobs) const = 0;
  /// What the runs of an item must record.
  virtual run::RunOptions recording() const = 0;
  /// `result` is the run that the item's record tells of from now on.
  virtual void keep(const run::RunResult& result, Item& item) const = 0;
  /// All runs of a new item are made.
  virtual void conclude(EvaluationWorker& worker, Item& item) const = 0;
  /// True: an item of a store whose online scheduler must see its run is run again.
  virtual bool can_show_again() const = 0;
  /// Completes the finding of an item that failed.
  virtual void prove(EvaluationWorker& worker, const Item& item, Finding& finding) const = 0;
  /// Counts how often its schedule fails again, with so many runs side by side; `told` hears of
  /// each. A breakdown ends it: the finding stands, confirmed as far as it was.
  virtual void confirm(std::size_t jobs, Finding& finding,
                       const std::function<void(const Finding&)>& told) const = 0;
};

/// As the system's traits demand. `kept_runs` says where runs that happen once are kept
/// (kept_runs.h); empty: nowhere. `scenario` must outlive the result.
std::unique_ptr<const Evidence> make_evidence(const run::Scenario& scenario,
                                              std::size_t confirmations, std::string kept_runs);

}  // namespace dissensus::hunt
