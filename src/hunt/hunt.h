// A hunt: a search is asked for schedules and told how their runs went, until a violation is found
// or the budget is spent. A library: no terminal, no signals, no global state.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dissensus/fitness.h"
#include "dissensus/search.h"

#include "faults/schedule.h"
#include "hunt/budget.h"
#include "hunt/item.h"
#include "hunt/store.h"
#include "oracle/verdict.h"
#include "run/runner.h"
#include "run/scenario.h"
#include "run/state_source.h"
#include "search/wanted.h"

namespace dissensus::hunt {

class WorkQueue;

struct HuntOptions {
  std::string search = "random";
  std::string parameters;            ///< of the search, as TOML
  std::vector<std::string> fitness;  ///< empty: what the search works on by itself
  /// What counts as new: a name of search/wanted.h, or "model=FILE"; empty: abstract states.
  std::string novelty;
  std::string faults;  ///< a fault strategy; empty: the scenario's own space
  Budget budget;
  std::uint64_t seed = 1;
  std::size_t jobs = 1;  ///< threads; no result depends on it
  bool all = false;      ///< do not stop at the first violation
  /// Signatures of the violations that are hunted, or beginnings of them; empty: any. A run has the
  /// signature of its first violation. Others are passed over, and counted.
  std::vector<std::string> finding = {};
  std::size_t repeats = 1;  ///< runs per evaluation, whose objectives are averaged
  /// Candidates under way at any time; 0: kWindow. What a search knows when it is asked depends on
  /// it, so it is a part of the hunt.
  std::size_t window = 0;
  std::vector<std::string> plugins = {};  ///< that it needs (plugin_identity)
  /// Each worker has a search of its own (islands.h); results depend on who came when.
  bool islands = false;
  /// For novelty "model=FILE": follows runs through that model.
  std::function<std::unique_ptr<run::StateSource>(const std::string& file,
                                                  const run::Scenario& scenario)>
      model_states = {};
  /// Systems that do not repeat: how often the schedule of a finding is run again.
  std::size_t confirmations = 0;
};

/// What hunts. parts.h makes it from names; who has a search of their own fills it in.
struct HuntParts {
  std::unique_ptr<Search> search;
  std::vector<std::shared_ptr<const Fitness>> objectives;
  std::vector<std::string> objective_names;
  search::Wanted wanted;
  run::MakeStateSource states = {};  ///< null: those that are measured (search/measurement.h)
};

/// A violation, with the first run that showed it. Violations of one signature are one finding.
struct Finding {
  std::string signature;
  std::uint64_t item = 0;   ///< which item of the hunt was the first
  std::uint64_t count = 0;  ///< how many items showed it
  faults::Schedule schedule;
  std::uint64_t seed = 0;
  std::uint64_t hash = 0;
  oracle::Verdict verdict;
  /// False: the run of an online scheduler, whose recorded schedule alone gives another run.
  bool reproduced = true;
  /// What the servers had been through before the run, where several runs share a start.
  std::vector<run::EarlierRun> earlier;
  /// Systems that do not repeat: the run itself, as it was recorded.
  std::shared_ptr<const run::RunResult> kept;
  std::size_t confirmations = 0;  ///< further runs of the schedule
  std::size_t confirmed = 0;      ///< of these, with the same violation
};

/// Violations of a signature that is not hunted.
struct PassedOver {
  std::uint64_t item = 0;   ///< the first
  std::uint64_t count = 0;  ///< how many items showed it
};

/// A run that was another one when it was made twice.
struct Unequal {
  std::uint64_t item = 0;
  faults::Schedule schedule;
  std::uint64_t seed = 0;
  std::uint64_t hash = 0;  ///< of the first time
};

/// What a member of a portfolio, or a way of making candidates, has brought.
struct Yield {
  std::uint64_t runs = 0;
  std::uint64_t failures = 0;
  std::uint64_t new_states = 0;
  std::uint64_t improvements = 0;  ///< of the best value of the first objective
};

struct HuntProgress {
  std::uint64_t runs = 0;   ///< evaluations
  std::uint64_t known = 0;  ///< of these, taken from the store
  Duration virtual_time{};
  std::uint64_t events = 0;
  std::uint64_t failed = 0;
  std::uint64_t unknown = 0;
  std::uint64_t states = 0;        ///< abstract states that were reached
  std::uint64_t repeated = 0;      ///< runs made twice to compare their hashes
  std::uint64_t equal = 0;         ///< of these, with equal hash
  std::optional<Unequal> unequal;  ///< the first of the others
  std::vector<double> best;        ///< smallest value of each objective
  double disagreement_margin = 0;  ///< largest of all runs
  double termination_margin = 0;
  std::map<std::string, Yield, std::less<>> members;
  std::map<std::string, Yield, std::less<>> origins;
  std::vector<Finding> findings;                               ///< in the order of discovery
  std::map<std::string, PassedOver, std::less<>> passed_over;  ///< by signature
};

enum class HuntEnd : std::uint8_t { found, budget, stopped };

struct HuntResult {
  HuntProgress progress;
  HuntEnd end = HuntEnd::budget;
  std::string trouble;  ///< why real servers stopped it; empty: they did not
  bool found() const { return !progress.findings.empty(); }
};

/// Sees a hunt from the thread that called it.
class HuntObserver {
 public:
  virtual ~HuntObserver() = default;
  /// After each result; false stops the hunt.
  virtual bool keep_going(const HuntProgress& /*progress*/) { return true; }
  /// A violation of a kind that was not seen before; at once, before anybody confirms it.
  virtual void found(const Finding& /*finding*/) {}
  /// After each repetition that is to confirm a finding.
  virtual void repeated(const Finding& /*finding*/) {}
};

/// Candidates under way at any time. Fixed, so that what a search knows when it is asked does not
/// depend on the number of threads.
inline constexpr std::size_t kWindow = 16;
/// The same where many machines work on a hunt.
inline constexpr std::size_t kWideWindow = 1024;
/// One item in so many is run twice, and the hashes are compared.
inline constexpr std::size_t kRepeatEvery = 16;

/// Whether a violation of this signature is one of HuntOptions::finding.
bool is_hunted(std::span<const std::string> finding, std::string_view signature);

/// The seed of the run of an item. 53 bits: it survives every JSON reader.
std::uint64_t run_seed(std::uint64_t hunt_seed, std::uint64_t item);

/// Hunts. With a store, each result is kept, and items that it knows already are told to the search
/// without being run again. The same seed gives the same hunt with any number of jobs, interrupted
/// or not; a budget of wall time alone counts from the beginning of this call.
HuntResult hunt(const run::Scenario& scenario, HuntParts& parts, const HuntOptions& options,
                HuntObserver* observer = nullptr, Store* store = nullptr);

/// The same hunt, whose runs are made by the workers of a queue (work.h).
HuntResult hunt_with_workers(const run::Scenario& scenario, HuntParts& parts,
                             const HuntOptions& options, HuntObserver* observer, Store& store,
                             WorkQueue& queue);

}  // namespace dissensus::hunt
