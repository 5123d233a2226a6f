// What DiscoTest's search climbs: the mean delay of its population over the generations, and how
// often B2 shows by mean delay. Writes the figure and the table of docs/results/mechanism.md.
#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "core/file.h"
#include "core/parallel.h"
#include "core/toml_text.h"
#include "experiment/pages.h"
#include "hunt/parts.h"
#include "run/runner.h"
#include "search/genotype.h"
#include "search/measurement.h"
#include "search/registry.h"
#include "statistics/charts.h"
#include "statistics/markdown.h"
#include "systems/simulated/simulated.h"

namespace dissensus::studies {
namespace {

struct StudyOptions {
  std::string docs = "docs";
  std::string scenario = "scenarios/xrpl/thesis.toml";
  std::size_t hunts = 25;
  std::size_t generations = 40;
  std::size_t runs = 400;
  std::size_t jobs = 2;
};

constexpr std::size_t kPopulation = 4;
constexpr double kMillisecond = 1e-3;

bool shows_b2(const run::RunResult& result) {
  for (const oracle::Violation& violation : result.verdict.violations) {
    if (violation.property == "agreement" && violation.level == "ledger") return true;
  }
  return false;
}

double mean_of(const std::vector<double>& genes) {
  double sum = 0;
  for (const double gene : genes) sum += gene;
  return sum / static_cast<double>(genes.size());
}

// ---- over the generations

struct Way {
  std::string_view name;
  std::string_view parameters;
  std::string_view fitness;
};
constexpr std::array<Way, 4> kWays{
    {{"split, time fitness", "", "time"},
     {"by a coin, time fitness", "assignment = 'exchange'\n", "time"},
     {"near the parent, time fitness", "assignment = 'keep'\n", "time"},
     {"split, fitness without meaning", "", "none"}}};

/// By generation: mean delay in seconds, and runs that showed B2.
struct Path {
  std::vector<double> mean_s;
  std::vector<std::size_t> shown;
};

Path follow(run::Runner& runner, const run::Scenario& scenario, const Registry& registry,
            const Way& way, std::uint64_t seed, std::size_t generations) {
  hunt::HuntOptions options;
  options.search = "discotest";
  options.parameters = way.parameters;
  options.fitness = {std::string(way.fitness)};
  options.seed = seed;
  const hunt::HuntParts parts = hunt::make_parts(scenario, registry, options);
  search::Measurement measurement(scenario);
  Path path{std::vector<double>(generations), std::vector<std::size_t>(generations)};
  for (std::size_t number = 0; number < kPopulation * generations; ++number) {
    const Candidate candidate = *parts.search->ask();
    const faults::Schedule schedule = search::to_schedule(candidate.genotype, scenario);
    measurement.reset();
    run::RunOptions run_options;
    run_options.sinks = {&measurement};
    const run::RunResult result =
        runner.run(scenario, schedule, hunt::run_seed(seed, number), run_options);
    const RunSummary& summary = measurement.summarize(result);
    Evaluation evaluation;
    for (const auto& objective : parts.objectives) {
      evaluation.objectives.push_back(objective->score(summary, schedule));
    }
    parts.search->tell(candidate, evaluation);
    const std::size_t generation = number / kPopulation;
    path.mean_s[generation] += mean_of(candidate.genotype.genes) * kMillisecond / kPopulation;
    path.shown[generation] += shows_b2(result) ? 1 : 0;
  }
  return path;
}

struct Followed {
  std::vector<double> mean_s;  ///< by generation, over all hunts
  std::size_t shown_last = 0;  ///< in the last half of the generations
  std::size_t runs_last = 0;
};

Followed follow_all(const run::Scenario& scenario, const Registry& registry, const Way& way,
                    const StudyOptions& options) {
  Followed all;
  all.mean_s.assign(options.generations, 0);
  for_each_in_order(
      options.hunts, options.jobs, [] { return std::make_unique<run::Runner>(); },
      [&](run::Runner& runner, std::size_t index) {
        return follow(runner, scenario, registry, way, index + 1, options.generations);
      },
      [&](std::size_t, const Path& path) {
        for (std::size_t i = 0; i < path.mean_s.size(); ++i) {
          all.mean_s[i] += path.mean_s[i] / static_cast<double>(options.hunts);
          if (i < options.generations / 2) continue;
          all.shown_last += path.shown[i];
          all.runs_last += kPopulation;
        }
        return true;
      });
  return all;
}

// ---- by mean delay

struct Band {
  double from_ms;
  double to_ms;
  std::size_t shown = 0;
  double seconds = 0;
};

void measure(const run::Scenario& scenario, const StudyOptions& options, Band& band) {
  const std::size_t genes = search::make_space(scenario).size();
  for_each_in_order(
      options.runs, options.jobs, [] { return std::make_unique<run::Runner>(); },
      [&](run::Runner& runner, std::size_t index) {
        Random random(index, fmt::format("band {} {}", band.from_ms, band.to_ms));
        Genotype genotype;
        for (std::size_t i = 0; i < genes; ++i) {
          genotype.genes.push_back(
              std::floor(band.from_ms + random.unit() * (band.to_ms - band.from_ms)));
        }
        return runner.run(scenario, search::to_schedule(genotype, scenario), index + 1);
      },
      [&](std::size_t, const run::RunResult& result) {
        band.shown += shows_b2(result) ? 1 : 0;
        band.seconds += static_cast<double>((result.end - Time{}).count()) / 1e6;
        return true;
      });
  band.seconds /= static_cast<double>(options.runs);
}

std::string figure(const std::vector<Followed>& followed, const std::vector<Band>& bands,
                   const StudyOptions& options) {
  statistics::CurveChart chart;
  chart.title = "What the search climbs";
  chart.x_label = "generation; right: mean delay (s)";
  chart.y_label = "mean delay (s); right: % of runs";
  for (const Way& way : kWays) chart.series.emplace_back(way.name);
  statistics::CurvePanel panel{"population", {}};
  for (std::size_t i = 0; i < followed.size(); ++i) {
    statistics::Curve curve;
    for (std::size_t g = 0; g < followed[i].mean_s.size(); ++g) {
      curve.line.push_back({static_cast<double>(g), followed[i].mean_s[g]});
    }
    curve.hover = chart.series[i];
    panel.curves.push_back(std::move(curve));
  }
  chart.panels.push_back(std::move(panel));
  chart.own_scales = true;
  statistics::CurvePanel right{"B2 shows", {}};
  statistics::Curve curve;
  for (const Band& band : bands) {
    const double mean = 0.5 * (band.from_ms + band.to_ms) * kMillisecond;
    const double share = 100 * static_cast<double>(band.shown) / static_cast<double>(options.runs);
    curve.line.push_back({mean, share});
    curve.marks.push_back({mean, share});
  }
  curve.hover = "every gene for itself";
  right.curves.push_back(std::move(curve));
  chart.panels.push_back(std::move(right));
  chart.caption = fmt::format("{} hunts a curve, {} runs a mark. build/release/study_mechanism",
                              options.hunts, options.runs);
  return statistics::curve_chart(chart);
}

std::string table(const std::vector<Followed>& followed, const std::vector<Band>& bands,
                  const StudyOptions& options) {
  statistics::MarkdownTable ways({"assignment, fitness", "mean delay, first generation (s)",
                                  "last generation (s)", "B2 shows, second half"});
  for (std::size_t i = 0; i < followed.size(); ++i) {
    const Followed& way = followed[i];
    ways.add({std::string(kWays[i].name), fmt::format("{:.2f}", way.mean_s.front()),
              fmt::format("{:.2f}", way.mean_s.back()),
              fmt::format("{} of {} = {:.1f} %", way.shown_last, way.runs_last,
                          100.0 * static_cast<double>(way.shown_last) /
                              static_cast<double>(way.runs_last))});
  }
  statistics::MarkdownTable rates(
      {"delays of each gene (s)", "mean (s)", "B2 shows", "duration of a run (s)"});
  for (const Band& band : bands) {
    rates.add(
        {fmt::format("{:.1f} to {:.1f}", band.from_ms * kMillisecond, band.to_ms * kMillisecond),
         fmt::format("{:.2f}", 0.5 * (band.from_ms + band.to_ms) * kMillisecond),
         fmt::format("{} of {} = {:.2f} %", band.shown, options.runs,
                     100.0 * static_cast<double>(band.shown) / static_cast<double>(options.runs)),
         fmt::format("{:.1f}", band.seconds)});
  }
  return ways.text() + "\n" + rates.text();
}

void study(const StudyOptions& options) {
  Registry registry = search::built_in_registry();
  registry.systems = simulated_systems();
  constexpr std::size_t kBytesMax = 4 << 20;
  TomlText text(read_file(options.scenario, kBytesMax), options.scenario);
  text.set("system.bugs", R"(["B2-40", "B3-fixed"])");
  const run::Scenario scenario =
      run::parse_scenario(text.text(), options.scenario, registry.systems);
  std::vector<Followed> followed;
  for (const Way& way : kWays) followed.push_back(follow_all(scenario, registry, way, options));
  std::vector<Band> bands;
  for (const double to : {1000.0, 2000.0, 3000.0}) bands.push_back({0, to});
  for (double from = 0; from < 4000; from += 500) bands.push_back({from, 4000});
  for (Band& band : bands) measure(scenario, options, band);
  write_file(options.docs + "/images/mechanism.svg", figure(followed, bands, options));
  const std::string path = options.docs + "/results/mechanism.md";
  write_file(path,
             statistics::replace_section(read_file(path, kBytesMax), "climb",
                                         "\n" + table(followed, bands, options) + "\n", path));
  experiment::PageRenewal(registry, options.jobs).stamp(path, "experiments/ablation.toml");
}

}  // namespace
}  // namespace dissensus::studies

int main(int argument_count, char** arguments) {
  using namespace dissensus;
  studies::StudyOptions options;
  CLI::App app("What DiscoTest's search climbs; results go to docs/results/mechanism.md");
  app.add_option("--docs", options.docs, "folder that gets the results")->capture_default_str();
  app.add_option("--hunts", options.hunts, "per curve")->capture_default_str();
  app.add_option("--generations", options.generations)->capture_default_str();
  app.add_option("--runs", options.runs, "per mean delay")->capture_default_str();
  app.add_option("--jobs", options.jobs)->capture_default_str();
  CLI11_PARSE(app, argument_count, arguments);
  try {
    studies::study(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "study_mechanism: {}\n", error.what());
    return 2;
  }
  return 0;
}
