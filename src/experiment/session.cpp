#include "experiment/session.h"

#include <filesystem>

#include <fmt/format.h>

#include "dissensus/options.h"

#include "core/file.h"
#include "experiment/paper_layout.h"
#include "experiment/store.h"

namespace dissensus::experiment {

namespace {

namespace fs = std::filesystem;

/// Leaves a representation study that was asked to stop.
struct Stopped {};

void remove_results(const std::string& path) {
  std::error_code error;
  for (const char* const end : {"", "-wal", "-shm"}) fs::remove(path + end, error);
}

std::string key_of(const RepresentationRow& row, std::span<const std::uint64_t> seeds) {
  const RepresentationOptions& options = row.options;
  return fmt::format("{}\n{}\n{} {} {} {}\n{}", options.name, to_string(options.representation),
                     seed_words(seeds), options.genotypes, options.neighbours,
                     options.random_genotypes, row.scenario->text);
}

}  // namespace

bool StudySession::run_hunts(const Experiment& experiment, const std::string& folder,
                             SessionResult& result) {
  const std::string path = folder + "/" + kResultsFile;
  if (!options_.resume) remove_results(path);
  ExperimentStore store(path);
  const CellResults kept = store.load();
  results_.insert(kept.begin(), kept.end());
  for (const Cell& cell : cells_of(experiment)) {
    const auto known = results_.find(cell.key);
    if (known != results_.end() && !kept.contains(cell.key)) {
      store.add(experiment, cell, known->second);
    }
  }
  StudyRunner runner;
  runner.jobs = options_.jobs;
  runner.is_stopped = options_.is_stopped;
  runner.on_result = [&](const Cell& cell, const CellResult& cell_result) {
    store.add(experiment, cell, cell_result);
  };
  runner.on_progress = [&](const StudyProgress& progress) {
    result.progress = progress;
    if (options_.on_progress) options_.on_progress(progress);
  };
  return run_cells(experiment, registry_, runner, results_);
}

bool StudySession::run_representation(const Experiment& experiment, SessionResult& result,
                                      std::vector<RepresentationResult>& rows) {
  result.progress.total = experiment.rows.size();
  for (const RepresentationRow& row : experiment.rows) {
    const std::string key = key_of(row, experiment.seeds);
    const auto known = representation_.find(key);
    if (known != representation_.end()) {
      rows.push_back(known->second);
      ++result.progress.known;
      continue;
    }
    try {
      rows.push_back(study_representation(*row.scenario, row.options, experiment.seeds,
                                          options_.jobs, [this](const RepresentationProgress&) {
                                            if (options_.is_stopped && options_.is_stopped())
                                              throw Stopped{};
                                          }));
    } catch (const Stopped&) {
      return false;
    }
    representation_.emplace(key, rows.back());
    ++result.progress.done;
    if (options_.on_progress) options_.on_progress(result.progress);
  }
  return true;
}

SessionResult StudySession::run(const Experiment& experiment, const std::string& folder) {
  make_folders(folder);
  SessionResult result;
  std::vector<RepresentationResult> rows;
  const bool is_representation = experiment.kind == ExperimentKind::representation;
  result.complete = is_representation ? run_representation(experiment, result, rows)
                                      : run_hunts(experiment, folder, result);
  // Without all rows there is nothing to compare.
  if (is_representation && !result.complete) return result;
  const ArrangedResults arranged = arrange(experiment, results_);
  result.errors = arranged.errors.size();
  result.written = write_study(folder, arranged, rows);
  if (options_.paper_layout && result.complete) result.paper = paper_table(arranged, rows);
  if (!is_representation) result.written.files.emplace_back(kResultsFile);
  return result;
}

}  // namespace dissensus::experiment
