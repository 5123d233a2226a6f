#include <algorithm>

#include <fmt/format.h>

#include "isolate/overlap_figure.h"
#include "isolate/predicate_text.h"
#include "isolate/report.h"
#include "trace/text.h"

namespace dissensus::isolate {
namespace {

using trace::xml_text;

constexpr std::string_view kStyle = R"(
:root{color-scheme:light dark;--ink:#1d2733;--quiet:#4a5866;--paper:#f4f6f8;--card:#ffffff;
--edge:#d8dee5;--accent:#2f5d8a;--code:#eef2f6;--strong:#e6f2e6;--out:#dfe5ec}
@media (prefers-color-scheme:dark){:root{--ink:#e7e9ee;--quiet:#a2a7b3;--paper:#16181d;
--card:#20232a;--edge:#3a3f4a;--accent:#8cb8e6;--code:#2b2f38;--strong:#1f3a2a;--out:#3a3f4a}
.picture svg{filter:invert(0.92) hue-rotate(180deg)}.picture{background:#141414}}
*{box-sizing:border-box}
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);margin:0}
main{max-width:1080px;margin:0 auto;padding:24px}
h1{font-size:24px;margin:8px 0}h2{font-size:18px;margin:28px 0 8px}a{color:var(--accent)}
.lead{color:var(--quiet)}
.card{background:var(--card);border:1px solid var(--edge);border-radius:8px;padding:16px 20px;
margin:16px 0;overflow-x:auto}
.card>header{display:flex;gap:14px;align-items:baseline}
.rank{font-size:22px;font-weight:700;color:var(--accent)}
.says{font-size:16px;font-weight:600;overflow-wrap:anywhere}
code{font:13px ui-monospace,monospace;background:var(--code);padding:2px 5px;border-radius:4px;
overflow-wrap:anywhere}
table{border-collapse:collapse;margin:10px 0}
th,td{padding:4px 12px;text-align:right;border-bottom:1px solid var(--edge)}
th:first-child,td:first-child{text-align:left}th{color:var(--quiet);font-weight:600}
.numbers{display:flex;flex-wrap:wrap;gap:24px;margin:10px 0}
.numbers div{min-width:90px}.numbers b{display:block;font-size:20px}
.numbers span{color:var(--quiet);font-size:13px}
meter{width:120px}
.runs{font:12px ui-monospace,monospace;word-spacing:6px;overflow-wrap:anywhere}
summary{cursor:pointer;color:var(--accent);margin:6px 0}
.strong{background:var(--strong)}
.overlap{max-width:none;height:auto}
main .overlap text{fill:var(--ink)}main .overlap .bar,main .overlap .in{fill:var(--accent)}
main .overlap .out{fill:var(--out)}main .overlap .join{stroke:var(--accent)}main .overlap .rest{fill:var(--quiet)}
.picture{overflow-x:auto;border:1px solid var(--edge);border-radius:8px;margin:8px 0}
.picture svg{min-width:640px;max-width:100%;height:auto;display:block}.picture figure{margin:0}
.picture figcaption,.picture p{margin:6px 12px;padding-left:4px}.picture ul{margin:6px 12px;padding-left:20px}
@media (max-width:600px){main{padding:14px 10px}h1{font-size:20px}.card{padding:12px}
.numbers{gap:14px}th,td{padding:4px 8px}}
)";

std::string percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

std::string run_names(const RunTable& table, const std::vector<std::size_t>& runs) {
  std::string html;
  for (const std::size_t run : runs) {
    const RunSummary& summary = table.runs()[run];
    if (!html.empty()) html += " ";
    html += summary.link.empty() ? xml_text(summary.name)
                                 : fmt::format("<a href=\"{}\">{}</a>", xml_text(summary.link),
                                               xml_text(summary.name));
  }
  return html;
}

std::string details(std::string_view title, const std::string& content) {
  return fmt::format("<details><summary>{}</summary>{}</details>\n", title, content);
}

std::string label_rows(const Report& report, const Finding& finding) {
  const std::vector<std::string>& labels = report.table.space().schema().labels;
  if (labels.empty()) return {};
  std::string html =
      "<table><tr><th>label</th><th>runs found</th><th>precision</th><th>recall</th><th>F1</th>"
      "<th>F0.5</th></tr>\n";
  for (std::size_t label = 0; label < labels.size(); ++label) {
    const Scores& scores = finding.scores[label];
    if (!scores.occurs()) continue;
    html += fmt::format(
        "<tr{}><td>{}</td><td>{} of {}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
        scores.precision() > 0.5 ? " class=\"strong\"" : "", xml_text(labels[label]),
        scores.true_positive, scores.true_positive + scores.false_negative,
        percent(scores.precision()), percent(scores.recall()), percent(scores.f1()),
        percent(scores.f_half()));
  }
  return html + "</table>\n";
}

std::string relatives_html(const Report& report, const Finding& finding) {
  if (finding.relatives.empty() && finding.equivalent == 0) return {};
  std::string rows;
  for (const Relative& relative : finding.relatives) {
    rows += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{}</td><td style=\"text-align:left\"><code>{}"
        "</code></td></tr>\n",
        to_string(relative.type), relative.failing, relative.successful,
        xml_text(notation(report.table.space(), relative.candidate)));
  }
  return details(
      fmt::format("Predicates that say nearly the same ({} in exactly the same runs)",
                  finding.equivalent),
      "<table><tr><th></th><th>failing</th><th>successful</th><th>predicate</th></tr>\n" + rows +
          "</table>");
}

std::string representative_html(const Report& report, std::size_t index) {
  const std::size_t run = representative(report, index);
  const RunSummary& summary = report.table.runs()[run];
  std::string html = fmt::format("<p>Representative run: {}</p>\n", run_names(report.table, {run}));
  if (report.picture) {
    const std::string svg = report.picture(summary);
    if (!svg.empty()) html += fmt::format("<div class=\"picture\">{}</div>\n", svg);
  }
  return html;
}

std::string number(std::string_view what, const std::string& value) {
  return fmt::format("<div><b>{}</b><span>{}</span></div>", value, what);
}

std::string card(const Report& report, std::size_t index) {
  const Finding& finding = report.result.findings[index];
  const PredicateSpace& space = report.table.space();
  std::string html = fmt::format(
      "<section class=\"card\" id=\"p{0}\"><header><span class=\"rank\">P{0}</span><span "
      "class=\"says\">{1}</span></header>\n<p><code>{2}</code></p>\n<div class=\"numbers\">",
      index + 1, xml_text(words(space, finding.candidate)),
      xml_text(report.result.mode == Mode::reference ? reference_name(space, finding.candidate)
                                                     : notation(space, finding.candidate)));
  html += number("failing runs in its cluster", fmt::format("{}", finding.cluster.size()));
  html += number("failing runs in all", fmt::format("{}", finding.failing.size()));
  html += number("successful runs", fmt::format("{}", finding.successful.size()));
  html += number("importance", fmt::format("{:.3f}", finding.importance));
  html += number(fmt::format("increase, 95 % interval {:.2f} to {:.2f}",
                             finding.increase_interval.low, finding.increase_interval.high),
                 fmt::format("{:.3f}", finding.increase));
  html += "</div>\n" + label_rows(report, finding) + representative_html(report, index) +
          relatives_html(report, finding);
  const auto runs = [&](const std::vector<std::size_t>& list) {
    return fmt::format("<p class=\"runs\">{}</p>", run_names(report.table, list));
  };
  html += details(fmt::format("Cluster: {} failing runs", finding.cluster.size()),
                  runs(finding.cluster));
  if (finding.failing.size() > finding.cluster.size())
    html += details(fmt::format("All {} failing runs in which it holds", finding.failing.size()),
                    runs(finding.failing));
  if (!finding.successful.empty())
    html += details(fmt::format("{} successful runs in which it holds", finding.successful.size()),
                    runs(finding.successful));
  return html + "</section>\n";
}

/// Pages stand beside the report, or below it.
std::string link_to(const std::string& file) {
  const std::size_t name = file.rfind('/');
  const std::size_t folder = name == std::string::npos ? name : file.rfind('/', name - 1);
  return folder == std::string::npos ? file : file.substr(folder + 1);
}

std::string cause_card(const Report& report, std::size_t index) {
  const Cause& cause = report.separation->causes[index];
  const std::string name = report.table.runs()[cause.representative].name;
  std::string html = fmt::format(
      "<section class=\"card\" id=\"cause{0}\"><header><span class=\"rank\">{0}</span><span "
      "class=\"says\">{1} failing runs, {2:.0f} % alike, back in {3:.0f} % of "
      "draws</span></header>\n",
      index + 1, cause.runs.size(), 100 * cause.alike, 100 * cause.returns);
  for (std::size_t rule = 0; rule < cause.rules.size(); ++rule) {
    if (cause.rules[rule].empty()) continue;
    html += rule == 0 ? "<p>What tells them from the others:</p><ul>" : "<p>or:</p><ul>";
    for (const Literal& literal : cause.rules[rule])
      html += fmt::format("<li>{}</li>", xml_text(literal_words(report.table.space(), literal)));
    html += "</ul>\n";
  }
  if (!cause.shared.empty())
    html += fmt::format("<p>What they have in common: {}</p>\n", xml_text(cause.shared));
  const auto ways = ways_of_failing(report.table, cause.runs);
  if (!ways.empty()) html += "<p>How they fail:</p><ul>";
  for (const auto& [way, runs] : ways)
    html += fmt::format("<li>{} of {}: {}</li>", runs, cause.runs.size(), xml_text(way));
  if (!ways.empty()) html += "</ul>\n";
  if (index < report.pages.size()) {
    const CausePage& page = report.pages[index];
    html += fmt::format(
        "<p>{} <b>{}</b>{}: <a href=\"{}\">its page</a></p><p><code>{}</code></p>\n<div "
        "class=\"picture\">{}</div>\n",
        page.is_shrunk ? "The smallest run that shows it, from run" : "Shown by run",
        xml_text(page.run),
        page.is_shrunk ? "" : " as it was found, because no smaller one fails for the same reason",
        xml_text(link_to(page.page)), xml_text(page.replay), page.picture);
  } else {
    html += fmt::format("<p>Shown best by run {}</p>\n", xml_text(name));
  }
  html += details(fmt::format("All {} runs", cause.runs.size()),
                  fmt::format("<p class=\"runs\">{}</p>", run_names(report.table, cause.runs)));
  return html + "</section>\n";
}

std::string causes_html(const Report& report) {
  if (!report.separation) return {};
  const Separation& separation = *report.separation;
  const std::size_t count = separation.causes.size();
  std::string html =
      fmt::format("<h1>These {} failing runs are {} bug{}{}; here is each</h1>\n",
                  report.table.failing(), count, count == 1 ? "" : "s", range_words(separation));
  if (!separation.doubt.empty())
    html += fmt::format("<p class=\"lead\">In doubt: {}.</p>\n", xml_text(separation.doubt));
  for (std::size_t index = 0; index < count; ++index) html += cause_card(report, index);
  return html;
}

std::string overlaps(const Report& report) {
  std::vector<OverlapSet> sets;
  for (std::size_t index = 0; index < report.result.findings.size(); ++index)
    sets.push_back({fmt::format("P{}", index + 1), report.result.findings[index].failing});
  const std::vector<std::string>& labels = report.table.space().schema().labels;
  for (std::size_t label = 0; label < labels.size(); ++label) {
    OverlapSet set{fmt::format("label {}", labels[label]), {}};
    for (std::size_t run = 0; run < report.table.runs().size(); ++run) {
      if ((report.table.runs()[run].labels >> label & 1) != 0) set.members.push_back(run);
    }
    if (!set.members.empty()) sets.push_back(std::move(set));
  }
  std::vector<std::size_t> failing;
  for (std::size_t run = 0; run < report.table.runs().size(); ++run) {
    if (report.table.runs()[run].failing) failing.push_back(run);
  }
  return fmt::format(
      "<h2>Overlaps</h2><p class=\"lead\">Each column is a combination of predicates{} and the "
      "number of failing runs that have exactly it.</p><div class=\"card\">{}</div>\n",
      labels.empty() ? "" : " and labels", overlap_figure(sets, failing));
}

std::string validation_html(const Report& report) {
  if (!report.validation) return {};
  std::string html = fmt::format(
      "<h2>Cross-validation</h2><p class=\"lead\">{} folds. Predicates are chosen on the other "
      "folds "
      "and scored on runs that took no part in choosing them, successful ones included.</p>"
      "<div class=\"card\"><table><tr><th>label</th><th>precision</th><th>recall</th><th>F1</th>"
      "<th>F1, all predicates of the label</th></tr>\n",
      report.validation->predicates.size());
  const std::vector<std::string>& labels = report.table.space().schema().labels;
  for (std::size_t label = 0; label < labels.size(); ++label) {
    const CrossValidation::Label& scores = report.validation->labels[label];
    if (!scores.single.occurs()) continue;
    html += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                        xml_text(labels[label]), percent(scores.single.precision()),
                        percent(scores.single.recall()), percent(scores.single.f1()),
                        percent(scores.together.f1()));
  }
  return html + "</table></div>\n";
}

}  // namespace

std::string html_report(const Report& report) {
  const IsolationResult& result = report.result;
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\"><title>Root causes: {0}"
      "</title>\n<style>{1}</style></head><body><main>\n{8}<{9}>{10} {2} failing runs</{9}>\n"
      "<p class=\"lead\">{0}: {3} runs, {2} of them fail. {4} candidates from {5} predicates, {6} "
      "mode. {7} failing runs are explained by no single predicate.</p>\n",
      xml_text(report.source), kStyle, report.table.failing(), report.table.runs().size(),
      result.candidates, result.base_predicates, to_string(result.mode), result.unexplained.size(),
      causes_html(report), report.separation ? "h2" : "h1",
      report.separation ? "Single predicates over" : "Root causes of");
  for (std::size_t index = 0; index < result.findings.size(); ++index) html += card(report, index);
  if (result.findings.empty()) {
    html +=
        "<p class=\"card\">No predicate tells failing runs from successful ones with enough "
        "confidence.</p>\n";
  }
  html += overlaps(report);
  if (!result.unexplained.empty()) {
    html += details(
        fmt::format("{} failing runs that no single predicate explains", result.unexplained.size()),
        fmt::format("<p class=\"runs\">{}</p>", run_names(report.table, result.unexplained)));
  }
  return html + validation_html(report) + "</main></body></html>\n";
}

}  // namespace dissensus::isolate
