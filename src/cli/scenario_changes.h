// --set: what is changed in a scenario before it is read. It means the same wherever a verb reads a
// scenario file; parameters of searches are --parameter.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "run/scenario.h"

namespace dissensus::cli {

struct ScenarioChanges {
  std::vector<std::string> settings;  ///< key=value

  void add_to(CLI::App& verb);
  bool empty() const { return settings.empty(); }
  /// Keys and values as TOML. Throws InputError.
  std::vector<std::pair<std::string, std::string>> assignments() const;
  run::Scenario load(const std::string& path, const SystemRegistry& systems) const;
  /// The same for the text of a scenario; `path` is for errors.
  run::Scenario change(std::string scenario, const std::string& path,
                       const SystemRegistry& systems) const;
  /// The words of these options, each with a blank before it.
  std::string words() const;
};

}  // namespace dissensus::cli
