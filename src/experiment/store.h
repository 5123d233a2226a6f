// results.sqlite: every completed cell of an experiment, kept in the moment it is complete. What
// --resume reads, and what other programs may query (docs/formats/experiment.md).
#pragma once

#include <string>

#include "experiment/experiment.h"
#include "experiment/run.h"
#include "hunt/sqlite.h"

namespace dissensus::experiment {

/// One thread at a time. Throws InputError.
class ExperimentStore {
 public:
  /// Opens the file, or makes it.
  explicit ExperimentStore(const std::string& path);

  /// The cells that are there without an error.
  CellResults load();
  /// In a transaction of its own; replaces a result with the same key.
  void add(const Experiment& experiment, const Cell& cell, const CellResult& result);

 private:
  void load_points(const std::string& key, CellResult& result);

  hunt::sqlite::Database database_;
  hunt::sqlite::Statement add_cell_;
  hunt::sqlite::Statement add_point_;
  hunt::sqlite::Statement add_genotype_;
  hunt::sqlite::Statement add_share_;
};

}  // namespace dissensus::experiment
