// Experiments one after another, each with a folder of its own. Cells that several of them share
// are run once.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "dissensus/plugin.h"

#include "experiment/experiment.h"
#include "experiment/report.h"
#include "experiment/run.h"

namespace dissensus::experiment {

inline constexpr const char* kResultsFile = "results.sqlite";

struct SessionOptions {
  std::size_t jobs = 1;
  bool paper_layout = false;  ///< make SessionResult::paper
  bool resume = false;        ///< take what results.sqlite has; else begin anew
  std::function<void(const StudyProgress&)> on_progress;
  std::function<bool()> is_stopped;
};

struct SessionResult {
  bool complete = false;  ///< false: stopped; the tables tell what is missing
  StudyProgress progress;
  std::size_t errors = 0;  ///< cells that failed
  WrittenStudy written;
  std::optional<StudyTable> paper;  ///< of a complete study
};

class StudySession {
 public:
  /// Both must outlive this.
  StudySession(const Registry& registry, const SessionOptions& options)
      : registry_(registry), options_(options) {}

  /// Makes the folder if need be. Throws InputError.
  SessionResult run(const Experiment& experiment, const std::string& folder);

 private:
  bool run_hunts(const Experiment& experiment, const std::string& folder, SessionResult& result);
  bool run_representation(const Experiment& experiment, SessionResult& result,
                          std::vector<RepresentationResult>& rows);

  const Registry& registry_;
  const SessionOptions& options_;
  CellResults results_;
  std::map<std::string, RepresentationResult> representation_;  ///< by all it depends on
};

}  // namespace dissensus::experiment
