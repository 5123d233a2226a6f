// Programs as nodes: how many runs a second, are they the same twice, how soon are mistakes found.
//   bench_process seeds SCENARIO RUNS [FIRST]     random schedules: verdicts, and what a run costs
//   bench_process history SCENARIO SEED           what clients saw in one of these
//   bench_process twice SCENARIO RUNS             each run by two sets of programs: equal hashes?
//   bench_process first SCENARIO HUNTS RUNS [SEARCH [FITNESS]]   runs until the first violation
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "dissensus/random.h"

#include "hunt/hunt.h"
#include "hunt/parts.h"
#include "run/recording.h"
#include "run/runner.h"
#include "run/schedule_space.h"
#include "search/registry.h"
#include "systems/process/system.h"
#include "systems/simulated/simulated.h"

namespace {

using namespace dissensus;

SystemRegistry systems() {
  SystemRegistry registry = simulated_systems();
  registry.add(process::process_entry());
  return registry;
}

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

run::RunResult run_one(run::Runner& runner, const run::Scenario& scenario, std::uint64_t seed) {
  Random random(seed, "bench schedule");
  return runner.run(scenario, run::random_schedule(scenario, random), seed);
}

int seeds(const run::Scenario& scenario, std::uint64_t runs, std::uint64_t first) {
  run::Runner runner;
  std::map<std::string, std::uint64_t> verdicts;
  std::map<std::string, std::pair<std::uint64_t, std::string>> signatures;
  std::uint64_t events = 0;
  std::uint64_t messages = 0;
  const double begin = seconds();
  for (std::uint64_t seed = first; seed < first + runs; ++seed) {
    const run::RunResult result = run_one(runner, scenario, seed);
    ++verdicts[std::string(oracle::to_string(result.verdict.outcome))];
    events += result.events;
    for (const std::uint64_t sent : result.sent) messages += sent;
    for (const oracle::PropertyVerdict& property : result.verdict.properties) {
      if (property.outcome != oracle::Outcome::unknown || property.reason.empty()) continue;
      auto& [count, example] = signatures[property.property + ", unknown"];
      if (count++ == 0) example = fmt::format("seed {}: {}", seed, property.reason);
    }
    for (const oracle::Violation& violation : result.verdict.violations) {
      auto& [count, example] = signatures[violation.signature()];
      if (count++ == 0) example = fmt::format("seed {}: {}", seed, violation.text);
    }
  }
  const double elapsed = seconds() - begin;
  const auto total = static_cast<double>(runs);
  fmt::print(
      "{}: {} runs, {:.1f} runs/s, {:.2f} ms per run, {:.0f} messages and {:.0f} events per run\n",
      scenario.name, runs, total / elapsed, elapsed / total * 1e3,
      static_cast<double>(messages) / total, static_cast<double>(events) / total);
  for (const auto& [verdict, count] : verdicts) fmt::print("  {} {}\n", verdict, count);
  for (const auto& [signature, seen] : signatures) {
    fmt::print("  {} ({} times), {}\n", signature, seen.first, seen.second);
  }
  return 0;
}

int print_history(const run::Scenario& scenario, std::uint64_t seed) {
  run::Runner runner;
  Random random(seed, "bench schedule");
  const run::RunResult result =
      runner.run(scenario, run::random_schedule(scenario, random), seed, run::with_everything());
  for (const Outside::Attachment& file : result.attachments) {
    if (file.name == "history.jsonl") fmt::print("{}", file.text);
  }
  return 0;
}

int twice(const run::Scenario& scenario, const run::Scenario& again, std::uint64_t runs) {
  run::Runner runner;
  std::uint64_t equal = 0;
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    equal += run_one(runner, scenario, seed).hash == run_one(runner, again, seed).hash ? 1 : 0;
  }
  fmt::print("{}: {} of {} runs have equal hashes\n", scenario.name, equal, runs);
  return equal == runs ? 0 : 1;
}

int first(const run::Scenario& scenario, std::uint64_t hunts, std::uint64_t runs,
          const std::string& search, const std::vector<std::string>& fitness) {
  const Registry registry = search::built_in_registry();
  std::vector<std::uint64_t> found;
  std::map<std::string, std::uint64_t> signatures;
  const double begin = seconds();
  for (std::uint64_t seed = 1; seed <= hunts; ++seed) {
    hunt::HuntOptions options;
    options.search = search;
    options.fitness = fitness;
    options.budget.runs = runs;
    options.seed = seed;
    hunt::HuntParts parts = hunt::make_parts(scenario, registry, options);
    const hunt::HuntResult result = hunt::hunt(scenario, parts, options);
    std::uint64_t needed = runs + 1;
    for (const hunt::Finding& finding : result.progress.findings) {
      if (finding.item + 1 < needed) needed = finding.item + 1;
      ++signatures[finding.signature];
    }
    found.push_back(needed);
    fmt::print("  hunt {}: {}\n", seed, needed > runs ? "nothing" : std::to_string(needed));
  }
  std::sort(found.begin(), found.end());
  fmt::print("{}, {}{}{}: found by {} of {} hunts, median {} runs, {:.0f} s\n", scenario.name,
             search, fitness.empty() ? "" : " for ", fmt::join(fitness, ", "),
             std::count_if(found.begin(), found.end(), [&](auto n) { return n <= runs; }), hunts,
             found[(found.size() - 1) / 2], seconds() - begin);
  for (const auto& [signature, count] : signatures) fmt::print("  {}: {}\n", signature, count);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // long measurements are watched
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() < 3) {
    fmt::print("bench_process seeds|history|twice|first SCENARIO NUMBER...\n");
    return 2;
  }
  const auto number = [&](std::size_t index, std::uint64_t fallback) {
    return arguments.size() > index ? std::strtoull(arguments[index].c_str(), nullptr, 10)
                                    : fallback;
  };
  try {
    const SystemRegistry registry = systems();
    const run::Scenario scenario = run::load_scenario(arguments[1], registry);
    if (arguments[0] == "seeds") return seeds(scenario, number(2, 100), number(3, 1));
    if (arguments[0] == "history") return print_history(scenario, number(2, 1));
    if (arguments[0] == "twice") {
      return twice(scenario, run::load_scenario(arguments[1], registry), number(2, 100));
    }
    return first(
        scenario, number(2, 20), number(3, 2000),
        arguments.size() > 4 ? arguments[4] : std::string(search::kDefaultSearch),
        {arguments.begin() + std::min<std::ptrdiff_t>(5, std::ssize(arguments)), arguments.end()});
  } catch (const std::exception& error) {
    fmt::print("{}\n", error.what());
    return 2;
  }
}
