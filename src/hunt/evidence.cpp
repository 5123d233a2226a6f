#include "hunt/evidence.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "dissensus/outside.h"
#include "dissensus/random.h"

#include "core/parallel.h"
#include "hunt/evaluator.h"
#include "hunt/kept_runs.h"
#include "run/recording.h"

namespace dissensus::hunt {

namespace {

class Repetition final : public Evidence {
 public:
  explicit Repetition(const run::Scenario& scenario) : scenario_(scenario) {}

  std::size_t window(std::size_t /*jobs*/) const override { return kWindow; }
  run::RunOptions recording() const override {
    run::RunOptions options;
    options.continues = scenario_.session.runs_per_start > 1;
    return options;
  }
  void keep(const run::RunResult& result, Item& /*item*/) const override {
    if (result.ended_by == kInterrupted) throw OutsideError(std::string(kInterrupted));
  }

  void conclude(EvaluationWorker& worker, Item& item) const override {
    // What servers had been through before is repeated with a run, so fewer are.
    const bool has_own_start = scenario_.session.runs_per_start == 1;
    if (item.record.number % (has_own_start ? kRepeatEvery : 4 * kRepeatEvery) != 0) return;
    // Without the online scheduler, which has changed: its recorded decisions must do.
    const run::RunResult again = run_again(worker, item.schedule, item.record.seed, item.earlier);
    keep(again, item);
    item.record.stability =
        again.hash == item.record.hash ? Stability::equal : Stability::different;
  }

  bool can_show_again() const override { return true; }

  void prove(EvaluationWorker& worker, const Item& item, Finding& finding) const override {
    const bool is_online = item.candidate.scheduler != nullptr;
    const bool has_own_start = scenario_.session.runs_per_start == 1;
    if (!item.is_known && !item.is_remote && !is_online && has_own_start) return;
    run::RunResult again = run_again(worker, finding.schedule, finding.seed, finding.earlier);
    if (again.ended_by == kInterrupted) throw OutsideError(std::string(kInterrupted));
    finding.reproduced = again.hash == finding.hash;
    finding.hash = again.hash;
    finding.verdict = std::move(again.verdict);
  }

  void confirm(std::size_t /*jobs*/, Finding& /*finding*/,
               const std::function<void(const Finding&)>& /*told*/) const override {}

 private:
  /// With a start of its own, after all that its servers had been through.
  run::RunResult run_again(EvaluationWorker& worker, const faults::Schedule& schedule,
                           std::uint64_t seed, const std::vector<run::EarlierRun>& earlier) const {
    if (earlier.empty()) return worker.runner.run(scenario_, schedule, seed);
    run::Scenario scenario = scenario_;
    scenario.session.earlier = earlier;
    return worker.runner.run(scenario, schedule, seed);
  }

  const run::Scenario& scenario_;
};

class Recording final : public Evidence {
 public:
  Recording(const run::Scenario& scenario, std::size_t confirmations, std::string kept_runs)
      : scenario_(scenario), confirmations_(confirmations), kept_runs_(std::move(kept_runs)) {}

  /// Such runs take long, and no two hunts are equal anyway: a search is better told of each.
  std::size_t window(std::size_t jobs) const override { return jobs; }

  run::RunOptions recording() const override { return run::with_everything(); }

  void keep(const run::RunResult& result, Item& item) const override {
    // Half a run is no result; the item is made again when the hunt goes on.
    if (result.ended_by == kInterrupted) throw OutsideError(std::string(kInterrupted));
    item.kept = std::make_shared<const run::RunResult>(result);
  }

  void conclude(EvaluationWorker& /*worker*/, Item& item) const override {
    if (!kept_runs_.empty()) keep_run(kept_runs_, scenario_, item);
  }

  bool can_show_again() const override { return false; }

  void prove(EvaluationWorker& /*worker*/, const Item& item, Finding& finding) const override {
    finding.kept = item.kept;
    if (!item.is_known) return;
    finding.kept = read_kept_run(kept_runs_, item.record.number);
    finding.verdict = finding.kept->verdict;
  }

  void confirm(std::size_t jobs, Finding& finding,
               const std::function<void(const Finding&)>& told) const override {
    for_each_in_order(
        confirmations_, std::min(jobs, confirmations_),
        [] { return std::make_unique<run::Runner>(); },
        [&](run::Runner& runner, std::size_t number) { return repeat(runner, finding, number); },
        [&](std::size_t, std::optional<bool> is_same) {
          if (!is_same) return false;
          ++finding.confirmations;
          finding.confirmed += *is_same ? 1 : 0;
          told(finding);
          return true;
        });
  }

 private:
  /// Whether one more run of the schedule shows the same violation; nothing: it came to no end.
  std::optional<bool> repeat(run::Runner& runner, const Finding& finding,
                             std::size_t number) const {
    const std::uint64_t seed = derive_seed(finding.seed, "confirmation", number) >> 11;
    try {
      const run::RunResult again = runner.run(scenario_, finding.schedule, seed);
      if (again.broken_off) return std::nullopt;
      const auto& violations = again.verdict.violations;
      return std::any_of(violations.begin(), violations.end(), [&](const auto& violation) {
        return violation.signature() == finding.signature;
      });
    } catch (const OutsideError&) {
      return std::nullopt;
    }
  }

  const run::Scenario& scenario_;
  std::size_t confirmations_;
  std::string kept_runs_;
};

}  // namespace

std::unique_ptr<const Evidence> make_evidence(const run::Scenario& scenario,
                                              std::size_t confirmations, std::string kept_runs) {
  if (scenario.system->traits().repeatable) return std::make_unique<Repetition>(scenario);
  return std::make_unique<Recording>(scenario, confirmations, std::move(kept_runs));
}

}  // namespace dissensus::hunt
