// Runs the cells of an experiment. A cell is one hunt: a case, a search, a repetition. Cells are
// independent, so they run in parallel and in any order; results depend on the seed alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "dissensus/plugin.h"

#include "experiment/experiment.h"

namespace dissensus::experiment {

struct Cell {
  std::size_t test_case = 0;
  std::size_t search = 0;
  std::size_t repetition = 0;  ///< counted on from seed to seed
  std::uint64_t seed = 0;
  /// Of all that the result depends on: cells with equal keys have equal results.
  std::string key;
};

/// What one evaluation of an evolution brought.
struct EvaluationPoint {
  bool failed = false;             ///< as the case counts it
  std::vector<double> objectives;  ///< smaller is better
  /// Of the candidate; empty for one that decided while its run went on. Faults beside them are not
  /// kept.
  std::vector<float> genes = {};
  friend bool operator==(const EvaluationPoint&, const EvaluationPoint&) = default;
};

struct CellResult {
  std::string error;  ///< why there is no result; empty: there is one
  bool found = false;
  std::string signature;          ///< of the finding
  std::uint64_t evaluations = 0;  ///< up to the finding, or all
  double virtual_seconds = 0;     ///< likewise
  std::uint64_t failed = 0;       ///< evaluations with any violation
  std::uint64_t unknown = 0;
  /// Hunts with a harness: by type of message, its mean share of the deliveries of a case.
  std::vector<double> shares = {};
  std::vector<EvaluationPoint> points;  ///< evolution: in the order of asking
  friend bool operator==(const CellResult&, const CellResult&) = default;
};

/// By key.
using CellResults = std::map<std::string, CellResult>;

/// Every cell, in the order of the tables: case, search, repetition. A seed belongs to the names of
/// case and search, so another search beside it changes nothing.
std::vector<Cell> cells_of(const Experiment& experiment);

struct StudyProgress {
  std::size_t done = 0;  ///< of this session
  std::size_t known = 0;
  std::size_t total = 0;
  std::size_t errors = 0;
};

struct StudyRunner {
  std::size_t jobs = 1;
  /// Called on a thread of its own choice, one at a time, as soon as a cell is complete.
  std::function<void(const Cell&, const CellResult&)> on_result;
  std::function<void(const StudyProgress&)> on_progress;  ///< one at a time
  std::function<bool()> is_stopped;                       ///< asked by all threads
};

/// Runs the cells that `results` does not have, and adds them. An exception of a cell becomes its
/// error. False: stopped before the end; what was complete is there.
bool run_cells(const Experiment& experiment, const Registry& registry, const StudyRunner& runner,
               CellResults& results);

}  // namespace dissensus::experiment
