// Does a search come nearer to the schedules that show a bug while it goes on? The thesis (5.3)
// hands this on: measured by the distance of each evaluation to the nearest schedule that failed in
// another hunt of the same case.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "experiment/tables.h"
#include "statistics/markdown.h"
#include "statistics/samples.h"

namespace dissensus::experiment {

namespace {

/// More would say no more, and cost a minute.
constexpr std::size_t kFailingMax = 200;

struct Failing {
  const CellResult* cell;
  const std::vector<float>* genes;
};

std::vector<Failing> failing_of(const ArrangedResults& results, std::size_t test_case) {
  std::vector<Failing> all;
  for (std::size_t j = 0; j < results.experiment.searches.size(); ++j) {
    for (const CellResult* cell : results.at(test_case, j)) {
      for (const EvaluationPoint& point : cell->points) {
        if (point.failed && !point.genes.empty()) all.push_back({cell, &point.genes});
      }
    }
  }
  if (all.size() <= kFailingMax) return all;
  std::vector<Failing> some;
  for (std::size_t i = 0; i < kFailingMax; ++i) some.push_back(all[i * all.size() / kFailingMax]);
  return some;
}

/// Per gene, in quadratic mean; infinite where no other hunt has a failing schedule.
double nearest(const std::vector<float>& genes, const CellResult* own,
               const std::vector<Failing>& failing) {
  double least = std::numeric_limits<double>::infinity();
  for (const Failing& other : failing) {
    if (other.cell == own || other.genes->size() != genes.size()) continue;
    double sum = 0;
    for (std::size_t i = 0; i < genes.size(); ++i) {
      const double off = static_cast<double>(genes[i]) - static_cast<double>((*other.genes)[i]);
      sum += off * off;
    }
    least = std::min(least, sum);
  }
  return std::sqrt(least / static_cast<double>(std::max<std::size_t>(genes.size(), 1)));
}

struct Approach {
  std::vector<double> first;     ///< distances in the first generation
  std::vector<double> late;      ///< in the last ones
  std::vector<double> late_hit;  ///< of these, where the evaluation failed
  std::size_t nearer = 0;        ///< hunts whose mean went down
  std::size_t hunts = 0;
};

Approach approach_of(const ArrangedResults& results, std::size_t i, std::size_t j,
                     const std::vector<Failing>& failing) {
  const Experiment& experiment = results.experiment;
  Approach approach;
  for (const CellResult* cell : results.at(i, j)) {
    const std::size_t late =
        cell->points.size() -
        std::min(cell->points.size(), experiment.last_generations * experiment.population);
    std::vector<double> first_of_hunt;
    std::vector<double> late_of_hunt;
    for (std::size_t n = 0; n < cell->points.size(); ++n) {
      const EvaluationPoint& point = cell->points[n];
      if (point.genes.empty() || (n >= experiment.population && n < late)) continue;
      const double distance = nearest(point.genes, cell, failing);
      if (std::isinf(distance)) continue;
      if (n < experiment.population) first_of_hunt.push_back(distance);
      if (n < late) continue;
      late_of_hunt.push_back(distance);
      if (point.failed) approach.late_hit.push_back(distance);
    }
    if (first_of_hunt.empty() || late_of_hunt.empty()) continue;
    ++approach.hunts;
    const bool is_nearer = statistics::mean(late_of_hunt) < statistics::mean(first_of_hunt);
    approach.nearer += is_nearer ? 1 : 0;
    approach.first.insert(approach.first.end(), first_of_hunt.begin(), first_of_hunt.end());
    approach.late.insert(approach.late.end(), late_of_hunt.begin(), late_of_hunt.end());
  }
  return approach;
}

std::string mean_text(const std::vector<double>& sample) {
  if (sample.empty()) return "-";
  return fmt::format("{:.0f} ({:.0f})", statistics::mean(sample),
                     sample.size() < 2 ? 0 : statistics::standard_deviation(sample));
}

}  // namespace

StudyTable approach_table(const ArrangedResults& results) {
  const Experiment& experiment = results.experiment;
  statistics::MarkdownTable table({"case", "search", "first generation",
                                   fmt::format("last {}", experiment.last_generations),
                                   "of these, failing ones", "hunts that came nearer"});
  for (std::size_t i = 0; i < experiment.cases.size(); ++i) {
    const std::vector<Failing> failing = failing_of(results, i);
    for (std::size_t j = 0; j < experiment.searches.size(); ++j) {
      const Approach approach = approach_of(results, i, j, failing);
      table.add(
          {experiment.cases[i].name, experiment.searches[j].name, mean_text(approach.first),
           mean_text(approach.late), mean_text(approach.late_hit),
           approach.hunts == 0 ? "-" : fmt::format("{} of {}", approach.nearer, approach.hunts)});
    }
  }
  return {
      "Distance to schedules that failed in other hunts", table.text(),
      fmt::format("Quadratic mean per gene, in the unit of the genes, to the nearest of up to {} "
                  "failing schedules of the case's other hunts: mean (standard deviation) over "
                  "evaluations. No column where no other hunt has one.",
                  kFailingMax)};
}

}  // namespace dissensus::experiment
