#include "experiment/figures.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "experiment/representation_report.h"
#include "statistics/charts.h"
#include "statistics/samples.h"

namespace dissensus::experiment {

namespace {

std::vector<std::string> search_names(const Experiment& experiment) {
  std::vector<std::string> names;
  for (const ExperimentSearch& search : experiment.searches) names.push_back(search.name);
  return names;
}

std::string panel_title(const ExperimentCase& test_case) {
  return test_case.control ? test_case.name + " (control)" : test_case.name;
}

/// Ours is what the caption tells; what the paper ran is the paper's business.
std::string caption_of(const ArrangedResults& results, std::string_view words) {
  std::string caption = fmt::format("{} {}", words, run_words(results.experiment));
  if (!results.errors.empty() || results.missing > 0) {
    caption +=
        fmt::format(" {} hunts failed, {} were not run.", results.errors.size(), results.missing);
  }
  return caption + fmt::format(" dissensus study {}", results.experiment.path);
}

std::string found_figure(const ArrangedResults& results) {
  const Experiment& experiment = results.experiment;
  const auto& published = experiment.published.success;
  statistics::BarChart chart;
  chart.title = "Hunts that found the bug";
  chart.y_label = "hunts with a finding";
  chart.y_max = static_cast<double>(experiment.hunts());
  chart.series = search_names(experiment);
  for (const ExperimentCase& test_case : experiment.cases) {
    chart.groups.push_back(panel_title(test_case));
  }
  bool has_paper = false;
  for (std::size_t j = 0; j < experiment.searches.size(); ++j) {
    std::vector<statistics::ChartBar> bars;
    for (std::size_t i = 0; i < experiment.cases.size(); ++i) {
      statistics::ChartBar bar;
      bar.value = static_cast<double>(results.found(i, j));
      bar.hover = fmt::format("{}, {}: {} of {}", chart.groups[i], chart.series[j], bar.value,
                              results.at(i, j).size());
      for (const PublishedSuccess& entry : published) {
        if (entry.test_case != i || entry.search != j) continue;
        // On our scale, where the paper had another number of repetitions.
        bar.published = static_cast<double>(entry.found) / static_cast<double>(entry.of) *
                        static_cast<double>(experiment.hunts());
        bar.hover += fmt::format("; paper {} of {}", entry.found, entry.of);
        has_paper = true;
      }
      bars.push_back(std::move(bar));
    }
    chart.bars.push_back(std::move(bars));
  }
  chart.caption = caption_of(results, has_paper ? "Filled: ours; dashed outline: the paper." : "");
  return statistics::bar_chart(chart);
}

/// The published times of a panel in minutes, by search; none where nothing was published.
std::vector<std::vector<double>> published_times(const Experiment& experiment,
                                                 std::size_t test_case, bool found_only) {
  constexpr double kMinute = 60;
  std::vector<std::vector<double>> times;
  for (const PublishedRuns& cell : experiment.published.runs) {
    if (cell.test_case != test_case) continue;
    times.resize(experiment.searches.size());
    for (const statistics::Observation& run : cell.runs) {
      if (run.event || !found_only) times[cell.search].push_back(run.time / kMinute);
    }
  }
  return times;
}

std::string time_figure(const ArrangedResults& results, bool found_only) {
  const Experiment& experiment = results.experiment;
  constexpr double kMinute = 60;
  statistics::BoxChart chart;
  chart.title = found_only ? "Time to detection, successful hunts" : "Time to detection, all hunts";
  chart.y_label = "virtual time (min)";
  chart.series = search_names(experiment);
  if (std::isfinite(experiment.budget_seconds()))
    chart.y_max = experiment.budget_seconds() / kMinute;
  for (std::size_t i = 0; i < experiment.cases.size(); ++i) {
    statistics::BoxPanel panel{
        panel_title(experiment.cases[i]), {}, published_times(experiment, i, found_only)};
    for (std::size_t j = 0; j < experiment.searches.size(); ++j) {
      std::vector<double> sample;
      for (const CellResult* cell : results.at(i, j)) {
        if (cell->found || !found_only) sample.push_back(cell->virtual_seconds / kMinute);
      }
      panel.samples.push_back(std::move(sample));
    }
    chart.panels.push_back(std::move(panel));
  }
  const std::string beside =
      experiment.published.runs.empty() ? "" : "Coloured: ours; grey, dashed: the published runs. ";
  chart.caption = caption_of(
      results,
      beside + (found_only ? "Boxes: quartiles and median; whiskers: last value within 1.5 "
                             "interquartile ranges; dots: hunts that found the bug."
                           : "Boxes: quartiles and median; whiskers: last value within 1.5 "
                             "interquartile ranges; dots: hunts, those without finding at their "
                             "budget."));
  return statistics::box_chart(chart);
}

statistics::Curve survival_curve(const std::vector<statistics::Observation>& observations,
                                 double end, const std::string& name) {
  constexpr double kMinute = 60;
  const statistics::SurvivalCurve estimate = statistics::kaplan_meier(observations);
  statistics::Curve curve;
  double share = 1;
  curve.line.push_back({0, share});
  for (const statistics::SurvivalPoint& point : estimate.points) {
    curve.line.push_back({point.time / kMinute, share});
    share = point.survival;
    curve.line.push_back({point.time / kMinute, share});
    if (point.censored > 0 && point.time < end) curve.dots.push_back({point.time / kMinute, share});
  }
  if (std::isfinite(end)) curve.line.push_back({end / kMinute, share});
  curve.hover = fmt::format(
      "{}: {} of {} found, median {}", name, estimate.events, estimate.observations,
      std::isnan(estimate.median) ? std::string("not reached")
                                  : fmt::format("{:.1f} min", estimate.median / kMinute));
  return curve;
}

std::string survival_figure(const ArrangedResults& results) {
  const Experiment& experiment = results.experiment;
  statistics::CurveChart chart;
  chart.title = "Hunts that have not found the bug yet";
  chart.x_label = "virtual time (min)";
  chart.y_label = "share of hunts";
  chart.y_max = 1;
  chart.series = search_names(experiment);
  for (std::size_t i = 0; i < experiment.cases.size(); ++i) {
    statistics::CurvePanel panel{panel_title(experiment.cases[i]), {}};
    for (std::size_t j = 0; j < experiment.searches.size(); ++j) {
      panel.curves.push_back(survival_curve(results.observations(i, j), experiment.budget_seconds(),
                                            panel.title + ", " + chart.series[j]));
    }
    chart.panels.push_back(std::move(panel));
  }
  chart.caption = caption_of(results, "Kaplan-Meier estimate.");
  return statistics::curve_chart(chart);
}

std::string published_survival_figure(const ArrangedResults& results) {
  const Experiment& experiment = results.experiment;
  statistics::CurveChart chart;
  chart.title = "Hunts that have not found the bug yet, ours and the published ones";
  chart.x_label = "virtual time, published: real time (min)";
  chart.y_label = "share of hunts";
  chart.y_max = 1;
  chart.series = {"ours", "published"};
  for (const PublishedRuns& cell : experiment.published.runs) {
    statistics::CurvePanel panel{fmt::format("{}, {}", experiment.cases[cell.test_case].name,
                                             experiment.searches[cell.search].name),
                                 {}};
    const double end = experiment.budget_seconds();
    panel.curves.push_back(survival_curve(results.observations(cell.test_case, cell.search), end,
                                          panel.title + ", ours"));
    panel.curves.push_back(survival_curve(cell.runs, end, panel.title + ", published"));
    chart.panels.push_back(std::move(panel));
  }
  chart.caption = caption_of(results, "Kaplan-Meier estimate.");
  return statistics::curve_chart(chart);
}

/// What a published table says of a curve that was printed as a picture only: when the n-th
/// discovery was, how many there were before the last generations, and at the end.
std::vector<trace::Point> published_trajectory(const Experiment& experiment, std::size_t test_case,
                                               std::size_t search) {
  std::vector<trace::Point> line;
  const auto end = static_cast<double>(experiment.budget.runs / experiment.population);
  for (const PublishedEvolution& entry : experiment.published.evolution) {
    if (entry.test_case != test_case || entry.search != search) continue;
    const trace::Point before{end - static_cast<double>(experiment.last_generations),
                              entry.total - entry.last};
    line.push_back({0, 0});
    if (entry.milestone) {
      line.push_back({*entry.milestone, static_cast<double>(experiment.milestone)});
    }
    line.push_back(before);
    line.push_back({end, entry.total});
    std::sort(line.begin(), line.end(),
              [](const trace::Point& a, const trace::Point& b) { return a.x < b.x; });
  }
  return line;
}

std::string trajectory_figure(const ArrangedResults& results) {
  const Experiment& experiment = results.experiment;
  statistics::CurveChart chart;
  chart.title = "Discoveries over the generations";
  chart.x_label = "generation";
  chart.y_label = "discoveries so far, mean";
  chart.own_scales = true;
  chart.series = search_names(experiment);
  for (std::size_t i = 0; i < experiment.cases.size(); ++i) {
    statistics::CurvePanel panel{panel_title(experiment.cases[i]), {}};
    for (std::size_t j = 0; j < experiment.searches.size(); ++j) {
      const EvolutionSummary summary = summarize_evolution(results, i, j);
      statistics::Curve curve;
      if (!summary.cumulative.empty()) curve.line.push_back({0, 0});
      for (std::size_t g = 0; !summary.cumulative.empty() && g < summary.cumulative[0].size();
           ++g) {
        double sum = 0;
        for (const auto& cumulative : summary.cumulative) sum += cumulative[g];
        curve.line.push_back(
            {static_cast<double>(g + 1), sum / static_cast<double>(summary.cumulative.size())});
      }
      for (const double total : summary.totals) {
        curve.dots.push_back(
            {static_cast<double>(experiment.budget.runs / experiment.population), total});
      }
      curve.hover = fmt::format("{}, {}: {:.1f} discoveries on average", panel.title,
                                chart.series[j], statistics::mean(summary.totals));
      curve.published = published_trajectory(experiment, i, j);
      panel.curves.push_back(std::move(curve));
    }
    chart.panels.push_back(std::move(panel));
  }
  chart.caption = caption_of(
      results,
      fmt::format("Lines: mean over repetitions; dots: where the single repetitions ended. {}"
                  "A generation is {} evaluations.",
                  experiment.published.evolution.empty()
                      ? ""
                      : fmt::format("Dashed: the paper, through what its table says of D{}, L{} "
                                    "and the total. ",
                                    experiment.milestone, experiment.last_generations),
                  experiment.population));
  return statistics::curve_chart(chart);
}

/// Points that no other one beats in both coordinates, larger being better, from right to left.
std::vector<trace::Point> front_of(std::vector<trace::Point> points) {
  std::sort(points.begin(), points.end(), [](const trace::Point& a, const trace::Point& b) {
    return a.x != b.x ? a.x > b.x : a.y > b.y;
  });
  std::vector<trace::Point> front;
  for (const trace::Point& point : points) {
    if (front.empty() || point.y > front.back().y) front.push_back(point);
  }
  return front;
}

std::vector<trace::Point> staircase(const std::vector<trace::Point>& front) {
  std::vector<trace::Point> line;
  for (const trace::Point& point : front) {
    if (!line.empty()) line.push_back({point.x, line.back().y});
    line.push_back(point);
  }
  return line;
}

/// A fitness function with its unit.
std::string axis_label(const std::string& fitness) {
  return fitness == "time" || fitness == "validation-time" ? fitness + " (s)" : fitness;
}

std::string pareto_figure(const ArrangedResults& results) {
  const Experiment& experiment = results.experiment;
  statistics::CurveChart chart;
  chart.title = "Objectives of the evaluations, and their Pareto fronts";
  const std::vector<std::string>& fitness = experiment.searches.front().fitness;
  chart.x_label = axis_label(fitness[0]);
  chart.y_label = axis_label(fitness[1]);
  chart.own_scales = true;
  chart.series = search_names(experiment);
  for (std::size_t i = 0; i < experiment.cases.size(); ++i) {
    statistics::CurvePanel panel{panel_title(experiment.cases[i]), {}};
    for (std::size_t j = 0; j < experiment.searches.size(); ++j) {
      std::vector<trace::Point> points;
      for (const CellResult* cell : results.at(i, j)) {
        for (const EvaluationPoint& point : cell->points) {
          points.push_back(
              {std::max(0.0, -point.objectives[0]), std::max(0.0, -point.objectives[1])});
        }
      }
      statistics::Curve curve;
      curve.marks = front_of(points);
      curve.line = staircase(curve.marks);
      curve.hover =
          fmt::format("{}, {}: {} evaluations", panel.title, chart.series[j], points.size());
      // Thousands of dots would hide each other and fill the page: every tenth, and the front.
      constexpr std::size_t kEvery = 10;
      for (std::size_t k = 0; k < points.size(); k += kEvery) curve.dots.push_back(points[k]);
      panel.curves.push_back(std::move(curve));
    }
    chart.panels.push_back(std::move(panel));
  }
  chart.caption =
      caption_of(results,
                 "Dots: every tenth evaluation; circles: what no evaluation of the search "
                 "beats in both objectives. Larger is better.");
  return statistics::curve_chart(chart);
}

}  // namespace

StudyFigure make_figure(FigureKind kind, const ArrangedResults& results,
                        const std::vector<RepresentationResult>& representation) {
  const std::string name(to_string(kind));
  switch (kind) {
    case FigureKind::found:
      return {name, "Hunts that found the bug", found_figure(results)};
    case FigureKind::time:
      return {name, "Time to detection, all hunts", time_figure(results, false)};
    case FigureKind::time_found:
      return {name, "Time to detection, successful hunts", time_figure(results, true)};
    case FigureKind::survival:
      return {name, "Survival: hunts without a finding", survival_figure(results)};
    case FigureKind::published_survival:
      return {name, "Survival beside the published runs", published_survival_figure(results)};
    case FigureKind::trajectory:
      return {name, "Trajectory of discoveries", trajectory_figure(results)};
    case FigureKind::pareto:
      return {name, "Pareto fronts", pareto_figure(results)};
    case FigureKind::distances:
      return {name, "Distances between runs",
              distance_figure(representation,
                              caption_of(results, "Edit paths, share of the maximum."))};
  }
  return {};
}

}  // namespace dissensus::experiment
