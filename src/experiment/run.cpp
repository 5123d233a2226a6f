#include "experiment/run.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "dissensus/digest.h"
#include "dissensus/random.h"

#include "core/parallel.h"
#include "hunt/hunt.h"
#include "hunt/parts.h"
#include "run/runner.h"

namespace dissensus::experiment {

namespace {

std::string key_of(const Experiment& experiment, const Cell& cell) {
  const ExperimentSearch& search = experiment.searches[cell.search];
  DigestBuilder digest;
  digest.add(to_string(experiment.kind)).add(experiment.budget_text).add(experiment.repeats);
  digest.add(experiment.scenario_of(cell.test_case, cell.search).text);
  digest.add(search.search).add(search.parameters).add(search.fitness.size());
  for (const std::string& fitness : search.fitness) digest.add(fitness);
  if (!search.novelty.empty()) digest.add(search.novelty);
  if (search.harness) digest.add(discotest::to_string(*search.harness));
  for (const std::string& finding : experiment.cases[cell.test_case].finding) digest.add(finding);
  digest.add(cell.seed).add(run::program_version());
  return to_string(digest.finish());
}

/// Passes everything on, and keeps what the search was told.
class RecordingSearch final : public Search {
 public:
  RecordingSearch(std::unique_ptr<Search> search, const ExperimentCase& test_case,
                  std::vector<EvaluationPoint>& points)
      : search_(std::move(search)), case_(test_case), points_(points) {}
  std::optional<Candidate> ask() override { return search_->ask(); }
  void tell(const Candidate& candidate, const Evaluation& evaluation) override {
    const bool failed = evaluation.failed && hunt::is_hunted(case_.finding, evaluation.signature);
    points_.push_back({failed,
                       evaluation.objectives,
                       {candidate.genotype.genes.begin(), candidate.genotype.genes.end()}});
    search_->tell(candidate, evaluation);
  }
  std::size_t look_ahead(std::size_t told) const override { return search_->look_ahead(told); }

 private:
  std::unique_ptr<Search> search_;
  const ExperimentCase& case_;
  std::vector<EvaluationPoint>& points_;
};

/// Ends a hunt when the study is stopped.
class StopWatch final : public hunt::HuntObserver {
 public:
  explicit StopWatch(const std::function<bool()>& is_stopped) : is_stopped_(is_stopped) {}
  bool keep_going(const hunt::HuntProgress&) override { return !is_stopped_ || !is_stopped_(); }

 private:
  const std::function<bool()>& is_stopped_;
};

hunt::HuntOptions hunt_options(const Experiment& experiment, const Cell& cell) {
  const ExperimentSearch& search = experiment.searches[cell.search];
  hunt::HuntOptions options;
  options.search = search.search;
  options.parameters = search.parameters;
  options.fitness = search.fitness;
  options.novelty = search.novelty;
  options.budget = experiment.budget;
  options.seed = cell.seed;
  options.repeats = experiment.repeats;
  options.finding = experiment.cases[cell.test_case].finding;
  options.all = experiment.kind == ExperimentKind::evolution;
  return options;
}

CellResult run_harness_cell(const Experiment& experiment, const Registry& registry,
                            const Cell& cell) {
  const run::Scenario& scenario = experiment.scenario_of(cell.test_case, cell.search);
  const ExperimentCase& test_case = experiment.cases[cell.test_case];
  hunt::HuntParts parts = hunt::make_parts(scenario, registry, hunt_options(experiment, cell));
  const discotest::HarnessResult run = discotest::run_harness(
      scenario, parts, *experiment.searches[cell.search].harness, experiment.budget.virtual_time,
      cell.seed, [&](const std::string& sign) { return hunt::is_hunted(test_case.finding, sign); });
  CellResult result;
  result.found = run.found;
  result.signature = run.signature;
  result.evaluations = run.cases + (run.found ? 1 : 0);
  result.virtual_seconds = run.seconds;
  for (const auto& [sign, cases] : run.signs) result.failed = std::max(result.failed, cases);
  result.unknown = run.capped;
  result.shares = run.shares;
  return result;
}

/// Nothing where the hunt was interrupted.
std::optional<CellResult> run_cell(const Experiment& experiment, const Registry& registry,
                                   const Cell& cell, const std::function<bool()>& is_stopped) {
  const run::Scenario& scenario = experiment.scenario_of(cell.test_case, cell.search);
  const ExperimentCase& test_case = experiment.cases[cell.test_case];
  const bool evolves = experiment.kind == ExperimentKind::evolution;
  if (experiment.searches[cell.search].harness) {
    return run_harness_cell(experiment, registry, cell);
  }
  const hunt::HuntOptions options = hunt_options(experiment, cell);
  hunt::HuntParts parts = hunt::make_parts(scenario, registry, options);
  CellResult result;
  if (evolves) {
    parts.search =
        std::make_unique<RecordingSearch>(std::move(parts.search), test_case, result.points);
  }
  StopWatch watch(is_stopped);
  const hunt::HuntResult hunt = hunt::hunt(scenario, parts, options, &watch);
  if (hunt.end == hunt::HuntEnd::stopped) {
    if (hunt.trouble.empty() || hunt.trouble == kInterrupted) return std::nullopt;
    result.error = hunt.trouble;
  }
  const hunt::HuntProgress& progress = hunt.progress;
  result.evaluations = progress.runs;
  result.virtual_seconds = static_cast<double>(progress.virtual_time.count()) / 1e6;
  result.failed = progress.failed;
  result.unknown = progress.unknown;
  // The run that spends the rest of the budget may end beyond it; what it finds there is too late,
  // unless the search completes what it has begun.
  const bool is_late = progress.virtual_time > experiment.budget.virtual_time;
  const bool is_found = hunt.end == hunt::HuntEnd::found;
  if (is_found && (!is_late || parts.search->completes_generations())) {
    result.found = true;
    result.signature = progress.findings.front().signature;
  }
  if (!result.found) {
    result.virtual_seconds = std::min(result.virtual_seconds, experiment.budget_seconds());
  }
  if (progress.equal != progress.repeated) {
    result.error = fmt::format("not deterministic: {} of {} runs that were made twice differed",
                               progress.repeated - progress.equal, progress.repeated);
  }
  return result;
}

}  // namespace

std::vector<Cell> cells_of(const Experiment& experiment) {
  std::vector<Cell> cells;
  for (std::size_t i = 0; i < experiment.cases.size(); ++i) {
    for (std::size_t j = 0; j < experiment.searches.size(); ++j) {
      const std::string names = experiment.cases[i].name + "\n" + experiment.searches[j].name;
      for (std::size_t k = 0; k < experiment.hunts(); ++k) {
        // As in an experiment with that seed alone. 53 bits: they survive every JSON reader.
        const std::uint64_t seed = experiment.seeds[k / experiment.repetitions];
        Cell cell{i, j, k, derive_seed(seed, names, k % experiment.repetitions) >> 11, {}};
        cell.key = key_of(experiment, cell);
        cells.push_back(std::move(cell));
      }
    }
  }
  return cells;
}

bool run_cells(const Experiment& experiment, const Registry& registry, const StudyRunner& runner,
               CellResults& results) {
  std::vector<Cell> cells = cells_of(experiment);
  StudyProgress progress;
  progress.total = cells.size();
  std::erase_if(cells, [&](const Cell& cell) { return results.contains(cell.key); });
  progress.known = progress.total - cells.size();
  // Repetition by repetition, so that what is there after an interruption is balanced, and the
  // estimate of the remaining time sees every configuration early.
  std::stable_sort(cells.begin(), cells.end(),
                   [](const Cell& a, const Cell& b) { return a.repetition < b.repetition; });

  if (runner.on_progress) runner.on_progress(progress);

  std::mutex mutex;
  bool stopped = false;
  const auto work = [&](int&, std::size_t index) {
    const Cell& cell = cells[index];
    std::optional<CellResult> result;
    if (runner.is_stopped && runner.is_stopped()) return false;
    try {
      result = run_cell(experiment, registry, cell, runner.is_stopped);
    } catch (const std::exception& error) {
      result.emplace();
      result->error = error.what();
    }
    if (!result) return false;
    const std::lock_guard lock(mutex);
    if (runner.on_result) runner.on_result(cell, *result);
    ++progress.done;
    progress.errors += result->error.empty() ? 0 : 1;
    results.emplace(cell.key, std::move(*result));
    if (runner.on_progress) runner.on_progress(progress);
    return true;
  };
  for_each_in_order(
      cells.size(), runner.jobs, [] { return std::make_unique<int>(); }, work,
      [&stopped](std::size_t, bool completed) {
        stopped = stopped || !completed;
        return completed;
      });
  return !stopped;
}

}  // namespace dissensus::experiment
