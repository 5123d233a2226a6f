#include "fidelity/report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/file.h"
#include "fidelity/tables.h"
#include "report/page.h"
#include "statistics/plot.h"

namespace dissensus::fidelity {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Estimate& estimate) {
  Json json{{"value", estimate.value}};
  if (estimate.interval) json["interval"] = {estimate.interval->low, estimate.interval->high};
  return json;
}

Json to_json(const FidelityTest& test) {
  return {{"p", test.p}, {"corrected", test.adjusted}};
}

Json to_json(const OutcomeCounts& counts) {
  return {{"pass", counts.pass}, {"fail", counts.fail}, {"unknown", counts.unknown}};
}

Json to_json(const MessageComparison& row) {
  return {{"kind", row.kind},
          {"share", row.share},
          {"per_run", {to_json(row.per_run[0]), to_json(row.per_run[1])}},
          {"per_decision", {to_json(row.per_decision[0]), to_json(row.per_decision[1])}},
          {"ratio", to_json(row.ratio)},
          {"test", to_json(row.test)}};
}

Json to_json(const SampleComparison& row) {
  Json json{{"name", row.name},
            {"unit", row.unit},
            {"per_run", row.per_run},
            {"values", {row.values[0].size(), row.values[1].size()}},
            {"mean", {to_json(row.mean[0]), to_json(row.mean[1])}}};
  Json quantiles = Json::array();
  for (const std::vector<double>& values : row.values) {
    Json list = Json::array();
    for (const double share : {0.0, 0.1, 0.5, 0.9, 1.0})
      list.push_back(statistics::quantile(values, share));
    quantiles.push_back(std::move(list));
  }
  json["quantiles"] = std::move(quantiles);
  json["ratio"] = to_json(row.ratio);
  json["test"] = to_json(row.test);
  json["distance"] = row.distance;
  json["distance_test"] = to_json(row.distance_test);
  return json;
}

Json to_json(const ScheduleComparison& row) {
  return {{"name", row.name},
          {"outcomes", {to_json(row.outcomes[0]), to_json(row.outcomes[1])}},
          {"agreement", to_string(row.agreement)},
          {"median_gap_s", row.median_gap_s}};
}

template <class List>
Json list_json(const List& list) {
  Json json = Json::array();
  for (const auto& item : list) json.push_back(to_json(item));
  return json;
}

FidelityFigure message_figure(const FidelityReport& report) {
  const FidelityComparison& comparison = report.comparison;
  statistics::BarFigure figure;
  figure.title = fmt::format("Messages of all nodes per {}", comparison.level_name);
  figure.y_label = "messages";
  for (std::size_t side = 0; side < 2; ++side) {
    statistics::BarSeries series;
    series.name = fmt::format("{} ({} runs)", comparison.names[side], comparison.runs[side]);
    for (const MessageComparison& row : comparison.messages) {
      if (row.share[0] == 0 && row.share[1] == 0) continue;
      if (side == 0) figure.groups.push_back(row.kind);
      const Estimate& estimate = row.per_decision[side];
      series.values.push_back(std::isfinite(estimate.value) ? estimate.value : 0);
      series.deviations.push_back(
          estimate.interval ? (estimate.interval->high - estimate.interval->low) / 2 : 0);
    }
    figure.series.push_back(std::move(series));
  }
  FidelityFigure result{"messages", "Message mix", {}, {}};
  if (!figure.groups.empty()) result.svg = statistics::bar_figure(figure);
  result.caption =
      "Whiskers are as long as the 95 % intervals; a side of fewer than three runs has none. Kinds "
      "that nobody sent are left out.";
  return result;
}

FidelityFigure distribution_figures(const FidelityReport& report) {
  const FidelityComparison& comparison = report.comparison;
  std::vector<statistics::DistributionPanel> panels;
  for (const SampleComparison& row : comparison.samples) {
    statistics::DistributionPanel panel;
    panel.title = row.name;
    panel.x_label = row.unit.empty() ? "count" : row.unit;
    for (std::size_t side = 0; side < 2; ++side) {
      panel.series.push_back({comparison.names[side], row.values[side]});
    }
    panels.push_back(std::move(panel));
  }
  FidelityFigure result{"distributions", "Times, proposals and stalls", {}, {}};
  constexpr std::size_t kColumns = 3;
  if (!panels.empty()) result.svg = statistics::distribution_figure(panels, kColumns, "");
  result.caption =
      "Each curve shows which share of the values (vertical) is at most so large (horizontal). "
      "Curves that lie on each other mean equal behaviour; a curve further to the right means "
      "larger values.";
  return result;
}

FidelityFigure stall_figure(const FidelityReport& report) {
  const FidelityComparison& comparison = report.comparison;
  statistics::ScatterFigure figure;
  figure.title = fmt::format("Longest time without a {}", comparison.level_name);
  figure.x_label = fmt::format("{}: median of the schedule / s", comparison.names[1]);
  figure.y_label = fmt::format("{}: each run / s", comparison.names[0]);
  statistics::ScatterSeries series{comparison.names[0] + " runs", {}, {}};
  for (const RunObservation& run : report.input.sides[0].runs) {
    for (const ScheduleComparison& row : comparison.schedules) {
      if (row.schedule != run.place.schedule) continue;
      series.x.push_back(row.median_gap_s[1]);
      series.y.push_back(run.longest_gap_s);
    }
  }
  const bool has_gap =
      std::any_of(series.y.begin(), series.y.end(), [](double y) { return y > 0; });
  figure.series.push_back(std::move(series));
  FidelityFigure result{"stalls", "Stalls, schedule by schedule", {}, {}};
  if (has_gap) result.svg = statistics::scatter_figure(figure);
  result.caption = fmt::format(
      "One circle per {} run, above the median of the {} runs of its schedule. On the dashed line "
      "both sides wait equally long; circles far above it are stalls that the {} side does not "
      "have.",
      comparison.names[0], comparison.names[1], comparison.names[1]);
  return result;
}

std::string problem_text(const FidelityReport& report) {
  std::string text;
  for (const std::string& problem : report.problems) text += fmt::format("- {}\n", problem);
  return text.empty() ? text : "This comparison is incomplete:\n\n" + text + "\n";
}

std::string facts_html(const FidelityReport& report) {
  std::string html = "<dl class=\"facts\">\n";
  for (const auto& [name, value] : report.facts) {
    html += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", report::escape(name),
                        report::escape(value));
  }
  return html + "</dl>\n";
}

std::string section_html(const FidelityTable& table, const std::string& after) {
  std::string body = fmt::format("<p>{}</p>\n", report::escape(table.intro)) + to_html(table);
  if (!table.note.empty()) {
    body += fmt::format("<p class=\"quiet\">{}</p>\n", report::escape(table.note));
  }
  return report::section(table.id, table.title, body + after);
}

/// The figures that stand below a table.
std::string figures_below(const std::string& table, const std::vector<FidelityFigure>& figures) {
  const std::string wanted = table == "messages"    ? "messages"
                             : table == "times"     ? "distributions"
                             : table == "schedules" ? "stalls"
                                                    : "";
  std::string html;
  for (const FidelityFigure& figure : figures) {
    if (figure.name == wanted) html += report::figure(figure.svg, report::escape(figure.caption));
  }
  return html;
}

std::string title_of(const FidelityReport& report) {
  const auto& names = report.comparison.names;
  return fmt::format("{}: {} against {}", report.comparison.scenario, names[0], names[1]);
}

}  // namespace

std::string fidelity_json(const FidelityReport& report) {
  const FidelityComparison& comparison = report.comparison;
  Json json;
  json["format"] = kFidelityFormat;
  json["scenario"] = comparison.scenario;
  json["complete"] = report.problems.empty();
  json["problems"] = report.problems;
  json["sides"] = comparison.names;
  json["runs"] = comparison.runs;
  json["runs_cut"] = comparison.runs_cut;
  json["runs_left_out"] = comparison.runs_left_out;
  json["level"] = comparison.level_name;
  json["findings"] = fidelity_findings(comparison);
  json["tests"] = comparison.tests;
  json["test_level"] = comparison.test_level;
  json["smallest_p"] = comparison.smallest_p;
  json["outcomes"] = {{"counts", list_json(comparison.outcomes)},
                      {"odds_ratio", comparison.fisher.conditional_odds_ratio},
                      {"test", to_json(comparison.outcome_test)},
                      {"same_schedule_test", to_json(comparison.schedule_test)}};
  json["schedules"] = list_json(comparison.schedules);
  Json violations = Json::array();
  for (const ViolationComparison& row : comparison.violations) {
    violations.push_back({{"signature", row.signature}, {"runs", row.runs}});
  }
  json["violations"] = std::move(violations);
  json["messages"] = list_json(comparison.messages);
  json["all_messages"] = to_json(comparison.all_messages);
  json["quantities"] = list_json(comparison.samples);
  json["command"] = report.command;
  return json.dump(2) + "\n";
}

std::vector<FidelityFigure> fidelity_figures(const FidelityReport& report) {
  std::vector<FidelityFigure> figures{message_figure(report), distribution_figures(report),
                                      stall_figure(report)};
  std::erase_if(figures, [](const FidelityFigure& figure) { return figure.svg.empty(); });
  return figures;
}

std::string fidelity_markdown(const FidelityReport& report) {
  std::string text = fmt::format("# {}\n\n", title_of(report));
  if (!report.description.empty()) text += report.description + "\n\n";
  text += problem_text(report);
  for (const std::string& finding : fidelity_findings(report.comparison)) {
    text += fmt::format("- {}\n", finding);
  }
  text += "\n";
  for (const auto& [name, value] : report.facts) text += fmt::format("- {}: {}\n", name, value);
  text += "\n";
  for (const FidelityTable& table : fidelity_tables(report.comparison)) text += to_markdown(table);
  text += fmt::format("## How to read this\n\n{}\n\n", fidelity_method(report.comparison));
  if (!report.command.empty()) text += fmt::format("    {}\n", report.command);
  return text;
}

std::string fidelity_page(const FidelityReport& report) {
  const std::vector<FidelityFigure> figures = fidelity_figures(report);
  const auto& names = report.comparison.names;
  std::string body = fmt::format(
      "<p class=\"over\">fidelity</p>\n<h1>{}</h1>\n<p>{}</p>\n"
      "<p>The same schedules (which messages are delayed or lost, which nodes crash or lie) were "
      "run "
      "on two sides, {} and {}. This page tells where the two behave alike, and where not.</p>\n",
      report::escape(title_of(report)), report::escape(report.description),
      report::escape(names[0]), report::escape(names[1]));
  if (!report.problems.empty()) {
    body += fmt::format("<pre class=\"fail\">{}</pre>\n", report::escape(problem_text(report)));
  }
  body += "<ul class=\"words\">\n";
  for (const std::string& finding : fidelity_findings(report.comparison)) {
    body += fmt::format("<li>{}</li>\n", report::escape(finding));
  }
  body += "</ul>\n" + facts_html(report);
  for (const FidelityTable& table : fidelity_tables(report.comparison)) {
    body += section_html(table, figures_below(table.id, figures));
  }
  body += report::section(
      "method", "How to read this",
      fmt::format("<p>{}</p>\n", report::escape(fidelity_method(report.comparison))));
  if (!report.command.empty()) {
    body += report::section("again", "Repeat it", report::command(report.command));
  }
  body += "<style>td { white-space: nowrap; }</style>\n";
  return report::page(title_of(report), body);
}

std::vector<std::string> write_fidelity(const std::string& folder, const FidelityReport& report) {
  std::vector<std::string> names;
  const auto write = [&](const std::string& name, const std::string& content) {
    write_file(folder + "/" + name, content);
    names.push_back(name);
  };
  write("comparison.json", fidelity_json(report));
  write("tables.md", fidelity_markdown(report));
  for (const FidelityFigure& figure : fidelity_figures(report)) {
    write(figure.name + ".svg", figure.svg);
  }
  write("report.html", fidelity_page(report));
  return names;
}

}  // namespace dissensus::fidelity
