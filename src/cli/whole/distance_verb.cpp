// How far runs lie apart, and the schedules that made them: the distances of the DiscoTest thesis.
#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/plugins.h"
#include "cli/store_row.h"
#include "cli/verb.h"
#include "core/file.h"
#include "experiment/representation_phenotypes.h"
#include "faults/schedule_distance.h"
#include "run/recording.h"
#include "run/remake.h"
#include "run/run_folder.h"
#include "statistics/markdown.h"
#include "trace/graph_distance.h"
#include "trace/trace_file.h"

namespace dissensus::cli {

namespace {

using Json = nlohmann::ordered_json;
using experiment::PairDistance;
using experiment::Phenotype;

struct DistanceOptions {
  std::vector<std::string> runs;
  std::string csv;
  PluginOptions plugins;
  OutputOptions output;
};

struct DistanceSide {
  std::string path;
  run::Recipe recipe;
  Phenotype phenotype;
};

DistanceSide read_distance_side(const std::string& asked, const SystemRegistry& systems) {
  const std::string path = folder_of_run(asked, systems);
  run::Recipe recipe = run::read_recipe(path, systems);
  trace::Trace trace;
  if (recipe.scenario.system->traits().repeatable) {
    run::RunOptions options = run::with_everything();
    options.branch = recipe.branch;
    run::RunResult result = run::make_same(recipe, options, run::recorded_at(path));
    trace = run::to_trace(recipe, options.detail, std::move(result));
  } else {
    trace = trace::read_trace(path + "/trace.jsonl.gz");
  }
  Phenotype phenotype = experiment::phenotype_of(trace, recipe.scenario.system_description(), 0);
  return {asked, std::move(recipe), std::move(phenotype)};
}

/// Delays: Euclidean, in milliseconds; priorities: Kendall tau. None for schedules of other kinds.
std::optional<double> schedule_distance(const faults::Schedule& first,
                                        const faults::Schedule& second) {
  if (first.scheduler.index() != second.scheduler.index()) return std::nullopt;
  const auto* const delays = std::get_if<faults::DelaySchedule>(&first.scheduler);
  if (delays != nullptr) {
    const auto& other = std::get<faults::DelaySchedule>(second.scheduler).delay_ms;
    if (delays->delay_ms.size() != other.size()) return std::nullopt;
    return faults::euclidean_distance(delays->delay_ms, other);
  }
  const auto* const priorities = std::get_if<faults::PrioritySchedule>(&first.scheduler);
  if (priorities == nullptr) return std::nullopt;
  const auto& other = std::get<faults::PrioritySchedule>(second.scheduler).priority;
  if (priorities->priority.size() != other.size()) return std::nullopt;
  return static_cast<double>(faults::kendall_tau_distance(priorities->priority, other));
}

struct Measure {
  const char* name;
  const char* meaning;
  std::function<std::optional<double>(const DistanceSide&, const DistanceSide&)> of;
};

std::vector<Measure> measures() {
  const auto normalised = [](double PairDistance::*part) {
    return [part](const DistanceSide& a, const DistanceSide& b) -> std::optional<double> {
      return experiment::distance_between(a.phenotype, b.phenotype).*part;
    };
  };
  return {
      {"exact", "graph edit distance, share of the maximum; of at most 8 deliveries",
       [](const DistanceSide& a, const DistanceSide& b) -> std::optional<double> {
         const auto& one = a.phenotype.events;
         const auto& other = b.phenotype.events;
         if (std::max(one.vertices(), other.vertices()) > trace::kExactVerticesMax) {
           return std::nullopt;
         }
         const auto most = static_cast<double>(trace::edit_distance_max(one, other));
         return most == 0 ? 0 : trace::exact_edit_distance(one, other) / most;
       }},
      {"hausdorff", "its lower bound", normalised(&PairDistance::hausdorff)},
      {"edit-path", "its upper bound", normalised(&PairDistance::edit_path)},
      {"hausdorff-contents", "lower bound, contents in the labels",
       normalised(&PairDistance::hausdorff_content)},
      {"as-programmed", "graph and distance of DiscoTest's program",
       normalised(&PairDistance::program)},
      {"schedule", "delays: Euclidean, in ms; priorities: Kendall tau",
       [](const DistanceSide& a, const DistanceSide& b) {
         return schedule_distance(a.recipe.schedule, b.recipe.schedule);
       }},
  };
}

std::string cell_text(const std::optional<double>& value) {
  return value ? fmt::format("{:.6g}", *value) : "-";
}

void check_systems(const std::vector<DistanceSide>& sides) {
  for (const DistanceSide& side : sides) {
    const run::Scenario& first = sides.front().recipe.scenario;
    const run::Scenario& other = side.recipe.scenario;
    const std::string& system = first.system_description().name;
    const std::string& name = other.system_description().name;
    if (system == name && first.nodes() == other.nodes()) continue;
    throw InputError(fmt::format("{}: {} with {} nodes; expected {} with {} nodes, as in {}",
                                 side.path, name, other.nodes(), system, first.nodes(),
                                 sides.front().path));
  }
}

ExitCode tell_distances(const DistanceOptions& options) {
  if (options.runs.size() < 2) throw InputError("distance: expected two runs or more");
  const Registry registry = options.plugins.load();
  std::vector<DistanceSide> sides;
  for (const std::string& run : options.runs) {
    sides.push_back(read_distance_side(run, registry.systems));
  }
  check_systems(sides);
  std::string csv = "first,second,measure,distance\n";
  Json pairs = Json::array();
  statistics::MarkdownTable table({"first", "second", "measure", "distance", ""});
  for (std::size_t i = 0; i < sides.size(); ++i) {
    for (std::size_t j = i + 1; j < sides.size(); ++j) {
      const DistanceSide& a = sides[i];
      const DistanceSide& b = sides[j];
      Json pair{{"first", a.path}, {"second", b.path}};
      for (const Measure& measure : measures()) {
        const std::optional<double> value = measure.of(a, b);
        pair[measure.name] = value ? Json(*value) : Json(nullptr);
        table.add({a.path, b.path, measure.name, cell_text(value), measure.meaning});
        if (value) csv += fmt::format("{},{},{},{}\n", a.path, b.path, measure.name, *value);
      }
      pair["same_trace"] = a.phenotype.identity == b.phenotype.identity;
      table.add({a.path, b.path, "same-trace", pair["same_trace"].get<bool>() ? "yes" : "no",
                 "equal up to the order of independent deliveries"});
      pairs.push_back(std::move(pair));
    }
  }
  if (!options.csv.empty()) write_file(options.csv, csv);
  if (options.output.quiet) return kAllHeld;
  if (options.output.json) {
    fmt::print("{}\n", pairs.dump(2));
  } else {
    fmt::print("{}", table.text());
  }
  return kAllHeld;
}

}  // namespace

Verb add_distance_verb(CLI::App& program) {
  CLI::App* app = program.add_subcommand(
      "distance", "How far runs, and the schedules that made them, lie apart");
  const auto options = std::make_shared<DistanceOptions>();
  app->add_option("run", options->runs,
                  "Folders, trace files or rows of a store (hunt.sqlite#17) of two or more runs")
      ->required();
  app->add_option("--csv", options->csv, "Write all distances to this file, a line for each");
  options->plugins.add_to(*app);
  options->output.add_to(*app);
  app->footer(
      "Examples:\n  dissensus distance runs/a runs/b\n"
      "  dissensus distance hunt.sqlite#1 hunt.sqlite#2 hunt.sqlite#3 --csv distances.csv");
  return {app, [options] { return tell_distances(*options); }};
}

}  // namespace dissensus::cli
