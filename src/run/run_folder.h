// The folder that a run leaves behind (docs/formats/run-folder.md), and reading it back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "run/runner.h"

namespace dissensus::run {

inline constexpr std::string_view kRunFormat = "dissensus-run/1";

/// Creates <parent>/<UTC time>-<name>, never an existing folder, and points <parent>/latest at it
/// once the folder is complete (see finish_run_folder). Throws InputError where that fails.
std::string create_run_folder(const std::string& parent, const std::string& name);
void finish_run_folder(const std::string& folder);

/// Writes everything: scenario, schedule, run.json, verdict, metrics, trace, node logs, diagram and
/// graph. `result` must have been recorded with the given options.
void write_run_folder(const std::string& folder, const Recipe& recipe, const RunOptions& options,
                      RunResult result);

/// Runs a recipe with everything recorded and writes its folder.
RunResult record_run(const std::string& folder, const Recipe& recipe);

/// The trace hash that a run folder holds. Throws InputError.
std::string recorded_hash(const std::string& folder);
/// The verdict that a run folder holds. Throws InputError.
oracle::Verdict read_verdict(const std::string& folder);

/// Reads a run folder, or a trace file, which carries its own scenario, schedule and seed.
Recipe read_recipe(const std::string& path, const SystemRegistry& systems);

}  // namespace dissensus::run
