// What a hunt could save by not running everything: how much of a candidate's run an earlier run
// has already been through, what a copy of the world would cost against running it, and how late in
// a run violations still come; and which share of the processor's time searches take. Prints the
// tables of docs/results/search.md.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <exception>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hunt/hunt.h"
#include "hunt/parts.h"
#include "run/runner.h"
#include "search/genotype.h"
#include "search/measurement.h"
#include "search/registry.h"
#include "systems/simulated/simulated.h"

namespace dissensus::studies {
namespace {

constexpr std::size_t kRuns = 300;
constexpr std::size_t kCopies = 200;

/// What a run consists of, event by event.
class EventList final : public EventSink {
 public:
  void on_event(const Event& event) override {
    const auto time = static_cast<std::uint64_t>((event.time - Time{}).count());
    list_.push_back(mix64(time, mix64(event.word(), event.number)));
  }
  std::vector<std::uint64_t> take() { return std::exchange(list_, {}); }

 private:
  std::vector<std::uint64_t> list_;
};

double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

std::size_t shared_prefix(const std::vector<std::uint64_t>& run,
                          const std::vector<std::vector<std::uint64_t>>& earlier) {
  std::size_t longest = 0;
  for (const std::vector<std::uint64_t>& other : earlier) {
    const auto end = std::mismatch(run.begin(), run.end(), other.begin(), other.end()).first;
    longest = std::max(longest, static_cast<std::size_t>(end - run.begin()));
  }
  return longest;
}

struct Row {
  double shared = 0;        ///< of all events, those that an earlier run had been through
  double late = 0;          ///< of the passing runs' time, what comes after the last violation
  std::size_t failing = 0;  ///< runs
};

/// A hunt with `coverage`, whose candidates resemble earlier ones most; one seed for all runs, or
/// one for each as hunts have it.
Row follow(const run::Scenario& scenario, bool has_one_seed) {
  hunt::HuntOptions options;
  options.search = "coverage";
  const Registry registry = search::built_in_registry();
  const hunt::HuntParts parts = hunt::make_parts(scenario, registry, options);
  search::Measurement measurement(scenario);
  run::Runner runner;
  std::set<std::uint64_t> known;
  std::vector<std::vector<std::uint64_t>> runs;
  Row row;
  std::size_t events = 0;
  std::size_t shared = 0;
  Duration last_violation{};
  Duration longest{};
  for (std::size_t number = 0; number < kRuns; ++number) {
    const Candidate candidate = *parts.search->ask();
    const faults::Schedule schedule = search::to_schedule(candidate.genotype, scenario);
    EventList list;
    measurement.reset();
    run::RunOptions run_options;
    run_options.sinks = {&measurement, &list};
    const std::uint64_t seed = hunt::run_seed(1, has_one_seed ? 0 : number);
    const run::RunResult result = runner.run(scenario, schedule, seed, run_options);
    Evaluation evaluation;
    for (const std::uint64_t state : measurement.summarize(result).states) {
      evaluation.new_states += known.insert(state).second ? 1 : 0;
    }
    evaluation.failed = result.verdict.outcome == oracle::Outcome::fail;
    parts.search->tell(candidate, evaluation);
    std::vector<std::uint64_t> own = list.take();
    events += own.size();
    shared += shared_prefix(own, runs);
    runs.push_back(std::move(own));
    Duration& latest = evaluation.failed ? last_violation : longest;
    latest = std::max(latest, result.end - Time{});
    row.failing += evaluation.failed ? 1 : 0;
  }
  row.shared = static_cast<double>(shared) / static_cast<double>(events);
  const double all = static_cast<double>(longest.count());
  row.late = all > 0 ? std::max(0.0, 1 - static_cast<double>(last_violation.count()) / all) : 0;
  return row;
}

double run_microseconds(const run::Scenario& scenario) {
  run::Runner runner;
  Random random(1, "reuse");
  const SearchSpace space = search::make_space(scenario);
  std::vector<faults::Schedule> schedules;
  for (std::size_t i = 0; i < kRuns; ++i) {
    schedules.push_back(search::to_schedule(search::random_genotype(space, random), scenario));
  }
  const double start = cpu_seconds();
  for (std::size_t i = 0; i < kRuns; ++i) runner.run(scenario, schedules[i], i + 1);
  return (cpu_seconds() - start) * 1e6 / kRuns;
}

double children_cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// A process copies all nodes, queues and clocks as they are, whatever the system is made of: the
/// cheapest snapshot that needs nothing of a system's author. Processor time of both processes.
double copy_microseconds(const run::Scenario& scenario) {
  run::Runner runner;
  runner.run(scenario, {}, 1);  // as much memory as a hunt has
  const double start = cpu_seconds() + children_cpu_seconds();
  for (std::size_t i = 0; i < kCopies; ++i) {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    if (child < 0 || waitpid(child, nullptr, 0) != child) throw std::runtime_error("fork");
  }
  return (cpu_seconds() + children_cpu_seconds() - start) * 1e6 / kCopies;
}

/// Of the processor's time of a hunt: asking and telling, and measuring runs.
struct Costs {
  double search = 0;
  double measurement = 0;
};
Costs costs_of(const run::Scenario& scenario, const std::string& name) {
  hunt::HuntOptions options;
  options.search = name;
  const Registry registry = search::built_in_registry();
  const hunt::HuntParts parts = hunt::make_parts(scenario, registry, options);
  search::Measurement measurement(scenario, parts.wanted);
  run::Runner runner;
  std::set<std::uint64_t> known;
  double searching = 0;
  double measured = 0;
  double plain = 0;
  for (std::size_t number = 0; number < kRuns; ++number) {
    double start = cpu_seconds();
    const Candidate candidate = *parts.search->ask();
    searching += cpu_seconds() - start;
    faults::Schedule schedule;
    if (candidate.scheduler) {
      schedule.faults = candidate.genotype.faults;
    } else {
      schedule = search::to_schedule(candidate.genotype, scenario);
    }
    const std::uint64_t seed = hunt::run_seed(1, number);
    run::RunOptions run_options;
    run_options.scheduler = candidate.scheduler.get();
    start = cpu_seconds();
    runner.run(scenario, schedule, seed, run_options);
    plain += cpu_seconds() - start;
    run_options.sinks = {&measurement};
    start = cpu_seconds();
    measurement.reset();
    const run::RunResult result = runner.run(scenario, schedule, seed, run_options);
    const RunSummary& summary = measurement.summarize(result);
    Evaluation evaluation;
    for (const auto& objective : parts.objectives) {
      evaluation.objectives.push_back(objective->score(summary, schedule));
    }
    for (const std::uint64_t state : summary.states) {
      evaluation.new_states += known.insert(state).second ? 1 : 0;
    }
    measured += cpu_seconds() - start;
    evaluation.virtual_seconds = std::chrono::duration<double>(summary.duration).count();
    start = cpu_seconds();
    parts.search->tell(candidate, evaluation);
    searching += cpu_seconds() - start;
  }
  return {searching / (searching + measured), (measured - plain) / (searching + measured)};
}

void report_costs(const run::Scenario& scenario) {
  for (const char* name : {"random", "structured", "coverage", "nsga2", "portfolio", "adaptive"}) {
    const Costs costs = costs_of(scenario, name);
    fmt::print("| {} | {} | {:.1f} % | {:.1f} % |\n", scenario.name, name, 100 * costs.search,
               100 * costs.measurement);
  }
}

int report(int count, char** paths) {
  fmt::print(
      "| scenario | a run (us) | a copy (us) | events shared with an earlier run: a seed for each "
      "run | one seed for all | violations of {} runs | time after the last one |\n"
      "|---|---|---|---|---|---|---|\n",
      kRuns);
  for (int i = 1; i < count; ++i) {
    const run::Scenario scenario = run::load_scenario(paths[i], simulated_systems());
    const Row as_it_is = follow(scenario, false);
    const Row one_seed = follow(scenario, true);
    const std::string late =
        as_it_is.failing > 0 ? fmt::format("{:.0f} %", 100 * as_it_is.late) : "-";
    fmt::print("| {} | {:.0f} | {:.0f} | {:.1f} % | {:.1f} % | {} | {} |\n", scenario.name,
               run_microseconds(scenario), copy_microseconds(scenario), 100 * as_it_is.shared,
               100 * one_seed.shared, as_it_is.failing, late);
  }
  fmt::print("\n| scenario | search | asking and telling | measuring |\n|---|---|---|---|\n");
  for (int i = 1; i < count; ++i) {
    report_costs(run::load_scenario(paths[i], simulated_systems()));
  }
  return 0;
}

}  // namespace
}  // namespace dissensus::studies

int main(int count, char** arguments) {
  try {
    return dissensus::studies::report(count, arguments);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
