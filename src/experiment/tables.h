// The tables of an experiment in Markdown, with the paper's numbers beside ours.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "experiment/experiment.h"
#include "experiment/run.h"
#include "statistics/survival.h"

namespace dissensus::experiment {

/// Results in the order of the tables. Cells with an error are in no sample.
struct ArrangedResults {
  const Experiment& experiment;
  /// By case, search, repetition.
  std::vector<std::vector<std::vector<const CellResult*>>> cells;
  std::map<std::string, const CellResult*> by_key;
  std::vector<std::pair<Cell, std::string>> errors;  ///< in the order of cells_of
  std::size_t missing = 0;                           ///< cells that were never run

  const std::vector<const CellResult*>& at(std::size_t test_case, std::size_t search) const {
    return cells[test_case][search];
  }
  std::size_t found(std::size_t test_case, std::size_t search) const;
  /// Virtual seconds of successful hunts.
  std::vector<double> times_found(std::size_t test_case, std::size_t search) const;
  std::vector<statistics::Observation> observations(std::size_t test_case,
                                                    std::size_t search) const;
};
/// Both must outlive the result.
ArrangedResults arrange(const Experiment& experiment, const CellResults& results);

/// Generations of an evolution.
struct EvolutionSummary {
  std::vector<double> totals;      ///< discoveries, per repetition
  std::vector<double> lasts;       ///< of these, in the last generations
  std::vector<double> milestones;  ///< generation of the n-th discovery; repetitions that had it
  std::vector<double> objective;   ///< the first one, of all evaluations; larger is better
  std::vector<std::vector<double>> cumulative;  ///< by repetition, by generation
};
EvolutionSummary summarize_evolution(const ArrangedResults& results, std::size_t test_case,
                                     std::size_t search);

struct StudyTable {
  std::string title;
  std::string text;  ///< Markdown
  std::string note;
};
/// Cell by cell beside the runs that were published.
StudyTable published_runs_table(const ArrangedResults& results);

/// What is delivered in a test case, beside table 4.1 of the thesis.
StudyTable mix_table(const ArrangedResults& results);
/// How near an evolution comes to schedules that failed elsewhere.
StudyTable approach_table(const ArrangedResults& results);

/// `representation` is what tables of that kind are made of.
StudyTable make_table(TableKind kind, const ArrangedResults& results,
                      const std::vector<RepresentationResult>& representation);

/// A number in a cell; "-" for none, "infinite".
std::string number_text(double value, int digits);

/// What was run, how often, with which seed; for captions.
std::string run_words(const Experiment& experiment);

}  // namespace dissensus::experiment
