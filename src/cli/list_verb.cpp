#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/verb.h"

namespace dissensus::cli {

namespace {

struct Entry {
  std::string name;
  std::string summary;
};

std::vector<Entry> list_systems() {
  std::vector<Entry> entries;
  for (const SystemEntry& system : run::built_in_systems().entries()) {
    entries.push_back({system.name, system.summary});
  }
  return entries;
}

std::vector<Entry> list_scenarios(const std::string& folder) {
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
      entries.push_back({path, run::load_scenario(path).description});
    } catch (const InputError& error) {
      entries.push_back({path, fmt::format("NOT VALID: {}", error.what())});
    }
  }
  return entries;
}

std::vector<Entry> list_searches() {
  return {{"random", "independent random schedules from the scenario's space"}};
}

struct ListOptions {
  std::string what;
  std::string folder = "scenarios";
  OutputOptions output;
};

ExitCode list(const ListOptions& options) {
  std::vector<Entry> entries;
  if (options.what == "systems") {
    entries = list_systems();
  } else if (options.what == "scenarios") {
    entries = list_scenarios(options.folder);
  } else {
    entries = list_searches();
  }
  if (options.output.quiet) return kAllHeld;
  if (options.output.json) {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const Entry& entry : entries)
      json.push_back({{"name", entry.name}, {"summary", entry.summary}});
    fmt::print("{}\n", json.dump(2));
    return kAllHeld;
  }
  std::size_t width = 0;
  for (const Entry& entry : entries) width = std::max(width, entry.name.size());
  for (const Entry& entry : entries) fmt::print("{:<{}}  {}\n", entry.name, width, entry.summary);
  return kAllHeld;
}

}  // namespace

Verb add_list_verb(CLI::App& program) {
  CLI::App* app = program.add_subcommand("list", "List systems, scenarios or searches");
  const auto options = std::make_shared<ListOptions>();
  app->add_option("what", options->what, "systems, scenarios or searches")
      ->required()
      ->check(CLI::IsMember({"systems", "scenarios", "searches"}));
  app->add_option("--folder", options->folder, "Where scenarios are looked for")
      ->capture_default_str();
  options->output.add_to(*app);
  app->footer("Example:\n  dissensus list scenarios");
  return {app, [options] { return list(*options); }};
}

}  // namespace dissensus::cli
