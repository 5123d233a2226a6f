#include "hunt/evaluator.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "dissensus/random.h"

#include "faults/schedule_bytes.h"
#include "search/genotype.h"

namespace dissensus::hunt {

namespace {

std::uint64_t repeat_seed(std::uint64_t item_seed, std::size_t repeat) {
  return repeat == 0 ? item_seed : derive_seed(item_seed, "repeat", repeat) >> 11;
}

/// A failure beats an unknown, which beats a pass.
bool is_worse(oracle::Outcome a, oracle::Outcome b) {
  const auto rank = [](oracle::Outcome outcome) {
    return outcome == oracle::Outcome::fail ? 2 : outcome == oracle::Outcome::unknown ? 1 : 0;
  };
  return rank(a) > rank(b);
}

/// Adds one run, which becomes the one that the record tells of if it is worse than those before.
void add_run(const EvaluationPlan& plan, const RunSummary& summary, std::uint64_t seed,
             bool is_first, run::RunResult result, Item& item) {
  ItemRecord& record = item.record;
  const auto repeats = static_cast<double>(plan.repeats);
  const faults::Schedule& schedule = result.recorded ? *result.recorded : item.schedule;
  record.objectives.resize(plan.parts.objectives.size());
  for (std::size_t i = 0; i < record.objectives.size(); ++i) {
    record.objectives[i] += plan.parts.objectives[i]->score(summary, schedule) / repeats;
  }
  record.disagreement_margin += summary.disagreement_margin / repeats;
  record.termination_margin += summary.termination_margin / repeats;
  record.virtual_time += result.end - Time{};
  record.events += result.events;
  item.all_states.insert(item.all_states.end(), summary.states.begin(), summary.states.end());
  if (!is_first && !is_worse(result.verdict.outcome, record.outcome)) return;
  record.outcome = result.verdict.outcome;
  record.seed = seed;
  record.hash = result.hash;
  plan.evidence->keep(result, item);
  item.earlier = std::move(result.earlier);
  item.verdict = std::move(result.verdict);
  record.violations = item.verdict.violations.size() + item.verdict.violations_left_out;
  record.signature =
      item.verdict.violations.empty() ? std::string() : item.verdict.violations[0].signature();
  if (result.recorded) item.schedule = std::move(*result.recorded);
}

}  // namespace

void run_prepared(const EvaluationPlan& plan, EvaluationWorker& worker, Item& item) {
  if (!worker.measurement) worker.measurement.emplace(plan.scenario, plan.parts.wanted);
  run::RunOptions options = plan.evidence->recording();
  options.sinks = {&*worker.measurement};
  if (plan.parts.states) {
    if (!worker.states) worker.states = plan.parts.states(plan.scenario);
    options.sinks.push_back(worker.states.get());
  }
  options.scheduler = item.candidate.scheduler.get();
  const faults::Schedule asked = item.schedule;
  const NodeSet byzantine = faults::byzantine_nodes(asked.faults);
  const std::uint64_t item_seed = item.record.seed;
  for (std::size_t repeat = 0; repeat < plan.repeats; ++repeat) {
    const std::uint64_t seed = repeat_seed(item_seed, repeat);
    worker.measurement->reset(byzantine);
    if (worker.states) worker.states->begin(seed);
    run::RunResult result = worker.runner.run(plan.scenario, asked, seed, options);
    const RunSummary& summary = worker.measurement->summarize(result);
    if (worker.states) worker.states->end(item.all_states);
    add_run(plan, summary, seed, repeat == 0, std::move(result), item);
  }
  plan.evidence->conclude(worker, item);
}

namespace {

/// Runs a known item once more for the sake of its online scheduler.
void repeat_known(const EvaluationPlan& plan, EvaluationWorker& worker, Item& item) {
  ItemRecord known = std::move(item.record);
  item.record = {};
  item.record.number = known.number;
  item.record.seed = run_seed(plan.hunt_seed, known.number);
  run_prepared(plan, worker, item);
  item.record = std::move(known);
}

/// Earlier versions wrote other bytes for the same schedule.
bool is_same_schedule(const EvaluationPlan& plan, const Item& item) {
  return item.schedule ==
         faults::decode_schedule(item.record.schedule,
                                 fmt::format("{}: item {}", plan.store, item.record.number),
                                 plan.scenario.system_description(), plan.scenario.nodes());
}

void compare_or_keep(const EvaluationPlan& plan, Item& item) {
  std::string bytes = faults::encode_schedule(item.schedule);
  if (item.is_known && bytes != item.record.schedule && !is_same_schedule(plan, item)) {
    throw InputError(fmt::format(
        "{}: cannot be resumed: the search asks for another item {} than it did before; its "
        "choices must depend on its seed and on what it is told alone",
        plan.store, item.record.number));
  }
  item.record.schedule = std::move(bytes);
}

}  // namespace

void prepare(const EvaluationPlan& plan, Item& item) {
  item.schedule = search::to_schedule(item.candidate.genotype, plan.scenario);
  item.record.schedule = faults::encode_schedule(item.schedule);
}

void evaluate(const EvaluationPlan& plan, EvaluationWorker& worker, Item& item) {
  const bool is_online = item.candidate.scheduler != nullptr;
  if (is_online) {
    item.schedule.faults = item.candidate.genotype.faults;
  } else {
    item.schedule = search::to_schedule(item.candidate.genotype, plan.scenario);
  }
  if (!item.is_known) {
    run_prepared(plan, worker, item);
  } else if (is_online && plan.evidence->can_show_again()) {
    repeat_known(plan, worker, item);
  }
  if (!plan.store.empty()) compare_or_keep(plan, item);
}

bool is_ended(const HuntOptions& options, HuntObserver* observer, HuntResult& result) {
  if (result.found() && !options.all) {
    result.end = HuntEnd::found;
    return true;
  }
  if (observer != nullptr && !observer->keep_going(result.progress)) {
    result.end = HuntEnd::stopped;
    return true;
  }
  return false;
}

Finding make_finding(const EvaluationPlan& plan, EvaluationWorker& worker, const Item& item) {
  Finding finding;
  finding.signature = item.record.signature;
  finding.item = item.record.number;
  finding.count = 1;
  finding.schedule = item.schedule;
  finding.seed = item.record.seed;
  finding.hash = item.record.hash;
  finding.earlier = item.earlier;
  finding.verdict = item.verdict;
  plan.evidence->prove(worker, item, finding);
  return finding;
}

}  // namespace dissensus::hunt
