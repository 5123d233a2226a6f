#include "experiment/tables.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "experiment/representation_report.h"
#include "statistics/bootstrap.h"
#include "statistics/fisher.h"
#include "statistics/holm.h"
#include "statistics/markdown.h"
#include "statistics/rank_sum.h"
#include "statistics/samples.h"
#include "statistics/shapiro_wilk.h"

namespace dissensus::experiment {

namespace {

/// Stands for a hunt that never found anything, larger than any count.
constexpr double kNever = 1e18;

std::string of_text(std::uint64_t found, std::size_t of) {
  return fmt::format("{} of {}", found, of);
}

std::string case_text(const ExperimentCase& test_case) {
  return test_case.control ? test_case.name + " (control)" : test_case.name;
}

/// All pairs of searches, or, where these are many, only those with the baseline, which comes
/// second.
std::vector<std::pair<std::size_t, std::size_t>> pairs_of(const Experiment& experiment) {
  constexpr std::size_t kAllPairsMax = 4;
  const std::size_t count = experiment.searches.size();
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  const auto base = experiment.baseline;
  for (std::size_t i = 0; base && i < count; ++i) {
    if (i != *base) pairs.emplace_back(i, *base);
  }
  if (base && count > kAllPairsMax) return pairs;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = i + 1; j < count; ++j) {
      if (!base || (i != *base && j != *base)) pairs.emplace_back(i, j);
    }
  }
  return pairs;
}

/// The published test of a pair, in the same order.
struct FoundTest {
  std::string p = "";
  std::string effect = "";
};
FoundTest find_test(const std::vector<PublishedTest>& tests, std::size_t test_case,
                    std::pair<std::size_t, std::size_t> pair) {
  for (const PublishedTest& test : tests) {
    if (test.test_case == test_case && test.first == pair.first && test.second == pair.second) {
      return {statistics::p_value_text(test.p), number_text(test.effect, 3)};
    }
  }
  return {};
}

StudyTable success_table(const ArrangedResults& results) {
  const Experiment& experiment = results.experiment;
  const auto& published = experiment.published.success;
  std::vector<std::string> header{"case"};
  std::vector<bool> has_paper;
  for (std::size_t j = 0; j < experiment.searches.size(); ++j) {
    header.push_back(experiment.searches[j].name);
    has_paper.push_back(std::any_of(published.begin(), published.end(),
                                    [j](const auto& entry) { return entry.search == j; }));
    if (has_paper.back()) header.push_back("paper (p)");
  }
  statistics::MarkdownTable table(header);
  for (std::size_t i = 0; i < experiment.cases.size(); ++i) {
    std::vector<std::string> row{case_text(experiment.cases[i])};
    for (std::size_t j = 0; j < experiment.searches.size(); ++j) {
      const std::size_t all = results.at(i, j).size();
      const std::size_t found = results.found(i, j);
      row.push_back(of_text(found, all));
      if (!has_paper[j]) continue;
      const auto entry = std::find_if(published.begin(), published.end(), [&](const auto& other) {
        return other.test_case == i && other.search == j;
      });
      if (entry == published.end()) {
        row.emplace_back();
        continue;
      }
      const statistics::FisherResult test =
          statistics::fisher_exact({found, all - found, entry->found, entry->of - entry->found});
      row.push_back(fmt::format("{} ({})", of_text(entry->found, entry->of),
                                statistics::p_value_text(test.p_value)));
    }
    table.add(std::move(row));
  }
  return {"Hunts that found the bug", table.text(),
          published.empty() ? ""
                            : "In brackets: p of Fisher's exact test between our count and the "
                              "paper's."};
}

StudyTable groups_table(const ArrangedResults& results) {
  const Experiment& experiment = results.experiment;
  // In the order of the paper, whose odds ratio has a direction.
  std::vector<std::string> groups;
  for (const PublishedGroup& entry : experiment.published.groups) groups.push_back(entry.group);
  for (const ExperimentSearch& search : experiment.searches) {
    if (std::find(groups.begin(), groups.end(), search.group) == groups.end()) {
      groups.push_back(search.group);
    }
  }
  std::vector<std::uint64_t> found(2);
  std::vector<std::uint64_t> all(2);
  for (std::size_t i = 0; i < experiment.cases.size(); ++i) {
    if (experiment.cases[i].control) continue;
    for (std::size_t j = 0; j < experiment.searches.size(); ++j) {
      const std::size_t group = experiment.searches[j].group == groups[0] ? 0 : 1;
      found[group] += results.found(i, j);
      all[group] += results.at(i, j).size();
    }
  }
  statistics::MarkdownTable table(
      {"", groups[0], groups[1], groups[0] + ", paper", groups[1] + ", paper"});
  std::vector<std::string> yes{"found", std::to_string(found[0]), std::to_string(found[1])};
  std::vector<std::string> no{"not found", std::to_string(all[0] - found[0]),
                              std::to_string(all[1] - found[1])};
  std::vector<PublishedGroup> paper;
  for (const std::string& group : groups) {
    const auto& published = experiment.published.groups;
    const auto entry = std::find_if(published.begin(), published.end(),
                                    [&](const auto& other) { return other.group == group; });
    yes.push_back(entry == published.end() ? "" : std::to_string(entry->found));
    no.push_back(entry == published.end() ? "" : std::to_string(entry->not_found));
    if (entry != published.end()) paper.push_back(*entry);
  }
  table.add(std::move(yes));
  table.add(std::move(no));
  const auto words = [](const statistics::FisherResult& test) {
    return fmt::format("p = {:.4g}, odds ratio {} ({} to {})", test.p_value,
                       number_text(test.conditional_odds_ratio, 3),
                       number_text(test.interval.low, 2), number_text(test.interval.high, 2));
  };
  std::string note =
      "Fisher's exact test, conditional odds ratio with 95 % interval. Ours: " +
      words(statistics::fisher_exact({found[0], all[0] - found[0], found[1], all[1] - found[1]}));
  if (paper.size() == 2) {
    note += ". From the paper's counts: " +
            words(statistics::fisher_exact(
                {paper[0].found, paper[0].not_found, paper[1].found, paper[1].not_found}));
  }
  return {"Groups of configurations, all cases but controls", table.text(), note + "."};
}

StudyTable success_test_table(const ArrangedResults& results) {
  const Experiment& experiment = results.experiment;
  struct Row {
    std::vector<std::string> before;
    statistics::FisherResult test;
    FoundTest paper;
  };
  std::vector<Row> rows;
  std::vector<double> p_values;
  for (std::size_t i = 0; i < experiment.cases.size(); ++i) {
    if (experiment.cases[i].control) continue;
    for (const auto& pair : pairs_of(experiment)) {
      const auto [first, second] = pair;
      const std::size_t a = results.found(i, first);
      const std::size_t b = results.found(i, second);
      const std::size_t of_a = results.at(i, first).size();
      const std::size_t of_b = results.at(i, second).size();
      const statistics::FisherResult test = statistics::fisher_exact({a, of_a - a, b, of_b - b});
      rows.push_back({{experiment.cases[i].name, experiment.searches[first].name,
                       experiment.searches[second].name,
                       fmt::format("{}, {}", of_text(a, of_a), of_text(b, of_b))},
                      test,
                      find_test(experiment.published.success_test, i, pair)});
      p_values.push_back(test.p_value);
    }
  }
  const std::vector<double> adjusted = statistics::holm_adjusted(p_values);
  const bool has_paper = !experiment.published.success_test.empty();
  std::vector<std::string> header{"case", "first",   "second",     "found",
                                  "p",    "p, Holm", "odds ratio", "95 % interval"};
  if (has_paper) header.insert(header.end(), {"paper: p", "paper: odds ratio"});
  statistics::MarkdownTable table(header);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const Row& row = rows[k];
    std::vector<std::string> line = row.before;
    line.push_back(statistics::p_value_text(row.test.p_value));
    line.push_back(statistics::p_value_text(adjusted[k]));
    line.push_back(number_text(row.test.conditional_odds_ratio, 3));
    line.push_back(fmt::format("{} to {}", number_text(row.test.interval.low, 2),
                               number_text(row.test.interval.high, 2)));
    if (has_paper) line.insert(line.end(), {row.paper.p, row.paper.effect});
    table.add(std::move(line));
  }
  return {"Success rates compared", table.text(),
          "Fisher's exact test, two-sided; conditional odds ratio above 1: the first finds more "
          "often."};
}

StudyTable time_test_table(const ArrangedResults& results) {
  const Experiment& experiment = results.experiment;
  const bool has_paper = !experiment.published.time_test.empty();
  std::vector<std::vector<std::string>> lines;
  std::vector<double> p_values;
  for (std::size_t i = 0; i < experiment.cases.size(); ++i) {
    if (experiment.cases[i].control) continue;
    for (const auto& pair : pairs_of(experiment)) {
      const std::vector<double> a = results.times_found(i, pair.first);
      const std::vector<double> b = results.times_found(i, pair.second);
      const FoundTest paper = find_test(experiment.published.time_test, i, pair);
      std::string effect = "-";
      double p = std::numeric_limits<double>::quiet_NaN();
      if (!a.empty() && !b.empty()) {
        p = statistics::wilcoxon_rank_sum(a, b).p_value;
        const double a12 = statistics::vargha_delaney(a, b);
        effect = fmt::format("{:.3f} ({})", a12, statistics::magnitude(a12));
      }
      p_values.push_back(std::isnan(p) ? 1 : p);
      lines.push_back({experiment.cases[i].name, experiment.searches[pair.first].name,
                       experiment.searches[pair.second].name,
                       fmt::format("{}, {}", a.size(), b.size()),
                       fmt::format("{}, {}", number_text(statistics::quantile(a, 0.5), 0),
                                   number_text(statistics::quantile(b, 0.5), 0)),
                       statistics::p_value_text(p), "", effect});
      if (has_paper) lines.back().insert(lines.back().end(), {paper.p, paper.effect});
    }
  }
  const std::vector<double> adjusted = statistics::holm_adjusted(p_values);
  std::vector<std::string> header{"case",       "first", "second",  "n",
                                  "median (s)", "p",     "p, Holm", "A12"};
  if (has_paper) header.insert(header.end(), {"paper: p", "paper: A12"});
  statistics::MarkdownTable table(header);
  for (std::size_t k = 0; k < lines.size(); ++k) {
    lines[k][6] = lines[k][5] == "-" ? "-" : statistics::p_value_text(adjusted[k]);
    table.add(std::move(lines[k]));
  }
  return {"Time to detection compared, successful hunts only", table.text(),
          "Wilcoxon rank-sum test, two-sided, and Vargha and Delaney's A12 over virtual seconds; "
          "A12 below 0.5: the first is faster."};
}

/// The median, hunts without finding counted as never; an interval by bootstrap.
std::string median_evaluations(const std::vector<const CellResult*>& cells) {
  std::vector<double> sample;
  double most = 0;
  for (const CellResult* cell : cells) {
    const auto evaluations = static_cast<double>(cell->evaluations);
    sample.push_back(cell->found ? evaluations : kNever);
    most = std::max(most, evaluations);
  }
  if (sample.empty()) return "-";
  statistics::BootstrapOptions options;
  options.method = statistics::BootstrapMethod::percentile;
  const statistics::BootstrapResult result = statistics::bootstrap(
      sample, [](std::span<const double> values) { return statistics::quantile(values, 0.5); },
      options);
  const auto text = [most](double value) {
    return value > most ? std::string("never") : number_text(value, 0);
  };
  return fmt::format("{} ({} to {})", text(result.estimate), text(result.interval.low),
                     text(result.interval.high));
}

std::string survival_median(const statistics::SurvivalCurve& curve) {
  if (std::isnan(curve.median)) return "not reached";
  const auto limit = [](double value) {
    return std::isnan(value) ? std::string("?") : number_text(value, 0);
  };
  return fmt::format("{} ({} to {})", number_text(curve.median, 0),
                     limit(curve.median_interval.low), limit(curve.median_interval.high));
}

StudyTable detection_time_table(const ArrangedResults& results) {
  const Experiment& experiment = results.experiment;
  std::vector<std::vector<std::string>> lines;
  std::vector<double> p_values;
  std::vector<std::size_t> tested;
  for (std::size_t i = 0; i < experiment.cases.size(); ++i) {
    for (std::size_t j = 0; j < experiment.searches.size(); ++j) {
      const auto& cells = results.at(i, j);
      const std::vector<double> times = results.times_found(i, j);
      std::vector<std::string> line{
          case_text(experiment.cases[i]),
          experiment.searches[j].name,
          of_text(results.found(i, j), cells.size()),
          median_evaluations(cells),
          survival_median(statistics::kaplan_meier(results.observations(i, j))),
          statistics::p_value_text(statistics::shapiro_wilk(times).p_value)};
      if (experiment.baseline) {
        const std::vector<std::vector<statistics::Observation>> groups{
            results.observations(i, j), results.observations(i, *experiment.baseline)};
        const double p = j == *experiment.baseline ? std::numeric_limits<double>::quiet_NaN()
                                                   : statistics::log_rank(groups).p_value;
        line.push_back(statistics::p_value_text(p));
        line.push_back(statistics::p_value_text(p));
        if (!std::isnan(p)) {
          tested.push_back(lines.size());
          p_values.push_back(p);
        }
      }
      lines.push_back(std::move(line));
    }
  }
  const std::vector<double> adjusted = statistics::holm_adjusted(p_values);
  for (std::size_t k = 0; k < tested.size(); ++k) {
    lines[tested[k]].back() = statistics::p_value_text(adjusted[k]);
  }
  std::vector<std::string> header{"case",
                                  "search",
                                  "found",
                                  "median evaluations (95 %)",
                                  "median virtual time (s, 95 %)",
                                  "Shapiro-Wilk p"};
  std::string note =
      "Evaluations to the finding, hunts without one counted as never, percentile bootstrap. Time: "
      "Kaplan-Meier, hunts without finding censored at the budget. Shapiro-Wilk: a small p speaks "
      "against normally distributed times of the successful hunts.";
  if (experiment.baseline) {
    header.push_back("log-rank p against " + experiment.searches[*experiment.baseline].name);
    header.emplace_back("p, Holm");
  }
  statistics::MarkdownTable table(header);
  for (auto& line : lines) table.add(std::move(line));
  return {"Time to detection", table.text(), note};
}

std::string mean_and_range(const std::vector<double>& values) {
  if (values.empty()) return "-";
  return fmt::format("{} ({:g} to {:g})", number_text(statistics::mean(values), 1),
                     statistics::quantile(values, 0), statistics::quantile(values, 1));
}

StudyTable evolution_table(const ArrangedResults& results) {
  const Experiment& experiment = results.experiment;
  const auto& published = experiment.published.evolution;
  statistics::MarkdownTable table(
      {"case", "search", "Total", "paper", fmt::format("L{}", experiment.last_generations), "paper",
       fmt::format("D{}", experiment.milestone), "paper", "mean fitness", "paper",
       "evaluations with a finding", "p against baseline"});
  const auto sum = [](const std::vector<double>& values) {
    double total = 0;
    for (const double value : values) total += value;
    return static_cast<std::uint64_t>(total);
  };
  for (std::size_t i = 0; i < experiment.cases.size(); ++i) {
    for (std::size_t j = 0; j < experiment.searches.size(); ++j) {
      const EvolutionSummary own = summarize_evolution(results, i, j);
      const auto entry = std::find_if(published.begin(), published.end(), [&](const auto& other) {
        return other.test_case == i && other.search == j;
      });
      const bool has = entry != published.end();
      std::string test = "-";
      if (experiment.baseline && j != *experiment.baseline) {
        const EvolutionSummary base = summarize_evolution(results, i, *experiment.baseline);
        const std::uint64_t a = sum(own.totals);
        const std::uint64_t b = sum(base.totals);
        test = statistics::p_value_text(
            statistics::fisher_exact({a, own.objective.size() - a, b, base.objective.size() - b})
                .p_value);
      }
      const std::string milestones =
          own.milestones.empty()
              ? "-"
              : fmt::format("{} ({} of {})",
                            number_text(statistics::quantile(own.milestones, 0.5), 0),
                            own.milestones.size(), own.totals.size());
      table.add({case_text(experiment.cases[i]), experiment.searches[j].name,
                 mean_and_range(own.totals), has ? number_text(entry->total, 0) : "",
                 mean_and_range(own.lasts), has ? number_text(entry->last, 0) : "", milestones,
                 has ? (entry->milestone ? number_text(*entry->milestone, 0) : "-") : "",
                 number_text(statistics::mean(own.objective), 2),
                 has ? number_text(entry->mean_objective, 2) : "",
                 of_text(sum(own.totals), own.objective.size()), test});
    }
  }
  return {
      "Discoveries over the generations", table.text(),
      fmt::format("Means over repetitions (smallest to largest). L{}: discoveries in the last "
                  "{} generations. D{}: generation of the discovery of that number, median of "
                  "the repetitions that had it. Mean fitness: first objective over all "
                  "evaluations, larger is better. p: Fisher's exact test over all evaluations, "
                  "as if these were independent, which those of an evolution are not.",
                  experiment.last_generations, experiment.last_generations, experiment.milestone)};
}

}  // namespace

std::string number_text(double value, int digits) {
  if (std::isnan(value)) return "-";
  if (std::isinf(value)) return "infinite";
  return fmt::format("{:.{}f}", value, digits);
}

std::size_t ArrangedResults::found(std::size_t test_case, std::size_t search) const {
  const auto& list = at(test_case, search);
  return static_cast<std::size_t>(
      std::count_if(list.begin(), list.end(), [](const CellResult* cell) { return cell->found; }));
}

std::vector<double> ArrangedResults::times_found(std::size_t test_case, std::size_t search) const {
  std::vector<double> times;
  for (const CellResult* cell : at(test_case, search)) {
    if (cell->found) times.push_back(cell->virtual_seconds);
  }
  return times;
}

std::vector<statistics::Observation> ArrangedResults::observations(std::size_t test_case,
                                                                   std::size_t search) const {
  std::vector<statistics::Observation> result;
  for (const CellResult* cell : at(test_case, search)) {
    result.push_back({cell->virtual_seconds, cell->found});
  }
  return result;
}

ArrangedResults arrange(const Experiment& experiment, const CellResults& results) {
  ArrangedResults arranged{experiment, {}, {}, {}, 0};
  arranged.cells.assign(experiment.cases.size(),
                        std::vector<std::vector<const CellResult*>>(experiment.searches.size()));
  for (const Cell& cell : cells_of(experiment)) {
    const auto found = results.find(cell.key);
    if (found == results.end()) {
      ++arranged.missing;
    } else if (!found->second.error.empty()) {
      arranged.errors.emplace_back(cell, found->second.error);
    } else {
      arranged.cells[cell.test_case][cell.search].push_back(&found->second);
      arranged.by_key.emplace(cell.key, &found->second);
    }
  }
  return arranged;
}

EvolutionSummary summarize_evolution(const ArrangedResults& results, std::size_t test_case,
                                     std::size_t search) {
  const Experiment& experiment = results.experiment;
  const std::size_t generations = experiment.budget.runs / experiment.population;
  EvolutionSummary summary;
  for (const CellResult* cell : results.at(test_case, search)) {
    std::vector<double> cumulative(generations, 0.0);
    double total = 0;
    double last = 0;
    for (std::size_t i = 0; i < cell->points.size(); ++i) {
      const EvaluationPoint& point = cell->points[i];
      const std::size_t generation = std::min(i / experiment.population, generations - 1);
      if (!point.objectives.empty()) summary.objective.push_back(-point.objectives.front());
      if (point.failed) {
        total += 1;
        if (generation + experiment.last_generations >= generations) last += 1;
        if (total == static_cast<double>(experiment.milestone)) {
          summary.milestones.push_back(static_cast<double>(generation + 1));
        }
      }
      cumulative[generation] = total;
    }
    summary.totals.push_back(total);
    summary.lasts.push_back(last);
    summary.cumulative.push_back(std::move(cumulative));
  }
  return summary;
}

StudyTable make_table(TableKind kind, const ArrangedResults& results,
                      const std::vector<RepresentationResult>& representation) {
  switch (kind) {
    case TableKind::success:
      return success_table(results);
    case TableKind::groups:
      return groups_table(results);
    case TableKind::success_test:
      return success_test_table(results);
    case TableKind::detection_time:
      return detection_time_table(results);
    case TableKind::time_test:
      return time_test_table(results);
    case TableKind::published_runs:
      return published_runs_table(results);
    case TableKind::mix:
      return mix_table(results);
    case TableKind::evolution:
      return evolution_table(results);
    case TableKind::approach:
      return approach_table(results);
    case TableKind::sample:
      return {"What was sampled", sample_table(representation), ""};
    case TableKind::locality:
      return {"Locality: neighbours without chance", locality_table(representation), ""};
    case TableKind::noise:
      return {"What chance does to the same distances", noise_table(representation), ""};
    case TableKind::scaling:
      return {"Scaling: frequency and influence of message types", scaling_table(representation),
              ""};
  }
  return {};
}

std::string run_words(const Experiment& experiment) {
  if (experiment.kind == ExperimentKind::representation) {
    std::string words = seed_words(experiment.seeds) + ".";
    words.front() = 'S';
    return words;
  }
  std::string words = fmt::format("{} {} per case and search, budget {} each, {}",
                                  experiment.hunts(), experiment.hunts() == 1 ? "hunt" : "hunts",
                                  experiment.budget_text, seed_words(experiment.seeds));
  if (experiment.repeats > 1) words += fmt::format(", every test run {} times", experiment.repeats);
  return words + ".";
}

}  // namespace dissensus::experiment
