// What `hunt` and `campaign` share on the command line, and the folder in which they keep results.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/plugins.h"
#include "cli/scenario_changes.h"
#include "cli/verb.h"
#include "hunt/hunt.h"

namespace dissensus::cli {

struct HuntSettings {
  std::string scenario;
  ScenarioChanges changes;
  std::string search;
  std::vector<std::string> parameters;  ///< key=value
  std::vector<std::string> fitness;
  std::string novelty;
  std::string faults;
  std::uint64_t seed = 1;
  std::size_t jobs = default_jobs();
  std::size_t repeats = 1;
  bool resume = false;
  PluginOptions plugins;
  OutputOptions output;

  void add_to(CLI::App& verb);
  /// All but the budget. Throws InputError.
  hunt::HuntOptions to_options() const;
  /// One run without faults: what fails there needs no search. Says so, or throws where programs
  /// were not started as they should be (hunt/first_run.h). Nothing where a hunt is resumed.
  void try_without_faults(const run::Scenario& loaded) const;
  /// A network of real servers makes one run at a time.
  void limit_jobs(const run::Scenario& loaded, hunt::HuntOptions& options) const;
  /// The words of these settings after the scenario, so that a command can be repeated.
  std::string command_words() const;
};

inline constexpr const char* kStoreFile = "store.sqlite";
inline constexpr const char* kStatisticsFile = "stats.json";

/// A new folder for a hunt below `parent`; parent/latest-hunt points at it.
std::string create_hunt_folder(const std::string& parent, const std::string& scenario_name);
/// The folder to resume: `out` itself if it is one, else out/latest-hunt. Throws InputError.
std::string find_hunt_folder(const std::string& out);

}  // namespace dissensus::cli
