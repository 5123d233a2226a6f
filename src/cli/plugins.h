// --plugin, for the verbs that read scenarios or hunt.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "dissensus/plugin.h"

namespace dissensus::cli {

struct PluginOptions {
  std::vector<std::string> files;
  void add_to(CLI::App& verb);
  /// Everything that comes with the program, and what the plugins bring. Throws InputError.
  Registry load() const;
};

}  // namespace dissensus::cli
