#include "shrink/shrink.h"

#include <set>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/parallel.h"
#include "faults/words.h"
#include "shrink/runners.h"

namespace dissensus::shrink {

std::string failure_of(const run::RunResult& result) {
  if (result.verdict.outcome != oracle::Outcome::fail || result.verdict.violations.empty())
    return {};
  return result.verdict.violations.front().signature();
}

namespace {

class Shrinker {
 public:
  Shrinker(const run::Scenario& scenario, const faults::Schedule& schedule, std::uint64_t seed,
           const ShrinkOptions& options, const SystemRegistry& systems)
      : scenario_(scenario),
        schedule_(schedule),
        seed_(seed),
        options_(options),
        systems_(systems) {}

  ShrinkResult run() {
    const run::RunResult failing = pool_.lend()->run(scenario_, schedule_, seed_);
    signature_ = signature_of(failing);
    if (signature_.empty()) {
      throw InputError(
          fmt::format("{}: the run with seed {} does not fail, so there is nothing to shrink",
                      scenario_.path, seed_));
    }
    const Candidates candidates(scenario_, schedule_, failing.end - Time{}, systems_);
    progress_.size = candidates.size(candidates.start());
    result_.before = progress_.size;
    const Reduction reduction =
        reduce(candidates.problem(),
               [&](std::size_t count, const auto& make) { return judge(candidates, count, make); });
    result_.minimal = reduction.minimal;
    result_.runs = reduction.judged;
    result_.known = reduction.known;
    result_.after = candidates.size(reduction.levels);
    result_.genes = scenario_.genes().size();
    record(candidates.make(reduction.levels));
    try_other_seeds();
    find_bystanders();
    return std::move(result_);
  }

 private:
  bool fails(run::Runner& runner, const run::Scenario& scenario, const faults::Schedule& schedule,
             std::uint64_t seed) const {
    return signature_of(runner.run(scenario, schedule, seed)) == signature_;
  }
  /// What must stay the same.
  std::string signature_of(const run::RunResult& result) const {
    if (!options_.all_violations) return failure_of(result);
    std::set<std::string> signatures;
    if (result.verdict.outcome == oracle::Outcome::fail) {
      for (const oracle::Violation& violation : result.verdict.violations)
        signatures.insert(violation.signature());
    }
    return fmt::format("{}", fmt::join(signatures, " "));
  }

  Tried judge(const Candidates& candidates, std::size_t count,
              const std::function<Levels(std::size_t)>& make) {
    Tried tried;
    // The limit is checked before a candidate is made, not in the middle of the row: which
    // candidates count is the same with any number of jobs.
    const std::size_t allowed = std::min(count, options_.runs_max - progress_.runs);
    bool interrupted = false;
    for_each_in_order(
        allowed, std::min(options_.jobs, allowed), [this] { return pool_.lend(); },
        [&](run::Runner& runner, std::size_t index) {
          const Candidate candidate = candidates.make(make(index));
          return fails(runner, *candidate.scenario, candidate.schedule, seed_);
        },
        [&](std::size_t index, bool failing) {
          ++tried.count;
          ++progress_.runs;
          if (failing) {
            tried.failing = index;
            progress_.size = candidates.size(make(index));
          }
          interrupted = options_.keep_going && !options_.keep_going(progress_);
          return !failing && !interrupted;
        });
    tried.stopped = interrupted || (!tried.failing && tried.count < count);
    return tried;
  }

  void record(Candidate minimal) {
    const run::RunResult last = pool_.lend()->run(*minimal.scenario, minimal.schedule, seed_);
    result_.recipe = {*minimal.scenario, std::move(minimal.schedule), seed_, std::nullopt,
                      trace::to_hex(last.hash)};
    result_.violation = last.verdict.violations.front();
  }

  void try_other_seeds() {
    const run::Recipe& recipe = result_.recipe;
    for_each_in_order(
        options_.seeds, options_.jobs, [this] { return pool_.lend(); },
        [&](run::Runner& runner, std::size_t index) {
          return fails(runner, recipe.scenario, recipe.schedule,
                       derive_seed(seed_, "reliability", index) >> 1);
        },
        [&](std::size_t, bool failing) {
          ++result_.seeds;
          result_.failing_seeds += failing ? 1 : 0;
          return true;
        });
  }

  void find_bystanders() {
    const run::Recipe& recipe = result_.recipe;
    const auto runner = pool_.lend();
    for (std::size_t node = 0; node < recipe.scenario.nodes(); ++node) {
      faults::CrashFault down;
      down.node = static_cast<NodeId>(node);
      down.at = Duration{};
      faults::Schedule absence;
      absence.faults.emplace_back(down);
      if (!failure_of(runner->run(recipe.scenario, absence, seed_)).empty()) continue;
      faults::Schedule without = recipe.schedule;
      without.faults.emplace_back(down);
      if (fails(*runner, recipe.scenario, without, seed_)) result_.bystanders.push_back(down.node);
    }
  }

  const run::Scenario& scenario_;
  const faults::Schedule& schedule_;
  std::uint64_t seed_;
  const ShrinkOptions& options_;
  const SystemRegistry& systems_;
  RunnerPool pool_;
  std::string signature_;
  ShrinkProgress progress_;
  ShrinkResult result_;
};

nlohmann::ordered_json size_json(const Size& size) {
  return {
      {"genes", size.genes},
      {"messages", size.messages},
      {"faults", size.faults},
      {"requests", size.requests},
      {"delay_total_ms", std::chrono::ceil<std::chrono::milliseconds>(size.delay_total).count()}};
}

}  // namespace

ShrinkResult shrink(const run::Scenario& scenario, const faults::Schedule& schedule,
                    std::uint64_t seed, const ShrinkOptions& options,
                    const SystemRegistry& systems) {
  return Shrinker(scenario, schedule, seed, options, systems).run();
}

std::string to_json(const ShrinkResult& result) {
  const run::Recipe& recipe = result.recipe;
  const SystemDescription& description = recipe.scenario.system_description();
  const std::size_t nodes = recipe.scenario.nodes();
  nlohmann::ordered_json json;
  json["format"] = "dissensus-shrink/1";
  json["scenario"] = recipe.scenario.name;
  json["seed"] = recipe.seed;
  json["hash"] = recipe.hash;
  json["signature"] = result.violation.signature();
  json["violation"] = result.violation.text;
  json["minimal"] = result.minimal;
  json["words"] = faults::in_words(recipe.schedule, description, nodes);
  json["genes"] = result.genes;
  json["before"] = size_json(result.before);
  json["after"] = size_json(result.after);
  json["runs"] = result.runs;
  json["other_seeds"] = {{"tried", result.seeds}, {"failing", result.failing_seeds}};
  json["bystanders"] = result.bystanders;
  json["schedule"] =
      nlohmann::ordered_json::parse(faults::to_json(recipe.schedule, description, nodes));
  return json.dump(2) + "\n";
}

}  // namespace dissensus::shrink
