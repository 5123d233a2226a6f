// Experiment files for tests: a folder of their own, and a small experiment on the tutorial system.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "dissensus/plugin.h"

#include "run/scenario.h"
#include "search/registry.h"
#include "systems/simulated/simulated.h"

namespace dissensus::experiment_test {

namespace fs = std::filesystem;

inline Registry make_registry() {
  Registry registry = search::built_in_registry();
  registry.systems = simulated_systems();
  return registry;
}

inline std::string scenario_path(const std::string& name) {
  return std::string(DISSENSUS_SOURCE_DIR) + "/scenarios/" + name;
}

/// Two cases, two searches, three repetitions: seconds, even under a sanitizer.
inline std::string small_experiment() {
  return R"(format = "dissensus-experiment/1"
kind = "detection"
title = "A small one"
source = "nowhere"
repetitions = 3
budget = "40runs"
seed = 7
baseline = "random"
tables = ["success", "success-test", "time-test", "detection-time"]
figures = ["found", "time", "time-found", "survival"]

[[case]]
name = "slow"
scenario = "SCENARIO"
finding = ["agreement"]

[[case]]
name = "calm"
control = true
scenario = "SCENARIO"
set = ['schedule.max_delay = "1ms"']
finding = ["agreement"]

[[search]]
name = "random"
search = "random"

[[search]]
name = "evolving"
search = "mu+lambda"
parameters = ["mu=2"]
fitness = ["time"]

[published]
success = [{ case = "slow", search = "random", found = 2, of = 3 }]
success_test = [{ case = "slow", first = "evolving", second = "random", p = 0.5, odds_ratio = 2 }]
time_test = [{ case = "slow", first = "evolving", second = "random", p = 0.25, a12 = 0.75 }]
)";
}

/// `text` with its first `from` replaced, which must be there.
inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t position = text.find(from);
  EXPECT_NE(position, std::string::npos) << from;
  return position == std::string::npos ? text : text.replace(position, from.size(), to);
}

inline std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

/// Gone at the end of the test.
class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "dissensus-study-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp " + pattern);
    path_ = pattern;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string path(const std::string& name) const { return (path_ / name).string(); }
  /// Writes an experiment; SCENARIO in it becomes the tutorial's scenario.
  std::string write(const std::string& name, std::string text) const {
    const std::string scenario = scenario_path("majority/overtaken-commit.toml");
    for (std::size_t at = text.find("SCENARIO"); at != std::string::npos;
         at = text.find("SCENARIO")) {
      text.replace(at, 8, scenario);
    }
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }

 private:
  fs::path path_;
};

}  // namespace dissensus::experiment_test
