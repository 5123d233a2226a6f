#include "cli/plugins.h"

#include "campaign/plugin.h"
#include "run/scenario.h"
#include "search/registry.h"

namespace dissensus::cli {

void PluginOptions::add_to(CLI::App& verb) {
  verb.add_option("--plugin", files, "Shared library with systems, searches, fitness functions...")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

Registry PluginOptions::load() const {
  Registry registry = search::built_in_registry();
  registry.systems = run::built_in_systems();
  for (const std::string& file : files) campaign::load_plugin(file, registry);
  return registry;
}

}  // namespace dissensus::cli
