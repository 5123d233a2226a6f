#include "cli/scenario_changes.h"

#include <cctype>
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

namespace {

/// From which stage on no stage can be read, of which the last cannot.
std::size_t first_bad(const std::vector<std::string>& stages, const std::string& path,
                      const SystemRegistry& systems) {
  std::size_t stage = stages.size() - 1;
  for (; stage > 0; --stage) {
    try {
      run::parse_scenario(stages[stage - 1], path, systems);
      break;
    } catch (const InputError&) {
    }
  }
  return stage;
}

/// "key: what was expected", without a file and a line where nobody wrote it.
std::string without_place(std::string text, const std::string& path) {
  if (!text.starts_with(path + ":")) return text;
  std::size_t at = path.size() + 1;
  while (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0) ++at;
  return text.substr(text.find_first_not_of(": ", at));
}

}  // namespace

run::Scenario ScenarioChanges::change(std::string scenario, const std::string& path,
                                      const SystemRegistry& systems) const {
  // What stands in the file after so many of the settings.
  TomlText text(std::move(scenario), path);
  std::vector<std::string> stages{text.text()};
  for (const auto& [key, value] : assignments()) {
    text.merge(fmt::format("{} = {}", key, value), "--set");
    stages.push_back(text.text());
  }
  try {
    return run::parse_scenario(stages.back(), path, systems);
  } catch (const InputError& error) {
    const std::size_t blamed = first_bad(stages, path, systems);
    if (blamed == 0) throw;  // the file is wrong without them
    throw InputError(
        fmt::format("--set {}: {}", settings[blamed - 1], without_place(error.what(), path)));
  }
}

std::string ScenarioChanges::words() const {
  std::string words;
  for (const std::string& setting : settings) words += " --set " + shell_word(setting);
  return words;
}

}  // namespace dissensus::cli
