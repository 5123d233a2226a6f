// Runs that a paper's authors published, one by one: read, and put beside ours.
#include <array>
#include <charconv>
#include <cmath>
#include <sstream>

#include <fmt/format.h>

#include "dissensus/options.h"

#include "core/document.h"
#include "core/file.h"
#include "core/limits.h"
#include "experiment/experiment.h"
#include "experiment/tables.h"
#include "statistics/fisher.h"
#include "statistics/holm.h"
#include "statistics/markdown.h"
#include "statistics/survival.h"

namespace dissensus::experiment {

namespace {

constexpr std::array<std::string_view, 5> kColumns{"Bug", "Configuration", "Id", "Time", "Found"};

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> parts;
  std::istringstream in(line);
  for (std::string part; std::getline(in, part, ',');) {
    if (!part.empty() && part.back() == '\r') part.pop_back();
    parts.push_back(part);
  }
  return parts;
}

double number_at(const std::vector<std::string>& parts, std::size_t column, const std::string& path,
                 int line) {
  const std::string& text = parts[column];
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || stop != text.data() + text.size() || !(value >= 0)) {
    internal::fail_at(path, line, std::string(kColumns[column]),
                      fmt::format("expected a number from 0 on, found '{}'", text));
  }
  return value;
}

/// The cell that a row belongs to; null where the experiment has none.
PublishedRuns* cell_of(const Experiment& experiment, const std::string& test_case,
                       const std::string& search, std::vector<PublishedRuns>& cells) {
  for (std::size_t i = 0; i < experiment.cases.size(); ++i) {
    if (experiment.cases[i].name != test_case) continue;
    for (std::size_t j = 0; j < experiment.searches.size(); ++j) {
      if (experiment.searches[j].published_as != search) continue;
      for (PublishedRuns& cell : cells) {
        if (cell.test_case == i && cell.search == j) return &cell;
      }
      return &cells.emplace_back(PublishedRuns{i, j, {}});
    }
  }
  return nullptr;
}

std::size_t events_in(const std::vector<statistics::Observation>& runs) {
  std::size_t events = 0;
  for (const statistics::Observation& run : runs) events += run.event ? 1 : 0;
  return events;
}

std::string median_text(const std::vector<statistics::Observation>& runs) {
  const double median = statistics::kaplan_meier(runs).median;
  return std::isnan(median) ? "not reached" : fmt::format("{:.0f}", median);
}

}  // namespace

std::vector<PublishedRuns> read_published_runs(const std::string& path, double budget_seconds,
                                               const Experiment& experiment) {
  std::istringstream in(read_file(path, kScenarioBytesMax));
  std::string text;
  std::getline(in, text);
  const std::vector<std::string> header = split(text);
  if (!std::equal(header.begin(), header.end(), kColumns.begin(), kColumns.end())) {
    internal::fail_at(path, 1, "columns",
                      fmt::format("expected {}, found '{}'", fmt::join(kColumns, ","), text));
  }
  std::vector<PublishedRuns> cells;
  for (int line = 2; std::getline(in, text); ++line) {
    if (text.empty()) continue;
    const std::vector<std::string> parts = split(text);
    if (parts.size() != kColumns.size()) {
      internal::fail_at(path, line, "columns",
                        fmt::format("expected {}, found {}", kColumns.size(), parts.size()));
    }
    const double time = number_at(parts, 3, path, line);
    const bool found = number_at(parts, 4, path, line) != 0;
    if (PublishedRuns* const cell = cell_of(experiment, parts[0], parts[1], cells)) {
      cell->runs.push_back({found ? time : budget_seconds, found});
    }
  }
  return cells;
}

StudyTable published_runs_table(const ArrangedResults& results) {
  const Experiment& experiment = results.experiment;
  std::vector<std::vector<std::string>> lines;
  std::vector<double> p_values;
  for (const PublishedRuns& cell : experiment.published.runs) {
    const std::vector<statistics::Observation> ours =
        results.observations(cell.test_case, cell.search);
    const std::size_t found = events_in(ours);
    const std::size_t theirs = events_in(cell.runs);
    const double fisher =
        statistics::fisher_exact({found, ours.size() - found, theirs, cell.runs.size() - theirs})
            .p_value;
    const std::vector<std::vector<statistics::Observation>> groups{ours, cell.runs};
    // Without any finding on either side there is nothing that could differ.
    const double rank = found + theirs == 0 ? 1.0 : statistics::log_rank(groups).p_value;
    p_values.push_back(rank);
    lines.push_back({experiment.cases[cell.test_case].name, experiment.searches[cell.search].name,
                     fmt::format("{} of {}", found, ours.size()),
                     fmt::format("{} of {}", theirs, cell.runs.size()),
                     statistics::p_value_text(fisher), median_text(ours), median_text(cell.runs),
                     statistics::p_value_text(rank)});
  }
  const std::vector<double> adjusted = statistics::holm_adjusted(p_values);
  statistics::MarkdownTable table({"case", "search", "found", "published", "Fisher p",
                                   "median time (s)", "published", "log-rank p", "p, Holm",
                                   "differs"});
  for (std::size_t i = 0; i < lines.size(); ++i) {
    lines[i].push_back(statistics::p_value_text(adjusted[i]));
    lines[i].push_back(adjusted[i] < 0.05 ? "yes" : "no");
    table.add(std::move(lines[i]));
  }
  return {"Beside the published runs", table.text(),
          "Medians and log-rank test with runs that found nothing censored at the budget. A cell "
          "differs where the log-rank p is below 0.05 after Holm's correction over this table."};
}

}  // namespace dissensus::experiment
