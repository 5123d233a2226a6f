// Both workflows for as long as one likes, on several workers, in a store that a later night goes
// on with (docs/conformance.md).
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/interrupt.h"
#include "cli/plugins.h"
#include "cli/whole/conform_parts.h"
#include "conform/night.h"
#include "core/file.h"

namespace dissensus::cli {
namespace {

using Json = nlohmann::ordered_json;

struct NightVerb {
  std::string mapping;
  std::string store = "conformance.sqlite";
  std::string out;
  std::vector<std::string> constants;
  bool no_shrink = false;
  conform::NightOptions options;
  ScenarioChanges changes;
  PluginOptions plugins;
  OutputOptions output;
};

/// "Add refused: r <= round[p]" as the name of a file.
std::string file_name(const std::string& signature) {
  std::string name;
  for (const char letter : signature) {
    const bool is_plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                          (letter >= '0' && letter <= '9');
    if (is_plain) {
      name += letter;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  while (!name.empty() && name.back() == '-') name.pop_back();
  constexpr std::size_t kMost = 80;
  return name.substr(0, kMost) + ".json";
}

void write_findings(const std::string& folder, const std::vector<conform::NightFinding>& findings) {
  make_folders(folder);
  for (const conform::NightFinding& finding : findings) {
    write_file((std::filesystem::path(folder) / file_name(finding.signature)).string(),
               finding.file);
  }
}

void print_table(const std::vector<conform::NightFinding>& findings) {
  if (findings.empty()) return;
  fmt::print("| finding | type | value | trace | step | traces | T-Gen | T-Ver |\n");
  fmt::print("|---|---|---|---|---|---|---|---|\n");
  for (const conform::NightFinding& one : findings) {
    fmt::print("| {} | {} | {} | {} | {} | {} | {:.2f} s | {:.2f} s |\n", one.signature, one.types,
               one.value, one.first_trace, one.length, one.traces, one.generate_seconds,
               one.verify_seconds);
  }
}

Json json_of(const conform::NightRecord& record, const conform::NightResult& result,
             std::string_view verdict) {
  const conform::NightTotals& totals = record.totals();
  Json json{{"result", verdict},
            {"not_covered", result.gaps},
            {"no_new_trace", result.is_exhausted},
            {"traces", totals.traces},
            {"traces_before", record.first_trace()},
            {"new_traces", totals.new_traces},
            {"walks", totals.walks},
            {"run_steps", totals.run_steps},
            {"walk_steps", totals.walk_steps},
            {"generate_seconds", totals.generate_seconds},
            {"verify_seconds", totals.verify_seconds},
            {"findings", Json::array()}};
  for (const conform::NightFinding& one : record.findings()) {
    json["findings"].push_back({{"signature", one.signature},
                                {"types", one.types},
                                {"value", one.value},
                                {"first_trace", one.first_trace},
                                {"traces", one.traces},
                                {"step", one.length},
                                {"generate_seconds", one.generate_seconds},
                                {"verify_seconds", one.verify_seconds},
                                {"finding", Json::parse(one.file)}});
  }
  return json;
}

ExitCode run_night_verb(NightVerb& verb) {
  const conform::Mapping mapping = conform::load_mapping(verb.mapping);
  const conform::Variant variant = variant_of(verb.changes, verb.constants);
  const Registry registry = verb.plugins.load();
  verb.options.shrinks = !verb.no_shrink;
  catch_interrupts();
  conform::NightRecord record(verb.store, conform::night_identity(mapping, variant, verb.options));
  const bool is_told = !verb.output.quiet && !verb.output.json;
  if (is_told && record.first_trace() > 0) {
    fmt::print("goes on after {} traces and {} findings\n", record.first_trace(),
               record.findings().size());
    std::fflush(stdout);
  }
  const conform::NightResult result = conform::run_night(
      mapping, variant, registry.systems, verb.options, record, [] { return !is_interrupted(); },
      [&](const conform::NightFinding& finding) {
        if (!is_told) return;
        fmt::print("trace {}: {} ({})\n", finding.first_trace, finding.signature, finding.types);
        std::fflush(stdout);
      });
  if (!verb.out.empty()) write_findings(verb.out, record.findings());
  const bool is_violated = !record.findings().empty();
  const std::string_view verdict = is_violated           ? "violation"
                                   : result.gaps.empty() ? "conforms"
                                                         : "unknown";
  if (verb.output.json) {
    fmt::print("{}\n", json_of(record, result, verdict).dump());
  } else if (is_told) {
    const conform::NightTotals& totals = record.totals();
    print_table(record.findings());
    for (const std::string& gap : result.gaps) fmt::print("not covered: {}\n", gap);
    fmt::print(
        "{}: {} findings; {} traces, {} of them new, {} before this night; {} steps of runs, "
        "{} of walks; {:.1f} s to make them, {:.1f} s to judge\n",
        verdict, record.findings().size(), totals.traces, totals.new_traces, record.first_trace(),
        totals.run_steps, totals.walk_steps, totals.generate_seconds, totals.verify_seconds);
    if (result.is_exhausted) {
      fmt::print("no new trace appeared in the last {} of each workflow\n", verb.options.patience);
    }
  }
  if (is_violated) return kViolation;
  return result.gaps.empty() ? kAllHeld : kUnknown;
}

}  // namespace

Verb add_conform_night_verb(CLI::App& conform) {
  auto verb = std::make_shared<NightVerb>();
  CLI::App* app = conform.add_subcommand(
      "night", "Both workflows in turn until no new trace appears; keeps all findings");
  app->add_option("MAPPING", verb->mapping, "Mapping file")->required();
  app->add_option("--store", verb->store,
                  "SQLite file or PostgreSQL URL; a night that is there already is continued")
      ->capture_default_str();
  app->add_option("--jobs", verb->options.workers, "Workers")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app->add_option("--seconds", verb->options.limits.seconds, "Of this night; 0: no limit")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app->add_option("--traces", verb->options.traces, "Of all nights together; 0: no limit")
      ->capture_default_str();
  app->add_option("--patience", verb->options.patience,
                  "End after so many traces in a row of each workflow that were seen before")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app->add_option("--depth", verb->options.depth, "Steps of a walk")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app->add_option("--seed", verb->options.seed, "Seed of everything drawn")->capture_default_str();
  verb->changes.add_to(*app);
  app->add_option("--constant", verb->constants, "NAME=VALUE of the model");
  app->add_option("--out", verb->out, "Write each finding to a file in this folder");
  app->add_flag("--no-shrink", verb->no_shrink, "Keep findings as they were found");
  verb->plugins.add_to(*app, false);
  verb->output.add_to(*app);
  app->footer(
      "Example:\n  dissensus conform night specs/dag/mapping.toml --jobs 2 --seconds 1800 --store "
      "night.sqlite --out findings");
  return {app, [verb] { return run_night_verb(*verb); }};
}

}  // namespace dissensus::cli
