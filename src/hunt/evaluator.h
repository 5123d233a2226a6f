// Runs the items of a hunt, one thread each.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "dissensus/search.h"

#include "hunt/evidence.h"
#include "hunt/hunt.h"
#include "hunt/item.h"
#include "run/runner.h"
#include "run/scenario.h"
#include "search/measurement.h"

namespace dissensus::hunt {

/// A candidate on its way from the search to a result.
struct Item {
  Candidate candidate;
  bool is_known = false;   ///< `record` is from the store
  bool is_remote = false;  ///< the run was made by a worker: `verdict` is not here
  ItemRecord record;
  faults::Schedule schedule;              ///< what was run; what an online scheduler did
  oracle::Verdict verdict;                ///< of the run that `record` tells of; empty when known
  std::vector<run::EarlierRun> earlier;   ///< of the run that `record` tells of
  std::vector<std::uint64_t> all_states;  ///< ascending
  std::shared_ptr<const run::RunResult> kept;  ///< the run that `record` tells of (evidence.h)
};

/// What the evaluation of an item depends on. Constant; shared by threads.
struct EvaluationPlan {
  const run::Scenario& scenario;
  const HuntParts& parts;
  std::uint64_t hunt_seed = 0;
  std::size_t repeats = 1;
  std::string store;  ///< its path, for messages; empty: no store, so no bytes of schedules
  std::unique_ptr<const Evidence> evidence;
};

/// Memory of one thread.
struct EvaluationWorker {
  run::Runner runner;
  std::optional<search::Measurement> measurement;  ///< made for the first item
  std::unique_ptr<run::StateSource> states;        ///< likewise, where the hunt has one
};

/// Runs a new item. A known one is compared with what the search asks for now; if it had an online
/// scheduler it is run again, because the scheduler may have to tell the search what it saw.
/// Throws InputError where a known item is another one.
void evaluate(const EvaluationPlan& plan, EvaluationWorker& worker, Item& item);

/// The first half of evaluate() for a new item without a scheduler: what is to be run.
void prepare(const EvaluationPlan& plan, Item& item);
/// The second half: runs what item.schedule says.
void run_prepared(const EvaluationPlan& plan, EvaluationWorker& worker, Item& item);

/// The finding of an item that failed: its schedule alone is run again where that is not what was
/// run before.
Finding make_finding(const EvaluationPlan& plan, EvaluationWorker& worker, const Item& item);

/// What was looked for is found, or the observer stops the hunt; the result then says which.
bool is_ended(const HuntOptions& options, HuntObserver* observer, HuntResult& result);

}  // namespace dissensus::hunt
