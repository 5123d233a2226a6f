#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/answer.h"
#include "cli/help.h"
#include "cli/plugins.h"
#include "cli/verb.h"
#include "faults/kinds.h"
#include "systems/process/system.h"

namespace dissensus::cli {

namespace {

struct Entry {
  std::string name;
  std::string summary;
};
DISSENSUS_DESCRIBE(Entry, name, summary)
const AnswerRegistration kListAnswer = answers_with<std::vector<Entry>>("list");

template <class Entries>
std::vector<Entry> to_entries(const Entries& entries) {
  std::vector<Entry> result;
  for (const auto& entry : entries) result.push_back({entry.name, entry.summary});
  return result;
}

std::vector<Entry> list_scenarios(const std::string& folder, const SystemRegistry& systems) {
  namespace fs = std::filesystem;
  if (!fs::is_directory(folder)) {
    throw InputError(folder + ": no such folder; name one with --folder");
  }
  std::vector<std::string> paths;
  for (const auto& file : fs::recursive_directory_iterator(folder)) {
    if (file.path().extension() == ".toml") paths.push_back(file.path().string());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Entry> entries;
  for (const std::string& path : paths) {
    try {
      entries.push_back({path, run::load_scenario(path, systems).description});
    } catch (const InputError& error) {
      entries.push_back({path, fmt::format("NOT VALID: {}", error.what())});
    }
  }
  return entries;
}

/// What was asked for, what is here, or what was installed with the program.
std::string scenario_folder(const std::string& asked) {
  namespace fs = std::filesystem;
  if (!asked.empty()) return asked;
  std::error_code error;
  if (fs::is_directory("scenarios", error)) return "scenarios";
  const fs::path installed =
      program_path().parent_path().parent_path() / "share" / "dissensus" / "scenarios";
  return fs::is_directory(installed, error) ? installed.string() : "scenarios";
}

const std::vector<Entry> kLists{
    {"scenarios", "what can be run and hunted: systems with their networks, faults and limits"},
    {"systems", "what a scenario's system.kind can be"},
    {"searches", "what hunt --search can be"},
    {"fitness", "what hunt --fitness can be: what a search aims at"},
    {"schedulers", "what hunt --search can be, too: they decide while the run goes on"},
    {"faults", "what hunt --faults can be: strategies of plugins"},
    {"fault-kinds", "what schedules can do to nodes, and to which nodes they cannot"},
    {"fault-schema", "how schedules write that, as a JSON schema"},
    {"fault-space-schema", "how scenarios ask for random faults, as a JSON schema"},
    {"answers", "what verbs print with --json, as a JSON schema for each"}};

struct ListOptions {
  std::string what;
  std::string folder;
  PluginOptions plugins;
  OutputOptions output;
};

std::vector<Entry> list_fault_kinds() {
  std::vector<Entry> entries;
  for (const faults::Requirement* const row : faults::requirements()) {
    std::vector<std::string_view> refusing;
    for (const NodeKindOffers& nodes : kNodeKindOffers) {
      if (!faults::is_possible(*row, nodes.offers)) refusing.push_back(nodes.name);
    }
    entries.push_back({row->name, refusing.empty()
                                      ? "everywhere"
                                      : fmt::format("not: {}", fmt::join(refusing, "; "))});
  }
  return entries;
}

std::vector<Entry> entries_of(const ListOptions& options) {
  if (options.what.empty()) return kLists;
  if (options.what == "fault-kinds") return list_fault_kinds();
  Registry registry = options.plugins.load();
  registry.systems.replace(process::process_entry({.learns = false}));  // a list starts nothing
  if (options.what == "systems") return to_entries(registry.systems.entries());
  if (options.what == "scenarios") {
    return list_scenarios(scenario_folder(options.folder), registry.systems);
  }
  if (options.what == "searches") return to_entries(registry.searches);
  if (options.what == "fitness") return to_entries(registry.fitness);
  if (options.what == "schedulers") return to_entries(registry.schedulers);
  return to_entries(registry.fault_strategies);
}

void print_answer_schemas() {
  OrderedJson schemas = OrderedJson::object();
  for (const AnswerKind& kind : answer_kinds()) {
    OrderedJson schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                       {"title", fmt::format("dissensus {} --json", kind.verb)}};
    schema.update(kind.schema());
    schemas[kind.verb] = std::move(schema);
  }
  fmt::print("{}\n", schemas.dump(1));
}

ExitCode list(const ListOptions& options) {
  const bool is_space = options.what == "fault-space-schema";
  if (is_space || options.what == "fault-schema") {
    const std::string schema = is_space ? faults::fault_space_schema() : faults::faults_schema();
    if (!options.output.quiet) fmt::print("{}\n", schema);
    return kAllHeld;
  }
  if (options.what == "answers") {
    if (!options.output.quiet) print_answer_schemas();
    return kAllHeld;
  }
  const std::vector<Entry> entries = entries_of(options);
  if (options.output.quiet || options.output.json) {
    print_answer(options.output, entries, "");
    return kAllHeld;
  }
  if (entries.empty()) {
    fmt::print("none come with the program; plugins bring them (--plugin FILE)\n");
    return kAllHeld;
  }
  std::size_t width = 0;
  for (const Entry& entry : entries) width = std::max(width, entry.name.size());
  if (isatty(STDOUT_FILENO) != 0) {
    constexpr std::size_t kWidestName = 22;
    const std::size_t column = width > kWidestName ? 6 : width + 4;
    for (const Entry& entry : entries)
      fmt::print("{}", in_two_columns(entry.name, entry.summary, column));
    return kAllHeld;
  }
  for (const Entry& entry : entries) fmt::print("{:<{}}  {}\n", entry.name, width, entry.summary);
  return kAllHeld;
}

}  // namespace

Verb add_list_verb(CLI::App& program) {
  CLI::App* app =
      program.add_subcommand("list", "List systems, scenarios, searches, fitness functions...");
  const auto options = std::make_shared<ListOptions>();
  std::vector<std::string> names;
  for (const Entry& entry : kLists) names.push_back(entry.name);
  app->add_option("what", options->what,
                  fmt::format("{}; default: what these are", fmt::join(names, ", ")))
      ->check(CLI::IsMember(names));
  app->add_option("--folder", options->folder,
                  "Where scenarios are looked for; default: scenarios here, or those that were "
                  "installed");
  options->plugins.add_to(*app, false);
  options->output.add_to(*app);
  app->footer("Examples:\n  dissensus list scenarios\n  dissensus list searches");
  return {app, [options] { return list(*options); }};
}

}  // namespace dissensus::cli
