#include "cli/scenario_changes.h"

#include <filesystem>

#include <fmt/format.h>

#include "cli/verb.h"
#include "core/file.h"
#include "core/toml_text.h"
#include "run/scenario_file.h"

namespace dissensus::cli {

void ScenarioChanges::add_to(CLI::App& verb) {
  verb.add_option("--set", settings,
                  "Change of the scenario, e.g. system.nodes=7 or system.bugs=[]; repeatable")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

std::vector<std::pair<std::string, std::string>> ScenarioChanges::assignments() const {
  std::vector<std::pair<std::string, std::string>> result;
  for (const std::string& setting : settings) {
    result.push_back(parse_assignment(setting, "--set"));
  }
  return result;
}

run::Scenario ScenarioChanges::load(const std::string& path, const SystemRegistry& systems) const {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    const bool lacks_ending = std::filesystem::exists(path + ".toml", error);
    const std::string hint =
        lacks_ending ? fmt::format(", did you mean '{}.toml'?", path) : missing_path_hint(path);
    throw InputError(
        fmt::format("{}: no such file{}", path,
                    hint.empty() ? "; `dissensus list scenarios` shows what there is" : hint));
  }
  if (settings.empty()) return run::load_scenario(path, systems);
  return change(run::read_scenario(path), path, systems);
}

run::Scenario ScenarioChanges::change(std::string scenario, const std::string& path,
                                      const SystemRegistry& systems) const {
  TomlText text(std::move(scenario), path);
  for (const auto& [key, value] : assignments()) {
    text.merge(fmt::format("{} = {}", key, value), "--set");
  }
  return run::parse_scenario(text.text(), path, systems);
}

std::string ScenarioChanges::words() const {
  std::string words;
  for (const std::string& setting : settings) words += " --set " + shell_word(setting);
  return words;
}

}  // namespace dissensus::cli
