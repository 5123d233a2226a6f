// From a failing run to a finding that explains itself: shrinks it, measures when it became
// inevitable, and writes all of it into the run's folder.
#pragma once

#include <functional>
#include <string>

#include "report/report.h"

namespace dissensus::report {

struct ExamineOptions {
  bool shrink = true;
  bool likelihood = true;
  std::size_t jobs = 1;
  /// Says how a folder is replayed; empty: "dissensus replay FOLDER".
  std::function<std::string(const std::string& folder)> replay_command;
  std::size_t shrink_runs_max = 1'000'000;
  std::uint64_t shrink_events_max = UINT64_MAX;   ///< see shrink::ShrinkOptions
  std::uint64_t measure_events_max = UINT64_MAX;  ///< of each of the two curves
  bool all_violations = false;                    ///< see shrink::ShrinkOptions
  /// Asked all the time; false ends the current stage with what it has reached. May be empty.
  std::function<bool(const shrink::ShrinkProgress&)> keep_shrinking;
  std::function<bool()> keep_measuring;
};

/// `folder` is where the run is, or will be, written: replay commands name it; empty: nowhere. A
/// run that continued another one is neither shrunk nor measured. Throws InputError where the run
/// does not fail.
Finding examine(const run::Recipe& recipe, const std::string& folder, const ExamineOptions& options,
                const SystemRegistry& systems);

/// Shrinks the failing run of a folder, from the smallest run on that is known there. `recipe` is
/// the run as it was found.
shrink::ShrinkResult shrink_in_folder(const run::Recipe& recipe, const std::string& folder,
                                      const shrink::ShrinkOptions& options,
                                      const SystemRegistry& systems);

/// Writes the smallest run of a folder: minimal/, minimal.json and shrink.json.
void write_minimal(const std::string& folder, const shrink::ShrinkResult& result);
/// Writes report.html.
void write_page(const std::string& folder, const Finding& finding);

}  // namespace dissensus::report
