#include "shrink/likelihood.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "dissensus/random.h"

#include "core/parallel.h"
#include "core/proportion.h"
#include "run/recording.h"
#include "run/same_run.h"
#include "run/schedule_space.h"
#include "shrink/runners.h"
#include "shrink/shrink.h"

namespace dissensus::shrink {

namespace {

/// `count` moments, evenly spaced from one to another, both included, with the last event that lies
/// before each.
std::vector<LikelihoodPoint> moments(const run::RunResult& failing, Time from, Time until,
                                     std::size_t count) {
  std::vector<LikelihoodPoint> points(std::max<std::size_t>(count, 2));
  const auto last = static_cast<std::int64_t>(points.size() - 1);
  std::size_t record = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i].time = from + (until - from) * static_cast<std::int64_t>(i) / last;
    while (record < failing.records.size() && failing.records[record].time < points[i].time) {
      points[i].event = failing.records[record++].id;
    }
    if (i > 0) points[i].event = std::max(points[i].event, points[i - 1].event);
  }
  return points;
}

/// The first of the two neighbours between which the share of failures differs most.
std::size_t steepest(const std::vector<LikelihoodPoint>& points) {
  std::size_t result = 0;
  double largest = -1;
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const double change = std::abs(points[i + 1].share() - points[i].share());
    if (change > largest) {
      largest = change;
      result = i;
    }
  }
  return result;
}

/// The n-th continuation from a moment on; the same n has the same seed or schedule at each moment.
run::RunResult continue_from(run::Runner& runner, const run::Recipe& recipe, EventId event,
                             const LikelihoodOptions& options, std::size_t number) {
  run::Branch branch;
  branch.at = event;
  if (options.continuation == Continuation::seed) {
    branch.seed = derive_seed(options.seed, "likelihood", number) >> 1;
  } else {
    Random random(options.seed, "likelihood", number);
    branch.schedule = run::random_schedule(recipe.scenario, random);
  }
  if (event == 0) {
    return runner.run(recipe.scenario, branch.schedule ? *branch.schedule : recipe.schedule,
                      branch.seed ? *branch.seed : recipe.seed);
  }
  run::RunOptions run_options;
  run_options.branch = std::move(branch);
  return runner.run(recipe.scenario, recipe.schedule, recipe.seed, run_options);
}

}  // namespace

std::vector<LikelihoodPoint> failure_likelihood(const run::Recipe& recipe,
                                                const LikelihoodOptions& options) {
  if (recipe.branch) {
    throw InputError(recipe.scenario.path + ": this run itself continued another one");
  }
  RunnerPool pool;
  const run::RunResult failing =
      pool.lend()->run(recipe.scenario, recipe.schedule, recipe.seed, run::with_trace());
  run::demand_same(recipe, trace::to_hex(failing.hash), recipe.scenario.path);
  const std::string signature = failure_of(failing);
  if (signature.empty()) {
    throw InputError(
        fmt::format("{}: the run with seed {} does not fail", recipe.scenario.path, recipe.seed));
  }
  bool interrupted = false;
  std::uint64_t events = 0;
  struct Continued {
    bool fails = false;
    std::uint64_t events = 0;
  };
  const auto measure = [&](std::vector<LikelihoodPoint> points) {
    for_each_in_order(
        points.size() * options.runs, options.jobs, [&] { return pool.lend(); },
        [&](run::Runner& runner, std::size_t index) {
          const LikelihoodPoint& point = points[index / options.runs];
          const run::RunResult result =
              continue_from(runner, recipe, point.event, options, index % options.runs);
          return Continued{failure_of(result) == signature, result.events};
        },
        [&](std::size_t index, const Continued& continued) {
          LikelihoodPoint& point = points[index / options.runs];
          ++point.runs;
          point.failing += continued.fails ? 1 : 0;
          events += continued.events;
          interrupted =
              events >= options.events_max || (options.keep_going && !options.keep_going());
          return !interrupted;
        });
    std::erase_if(points, [&](const LikelihoodPoint& point) { return point.runs < options.runs; });
    for (LikelihoodPoint& point : points) {
      const Interval interval = wilson_interval(point.failing, point.runs);
      point.low = interval.low;
      point.high = interval.high;
    }
    return points;
  };

  if (options.runs == 0) return {};
  const Time violation = failing.verdict.violations.front().time;
  std::vector<LikelihoodPoint> points =
      measure(moments(failing, Time{}, violation, options.points));
  for (int pass = 0; pass < 2 && options.refinement > 0 && points.size() > 1 && !interrupted;
       ++pass) {
    const std::size_t at = steepest(points);
    std::vector<LikelihoodPoint> between =
        moments(failing, points[at].time, points[at + 1].time, options.refinement + 2);
    between.erase(between.begin());
    between.pop_back();
    between = measure(std::move(between));
    points.insert(points.begin() + static_cast<std::ptrdiff_t>(at) + 1, between.begin(),
                  between.end());
  }
  return points;
}

}  // namespace dissensus::shrink
