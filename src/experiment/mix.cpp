// What is delivered in the test cases of DiscoTest's program, as table 4.1 of its thesis counts it.
#include <fmt/format.h>

#include "experiment/representation_report.h"
#include "experiment/tables.h"
#include "statistics/markdown.h"
#include "statistics/samples.h"

namespace dissensus::experiment {

namespace {

Representation representation_of(const Experiment& experiment, std::size_t search) {
  const run::ScheduleSpace& space = experiment.scenario_of(0, search).space;
  return space.type == run::ScheduleSpace::Type::priority ? Representation::priority
                                                          : Representation::delay;
}

/// Over the hunts of all cases: mean and standard deviation of the hunts' means.
std::string share_of(const ArrangedResults& results, std::size_t search, std::size_t type) {
  std::vector<double> shares;
  for (std::size_t i = 0; i < results.experiment.cases.size(); ++i) {
    for (const CellResult* cell : results.at(i, search)) {
      if (type < cell->shares.size()) shares.push_back(cell->shares[type]);
    }
  }
  if (shares.empty()) return "-";
  return fmt::format("{:.3f} ({:.3f})", statistics::mean(shares),
                     shares.size() < 2 ? 0 : statistics::standard_deviation(shares));
}

std::uint64_t cases_of(const ArrangedResults& results) {
  std::uint64_t count = 0;
  for (const auto& row : results.cells) {
    for (const auto& cells : row) {
      for (const CellResult* cell : cells) count += cell->evaluations;
    }
  }
  return count;
}

}  // namespace

StudyTable mix_table(const ArrangedResults& results) {
  const Experiment& experiment = results.experiment;
  std::vector<std::string> header{"Message Type"};
  for (const ExperimentSearch& search : experiment.searches) {
    header.insert(header.end(),
                  {search.paper_name.empty() ? search.name : search.paper_name, "paper"});
  }
  statistics::MarkdownTable table(header);
  const auto& payloads = experiment.scenario_of(0, 0).system_description().payloads;
  for (std::size_t type = 0; type < payloads.size(); ++type) {
    std::vector<std::string> row{payloads[type].name};
    for (std::size_t j = 0; j < experiment.searches.size(); ++j) {
      row.push_back(share_of(results, j, type));
      row.push_back(published_share(payloads[type].name, representation_of(experiment, j)));
    }
    table.add(std::move(row));
  }
  return {"Message type frequency", table.text(),
          fmt::format("Share of the deliveries of a test case: means of hunts (standard deviation "
                      "over these), {} cases in all.",
                      cases_of(results))};
}

}  // namespace dissensus::experiment
