// How often ByzzFuzz, its naive baseline and twins find what, and how soon.
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "byzantine_studies.h"
#include "core/file.h"
#include "core/parallel.h"
#include "run/runner.h"
#include "run/scenario.h"
#include "run/schedule_space.h"
#include "statistics/markdown.h"
#include "systems/simulated/simulated.h"

namespace dissensus::studies {
namespace {

constexpr std::array<std::string_view, 3> kOracles{"termination/incompatible-ledger",
                                                   "termination/insufficient-support", "agreement"};

struct Tally {
  std::size_t runs = 0;
  std::size_t correct = 0;
  std::array<std::size_t, kOracles.size()> fired{};
  std::array<std::size_t, kOracles.size()> first{};  ///< runs until it fired, 0: never
  std::size_t mixed = 0;
  std::size_t other = 0;  ///< failed, and none of the three fired
};

struct Labels {
  std::array<bool, kOracles.size()> fired{};
  bool failed = false;
};

Labels label(const oracle::Verdict& verdict) {
  Labels labels;
  labels.failed = verdict.outcome == oracle::Outcome::fail;
  for (const oracle::PropertyVerdict& property : verdict.properties) {
    for (std::size_t i = 0; i < kOracles.size(); ++i) {
      if (property.property == kOracles[i]) {
        labels.fired[i] = property.outcome == oracle::Outcome::fail;
      }
    }
  }
  return labels;
}

Tally measure(const run::Scenario& scenario, std::uint64_t seed, std::size_t runs,
              std::size_t jobs) {
  Tally tally;
  for_each_in_order(
      runs, jobs, [] { return std::make_unique<run::Runner>(); },
      [&](run::Runner& runner, std::size_t index) {
        Random random(seed, "schedule", index);
        const faults::Schedule schedule = run::random_schedule(scenario, random);
        return label(runner.run(scenario, schedule, derive_seed(seed, "run", index) >> 11).verdict);
      },
      [&](std::size_t index, const Labels& labels) {
        ++tally.runs;
        tally.correct += labels.failed ? 0 : 1;
        std::size_t count = 0;
        for (std::size_t i = 0; i < kOracles.size(); ++i) {
          if (!labels.fired[i]) continue;
          ++count;
          ++tally.fired[i];
          if (tally.first[i] == 0) tally.first[i] = index + 1;
        }
        tally.mixed += count > 1 ? 1 : 0;
        tally.other += labels.failed && count == 0 ? 1 : 0;
        return true;
      });
  return tally;
}

run::Scenario without_liars(const run::Scenario& scenario) {
  run::Scenario copy = scenario;
  copy.space.faults.liars = {};
  return copy;
}

}  // namespace

void write_section(const ByzantineStudyOptions& options, const std::string& name,
                   const std::string& markdown) {
  if (options.dry) {
    fmt::print("## {}\n\n{}\n", name, markdown);
    return;
  }
  constexpr std::size_t kPageBytesMax = 4 << 20;
  const std::string path = options.docs + "/results/byzantine.md";
  write_file(path, statistics::replace_section(read_file(path, kPageBytesMax), name,
                                               "\n" + markdown + "\n", path));
}

void study_rates(const ByzantineStudyOptions& options) {
  statistics::MarkdownTable table({"scenario", "runs", "correct", "incompatible", "insufficient",
                                   "agreement", "mixed", "other failures"});
  const auto add = [&](const std::string& name, const Tally& tally) {
    std::vector<std::string> row{name, fmt::to_string(tally.runs), fmt::to_string(tally.correct)};
    for (const std::size_t fired : tally.fired) row.push_back(fmt::to_string(fired));
    row.push_back(fmt::to_string(tally.mixed));
    row.push_back(fmt::to_string(tally.other));
    table.add(std::move(row));
  };
  const auto load = [&](const std::string& name) {
    return run::load_scenario(fmt::format("{}/{}.toml", options.scenarios, name),
                              simulated_systems());
  };
  for (const std::string name : {"byzzfuzz-c1d0", "byzzfuzz-c1d1", "byzzfuzz-c1d2", "byzzfuzz-c2d0",
                                 "naive-baseline", "twins-two-unl", "twins-full-trust"}) {
    add(name, measure(load(name), options.seed, options.runs, options.jobs));
  }
  add("byzzfuzz-c1d0 without a liar",
      measure(without_liars(load("byzzfuzz-c1d0")), options.seed, options.runs, options.jobs));
  add("byzzfuzz-correct",
      measure(load("byzzfuzz-correct"), options.seed, options.correct_runs, options.jobs));
  write_section(options, "rates", table.text());

  statistics::MarkdownTable seeds(
      {"seed", "runs to incompatible ledger", "runs to insufficient support"});
  const run::Scenario scenario = load("byzzfuzz-c1d0");
  for (std::uint64_t seed = 1; seed <= options.seeds; ++seed) {
    const Tally tally = measure(scenario, seed, options.runs, options.jobs);
    const auto text = [](std::size_t runs) {
      return runs == 0 ? std::string("never") : fmt::to_string(runs);
    };
    seeds.add({fmt::to_string(seed), text(tally.first[0]), text(tally.first[1])});
  }
  write_section(options, "seeds", seeds.text());
}

}  // namespace dissensus::studies
