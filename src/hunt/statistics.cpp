#include "hunt/statistics.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace dissensus::hunt {

namespace {

using Json = nlohmann::ordered_json;
using Yields = std::map<std::string, Yield, std::less<>>;

double seconds_of(Duration duration) {
  return static_cast<double>(duration.count()) / 1e6;
}
double hours_of(Duration duration) {
  return seconds_of(duration) / 3600;
}

Json to_json(const Yields& yields) {
  Json json = Json::object();
  for (const auto& [name, yield] : yields) {
    json[name] = {{"runs", yield.runs},
                  {"failures", yield.failures},
                  {"new_states", yield.new_states},
                  {"improvements", yield.improvements}};
  }
  return json;
}

/// What is left of the budget, in words.
std::string budget_left(const HuntSnapshot& snapshot) {
  const Budget& budget = snapshot.options.budget;
  const HuntProgress& progress = snapshot.progress;
  if (budget.runs != SIZE_MAX) {
    return fmt::format("{} of {} runs left",
                       budget.runs - std::min<std::size_t>(progress.runs, budget.runs),
                       budget.runs);
  }
  if (budget.virtual_time != Duration::max()) {
    const Duration left = std::max(budget.virtual_time - progress.virtual_time, Duration{});
    return fmt::format("{:.2f} of {:.2f} virtual hours left", hours_of(left),
                       hours_of(budget.virtual_time));
  }
  const double wall = static_cast<double>(budget.wall.count()) / 1e6;
  return fmt::format("{:.0f} of {:.0f} s left", std::max(0.0, wall - snapshot.wall_seconds), wall);
}

std::string best_text(const HuntSnapshot& snapshot) {
  const std::vector<double>& best = snapshot.progress.best;
  if (snapshot.progress.runs == 0 || best.empty()) return "no objectives";
  std::string text;
  for (std::size_t i = 0; i < best.size(); ++i) {
    text += fmt::format("{}{} {:.6g}", i == 0 ? "" : ", ", snapshot.objective_names[i], best[i]);
  }
  return text;
}

std::string margin_text(const HuntProgress& progress) {
  return fmt::format("disagreement {:.2f}, termination {:.2f} (1: violated)",
                     progress.disagreement_margin, progress.termination_margin);
}

std::string stability_text(const HuntProgress& progress) {
  if (progress.repeated == 0) return "no run made twice yet";
  if (progress.equal == progress.repeated) {
    return fmt::format("100 % of {} runs made twice", progress.repeated);
  }
  return fmt::format("ONLY {} of {} runs made twice were equal", progress.equal, progress.repeated);
}

/// "3 x termination/no-progress/ledger".
std::string passed_over_text(const HuntProgress& progress) {
  std::string text;
  for (const auto& [signature, passed] : progress.passed_over) {
    text += fmt::format("{}{} x {}", text.empty() ? "" : ", ", passed.count, signature);
  }
  return text;
}

/// The best yields first: failures, then new states.
void add_yields(std::string_view title, const Yields& yields, std::size_t rows_max,
                std::vector<std::string>& lines) {
  if (yields.empty()) return;
  std::vector<std::pair<std::string_view, Yield>> rows(yields.begin(), yields.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return std::pair(a.second.failures, a.second.new_states) >
           std::pair(b.second.failures, b.second.new_states);
  });
  lines.push_back(fmt::format("{:<30} {:>10} {:>9} {:>11} {:>12}", title, "runs", "failures",
                              "new states", "improvements"));
  for (std::size_t i = 0; i < rows.size() && i < rows_max; ++i) {
    const auto& [name, yield] = rows[i];
    lines.push_back(fmt::format("  {:<28} {:>10} {:>9} {:>11} {:>12}", name.substr(0, 28),
                                yield.runs, yield.failures, yield.new_states, yield.improvements));
  }
  if (rows.size() > rows_max) {
    lines.push_back(fmt::format("  and {} more (stats.json)", rows.size() - rows_max));
  }
}

}  // namespace

double HuntSnapshot::runs_per_second() const {
  return wall_seconds > 0 ? static_cast<double>(progress.runs - progress.known) / wall_seconds : 0;
}

std::string statistics_json(const HuntSnapshot& snapshot) {
  const HuntProgress& progress = snapshot.progress;
  Json json;
  json["format"] = kStatisticsFormat;
  json["scenario"] = snapshot.scenario;
  json["search"] = snapshot.options.search;
  json["seed"] = snapshot.options.seed;
  json["evaluations"] = progress.runs;
  json["from_store"] = progress.known;
  json["wall_seconds"] = snapshot.wall_seconds;
  json["runs_per_second"] = snapshot.runs_per_second();
  json["virtual_seconds"] = seconds_of(progress.virtual_time);
  json["events"] = progress.events;
  json["failed"] = progress.failed;
  json["unknown"] = progress.unknown;
  json["states"] = progress.states;
  json["best"] = Json::object();
  for (std::size_t i = 0; i < progress.best.size() && progress.runs > 0; ++i) {
    json["best"][snapshot.objective_names[i]] = progress.best[i];
  }
  json["disagreement_margin"] = progress.disagreement_margin;
  json["termination_margin"] = progress.termination_margin;
  json["stability"] = {{"repeated", progress.repeated}, {"equal", progress.equal}};
  json["budget_left"] = budget_left(snapshot);
  json["findings"] = Json::array();
  for (const Finding& finding : progress.findings) {
    json["findings"].push_back(
        {{"signature", finding.signature}, {"count", finding.count}, {"first_item", finding.item}});
  }
  if (!snapshot.options.finding.empty()) {
    json["hunted"] = snapshot.options.finding;
    json["passed_over"] = Json::array();
    for (const auto& [signature, passed] : progress.passed_over) {
      json["passed_over"].push_back(
          {{"signature", signature}, {"count", passed.count}, {"first_item", passed.item}});
    }
  }
  json["members"] = to_json(progress.members);
  json["origins"] = to_json(progress.origins);
  return json.dump(2) + "\n";
}

std::vector<std::string> panel_lines(const HuntSnapshot& snapshot, std::size_t width) {
  const HuntProgress& progress = snapshot.progress;
  std::vector<std::string> lines;
  lines.push_back(fmt::format("{}, {}, seed {}", snapshot.scenario, snapshot.options.search,
                              snapshot.options.seed));
  lines.push_back(fmt::format("runs       {}, {:.0f}/s, {:.2f} virtual hours, {} unknown",
                              progress.runs, snapshot.runs_per_second(),
                              hours_of(progress.virtual_time), progress.unknown));
  lines.push_back("budget     " + budget_left(snapshot) +
                  "; Ctrl-C stops and keeps what was found");
  lines.push_back("best       " + best_text(snapshot));
  lines.push_back("nearest    " + margin_text(progress));
  lines.push_back(fmt::format("states     {} reached", progress.states));
  lines.push_back("stability  " + stability_text(progress));
  lines.push_back(progress.findings.empty()
                      ? std::string("findings   none yet")
                      : fmt::format("findings   {}", progress.findings.size()));
  constexpr std::size_t kRowsMax = 6;
  for (std::size_t i = 0; i < progress.findings.size() && i < kRowsMax; ++i) {
    const Finding& finding = progress.findings[i];
    lines.push_back(fmt::format("  {} x {}, first in run {}", finding.count, finding.signature,
                                finding.item + 1));
  }
  if (!progress.passed_over.empty()) {
    lines.push_back(fmt::format("passed by  {}", passed_over_text(progress)));
  }
  add_yields("yield by algorithm", progress.members, kRowsMax, lines);
  add_yields("yield by operator", progress.origins, kRowsMax, lines);
  for (std::string& line : lines) {
    if (line.size() > width) line.resize(width);
  }
  return lines;
}

std::string progress_line(const HuntSnapshot& snapshot) {
  const HuntProgress& progress = snapshot.progress;
  return fmt::format(
      "{} runs, {:.0f}/s, {:.2f} virtual hours, {}; findings: {}; best: {}; nearest: {}; "
      "stability: {}",
      progress.runs, snapshot.runs_per_second(), hours_of(progress.virtual_time),
      budget_left(snapshot), progress.findings.size(), best_text(snapshot), margin_text(progress),
      stability_text(progress));
}

}  // namespace dissensus::hunt
