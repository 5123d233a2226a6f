// Runs that the tests of the explorer look at.
#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "run/recording.h"
#include "run/run_folder.h"
#include "serve/loaded_run.h"
#include "systems/simulated/simulated.h"

namespace dissensus::serve {

/// A run of the project's own corpus.
inline run::Recipe recipe_of(const std::string& name) {
  const std::string folder = DISSENSUS_SOURCE_DIR "/corpus/simulated/" + name;
  run::Recipe recipe;
  recipe.scenario = run::load_scenario(folder + "/scenario.toml", simulated_systems());
  recipe.schedule = run::load_schedule(folder + "/schedule.json", recipe.scenario);
  std::ifstream entry(folder + "/entry.json");
  recipe.seed = nlohmann::json::parse(entry)["seed"];
  return recipe;
}

inline std::shared_ptr<const LoadedRun> run_of(const run::Recipe& recipe) {
  return load_run(recipe, run::Runner().run(recipe.scenario, recipe.schedule, recipe.seed,
                                            run::with_everything()));
}

inline std::shared_ptr<const LoadedRun> corpus_run(const std::string& name) {
  return run_of(recipe_of(name));
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    char name[] = "/tmp/dissensus-serve-XXXXXX";
    path_ = mkdtemp(name);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace dissensus::serve
