// Implementation and formal model against each other (docs/conformance.md).
#include <chrono>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/plugins.h"
#include "cli/scenario_changes.h"
#include "cli/whole/conform_parts.h"
#include "conform/catalogue.h"
#include "conform/finding_file.h"
#include "conform/mutation.h"
#include "core/file.h"

namespace dissensus::cli {
namespace {

using Json = nlohmann::ordered_json;

struct ConformOptions {
  std::string file;
  std::string workflow = "both";
  std::string inputs = "all/1";
  std::string walks = "10/1000";
  std::size_t rounds = 20;
  std::uint64_t seed = 1;
  conform::WorkflowLimits limits;
  ScenarioChanges changes;
  std::vector<std::string> constants;
  std::string out;
  bool no_shrink = false;
  std::size_t mutation_rounds = conform::MutationBudget{}.rounds;
  PluginOptions plugins;
  OutputOptions output;
};

void add_step_limit(CLI::App& app, ConformOptions& options) {
  app.add_option("--limit-steps", options.limits.trace_events,
                 "Judge so many steps of one run; longer ones are reported as judged in part")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1'000'000'000}))
      ->capture_default_str();
  app.add_option("--frontier", options.limits.judge.frontier_most,
                 "Most model states that may fit what was seen; beyond, the verdict is unknown")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1'000'000}))
      ->capture_default_str();
}

void print_counters(const conform::WorkflowCounters& counters) {
  fmt::print("{} traces, {} steps judged in {:.2f} s (and {:.2f} s to make them)\n",
             counters.traces, counters.steps, counters.verify_seconds, counters.generate_seconds);
  if (counters.same_sequence > 0) {
    fmt::print("{} traces were known: not judged again\n", counters.same_sequence);
  }
  if (counters.stopped_walks > 0) {
    fmt::print("{} of {} walks ended before their depth: the model had no step\n",
               counters.stopped_walks, counters.walks);
  }
}

/// "No violation" is a result only where nothing was left out. `reached`: what it speaks for.
void print_gaps(const std::vector<std::string>& gaps, const std::string& reached = {}) {
  const std::string in_brackets = reached.empty() ? "" : fmt::format(" ({})", reached);
  if (gaps.empty()) {
    fmt::print("no violation: model and implementation agree{}\n", in_brackets);
    return;
  }
  fmt::print("unknown: no violation as far as model and implementation were compared{}\n",
             in_brackets);
  for (const std::string& gap : gaps) fmt::print("not covered: {}\n", gap);
}

std::string reached_text(const conform::GuardCoverage::Summary& reached) {
  if (reached.actions == 0) return {};  // the mapping does not say how steps are carried out
  return fmt::format("{} of {} actions taken, {} of {} guards decided{}, {} of {} pairs of actions",
                     reached.actions_taken, reached.actions, reached.guards_decided, reached.guards,
                     reached.implied.empty()
                         ? ""
                         : fmt::format(" and {} said to be implied", reached.implied.size()),
                     reached.pairs_taken, reached.pairs);
}

/// A guard that never decided could be missing, and nobody would have seen a difference.
void add_guard_gaps(const conform::GuardCoverage::Summary& reached,
                    std::vector<std::string>& gaps) {
  for (const std::string& guard : reached.never_decided) {
    gaps.push_back(fmt::format("this guard was never the one that decided: {}", guard));
  }
}

void print_coverage(const conform::BoundMapping::Coverage& coverage) {
  if (!coverage.events_never_seen.empty()) {
    fmt::print("events of the mapping that never happened: {}\n",
               fmt::join(coverage.events_never_seen, ", "));
  }
  if (!coverage.actions_never_seen.empty()) {
    fmt::print("actions of the model that were never taken: {}\n",
               fmt::join(coverage.actions_never_seen, ", "));
  }
}

void print_finding(const conform::Mapping& mapping, const conform::ConformanceFinding& finding) {
  fmt::print("{}", conform::to_text(finding.violation));
  std::string inputs;
  for (std::size_t index = 0; index < finding.values.size(); ++index) {
    inputs += fmt::format("{}{} {}", index > 0 ? ", " : "", mapping.inputs[index].name,
                          conform::input_text(mapping.inputs[index], finding.values[index], true));
  }
  fmt::print("found by Workflow {} with {} (seed {})\n", finding.workflow == 1 ? "I" : "II", inputs,
             finding.seed);
  if (finding.is_script) {
    fmt::print("the steps that show it ({}{}):\n", finding.labels.size(),
               finding.shrunk_from > finding.labels.size()
                   ? fmt::format(", shrunk from {}", finding.shrunk_from)
                   : "");
    const std::size_t shown = std::min<std::size_t>(finding.labels.size(), 30);
    for (std::size_t index = finding.labels.size() - shown; index < finding.labels.size();
         ++index) {
      fmt::print("  {:>4}  {}\n", index + 1, finding.labels[index]);
    }
  }
}

ExitCode run_check(const ConformOptions& options) {
  const conform::Mapping mapping = conform::load_mapping(options.file);
  conform::Variant variant = variant_of(options.changes, options.constants);
  const Registry registry = options.plugins.load();
  const auto [inputs, values] =
      split_numbers(options.inputs, "--inputs", std::max<std::size_t>(mapping.inputs.size(), 1));
  const auto [walks, depth] = split_numbers(options.walks, "--walks", 0);
  const conform::WorkflowLimits& limits = options.limits;
  conform::GuardCoverage guards;
  conform::Conformance conformance(mapping, variant, options.seed, registry.systems);
  conformance.watch_guards(guards);
  std::optional<conform::ConformanceFinding> finding;
  if (options.workflow == "both") {
    finding = conformance.conform(options.rounds, depth, limits);
  } else if (options.workflow == "one") {
    finding = conformance.workflow_one({inputs, values, true, options.rounds}, limits);
  } else {
    finding = conformance.workflow_two({walks, depth}, limits);
  }
  if (finding && !options.no_shrink) conformance.shrink(*finding);

  const conform::WorkflowCounters& counters = conformance.counters();
  const conform::BoundMapping::Coverage coverage = conformance.coverage();
  const conform::GuardCoverage::Summary reached = guards.summary();
  std::vector<std::string> gaps = conform::gaps(counters, limits);
  add_guard_gaps(reached, gaps);
  std::string text;
  if (finding) text = conform::to_json({options.file, variant, *finding});
  if (finding && !options.out.empty()) write_file(options.out, text);
  if (options.output.json) {
    Json json{{"result", finding        ? "violation"
                         : gaps.empty() ? "conforms"
                                        : "unknown"},
              {"not_covered", gaps},
              {"traces", counters.traces},
              {"steps", counters.steps},
              {"cut_traces", counters.cut_traces},
              {"limit_steps", limits.trace_events},
              {"same_sequence", counters.same_sequence},
              {"unknown_traces", counters.unknown_traces},
              {"left_out", counters.left_out},
              {"walks", counters.walks},
              {"cached_steps", counters.cached_steps},
              {"new_views", counters.new_views},
              {"stopped_walks", counters.stopped_walks},
              {"generate_seconds", counters.generate_seconds},
              {"verify_seconds", counters.verify_seconds},
              {"events_never_seen", coverage.events_never_seen},
              {"actions_never_seen", coverage.actions_never_seen},
              {"guards", reached.guards},
              {"guards_decided", reached.guards_decided},
              {"guards_never_decided", reached.never_decided},
              {"guards_implied", reached.implied},
              {"pairs", reached.pairs},
              {"pairs_taken", reached.pairs_taken}};
    if (finding) json["finding"] = Json::parse(text);
    fmt::print("{}\n", json.dump());
  } else if (!options.output.quiet) {
    if (finding) {
      print_finding(mapping, *finding);
    } else {
      print_gaps(gaps, reached_text(reached));
      print_coverage(coverage);
    }
    print_counters(counters);
    if (finding && !options.out.empty()) {
      fmt::print("again: {} conform replay {}{}{}\n", shell_word(program_invocation_name),
                 shell_word(options.out), options.plugins.words(),
                 finding->is_script || limits.trace_events == conform::WorkflowLimits{}.trace_events
                     ? ""
                     : fmt::format(" --limit-steps {}", limits.trace_events));
    }
  }
  if (finding) return kViolation;
  return gaps.empty() ? kAllHeld : kUnknown;
}

ExitCode run_replay(const ConformOptions& options) {
  const conform::FindingFile file = conform::read_finding(options.file);
  const conform::Mapping mapping = conform::load_mapping(file.mapping);
  const Registry registry = options.plugins.load();
  conform::Conformance conformance(mapping, file.variant, 1, registry.systems);
  const auto violation = conformance.repeat(file.finding, options.limits);
  const std::vector<std::string> gaps = conform::gaps(conformance.counters(), options.limits);
  if (options.output.json && !options.output.quiet) {
    Json json{{"result", violation      ? "violation"
                         : gaps.empty() ? "conforms"
                                        : "unknown"},
              {"not_covered", gaps}};
    if (violation) json["violation"] = conform::to_text(*violation);
    fmt::print("{}\n", json.dump());
  } else if (!options.output.quiet) {
    if (violation) {
      fmt::print("{}", conform::to_text(*violation));
    } else if (gaps.empty()) {
      fmt::print("no violation: it does not show any more\n");
    } else {
      print_gaps(gaps);
    }
  }
  if (violation) return kViolation;
  return gaps.empty() ? kAllHeld : kUnknown;
}

Json verdict_json(const conform::CatalogueVerdict& verdict) {
  Json json{{"found", nullptr},
            {"config", verdict.config},
            {"not_covered", verdict.gaps},
            {"seconds", verdict.seconds}};
  if (verdict.finding) {
    json["found"] = conform::to_string(verdict.finding->violation.type);
    json["step"] = verdict.finding->violation.step;
  }
  return json;
}

Json catalogue_json(const conform::Catalogue& catalogue,
                    const std::vector<conform::CatalogueRow>& rows, bool all_expected) {
  Json json{{"as_expected", all_expected}, {"entries", Json::array()}};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const conform::CatalogueEntry& entry = catalogue.entries[i];
    json["entries"].push_back({{"number", entry.number},
                               {"title", entry.title},
                               {"side", entry.side},
                               {"as_expected", rows[i].is_expected},
                               {"one", verdict_json(rows[i].one)},
                               {"two", verdict_json(rows[i].two)}});
  }
  return json;
}

ExitCode run_catalogue(const ConformOptions& options) {
  const conform::Catalogue catalogue = conform::load_catalogue(options.file);
  const conform::Mapping mapping = conform::load_mapping(catalogue.mapping);
  const Registry registry = options.plugins.load();
  std::vector<conform::CatalogueRow> rows;
  bool all_expected = true;
  for (const conform::CatalogueEntry& entry : catalogue.entries) {
    rows.push_back(
        conform::run_entry(mapping, entry, options.seed, registry.systems, options.limits));
    all_expected = all_expected && rows.back().is_expected;
  }
  if (options.output.json && !options.output.quiet) {
    fmt::print("{}\n", catalogue_json(catalogue, rows, all_expected).dump());
  } else if (!options.output.quiet) {
    fmt::print("{}", conform::to_table(catalogue, rows));
  }
  return all_expected ? kAllHeld : kViolation;
}

ExitCode run_mutate(const ConformOptions& options) {
  const conform::Mapping mapping = conform::load_mapping(options.file);
  conform::InputValues values;
  for (const conform::MappingInput& input : mapping.inputs)
    values.push_back(input.usual.value_or(input.from));
  conform::MutationBudget budget;
  budget.rounds = options.mutation_rounds;
  budget.limits = options.limits;
  const auto start = std::chrono::steady_clock::now();
  const bool is_told = !options.output.quiet && !options.output.json;
  Json json{{"mutants", Json::array()}};
  std::size_t detected = 0;
  const Registry registry = options.plugins.load();
  const conform::MutantOutcome unchanged =
      conform::try_mutant(mapping, {}, budget, options.seed, registry.systems);
  if (unchanged.is_detected) {
    throw InputError(fmt::format(
        "{}: without any mutation model and implementation differ already ({}); see conform check",
        options.file, unchanged.how));
  }
  const std::vector<conform::Mutant> mutants =
      conform::mutants_of(mapping, values, registry.systems);
  for (const conform::Mutant& mutant : mutants) {
    const conform::MutantOutcome outcome =
        conform::try_mutant(mapping, mutant, budget, options.seed, registry.systems);
    detected += outcome.is_detected ? 1 : 0;
    json["mutants"].push_back({{"side", mutant.side},
                               {"guard", mutant.guard},
                               {"negated", mutant.is_negated},
                               {"noticed", outcome.is_detected},
                               {"how", outcome.how},
                               {"seconds", outcome.seconds}});
    if (is_told) {
      fmt::print("{:<8} {} {} {}: {} ({:.0f} ms)\n", outcome.is_detected ? "noticed" : "SURVIVES",
                 mutant.side, mutant.is_negated ? "negated" : "without", mutant.guard, outcome.how,
                 1000 * outcome.seconds);
      std::fflush(stdout);
    }
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (is_told) {
    fmt::print("{} of {} mutants noticed in {:.1f} s\n", detected, mutants.size(), seconds);
  } else if (!options.output.quiet) {
    json["noticed"] = detected;
    json["seconds"] = seconds;
    fmt::print("{}\n", json.dump());
  }
  return detected == mutants.size() ? kAllHeld : kViolation;
}

}  // namespace

std::pair<std::size_t, std::size_t> split_numbers(const std::string& text, std::string_view option,
                                                  std::size_t all) {
  const auto bad = [&]() -> InputError {
    return InputError(fmt::format("{} {}: expected two numbers such as 3/2", option, text));
  };
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) throw bad();
  const auto number = [&](const std::string& part) -> std::size_t {
    if (part == "all" && all > 0) return all;
    if (part.empty() || part.size() > 9 ||
        part.find_first_not_of("0123456789") != std::string::npos) {
      throw bad();
    }
    return std::stoul(part);
  };
  const std::pair<std::size_t, std::size_t> numbers{number(text.substr(0, slash)),
                                                    number(text.substr(slash + 1))};
  if (numbers.first == 0 || numbers.second == 0) throw bad();
  return numbers;
}

conform::Variant variant_of(const ScenarioChanges& changes,
                            const std::vector<std::string>& constants) {
  conform::Variant variant;
  variant.settings = changes.assignments();
  for (const std::string& constant : constants) {
    variant.constants.push_back(split_assignment(constant, "--constant"));
  }
  return variant;
}

Verb add_conform_verb(CLI::App& program) {
  auto options = std::make_shared<ConformOptions>();
  CLI::App* app =
      program.add_subcommand("conform", "Check an implementation against a formal model");
  app->require_subcommand(0, 1);
  app->allow_extras();  // unknown words are explained by run_part
  app->footer("Example:\n  dissensus conform check specs/dag/mapping.toml");

  CLI::App* check =
      app->add_subcommand("check", "Check system and model of a mapping against each other");
  check->add_option("MAPPING", options->file, "Mapping file")->required();
  check
      ->add_option("--workflow", options->workflow,
                   "one: run and ask the model; two: walk the model; both")
      ->check(CLI::IsMember({"both", "one", "two"}))
      ->capture_default_str();
  check->add_option("--inputs", options->inputs, "Workflow I, K/M: M values for each of K inputs")
      ->capture_default_str();
  check->add_option("--walks", options->walks, "Workflow II, N/D: N walks of D steps")
      ->capture_default_str();
  check->add_option("--rounds", options->rounds, "Rounds of both workflows")->capture_default_str();
  check->add_option("--seed", options->seed, "Seed of everything drawn")->capture_default_str();
  add_step_limit(*check, *options);
  check->add_option("--seconds", options->limits.seconds, "Stop after this time; 0: no limit")
      ->capture_default_str();
  options->changes.add_to(*check);
  check->add_option("--constant", options->constants, "Constant of the model, NAME=VALUE");
  check->add_option("--out", options->out, "File for the finding");
  check->add_flag("--no-shrink", options->no_shrink, "Keep the finding as it was found");
  options->plugins.add_to(*check, false);
  options->output.add_to(*check);

  CLI::App* replay = app->add_subcommand("replay", "Repeat a finding");
  replay->add_option("FINDING", options->file, "File written by conform check --out")->required();
  add_step_limit(*replay, *options);
  options->plugins.add_to(*replay, false);
  options->output.add_to(*replay);

  CLI::App* catalogue = app->add_subcommand("catalogue", "Known faults and their verdicts");
  catalogue->add_option("CATALOGUE", options->file, "Catalogue file")->required();
  catalogue->add_option("--seed", options->seed, "Seed of everything drawn");
  add_step_limit(*catalogue, *options);
  options->plugins.add_to(*catalogue, false);
  options->output.add_to(*catalogue);

  CLI::App* mutate =
      app->add_subcommand("mutate", "Leave out or negate each guard and see what is noticed");
  mutate->add_option("MAPPING", options->file, "Mapping file")->required();
  mutate->add_option("--rounds", options->mutation_rounds, "Traces of each workflow per mutant")
      ->capture_default_str();
  mutate->add_option("--seed", options->seed, "Seed of everything drawn");
  add_step_limit(*mutate, *options);
  options->plugins.add_to(*mutate, false);
  options->output.add_to(*mutate);

  check->footer(
      "Examples:\n"
      "  dissensus conform check specs/dag/mapping.toml\n"
      "  dissensus conform check specs/dag/mapping.toml --out finding.json \\\n"
      "    --set 'system.bugs=[\"future-vertices\"]'");
  replay->footer("Example:\n  dissensus conform replay finding.json");
  catalogue->footer("Example:\n  dissensus conform catalogue specs/dag/violations.toml");
  mutate->footer("Example:\n  dissensus conform mutate specs/dag/mapping.toml");
  const std::vector<Verb> parts{{check, [options] { return run_check(*options); }},
                                {replay, [options] { return run_replay(*options); }},
                                {catalogue, [options] { return run_catalogue(*options); }},
                                {mutate, [options] { return run_mutate(*options); }},
                                add_conform_follow_verb(*app),
                                add_conform_night_verb(*app),
                                add_conform_compare_verb(*app),
                                add_conform_tlc_verb(*app)};
  return {app, [app, parts] { return run_part(*app, parts); }};
}

}  // namespace dissensus::cli
