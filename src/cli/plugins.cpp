#include "cli/plugins.h"

#include "cli/verb.h"
#include "hunt/plugin.h"
#include "run/scenario.h"
#include "search/registry.h"
#include "systems/built_in/built_in.h"
#include "systems/live/system.h"

namespace dissensus::cli {

void LiveOptions::add_to(CLI::App& verb) {
  constexpr const char* kGroup = "Real XRP Ledger servers";
  verb.add_option("--rippled", rippled,
                  "The servers' program; default: the scenario's, or rippled on PATH")
      ->group(kGroup);
}

void LiveOptions::apply(SystemRegistry& systems) const {
  systems.replace(live::rippled_entry(rippled));
}

std::string LiveOptions::words() const {
  return rippled.empty() ? std::string() : " --rippled " + shell_word(rippled);
}

void PluginOptions::add_to(CLI::App& verb, bool runs) {
  verb.add_option("--plugin", files,
                  "Shared library with systems, searches, fitness functions...; repeatable")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  if (runs) live.add_to(verb);
}

Registry PluginOptions::load() const {
  Registry registry = search::built_in_registry();
  registry.systems = built_in_systems();
  live.apply(registry.systems);
  for (const std::string& file : files) hunt::load_plugin(file, registry);
  return registry;
}

std::vector<std::string> PluginOptions::identities() const {
  std::vector<std::string> identities;
  for (const std::string& file : files) identities.push_back(hunt::plugin_identity(file));
  return identities;
}

std::string PluginOptions::words() const {
  std::string words;
  for (const std::string& file : files) words += " --plugin " + shell_word(file);
  return words + live.words();
}

}  // namespace dissensus::cli
