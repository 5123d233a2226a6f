#include "experiment/paper_layout.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "dissensus/options.h"

#include "experiment/representation_report.h"
#include "statistics/fisher.h"
#include "statistics/markdown.h"
#include "statistics/rank_sum.h"
#include "statistics/samples.h"

namespace dissensus::experiment {

namespace {

/// As in the papers: without correction.
constexpr double kAlpha = 0.05;

std::string name_in_paper(const ExperimentSearch& search) {
  return search.paper_name.empty() ? search.name : search.paper_name;
}

bool is_in_paper(const Experiment& experiment, std::size_t test_case) {
  return !experiment.cases[test_case].control;
}

/// DiscoTest's tables 4.2 and 4.4: a row per bug, a column per configuration. Where we made more
/// hunts than the paper the count is given for as many as it made.
StudyTable counts(const ArrangedResults& results) {
  const Experiment& experiment = results.experiment;
  std::vector<std::string> header{""};
  for (const ExperimentSearch& search : experiment.searches) {
    header.push_back(name_in_paper(search));
  }
  statistics::MarkdownTable table(header);
  std::uint64_t of_paper = 0;
  for (std::size_t i = 0; i < experiment.cases.size(); ++i) {
    if (!is_in_paper(experiment, i)) continue;
    std::vector<std::string> row{experiment.cases[i].name};
    for (std::size_t j = 0; j < experiment.searches.size(); ++j) {
      const auto& published = experiment.published.success;
      const auto entry = std::find_if(published.begin(), published.end(), [&](const auto& other) {
        return other.test_case == i && other.search == j;
      });
      const std::size_t all = results.at(i, j).size();
      const std::size_t found = results.found(i, j);
      if (entry == published.end() || all == 0) {
        row.push_back(fmt::format("{} of {}", found, all));
        continue;
      }
      of_paper = std::max(of_paper, entry->of);
      row.push_back(
          fmt::format("{} ({})",
                      number_text(static_cast<double>(found * entry->of) / static_cast<double>(all),
                                  all == entry->of ? 0 : 1),
                      entry->found));
    }
    table.add(std::move(row));
  }
  return {"Runs in which the bug was found", table.text(),
          fmt::format("Ours (the paper's), of {} runs each.", of_paper)};
}

/// Table 4.3: a contingency table.
StudyTable contingency(const ArrangedResults& results) {
  StudyTable table = make_table(TableKind::groups, results, {});
  table.title = "Bugs found by groups of configurations";
  return table;
}

struct PairTest {
  double p = std::nan("");
  double effect = std::nan("");
};

PairTest success_comparison(const ArrangedResults& results, std::size_t i, std::size_t first,
                            std::size_t second) {
  const std::size_t a = results.found(i, first);
  const std::size_t b = results.found(i, second);
  const auto test = statistics::fisher_exact(
      {a, results.at(i, first).size() - a, b, results.at(i, second).size() - b});
  return {test.p_value, test.conditional_odds_ratio};
}

PairTest time_comparison(const ArrangedResults& results, std::size_t i, std::size_t first,
                         std::size_t second) {
  const std::vector<double> a = results.times_found(i, first);
  const std::vector<double> b = results.times_found(i, second);
  if (a.empty() || b.empty()) return {};
  return {statistics::wilcoxon_rank_sum(a, b).p_value, statistics::vargha_delaney(a, b)};
}

std::string comparison_text(double p, double effect) {
  if (std::isnan(p)) return "-";
  return fmt::format("{:.3f}{} {}", p, p < kAlpha ? "*" : "", number_text(effect, 3));
}

/// Tables 4.5 and 4.6: a row per configuration, a column per configuration that it is held against,
/// in each cell p-value and effect size. The paper prints no row for the baseline.
template <class Compare>
StudyTable matrix(const ArrangedResults& results, const std::vector<PublishedTest>& published,
                  const std::string& title, const std::string& effect, bool is_mirrored_by_one,
                  const Compare& compare) {
  const Experiment& experiment = results.experiment;
  std::vector<std::size_t> order;
  if (experiment.baseline) order.push_back(*experiment.baseline);
  for (std::size_t j = 0; j < experiment.searches.size(); ++j) {
    if (experiment.baseline != j) order.push_back(j);
  }
  std::vector<std::string> header{"", ""};
  for (const std::size_t j : order) {
    header.push_back(name_in_paper(experiment.searches[j]));
    header.emplace_back("paper");
  }
  const auto in_paper = [&](std::size_t i, std::size_t first,
                            std::size_t second) -> std::optional<PublishedTest> {
    for (const PublishedTest& test : published) {
      if (test.test_case == i && test.first == first && test.second == second) return test;
    }
    return std::nullopt;
  };
  statistics::MarkdownTable table(header);
  for (std::size_t i = 0; i < experiment.cases.size(); ++i) {
    const bool has_tests = std::any_of(published.begin(), published.end(),
                                       [i](const auto& test) { return test.test_case == i; });
    if (!has_tests) continue;
    for (const std::size_t row : order) {
      if (experiment.baseline == row) continue;
      std::vector<std::string> line{experiment.cases[i].name,
                                    name_in_paper(experiment.searches[row])};
      for (const std::size_t column : order) {
        if (column == row) {
          line.insert(line.end(), {"-", "-"});
          continue;
        }
        const PairTest own = compare(results, i, row, column);
        line.push_back(comparison_text(own.p, own.effect));
        if (const auto test = in_paper(i, row, column)) {
          line.push_back(comparison_text(test->p, test->effect));
        } else if (const auto mirrored = in_paper(i, column, row)) {
          line.push_back(comparison_text(
              mirrored->p, is_mirrored_by_one ? 1 - mirrored->effect : 1 / mirrored->effect));
        } else {
          line.emplace_back();
        }
      }
      table.add(std::move(line));
    }
  }
  return {title, table.text(),
          fmt::format("Each cell: p-value and {}, the row's configuration against the column's. *: "
                      "p < {}, without correction, as in the paper.",
                      effect, kAlpha)};
}

/// The operators' table 3: a row per configuration, blocks of columns.
StudyTable evolution(const ArrangedResults& results) {
  const Experiment& experiment = results.experiment;
  statistics::MarkdownTable table({"version", "configuration", "Total",
                                   fmt::format("L{}", experiment.last_generations),
                                   fmt::format("D{}", experiment.milestone), "mean f"});
  const auto with_paper = [](const std::string& own, const std::optional<std::string>& paper) {
    return paper ? fmt::format("{} ({})", own, *paper) : own;
  };
  for (std::size_t i = 0; i < experiment.cases.size(); ++i) {
    if (!is_in_paper(experiment, i)) continue;
    for (std::size_t j = 0; j < experiment.searches.size(); ++j) {
      const EvolutionSummary own = summarize_evolution(results, i, j);
      const auto& published = experiment.published.evolution;
      const auto entry = std::find_if(published.begin(), published.end(), [&](const auto& other) {
        return other.test_case == i && other.search == j;
      });
      const bool has = entry != published.end();
      const auto paper = [&](double value, int digits) -> std::optional<std::string> {
        return has ? std::optional(number_text(value, digits)) : std::nullopt;
      };
      std::optional<std::string> milestone;
      if (has) milestone = entry->milestone ? number_text(*entry->milestone, 0) : "-";
      const std::string own_milestone =
          own.milestones.empty() ? "-" : number_text(statistics::quantile(own.milestones, 0.5), 0);
      table.add(
          {experiment.cases[i].name, name_in_paper(experiment.searches[j]),
           with_paper(number_text(statistics::mean(own.totals), 1),
                      paper(has ? entry->total : 0, 0)),
           with_paper(number_text(statistics::mean(own.lasts), 1), paper(has ? entry->last : 0, 0)),
           with_paper(own_milestone, milestone),
           with_paper(number_text(statistics::mean(own.objective), 2),
                      paper(has ? entry->mean_objective : 0, 2))});
    }
  }
  return {"Performance of configurations", table.text(),
          fmt::format("Ours, means of {} repetitions (the paper's).", experiment.hunts())};
}

/// Table 4.1: a row per message type, a column per representation.
StudyTable message_shares(const Experiment& experiment,
                          const std::vector<RepresentationResult>& representation) {
  std::vector<std::string> header{"Message Type"};
  std::vector<const RepresentationResult*> columns;
  for (std::size_t k = 0; k < representation.size(); ++k) {
    if (experiment.rows[k].paper_name.empty()) continue;
    columns.push_back(&representation[k]);
    header.insert(header.end(), {experiment.rows[k].paper_name, "paper"});
  }
  if (columns.empty()) throw InputError(experiment.path + ": no row has a paper_name");
  statistics::MarkdownTable table(header);
  for (std::size_t type = 0; type < columns[0]->types.size(); ++type) {
    std::vector<std::string> row{columns[0]->types[type].name};
    for (const RepresentationResult* column : columns) {
      const std::vector<double>& shares = column->types[type].shares;
      row.push_back(fmt::format("{:.3f} ({:.3f})", statistics::mean(shares),
                                statistics::standard_deviation(shares)));
      row.push_back(published_share(row[0], column->representation));
    }
    table.add(std::move(row));
  }
  return {"Message type frequency", table.text(),
          fmt::format("Mean (standard deviation) over {} random genotypes.",
                      columns[0]->random_genotypes)};
}

}  // namespace

StudyTable paper_table(const ArrangedResults& results,
                       const std::vector<RepresentationResult>& representation) {
  const Experiment& experiment = results.experiment;
  const Published& published = experiment.published;
  if (experiment.kind == ExperimentKind::representation) {
    return message_shares(experiment, representation);
  }
  const auto& tables = experiment.tables;
  if (std::find(tables.begin(), tables.end(), TableKind::mix) != tables.end()) {
    return mix_table(results);
  }
  if (!published.groups.empty()) return contingency(results);
  if (!published.time_test.empty()) {
    return matrix(results, published.time_test, "Efficiency", "A12 (below 0.5: faster)", true,
                  time_comparison);
  }
  // A file of counts may have the paper's tests beside them; one of tests alone has that table.
  if (!published.success_test.empty() && published.success.empty()) {
    return matrix(results, published.success_test, "Success rate", "odds ratio", false,
                  success_comparison);
  }
  if (!published.success.empty()) return counts(results);
  if (!published.evolution.empty()) return evolution(results);
  throw InputError(experiment.path + ": published: nothing of a paper to set the results beside");
}

}  // namespace dissensus::experiment
