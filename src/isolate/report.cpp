#include "isolate/report.h"

#include <algorithm>
#include <cstdint>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "isolate/predicate_text.h"

namespace dissensus::isolate {
namespace {

using Json = nlohmann::ordered_json;

std::string label_table(const std::vector<std::string>& labels, const std::vector<Scores>& scores) {
  if (labels.empty()) return {};
  std::string text = fmt::format("   {:<20} {:>9} {:>9} {:>9} {:>9}\n", "label", "precision",
                                 "recall", "F1", "F0.5");
  for (std::size_t label = 0; label < labels.size(); ++label) {
    const Scores& score = scores[label];
    if (!score.occurs()) continue;
    text += fmt::format("   {:<20} {:>8.1f}% {:>8.1f}% {:>8.1f}% {:>8.1f}%\n", labels[label],
                        100 * score.precision(), 100 * score.recall(), 100 * score.f1(),
                        100 * score.f_half());
  }
  return text;
}

std::string plural(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string finding_text(const Report& report, std::size_t index) {
  const PredicateSpace& space = report.table.space();
  const Finding& finding = report.result.findings[index];
  std::string text = fmt::format("{}. {}\n", index + 1, words(space, finding.candidate));
  text += fmt::format("   {}\n", report.result.mode == Mode::reference
                                     ? reference_name(space, finding.candidate)
                                     : notation(space, finding.candidate));
  text += fmt::format("   explains {}; holds in {} failing and {} successful runs in all\n",
                      plural(finding.cluster.size(), "failing run"), finding.failing.size(),
                      finding.successful.size());
  text += fmt::format("   importance {:.3f}, increase {:.3f} (95 % interval {:.3f} to {:.3f})\n",
                      finding.importance, finding.increase, finding.increase_interval.low,
                      finding.increase_interval.high);
  text += label_table(space.schema().labels, finding.scores);
  if (finding.equivalent > 0)
    text += fmt::format("   {} in exactly the same runs\n",
                        plural(finding.equivalent, "other predicate"));
  for (const Relative& relative : finding.relatives) {
    text += fmt::format("   {}: {} ({} failing, {} successful)\n", to_string(relative.type),
                        notation(space, relative.candidate), relative.failing, relative.successful);
  }
  return text + "\n";
}

std::string validation_text(const Report& report) {
  const CrossValidation& validation = *report.validation;
  std::string text = fmt::format(
      "{}-fold cross-validation, scored on held-out runs, successful ones included\n"
      "(lists of {} predicates)\n",
      validation.predicates.size(), fmt::join(validation.predicates, ", "));
  text += fmt::format("   {:<20} {:>9} {:>9} {:>9}   {}\n", "label", "precision", "recall", "F1",
                      "F1 of all predicates of the label");
  const std::vector<std::string>& labels = report.table.space().schema().labels;
  for (std::size_t label = 0; label < labels.size(); ++label) {
    const CrossValidation::Label& scores = validation.labels[label];
    if (!scores.single.occurs()) continue;
    text += fmt::format("   {:<20} {:>8.1f}% {:>8.1f}% {:>8.1f}%   {:>8.1f}%\n", labels[label],
                        100 * scores.single.precision(), 100 * scores.single.recall(),
                        100 * scores.single.f1(), 100 * scores.together.f1());
  }
  return text;
}

}  // namespace

std::string literal_words(const PredicateSpace& space, const Literal& literal) {
  return (literal.holds ? "" : "Not so: ") +
         (literal.sign.empty() ? words(space, literal.candidate) : literal.sign);
}

std::string range_words(const Separation& separation) {
  return separation.causes_low == separation.causes_high
             ? std::string()
             : fmt::format(" ({} to {})", separation.causes_low, separation.causes_high);
}

std::vector<std::pair<std::string, std::size_t>> ways_of_failing(
    const RunTable& table, const std::vector<std::size_t>& runs) {
  std::map<std::string, std::size_t> counts;
  for (const std::size_t run : runs) {
    for (const std::uint32_t index : table.runs()[run].signs) {
      const Sign& sign = table.signs()[index];
      if (sign.about == kWayOfFailing) ++counts[sign.words];
    }
  }
  std::vector<std::pair<std::string, std::size_t>> ways(counts.begin(), counts.end());
  std::stable_sort(ways.begin(), ways.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return ways;
}

namespace {

/// "These 412 failing runs have 3 causes (2 to 4)", and each with what tells it from the others.
std::string causes_text(const Report& report) {
  const Separation& separation = *report.separation;
  std::string text =
      fmt::format("these {} have {}{}\n\n", plural(report.table.failing(), "failing run"),
                  plural(separation.causes.size(), "cause"), range_words(separation));
  for (std::size_t index = 0; index < separation.causes.size(); ++index) {
    const Cause& cause = separation.causes[index];
    text += fmt::format(
        "cause {}: {}, {:.0f} % alike, comes back in {:.0f} % of draws; shown best by run {}\n",
        index + 1, plural(cause.runs.size(), "failing run"), 100 * cause.alike, 100 * cause.returns,
        report.table.runs()[cause.representative].name);
    for (std::size_t rule = 0; rule < cause.rules.size(); ++rule) {
      if (rule > 0) text += "   or\n";
      for (const Literal& literal : cause.rules[rule])
        text += fmt::format("   {}\n", literal_words(report.table.space(), literal));
    }
    if (!cause.shared.empty()) text += fmt::format("   in common: {}\n", cause.shared);
    for (const auto& [way, runs] : ways_of_failing(report.table, cause.runs))
      text += fmt::format("   {} of {}: {}\n", runs, cause.runs.size(), way);
    if (index >= report.pages.size()) continue;
    const CausePage& page = report.pages[index];
    text += fmt::format("   {}: {}\n   replay: {}\n",
                        page.is_shrunk ? "its smallest run" : "a run of it, not shrunk", page.page,
                        page.replay);
  }
  if (!separation.doubt.empty()) text += fmt::format("in doubt: {}\n", separation.doubt);
  return text + "\n";
}

Json json_of(const Scores& scores) {
  return {{"true_positive", scores.true_positive},
          {"false_positive", scores.false_positive},
          {"false_negative", scores.false_negative},
          {"precision", scores.precision()},
          {"recall", scores.recall()},
          {"f1", scores.f1()},
          {"f0_5", scores.f_half()}};
}

Json names_of(const RunTable& table, const std::vector<std::size_t>& runs) {
  Json names = Json::array();
  for (const std::size_t run : runs) names.push_back(table.runs()[run].name);
  return names;
}

Json json_of(const Report& report, std::size_t index) {
  const PredicateSpace& space = report.table.space();
  const Finding& finding = report.result.findings[index];
  Json json;
  json["words"] = words(space, finding.candidate);
  json["predicate"] = report.result.mode == Mode::reference
                          ? reference_name(space, finding.candidate)
                          : notation(space, finding.candidate);
  json["importance"] = finding.importance;
  json["increase"] = finding.increase;
  json["increase_low"] = finding.increase_interval.low;
  json["increase_high"] = finding.increase_interval.high;
  json["failing_true"] = finding.counts.failing_true;
  json["successful_true"] = finding.counts.successful_true;
  json["rivals"] = finding.rivals;
  json["cluster"] = names_of(report.table, finding.cluster);
  json["failing"] = names_of(report.table, finding.failing);
  json["successful"] = names_of(report.table, finding.successful);
  json["representative"] = report.table.runs()[representative(report, index)].name;
  json["labels"] = Json::object();
  for (std::size_t label = 0; label < finding.scores.size(); ++label)
    json["labels"][space.schema().labels[label]] = json_of(finding.scores[label]);
  json["equivalent"] = finding.equivalent;
  json["relatives"] = Json::array();
  for (const Relative& relative : finding.relatives) {
    json["relatives"].push_back({{"type", to_string(relative.type)},
                                 {"predicate", notation(space, relative.candidate)},
                                 {"failing", relative.failing},
                                 {"successful", relative.successful}});
  }
  return json;
}

Json causes_json(const Report& report) {
  Json json;
  json["doubt"] = report.separation->doubt;
  json["low"] = report.separation->causes_low;
  json["high"] = report.separation->causes_high;
  json["list"] = Json::array();
  for (std::size_t index = 0; index < report.separation->causes.size(); ++index) {
    const Cause& cause = report.separation->causes[index];
    Json entry;
    entry["runs"] = names_of(report.table, cause.runs);
    entry["alike"] = cause.alike;
    entry["returns"] = cause.returns;
    entry["representative"] = report.table.runs()[cause.representative].name;
    entry["rules"] = Json::array();
    for (const std::vector<Literal>& rule : cause.rules) {
      Json conditions = Json::array();
      for (const Literal& literal : rule)
        conditions.push_back(literal_words(report.table.space(), literal));
      entry["rules"].push_back(std::move(conditions));
    }
    entry["shared"] = cause.shared;
    entry["ways_of_failing"] = Json::array();
    for (const auto& [way, runs] : ways_of_failing(report.table, cause.runs))
      entry["ways_of_failing"].push_back({{"words", way}, {"runs", runs}});
    if (index < report.pages.size()) {
      const CausePage& page = report.pages[index];
      entry["page"] = {{"run", page.run},
                       {"shrunk", page.is_shrunk},
                       {"file", page.page},
                       {"replay", page.replay}};
    }
    json["list"].push_back(std::move(entry));
  }
  return json;
}

}  // namespace

std::string_view to_string(Mode mode) {
  switch (mode) {
    case Mode::reference:
      return "reference";
    case Mode::paper:
      return "paper";
    case Mode::improved:
      break;
  }
  return "improved";
}

std::size_t representative(const Report& report, std::size_t finding) {
  const std::vector<Finding>& findings = report.result.findings;
  const auto others = [&](std::size_t run) {
    return std::count_if(findings.begin(), findings.end(), [&](const Finding& other) {
      return std::binary_search(other.failing.begin(), other.failing.end(), run);
    });
  };
  const std::vector<std::size_t>& cluster = findings[finding].cluster;
  return *std::min_element(cluster.begin(), cluster.end(),
                           [&](std::size_t a, std::size_t b) { return others(a) < others(b); });
}

std::string text_report(const Report& report) {
  const IsolationResult& result = report.result;
  std::string text =
      fmt::format("{} of {} runs fail; {} candidates from {} predicates, {} mode\n\n",
                  report.table.failing(), report.table.runs().size(), result.candidates,
                  result.base_predicates, to_string(result.mode));
  if (report.separation) text += causes_text(report);
  for (std::size_t index = 0; index < result.findings.size(); ++index)
    text += finding_text(report, index);
  text += fmt::format("failing runs that no single predicate explains: {}\n",
                      result.unexplained.size());
  if (report.validation) text += fmt::format("\n{}", validation_text(report));
  return text;
}

std::string json_report(const Report& report) {
  Json json;
  json["source"] = report.source;
  json["mode"] = to_string(report.result.mode);
  json["runs"] = report.table.runs().size();
  json["failing"] = report.table.failing();
  json["base_predicates"] = report.result.base_predicates;
  json["candidates"] = report.result.candidates;
  json["findings"] = Json::array();
  for (std::size_t index = 0; index < report.result.findings.size(); ++index)
    json["findings"].push_back(json_of(report, index));
  json["unexplained"] = names_of(report.table, report.result.unexplained);
  if (report.separation) json["causes"] = causes_json(report);
  if (report.validation) {
    Json& validation = json["cross_validation"];
    validation["predicates"] = report.validation->predicates;
    for (std::size_t label = 0; label < report.validation->labels.size(); ++label) {
      const CrossValidation::Label& scores = report.validation->labels[label];
      validation["labels"][report.table.space().schema().labels[label]] = {
          {"single", json_of(scores.single)}, {"together", json_of(scores.together)}};
    }
  }
  return json.dump(2) + "\n";
}

std::string text_report(const BranchData& data, const std::vector<BranchFinding>& findings) {
  std::string text =
      fmt::format("{} runs, {} branch predicates\n\n", data.runs.size(), data.sites.size() * 2);
  for (std::size_t index = 0; index < findings.size(); ++index) {
    const BranchFinding& finding = findings[index];
    text += fmt::format(
        "{}. {}\n   explains {}; holds in {} successful runs that were left; importance "
        "{:.3f}\n{}\n",
        index + 1, branch_name(data, finding), plural(finding.cluster.size(), "failing run"),
        finding.counts.successful_true, finding.importance,
        label_table(data.labels, finding.scores));
  }
  return text;
}

std::string json_report(const BranchData& data, const std::vector<BranchFinding>& findings) {
  Json json;
  json["runs"] = data.runs.size();
  json["sites"] = data.sites.size();
  json["findings"] = Json::array();
  for (const BranchFinding& finding : findings) {
    Json entry;
    entry["predicate"] = branch_name(data, finding);
    entry["importance"] = finding.importance;
    entry["failing_true"] = finding.counts.failing_true;
    entry["successful_true"] = finding.counts.successful_true;
    entry["cluster"] = Json::array();
    for (const std::size_t run : finding.cluster) entry["cluster"].push_back(data.runs[run].name);
    entry["labels"] = Json::object();
    for (std::size_t label = 0; label < finding.scores.size(); ++label)
      entry["labels"][data.labels[label]] = json_of(finding.scores[label]);
    json["findings"].push_back(std::move(entry));
  }
  return json.dump(2) + "\n";
}

}  // namespace dissensus::isolate
