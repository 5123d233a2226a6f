#include "report/why.h"

#include <map>

#include <fmt/format.h>

#include "diff/moments.h"
#include "report/page.h"
#include "trace/labels.h"

namespace dissensus::report {

namespace {

std::string moment_time(Time time) {
  return fmt::format("{:.3f}&nbsp;s", static_cast<double>(microseconds_of(time)) / 1e6);
}

std::string list_of(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) {
    out += fmt::format("{}{}", out.empty() ? "" : "<br>", escape(line));
  }
  return out;
}

std::string side_text(const std::optional<diff::Moment>& moment, const std::string& fate) {
  if (!moment) return "nothing more comes";
  std::string out =
      fmt::format("at {}: <b>{}</b>", moment_time(moment->time), escape(moment->came));
  if (!fate.empty()) out += fmt::format("<br><span class=\"quiet\">{}</span>", escape(fate));
  if (!moment->did.empty()) out += "<br>" + list_of(moment->did);
  return out;
}

std::string divergence_text(const diff::Divergence& first) {
  Table table{{"", fmt::format("what n{} gets next", first.node)}, {}, {}};
  table.rows.push_back(
      {"<span class=\"pass\">passing</span>", side_text(first.passing, first.fate_of_expected)});
  table.rows.push_back(
      {"<span class=\"fail\">failing</span>", side_text(first.failing, first.fate_of_other)});
  std::string out = to_html(table);
  if (!first.contents.empty()) {
    out += fmt::format("<p>What differs in it: <code>{}</code></p>\n", list_of(first.contents));
  }
  return out;
}

std::string chain_text(const diff::Difference& difference, const oracle::Violation& violation) {
  if (difference.chain.empty()) return {};
  Table table{{"when", "who", "gets", "and then"}, {}, {}};
  for (std::size_t i = 0; i < difference.chain.size(); ++i) {
    if (difference.left_out > 0 && i == difference.left_out_at) {
      table.rows.push_back({"", "", fmt::format("{} more steps", difference.left_out), ""});
    }
    const diff::Moment& moment = difference.chain[i];
    std::string deeds = list_of(moment.did);
    if (!moment.instead.empty()) {
      deeds += fmt::format("<br><span class=\"quiet\">in the passing run: {}</span>",
                           list_of(moment.instead));
    }
    for (const std::string& said : moment.log) {
      deeds += fmt::format("<br><code>{}</code>", escape(said));
    }
    table.rows.push_back(
        {moment_time(moment.time), fmt::format("n{}", moment.node), escape(moment.came), deeds});
  }
  std::string who;
  for (const NodeId node : violation.nodes)
    who += fmt::format("{}n{}", who.empty() ? "" : ", ", node);
  table.rows.push_back({moment_time(violation.time), who, "",
                        fmt::format("<b class=\"fail\">{}</b>", escape(violation.text))});
  return "<h3>From there to the violation</h3>\n" + to_html(table);
}

std::string waiting_text(const diff::Difference& difference) {
  if (difference.waiting.empty()) return {};
  Table table{{"node", "since", "where it is", "whom it asked", "what it heard",
               "what the passing run had next"},
              {},
              {}};
  for (const diff::Waiting& waiting : difference.waiting) {
    table.rows.push_back({fmt::format("n{}", waiting.node), moment_time(waiting.since),
                          escape(waiting.state), escape(waiting.asked), escape(waiting.heard),
                          escape(waiting.missing)});
  }
  return "<h3>What each node waits for</h3>\n" + to_html(table);
}

}  // namespace

std::string why_section(const Finding& finding) {
  if (!finding.difference || !finding.difference->first) return {};
  const diff::Difference& difference = *finding.difference;
  std::string body = fmt::format(
      "<p>Compared with the nearest run that passes: the same run {}. {} steps are equal in both "
      "and left out. The runs part here:</p>\n",
      escape(finding.passing), difference.equal);
  body += divergence_text(*difference.first) +
          chain_text(difference, finding.smallest().verdict.violations.front()) +
          waiting_text(difference);
  return section("why", "Why: where it parts from a run that passes", body);
}

std::string lies_text(const trace::Trace& trace) {
  constexpr std::size_t kShown = 6;
  std::map<EventId, const trace::Record*> sends;
  std::string lines;
  std::size_t count = 0;
  for (const trace::Record& record : trace.records) {
    if (record.type == EventType::send) sends[record.id] = &record;
    const auto sent = record.type == EventType::mutate ? sends.find(record.cause) : sends.end();
    if (sent == sends.end() || ++count > kShown) continue;
    const trace::Record& send = *sent->second;
    lines += fmt::format(
        "<li>at {}: {} from n{} to n{}: <code>{}</code></li>\n", moment_time(record.time),
        escape(trace::kind_name(trace.header, send.kind)), send.node, send.peer,
        list_of(diff::differing_fields(trace.header, send.kind, send.fields, record.fields)));
  }
  if (count > kShown)
    lines += fmt::format("<li class=\"quiet\">and {} more</li>\n", count - kShown);
  return lines.empty() ? lines : "<p>What was changed in this run:</p>\n<ul>\n" + lines + "</ul>\n";
}

std::string crash_section(const RecordedRun& run) {
  if (run.crash.empty()) return {};
  return section("crash", "Where the code under test ended",
                 fmt::format("<pre class=\"log\">{}</pre>\n", escape(run.crash)));
}

}  // namespace dissensus::report
