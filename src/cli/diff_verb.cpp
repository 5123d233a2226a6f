#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/interrupt.h"
#include "cli/plugins.h"
#include "cli/store_row.h"
#include "cli/verb.h"
#include "diff/difference.h"
#include "diff/neighbour.h"
#include "run/recording.h"
#include "run/remake.h"
#include "run/run_folder.h"
#include "trace/trace_file.h"

namespace dissensus::cli {

namespace {

struct DiffOptions {
  std::string first;
  std::string second;
  PluginOptions plugins;
  OutputOptions output;
};

struct DiffSide {
  std::string path;
  run::Recipe recipe;
  oracle::Verdict verdict;
  trace::Trace trace;
  bool fails() const { return !verdict.violations.empty(); }
};

DiffSide read_side(const std::string& asked, const SystemRegistry& systems) {
  const std::string path = folder_of_run(asked, systems);
  DiffSide side;
  side.path = path;
  side.recipe = run::read_recipe(path, systems);
  if (!side.recipe.scenario.system->traits().repeatable) {
    side.verdict = run::read_verdict(path);
    side.trace = trace::read_trace(path + "/trace.jsonl.gz");
    return side;
  }
  run::RunOptions options = run::with_everything();
  options.branch = side.recipe.branch;
  run::RunResult result = run::make_same(side.recipe, options, run::recorded_at(path));
  side.verdict = result.verdict;
  side.trace = run::to_trace(side.recipe, options.detail, std::move(result));
  return side;
}

void check_sides(const DiffSide& failing, const DiffSide& passing) {
  if (!failing.fails()) {
    throw InputError(passing.path.empty()
                         ? failing.path + ": this run does not fail; expected a failing run"
                         : fmt::format("{} and {}: neither run fails; expected a failing one",
                                       failing.path, passing.path));
  }
  const trace::Header& a = failing.trace.header;
  const trace::Header& b = passing.trace.header;
  if (a.system != b.system || a.nodes != b.nodes || a.kinds != b.kinds) {
    throw InputError(fmt::format("{}: {} with {} nodes; expected {} with {} nodes, as in {}",
                                 passing.path, b.system, b.nodes, a.system, a.nodes, failing.path));
  }
}

ExitCode diff_runs(const DiffOptions& options) {
  const Registry registry = options.plugins.load();
  catch_interrupts();
  DiffSide failing = read_side(options.first, registry.systems);
  DiffSide passing;
  std::string other;
  if (!options.second.empty()) {
    passing = read_side(options.second, registry.systems);
    if (!failing.fails()) std::swap(failing, passing);
    other = passing.path;
  } else {
    if (!failing.fails()) check_sides(failing, passing);
    diff::NeighbourOptions search;
    search.keep_going = [] { return !is_interrupted(); };
    auto neighbour = diff::nearest_passing(failing.recipe, failing.trace, search);
    if (!neighbour) {
      throw InputError(
          fmt::format("{}: no run near it passes (parts of the schedule left out, other seeds "
                      "tried); name one: "
                      "dissensus diff {} RUN",
                      failing.path, shell_word(failing.path)));
    }
    passing.recipe = std::move(neighbour->recipe);
    passing.trace = std::move(neighbour->trace);
    other = neighbour->words;
  }
  check_sides(failing, passing);
  const oracle::Violation& violation = failing.verdict.violations.front();
  const diff::Difference difference = diff::compare(failing.trace, violation, passing.trace);
  if (options.output.quiet) return kAllHeld;
  if (options.output.json) {
    auto json = nlohmann::ordered_json::parse(diff::to_json(difference, violation));
    json["failing"] = failing.path;
    json["passing"] = other;
    fmt::print("{}\n", json.dump(2));
    return kAllHeld;
  }
  fmt::print("failing  {}, trace {}\npassing  {}, trace {}\n", failing.path,
             failing.trace.footer.hash, other, passing.trace.footer.hash);
  for (const std::string& line : diff::in_words(difference, violation)) fmt::print("{}\n", line);
  return kAllHeld;
}

}  // namespace

Verb add_diff_verb(CLI::App& program) {
  CLI::App* app = program.add_subcommand(
      "diff", "Explain a failing run: how it differs from the nearest that passes");
  const auto options = std::make_shared<DiffOptions>();
  app->add_option("run", options->first,
                  "Folder, trace file or row of a store (hunt.sqlite#17) of a failing run")
      ->required();
  app->add_option(
      "other", options->second,
      "The same of a passing run; default: the nearest that can be found, with a part of the "
      "schedule left out or with another seed");
  options->plugins.add_to(*app);
  options->output.add_to(*app);
  app->footer("Examples:\n  dissensus diff runs/latest/minimal\n  dissensus diff runs/a runs/b");
  return {app, [options] { return diff_runs(*options); }};
}

}  // namespace dissensus::cli
