// --plugin, and --rippled with what belongs to it, for the verbs that read scenarios or hunt.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "dissensus/plugin.h"

namespace dissensus::cli {

/// How scenarios of real servers (kind "rippled") are run.
struct LiveOptions {
  std::string rippled;
  void add_to(CLI::App& verb);
  /// Servers as these options say, in the place of the built-in entry.
  void apply(SystemRegistry& systems) const;
  /// The words of these options, so that a command can be repeated.
  std::string words() const;
};

struct PluginOptions {
  std::vector<std::string> files;
  LiveOptions live;
  /// Verbs that run nothing have no use for the live options.
  void add_to(CLI::App& verb, bool runs = true);
  /// Everything that comes with the program, and what the plugins bring. Throws InputError.
  Registry load() const;
  /// Of the plugins: what a hunt says that it needs (hunt::plugin_identity). Throws InputError.
  std::vector<std::string> identities() const;
  /// The words of these options, each with a blank before it.
  std::string words() const;
};

}  // namespace dissensus::cli
