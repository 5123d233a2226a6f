#include "fidelity/session.h"

#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dissensus/options.h"
#include "dissensus/outside.h"
#include "dissensus/random.h"

#include "core/parallel.h"
#include "run/recording.h"
#include "run/runner.h"
#include "run/schedule_space.h"

namespace dissensus::fidelity {
namespace {

/// What became of a run: an observation, a reason why there is none, or nothing if it was not made.
struct Attempt {
  std::optional<RunObservation> observation;
  std::string reason;
  std::exception_ptr error;  ///< where the reason was thrown
};

struct Worker {
  std::unique_ptr<run::Runner> runner = std::make_unique<run::Runner>();
};

class SideRuns {
 public:
  SideRuns(const FidelityPlan& plan, std::size_t side, const FidelityMeasures& measures,
           FidelityObserver& observer, FidelityRuns& result)
      : plan_(plan),
        side_(side),
        own_(plan.sides[side]),
        measures_(measures),
        observer_(observer),
        result_(result) {}

  /// False when not all runs were made.
  bool run() {
    const std::size_t count = own_.repeats * plan_.schedules.size();
    for_each_in_order(
        count, own_.jobs, [] { return std::make_unique<Worker>(); },
        [this](Worker& worker, std::size_t index) { return attempt(worker, index); },
        [this](std::size_t index, Attempt attempt) { return take(index, std::move(attempt)); });
    return done_ == count;
  }

 private:
  RunPlace place_of(std::size_t index) const {
    RunPlace place;
    place.schedule = index % plan_.schedules.size();
    place.repetition = index / plan_.schedules.size();
    const std::uint64_t seed =
        derive_seed(plan_.seed, side_ == 0 ? "fidelity-first" : "fidelity-second", place.schedule);
    // 53 bits: it survives every JSON reader, and `run --seed` takes it.
    place.seed = derive_seed(seed, "repetition", place.repetition) >> 11;
    return place;
  }

  Attempt attempt(Worker& worker, std::size_t index) const {
    Attempt result;
    if (observer_.is_stopped()) return result;
    const run::Scenario& scenario = *own_.scenario;
    const RunPlace place = place_of(index);
    try {
      const run::RunResult run_result = worker.runner->run(
          scenario, plan_.schedules[place.schedule].schedule, place.seed, run::with_trace());
      if (run_result.broken_off) {
        result.reason = run_result.ended_by;
      } else {
        result.observation =
            observe(run_result, measures_, scenario.system_description(), scenario.nodes(), place);
      }
    } catch (const OutsideError& error) {
      result.reason = error.what();
      result.error = std::current_exception();
      worker.runner = std::make_unique<run::Runner>();  // the other one was left in mid-run
    }
    return result;
  }

  bool take(std::size_t index, Attempt attempt) {
    if (attempt.observation) {
      ++done_;
      failures_in_a_row_ = 0;
      observer_.on_run(side_, *attempt.observation);
      result_.input.sides[side_].runs.push_back(std::move(*attempt.observation));
      return true;
    }
    // An interruption breaks runs off, too.
    if (attempt.reason.empty() || observer_.is_stopped()) return false;
    if (index == 0 && attempt.error) std::rethrow_exception(attempt.error);
    result_.failed.push_back({side_, place_of(index), attempt.reason});
    observer_.on_failed_run(result_.failed.back());
    return ++failures_in_a_row_ < kFailuresMax;
  }

  const FidelityPlan& plan_;
  std::size_t side_;
  const FidelitySidePlan& own_;
  const FidelityMeasures& measures_;
  FidelityObserver& observer_;
  FidelityRuns& result_;
  std::size_t done_ = 0;
  std::size_t failures_in_a_row_ = 0;
};

}  // namespace

std::vector<FidelitySchedule> draw_schedules(const run::Scenario& scenario, std::size_t count,
                                             std::uint64_t seed) {
  std::vector<FidelitySchedule> schedules;
  if (count > 0) schedules.push_back({"none", {}});
  const bool has_space =
      scenario.space.type != run::ScheduleSpace::Type::none || !scenario.space.faults.liars.empty();
  if (count > 1 && !has_space) {
    throw InputError(
        fmt::format("{}:1: schedule: no space to draw schedules from, expected a table [schedule] "
                    "with a type, or one schedule only",
                    scenario.path.empty() ? scenario.name : scenario.path));
  }
  for (std::size_t i = 1; i < count; ++i) {
    Random random(seed, "fidelity-schedule", i);
    schedules.push_back({fmt::format("random-{}", i), run::random_schedule(scenario, random)});
  }
  return schedules;
}

void require_comparable(const run::Scenario& first, const run::Scenario& second) {
  const auto require = [&](bool holds, std::string_view what) {
    if (holds) return;
    throw InputError(
        fmt::format("{}: not comparable with {}: expected {}", first.name, second.name, what));
  };
  require(first.nodes() == second.nodes(), "as many nodes");
  const FidelityMeasures one(first);
  const FidelityMeasures other(second);
  require(one.kinds == other.kinds, "the same message kinds");
  require(one.phases == other.phases, "the same phases");
  require(one.level_name == other.level_name, "termination on the same level");
  require(one.has_proposals == other.has_proposals, "the same proposals");
}

FidelityRuns run_fidelity(const FidelityPlan& plan, FidelityObserver& observer) {
  FidelityRuns result;
  result.input.scenario = plan.scenario;
  result.input.measures = FidelityMeasures(*plan.sides[0].scenario);
  for (const FidelitySchedule& schedule : plan.schedules) {
    result.input.schedules.push_back(schedule.name);
  }
  result.complete = true;
  for (const std::size_t side : {std::size_t{1}, std::size_t{0}}) {
    result.input.sides[side].name = plan.sides[side].name;
    // Levels and fields have numbers of their own on each side.
    const FidelityMeasures measures(*plan.sides[side].scenario);
    result.complete = SideRuns(plan, side, measures, observer, result).run() && result.complete;
  }
  return result;
}

std::string header_json_line(const FidelityPlan& plan, const FidelityMeasures& measures) {
  nlohmann::ordered_json json;
  json["format"] = kFidelityFormat;
  json["scenario"] = plan.scenario;
  json["seed"] = plan.seed;
  json["sides"] = {plan.sides[0].name, plan.sides[1].name};
  json["repeats"] = {plan.sides[0].repeats, plan.sides[1].repeats};
  nlohmann::ordered_json schedules = nlohmann::ordered_json::array();
  for (const FidelitySchedule& schedule : plan.schedules) schedules.push_back(schedule.name);
  json["schedules"] = std::move(schedules);
  json["level"] = measures.level_name;
  return json.dump();
}

std::string to_json_line(const FailedRun& failed, std::string_view side) {
  nlohmann::ordered_json json;
  json["side"] = side;
  json["schedule"] = failed.place.schedule;
  json["repetition"] = failed.place.repetition;
  json["seed"] = failed.place.seed;
  json["error"] = failed.reason;
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace dissensus::fidelity
