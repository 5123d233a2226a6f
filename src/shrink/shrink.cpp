#include "shrink/shrink.h"

#include <cmath>
#include <exception>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/parallel.h"
#include "core/toml_text.h"
#include "faults/single.h"
#include "faults/words.h"
#include "run/same_run.h"
#include "shrink/runners.h"

namespace dissensus::shrink {

std::string failure_of(const run::RunResult& result) {
  if (result.verdict.outcome != oracle::Outcome::fail || result.verdict.violations.empty())
    return {};
  return result.verdict.violations.front().signature();
}

namespace {

/// Which genes had any message.
class UsedGenes final : public EventSink {
 public:
  explicit UsedGenes(const faults::GeneSpace& genes) : genes_(genes) {}
  void on_event(const Event& event) override {
    if (used_.empty()) used_.resize(genes_.size());
    used_[genes_.index(event.node, event.peer, event.message->kind())] = true;
  }
  EventMask wants() const override { return EventMask().with(EventType::send); }
  std::vector<bool> take() { return std::move(used_); }

 private:
  const faults::GeneSpace genes_;
  std::vector<bool> used_;
};

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
    UsedGenes used(scenario_.genes());
    run::RunOptions watched;
    if (is_costly_) watched.sinks.push_back(&used);
    const run::RunResult failing = pool_.lend()->run(scenario_, schedule_, seed_, watched);
    run::demand_same({scenario_, schedule_, seed_, std::nullopt, options_.hash},
                     trace::to_hex(failing.hash), scenario_.path);
    signature_ = signature_of(failing);
    if (signature_.empty()) {
      throw InputError(
          fmt::format("{}: the run with seed {} does not fail, so there is nothing to shrink",
                      scenario_.path, seed_));
    }
    smallest_ = {failing.hash, failing.verdict.violations.front()};
    if (options_.rate > 0) measure_rate();
    const Candidates candidates(
        scenario_, schedule_,
        {failing.end - Time{}, is_costly_, used.take(), options_.beyond_bounds}, systems_);
    progress_.size = candidates.size(candidates.start());
    result_.before = progress_.size;
    const Reduction reduction = reduce(
        candidates.problem(),
        [&](std::size_t count, const auto& make) { return judge_row(candidates, count, make); },
        {.frugal = is_costly_});
    result_.only_removed = is_costly_;
    result_.beyond_bounds = options_.beyond_bounds;
    result_.minimal = reduction.minimal;
    result_.runs = reduction.judged;
    result_.known = reduction.known;
    result_.after = candidates.size(reduction.levels);
    result_.genes = scenario_.genes().size();
    record(candidates.make(reduction.levels));
    result_.runs += rate_runs_;
    if (begin(ShrinkStage::other_seeds)) try_other_seeds();
    if (begin(ShrinkStage::bystanders)) find_bystanders();
    return std::move(result_);
  }

 private:
  struct Failure {
    std::uint64_t hash = 0;
    oracle::Violation violation;  ///< the first
  };
  struct Judgement {
    std::optional<Failure> failure;  ///< if it fails as the run that is shrunk
    std::uint64_t events = 0;
    std::size_t rate_runs = 0;   ///< beside the first
    std::size_t failing = 0;     ///< of these
    std::exception_ptr trouble;  ///< of real servers; the user may have interrupted them
  };
  Judgement judge(run::Runner& runner, const run::Scenario& scenario,
                  const faults::Schedule& schedule, std::uint64_t seed) const {
    Judgement judgement;
    try {
      const run::RunResult result = runner.run(scenario, schedule, seed);
      judgement.events = result.events;
      if (signature_of(result) == signature_) {
        judgement.failure = {result.hash, result.verdict.violations.front()};
      }
    } catch (const OutsideError&) {
      judgement.trouble = std::current_exception();
    }
    return judgement;
  }
  std::uint64_t rate_seed(std::size_t index) const {
    return derive_seed(seed_, "rate", index) >> 1;
  }
  /// As above, and a failure only if it fails with enough of the other seeds, too.
  Judgement judge_with_rate(run::Runner& runner, const run::Scenario& scenario,
                            const faults::Schedule& schedule) const {
    Judgement judgement = judge(runner, scenario, schedule, seed_);
    if (!result_.rate || !judgement.failure) return judgement;
    const std::size_t seeds = result_.rate->seeds;
    while (judgement.failing < failing_needed_ && !judgement.trouble) {
      const bool is_out_of_reach =
          judgement.failing + seeds - judgement.rate_runs < failing_needed_;
      if (is_out_of_reach) break;
      const Judgement other = judge(runner, scenario, schedule, rate_seed(judgement.rate_runs++));
      judgement.failing += other.failure ? 1 : 0;
      judgement.events += other.events;
      judgement.trouble = other.trouble;
    }
    if (judgement.failing < failing_needed_) judgement.failure.reset();
    return judgement;
  }
  /// How many of so many other seeds a run fails with.
  template <class SeedOf>
  std::size_t count_failing(const run::Scenario& scenario, const faults::Schedule& schedule,
                            std::size_t seeds, const SeedOf& seed_of, std::size_t& tried) {
    std::size_t failing = 0;
    for_each_in_order(
        seeds, options_.jobs, [this] { return pool_.lend(); },
        [&](run::Runner& runner, std::size_t index) {
          return judge(runner, scenario, schedule, seed_of(index));
        },
        [&](std::size_t, const Judgement& judgement) {
          ++tried;
          failing += judgement.failure ? 1 : 0;
          return count(judgement);
        });
    return failing;
  }
  void measure_rate() {
    KeptRate rate{options_.rate, 0, 0, 0, 0};
    rate.failing_before = count_failing(
        scenario_, schedule_, options_.rate_seeds,
        [this](std::size_t index) { return rate_seed(index); }, rate.seeds);
    progress_ = {};
    if (rate.failing_before == 0) {
      throw InputError(fmt::format(
          "{}: the schedule fails with none of {} other seeds, so there is no rate to keep",
          scenario_.path, rate.seeds));
    }
    const double needed = options_.rate * static_cast<double>(rate.failing_before);
    failing_needed_ = static_cast<std::size_t>(std::ceil(needed - 1e-9));
    result_.rate = rate;
  }
  /// Counts a run; false: no further one. Servers that cannot be run end everything, unless that is
  /// what the user wants.
  bool count(const Judgement& judgement) {
    const bool go_on = count(judgement.events, judgement.rate_runs);
    if (go_on && judgement.trouble) std::rethrow_exception(judgement.trouble);
    return go_on;
  }
  /// Counts a run, and more for its rate; false: no further one.
  bool count(std::uint64_t events, std::size_t more_runs = 0) {
    progress_.runs += 1 + more_runs;
    progress_.events += events;
    interrupted_ = interrupted_ || (options_.keep_going && !options_.keep_going(progress_));
    return !interrupted_ && progress_.events < options_.events_max;
  }
  bool begin(ShrinkStage stage) {
    progress_ = {stage, 0, 0, progress_.size};
    return !interrupted_;
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

  Tried judge_row(const Candidates& candidates, std::size_t count_of_row,
                  const std::function<Levels(std::size_t)>& make) {
    Tried tried;
    // The limit is checked before a candidate is made, not in the middle of the row: which
    // candidates count is the same with any number of jobs.
    const bool is_within =
        progress_.events < options_.events_max && progress_.runs < options_.runs_max;
    const std::size_t allowed =
        is_within ? std::min(count_of_row, options_.runs_max - progress_.runs) : 0;
    bool go_on = true;
    for_each_in_order(
        allowed, std::min(options_.jobs, allowed), [this] { return pool_.lend(); },
        [&](run::Runner& runner, std::size_t index) {
          const Candidate candidate = candidates.make(make(index));
          return judge_with_rate(runner, *candidate.scenario, candidate.schedule);
        },
        [&](std::size_t index, const Judgement& judgement) {
          ++tried.count;
          rate_runs_ += judgement.rate_runs;
          const bool fails = judgement.failure && !fails_by_itself(candidates.make(make(index)));
          if (fails) {
            tried.failing = index;
            progress_.size = candidates.size(make(index));
            smallest_ = *judgement.failure;
          }
          go_on = count(judgement);
          return !fails && go_on;
        });
    tried.stopped = !go_on || (!tried.failing && tried.count < count_of_row);
    return tried;
  }

  /// Real servers: fewer clients may be what fails, where a rule demands what they achieve. True if
  /// the candidate's scenario, other than the original one, fails without any schedule.
  bool fails_by_itself(const Candidate& candidate) {
    if (!is_costly_ || candidate.scenario->text == scenario_.text) return false;
    return fails_unscheduled(*candidate.scenario) && !fails_unscheduled(scenario_);
  }
  bool fails_unscheduled(const run::Scenario& scenario) {
    const auto [known, is_new] = fails_unscheduled_.try_emplace(scenario.text, false);
    if (is_new) {
      const Judgement judgement = judge(*pool_.lend(), scenario, {}, seed_);
      known->second = judgement.failure.has_value();
      count(judgement);
    }
    return known->second;
  }

  void record(Candidate minimal) {
    result_.recipe = {*minimal.scenario, std::move(minimal.schedule), seed_, std::nullopt,
                      trace::to_hex(smallest_.hash)};
    result_.violation = smallest_.violation;
  }

  void try_other_seeds() {
    const run::Recipe& recipe = result_.recipe;
    const std::size_t seeds = options_.seeds.value_or(is_costly_ ? 10 : 100);
    const auto other_seed = [this](std::size_t index) {
      return derive_seed(seed_, "reliability", index) >> 1;
    };
    result_.failing_seeds =
        count_failing(recipe.scenario, recipe.schedule, seeds, other_seed, result_.seeds);
    if (!result_.rate || interrupted_) return;
    std::size_t tried = 0;
    result_.rate->failing_after = count_failing(
        recipe.scenario, recipe.schedule, result_.rate->seeds,
        [this](std::size_t index) { return rate_seed(index); }, tried);
    if (interrupted_) return;
    result_.rate->others_before =
        count_failing(scenario_, schedule_, result_.seeds, other_seed, tried);
  }

  void find_bystanders() {
    const run::Recipe& recipe = result_.recipe;
    const auto runner = pool_.lend();
    bool go_on = true;
    for (std::size_t node = 0; node < recipe.scenario.nodes() && go_on; ++node) {
      const faults::Fault down = faults::down(static_cast<NodeId>(node), Duration{});
      faults::Schedule absence;
      absence.faults.push_back(down);
      ++result_.nodes_tried;
      const run::RunResult absent = runner->run(recipe.scenario, absence, seed_);
      go_on = count(absent.events);
      if (!failure_of(absent).empty()) continue;
      faults::Schedule without = recipe.schedule;
      without.faults.push_back(down);
      const Judgement judgement = judge(*runner, recipe.scenario, without, seed_);
      if (judgement.failure) result_.bystanders.push_back(static_cast<NodeId>(node));
      go_on = count(judgement) && go_on;
    }
  }

  const run::Scenario& scenario_;
  const faults::Schedule& schedule_;
  std::uint64_t seed_;
  const ShrinkOptions& options_;
  const SystemRegistry& systems_;
  RunnerPool pool_;
  /// Real programs: a run takes seconds.
  const bool is_costly_ = scenario_.system->traits().outside;
  std::string signature_;
  Failure smallest_;                               ///< of the smallest failing run so far
  std::map<std::string, bool> fails_unscheduled_;  ///< by the text of the scenario
  ShrinkProgress progress_;
  std::size_t failing_needed_ = 0;  ///< of the seeds of a rate
  std::size_t rate_runs_ = 0;       ///< of the reduction, beside those of the failing run's seed
  bool interrupted_ = false;
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

Size parse_size(const nlohmann::json& json) {
  Size size;
  size.genes = json.at("genes");
  size.messages = json.at("messages");
  size.faults = json.at("faults");
  size.requests = json.at("requests");
  size.delay_total = std::chrono::milliseconds(json.at("delay_total_ms").get<std::int64_t>());
  return size;
}

/// The scenario with a start of the servers for each run, if its run fails in the same way then:
/// what servers had been through before is the first thing that can be left out.
std::optional<run::Scenario> without_history(const run::Scenario& scenario,
                                             const faults::Schedule& schedule, std::uint64_t seed,
                                             const SystemRegistry& systems) {
  if (scenario.session.runs_per_start == 1) return std::nullopt;
  TomlText text(scenario.text, scenario.path);
  text.remove("session");
  run::Scenario alone = run::parse_scenario(text.text(), scenario.path, systems);
  run::Runner runner;
  const std::string signature = failure_of(runner.run(scenario, schedule, seed));
  if (signature.empty() || failure_of(runner.run(alone, schedule, seed)) != signature) {
    return std::nullopt;
  }
  return alone;
}

}  // namespace

ShrinkResult shrink(const run::Scenario& scenario, const faults::Schedule& schedule,
                    std::uint64_t seed, const ShrinkOptions& options,
                    const SystemRegistry& systems) {
  const auto alone = without_history(scenario, schedule, seed, systems);
  if (!alone) return Shrinker(scenario, schedule, seed, options, systems).run();
  ShrinkOptions without_hash = options;  // which is that of the run with its history
  without_hash.hash.clear();
  return Shrinker(*alone, schedule, seed, without_hash, systems).run();
}

ShrinkResult shrink_further(const run::Recipe& failing, const ShrinkResult& earlier,
                            const ShrinkOptions& options, const SystemRegistry& systems) {
  if (options.rate > 0) {
    return shrink(failing.scenario, failing.schedule, failing.seed, options, systems);
  }
  const run::Recipe& recipe = earlier.recipe;
  const bool left_bounds = leaves_bounds(recipe.scenario, recipe.schedule) &&
                           !leaves_bounds(failing.scenario, failing.schedule);
  if (left_bounds && !options.beyond_bounds) {
    return shrink(failing.scenario, failing.schedule, failing.seed, options, systems);
  }
  run::Runner runner;
  const run::RunResult again = runner.run(recipe.scenario, recipe.schedule, recipe.seed);
  if (trace::to_hex(again.hash) != recipe.hash ||
      failure_of(again) != earlier.violation.signature()) {
    return shrink(failing.scenario, failing.schedule, failing.seed, options, systems);
  }
  const bool is_wider = options.beyond_bounds && !earlier.beyond_bounds;
  if (earlier.minimal && !earlier.rate && !is_wider) return earlier;
  ShrinkOptions further = options;
  further.hash = recipe.hash;
  ShrinkResult result = shrink(recipe.scenario, recipe.schedule, recipe.seed, further, systems);
  result.before = earlier.before;
  result.runs += earlier.runs;
  return result;
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
  if (result.only_removed) json["only_removed"] = true;
  if (result.beyond_bounds) json["beyond_bounds"] = true;
  json["words"] = faults::in_words(recipe.schedule, description, nodes);
  json["genes"] = result.genes;
  json["before"] = size_json(result.before);
  json["after"] = size_json(result.after);
  json["runs"] = result.runs;
  json["other_seeds"] = {{"tried", result.seeds}, {"failing", result.failing_seeds}};
  if (result.rate) {
    json["rate"] = {{"share", result.rate->share},
                    {"seeds", result.rate->seeds},
                    {"failing_before", result.rate->failing_before},
                    {"failing_after", result.rate->failing_after},
                    {"others_before", result.rate->others_before}};
  }
  json["bystanders"] = result.bystanders;
  json["nodes_tried"] = result.nodes_tried;
  json["schedule"] =
      nlohmann::ordered_json::parse(faults::to_json(recipe.schedule, description, nodes));
  return json.dump(2) + "\n";
}

ShrinkResult parse_result(const std::string& text, const std::string& path) {
  ShrinkResult result;
  try {
    const auto json = nlohmann::json::parse(text);
    if (json.at("format") != "dissensus-shrink/1")
      throw InputError(path + ": format: expected 'dissensus-shrink/1'");
    result.minimal = json.at("minimal");
    result.only_removed = json.value("only_removed", false);
    result.beyond_bounds = json.value("beyond_bounds", false);
    result.genes = json.at("genes");
    result.before = parse_size(json.at("before"));
    result.after = parse_size(json.at("after"));
    result.runs = json.at("runs");
    result.seeds = json.at("other_seeds").at("tried");
    result.failing_seeds = json.at("other_seeds").at("failing");
    if (const auto rate = json.find("rate"); rate != json.end()) {
      result.rate = KeptRate{rate->at("share"), rate->at("seeds"), rate->at("failing_before"),
                             rate->at("failing_after"), rate->at("others_before")};
    }
    result.bystanders = json.at("bystanders").get<std::vector<NodeId>>();
    result.nodes_tried = json.value("nodes_tried", std::size_t{0});
  } catch (const nlohmann::json::exception& error) {
    throw InputError(fmt::format("{}: not the result of a shrinking: {}", path, error.what()));
  }
  return result;
}

}  // namespace dissensus::shrink
