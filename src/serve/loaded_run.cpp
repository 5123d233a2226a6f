#include "serve/loaded_run.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "dissensus/options.h"

#include "run/recording.h"
#include "run/run_folder.h"
#include "trace/dependence.h"
#include "trace/labels.h"
#include "trace/trace_file.h"

namespace dissensus::serve {

namespace {

namespace fs = std::filesystem;

/// Values of one instance in the order of their first decision, and the records that decided.
struct Instance {
  std::vector<Digest> values;
  std::vector<std::size_t> records;
};

void mark_decisions(LoadedRun& run) {
  std::map<std::pair<std::uint8_t, std::uint64_t>, Instance> instances;
  for (std::size_t index = 0; index < run.records().size(); ++index) {
    const trace::Record& record = run.records()[index];
    if (record.type != EventType::decide) continue;
    Instance& instance = instances[{record.detail, record.number}];
    const auto found = std::find(instance.values.begin(), instance.values.end(), record.value);
    run.variant[index] = static_cast<std::uint8_t>(
        std::min<std::ptrdiff_t>(found - instance.values.begin(), UINT8_MAX));
    if (found == instance.values.end()) instance.values.push_back(record.value);
    instance.records.push_back(index);
  }
  for (const auto& [key, instance] : instances) {
    const bool disputed =
        instance.values.size() > 1 && trace::has_agreement(run.trace.header, key.first);
    for (const std::size_t index : instance.records) run.disputed[index] = disputed;
  }
}

/// The trace as it was recorded, where it was recorded in full.
std::optional<trace::Trace> recorded_trace(const std::string& path) {
  const std::string file = fs::is_directory(path) ? path + "/trace.jsonl.gz" : path;
  if (!fs::exists(file)) return std::nullopt;
  trace::Trace trace = trace::read_trace(file);
  if (trace.header.detail != trace::Detail::everything) return std::nullopt;
  return trace;
}

void read_recipe_of(const std::string& path, const SystemRegistry& systems, LoadedRun& run) {
  try {
    run.recipe = run::read_recipe(path, systems);
    if (!run.recipe->scenario.system->traits().repeatable) {
      run.not_repeatable = "a run of real servers: it happened once";
    }
  } catch (const InputError& error) {
    run.not_repeatable = error.what();
  }
  if (!run.not_repeatable.empty()) run.recipe.reset();
}

run::RunResult run_again(const run::Recipe& recipe, const run::Recorded& recorded) {
  run::RunOptions options = run::with_everything();
  options.branch = recipe.branch;
  return run::make_same(recipe, options, recorded);
}

/// A trace file says whether the run failed, and not why: the run made again does, if it is the
/// same.
void read_verdict_of_trace(LoadedRun& run) {
  if (run.trace.footer.outcome == "fail") run.verdict.outcome = oracle::Outcome::fail;
  if (run.trace.footer.outcome == "pass") run.verdict.outcome = oracle::Outcome::pass;
  if (!run.recipe) return;
  try {
    run.verdict = run_again(*run.recipe, run.recorded).verdict;
    *run.was_made_again = true;
  } catch (const InputError& error) {
    run.not_repeatable = error.what();
  } catch (const run::NotDeterministic& error) {
    run.not_repeatable = error.what();
  }
  if (!run.not_repeatable.empty()) run.recipe.reset();
}

}  // namespace

void index_run(LoadedRun& run) {
  const std::vector<trace::Record>& records = run.records();
  run.cause = trace::cause_indices(run.trace);
  run.previous.assign(records.size(), trace::kNoIndex);
  run.round.assign(records.size(), 0);
  run.variant.assign(records.size(), 0);
  run.disputed.assign(records.size(), false);
  std::vector<std::size_t> last(run.trace.header.nodes, trace::kNoIndex);
  std::vector<std::uint64_t> round(run.trace.header.nodes, 0);
  for (std::size_t index = 0; index < records.size(); ++index) {
    const trace::Record& record = records[index];
    if (record.node >= last.size()) continue;
    if (record.type == EventType::round) round[record.node] = record.number;
    run.previous[index] = last[record.node];
    run.round[index] = round[record.node];
    // Messages that are lost on the way are no business of their sender any more.
    if (record.type != EventType::drop && record.type != EventType::duplicate &&
        record.type != EventType::mutate) {
      last[record.node] = index;
    }
  }
  mark_decisions(run);
}

std::shared_ptr<const LoadedRun> load_run(const std::string& path, const SystemRegistry& systems) {
  auto run = std::make_shared<LoadedRun>();
  read_recipe_of(path, systems, *run);
  run->recorded = run::recorded_at(path);
  const bool is_folder = fs::is_directory(path);
  std::optional<trace::Trace> recorded = recorded_trace(path);
  if (recorded && is_folder) {
    run->trace = std::move(*recorded);
    run->verdict = run::read_verdict(path);
  } else if (recorded) {
    run->trace = std::move(*recorded);
    read_verdict_of_trace(*run);
  } else if (run->recipe) {
    return load_run(*run->recipe, run_again(*run->recipe, run->recorded));
  } else {
    throw InputError(path + ": holds no full trace, and " + run->not_repeatable);
  }
  index_run(*run);
  return run;
}

std::shared_ptr<const LoadedRun> load_run(const run::Recipe& recipe, run::RunResult result) {
  auto run = std::make_shared<LoadedRun>();
  *run->was_made_again = true;
  run->recipe = recipe;
  run->verdict = result.verdict;
  run->trace = run::to_trace(recipe, trace::Detail::everything, std::move(result));
  index_run(*run);
  return run;
}

const run::Recipe& recipe_that_repeats(const LoadedRun& run) {
  if (!run.recipe) throw InputError("this run cannot be made again: " + run.not_repeatable);
  if (!*run.was_made_again) run_again(*run.recipe, run.recorded);
  *run.was_made_again = true;
  return *run.recipe;
}

bool is_stimulus(EventType type) {
  switch (type) {
    case EventType::start:
    case EventType::deliver:
    case EventType::timer:
    case EventType::submit:
    case EventType::restart:
    case EventType::crash:
    case EventType::disk:
      return true;
    default:
      return false;
  }
}

std::size_t stimulus_of(const LoadedRun& run, std::size_t record) {
  const NodeId node = run.records()[record].node;
  for (std::size_t at = record; at != trace::kNoIndex; at = run.cause[at]) {
    if (run.records()[at].node != node) break;
    if (is_stimulus(run.records()[at].type)) return at;
  }
  // Log lines have no cause of their own: they follow the event whose number they bear.
  for (std::size_t at = run.previous[record]; at != trace::kNoIndex; at = run.previous[at]) {
    if (is_stimulus(run.records()[at].type)) return at;
  }
  return record;
}

}  // namespace dissensus::serve
