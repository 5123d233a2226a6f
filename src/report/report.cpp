#include "report/report.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "core/assert.h"
#include "faults/words.h"
#include "history/checker.h"
#include "report/charts.h"
#include "report/course.h"
#include "report/history_diagram.h"
#include "report/page.h"
#include "report/why.h"
#include "run/client_history.h"
#include "run/recording.h"
#include "run/schedule_space.h"
#include "trace/exporters.h"
#include "trace/labels.h"

namespace dissensus::report {

namespace {

using Milliseconds = std::chrono::milliseconds;

/// Rows of a table beyond which a page only says how many there are.
constexpr std::size_t kRowsMax = 60;
constexpr std::size_t kArrowsMax = 220;
/// What each node said last: so many lines.
constexpr std::size_t kLastLines = 8;

Level level_of(const trace::Header& header, const oracle::Violation& violation) {
  const auto found = std::find(header.levels.begin(), header.levels.end(), violation.level);
  return static_cast<Level>(found - header.levels.begin());
}

bool has_level(const trace::Header& header, const oracle::Violation& violation) {
  return !violation.level.empty() && level_of(header, violation) < header.levels.size();
}

std::string node_list(const std::vector<NodeId>& nodes) {
  std::string text;
  for (const NodeId node : nodes) text += fmt::format("{}n{}", text.empty() ? "" : ", ", node);
  return text.empty() ? "none in particular" : text;
}

/// To the millisecond; the exact time stands in the trace.
std::string when(Time time) {
  const Duration rounded = std::chrono::round<Milliseconds>(time - Time{});
  return faults::in_words(rounded == Duration{} ? time - Time{} : rounded);
}

std::string badge(oracle::Outcome outcome) {
  return fmt::format("<span class=\"badge {0}\">{0}</span>", oracle::to_string(outcome));
}

std::string words_list(const run::Recipe& recipe) {
  std::string out = "<ul class=\"words\">\n";
  const std::vector<std::string> lines = faults::in_words(
      recipe.schedule, recipe.scenario.system_description(), recipe.scenario.nodes());
  for (std::size_t i = 0; i < std::min(lines.size(), kRowsMax); ++i) {
    out += fmt::format("<li>{}</li>\n", escape(lines[i]));
  }
  if (lines.size() > kRowsMax) {
    out += fmt::format("<li class=\"quiet\">and {} more</li>\n", lines.size() - kRowsMax);
  }
  return out + "</ul>\n";
}

// What was violated.

/// Whose event it is, if it is a node's.
std::string owner_text(const trace::Trace& trace, EventId event) {
  const auto record = std::find_if(trace.records.begin(), trace.records.end(),
                                   [&](const trace::Record& each) { return each.id == event; });
  if (record == trace.records.end() || record->node >= trace.header.nodes) return {};
  return fmt::format(" (n{})", record->node);
}

std::string facts(const RecordedRun& run) {
  const oracle::Violation& violation = run.verdict.violations.front();
  const trace::Header& header = run.trace.header;
  std::string out = "<dl class=\"facts\">\n";
  const auto fact = [&](std::string_view name, std::string_view value) {
    out += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", name, value);
  };
  fact("Property and rule", escape(violation.property + ", " + violation.rule));
  if (has_level(header, violation)) {
    fact("Where", escape(fmt::format("{} {}", violation.level,
                                     trace::instance_text(header, level_of(header, violation),
                                                          violation.instance))));
  }
  fact("Nodes", node_list(violation.nodes));
  fact("When", fmt::format("{}, event {}{}", when(violation.time), violation.event,
                           owner_text(run.trace, violation.event)));
  if (!violation.values.empty()) {
    std::string values;
    for (const Digest& value : violation.values) {
      values +=
          fmt::format("{}<span class=\"hash\">{}</span>", values.empty() ? "" : " and ",
                      escape(has_level(header, violation)
                                 ? trace::value_text(header, level_of(header, violation), value)
                                 : trace::short_digest(value)));
    }
    fact("Values", values);
  }
  fact("Seed", fmt::format("<span class=\"hash\">{}</span>", run.recipe.seed));
  fact("Trace hash", fmt::format("<span class=\"hash\">{}</span>", run.trace.footer.hash));
  return out + "</dl>\n";
}

/// The violation in a sentence that fits a line: values of 32 digits as the drawings name them. The
/// section "Every property" has all digits.
std::string headline(const oracle::Violation& violation) {
  std::string text = violation.text;
  for (const Digest& value : violation.values) {
    const std::string digits = to_string(value);
    const std::size_t at = value.high == 0 ? std::string::npos : text.find(digits);
    if (at != std::string::npos) text.replace(at, digits.size(), trace::short_digest(value));
  }
  return text;
}

std::string head(const Finding& finding) {
  const RecordedRun& run = finding.smallest();
  const oracle::Violation& violation = run.verdict.violations.front();
  const run::Scenario& scenario = run.recipe.scenario;
  std::string out = fmt::format("<div class=\"over\">Dissensus, finding in {}</div>\n",
                                escape(finding.found.recipe.scenario.name));
  out += fmt::format("<h1>{}</h1>\n", escape(headline(violation)));
  const bool is_end_of_code = violation.property == "crash" || violation.property == "hang" ||
                              violation.property == "memory";
  out += fmt::format("<p><span class=\"badge fail\">{}{}</span> <span class=\"quiet\">{}",
                     escape(violation.property), is_end_of_code ? "" : " violated",
                     escape(scenario.description));
  return out + "</span></p>\n" + facts(run);
}

// The schedule.

std::string shrinking_text(const shrink::ShrinkResult& result) {
  std::string out = "<p class=\"quiet\">";
  if (result.before.genes > 0) {
    out += fmt::format("{} of {} delayed kinds of message (sender, receiver, kind) remain. ",
                       result.after.genes, result.before.genes);
  }
  if (result.before.messages > 0) {
    out += fmt::format("{} of {} delayed single messages remain. ", result.after.messages,
                       result.before.messages);
  }
  if (result.before.faults > 0) {
    out += fmt::format("{} of {} faults remain. ", result.after.faults, result.before.faults);
  }
  if (result.before.requests != result.after.requests) {
    out += fmt::format("{} of {} requests remain. ", result.after.requests, result.before.requests);
  }
  out +=
      fmt::format("Found in {} runs; {}.", result.runs,
                  !result.minimal       ? "a limit ended the shrinking: it may not be the smallest"
                  : result.only_removed ? "nothing more can be taken out, each removal was tried; "
                                          "delays were not shortened"
                                        : "no single further reduction fails, each was tried");
  if (result.seeds > 0) {
    out +=
        fmt::format(" With {} other seeds it fails {} times.", result.seeds, result.failing_seeds);
  }
  if (!result.bystanders.empty()) {
    out += fmt::format(" It fails as well with any one of {} down from the start.",
                       node_list(result.bystanders));
  }
  return out + "</p>\n";
}

std::string schedule_section(const Finding& finding) {
  const RecordedRun& run = finding.smallest();
  const faults::Schedule& schedule = run.recipe.schedule;
  std::string body;
  if (!std::holds_alternative<std::monostate>(schedule.scheduler)) {
    body = fmt::format("<p>In one line: {}.", escape(faults::summary(schedule)));
    if (shrink::leaves_bounds(run.recipe.scenario, schedule)) {
      body += fmt::format(
          " That is beyond the bounds of the scenario, which draws delays up to {} on {} genes.",
          faults::in_words(run.recipe.scenario.space.max_delay),
          run::varying_genes(run.recipe.scenario).size());
    }
    body += "</p>\n";
  }
  body += words_list(run.recipe) + lies_text(run.trace);
  if (finding.shrinking) body += shrinking_text(*finding.shrinking);
  return section(
      "schedule",
      finding.minimal ? "The smallest schedule that does it" : "The schedule that does it", body);
}

/// Up to the violation; an explanation has the lines that matter.
std::string said_section(const Finding& finding) {
  if (finding.difference) return {};
  const RecordedRun& run = finding.smallest();
  std::vector<std::deque<std::string>> said(run.trace.header.nodes);
  for (const trace::Record& record : run.trace.records) {
    if (record.time > run.verdict.violations.front().time) break;
    if (record.type != EventType::log || record.node >= said.size()) continue;
    std::deque<std::string>& lines = said[record.node];
    lines.push_back(fmt::format(
        "{:>10.3f} s  {}", static_cast<double>(microseconds_of(record.time)) / 1e6, record.text));
    if (lines.size() > kLastLines) lines.pop_front();
  }
  std::string body;
  for (std::size_t node = 0; node < said.size(); ++node) {
    if (said[node].empty()) continue;
    body += fmt::format("<h3>n{}</h3>\n<pre class=\"log\">{}</pre>\n", node,
                        escape(fmt::format("{}", fmt::join(said[node], "\n"))));
  }
  return body.empty() ? body : section("said", "What each node said last", body);
}

std::string replay_section(const Finding& finding) {
  std::string body = command(finding.smallest().replay);
  if (finding.minimal) {
    body += "<p class=\"quiet\">The run as it was found, before shrinking:</p>\n" +
            command(finding.found.replay);
  }
  const run::Scenario& scenario = finding.smallest().recipe.scenario;
  if (scenario.system->traits().outside) {
    body += folded("The scenario: programs, clients, rules",
                   fmt::format("<pre class=\"log\">{}</pre>\n", escape(scenario.text)));
  }
  return section("replay", "See it again", body);
}

// Diagrams.

/// From how long on a message counts as late: half of the largest delay that the schedule gives.
Duration late_after(const faults::Schedule& schedule) {
  const Duration most = faults::longest_delay(schedule);
  return most == Duration{} ? Duration::max() : most / 2;
}

std::string diagram(const RecordedRun& run, const Window& window, std::set<EventId> marked,
                    std::string_view caption) {
  trace::DiagramOptions options;
  options.from = window.from;
  options.until = window.until;
  options.messages_max = kArrowsMax;
  options.marked = std::move(marked);
  std::ostringstream svg;
  trace::export_svg(run.trace, options, svg);
  return figure(svg.str(),
                fmt::format("Nodes as lines, messages as arrows, decisions as marks, from {} to {}."
                            "{} Rest the pointer on anything to read what it is.",
                            when(window.from), when(window.until), caption));
}

/// Sends that the schedule delays by at least half of its largest delay.
std::set<EventId> late_messages(const RecordedRun& run) {
  const Duration late = late_after(run.recipe.schedule);
  std::map<EventId, Time> under_way;
  std::set<EventId> found;
  if (late == Duration::max() || run.trace.records.empty()) return found;
  const auto check = [&](EventId send, Time sent, Time until) {
    if (until - sent >= late) found.insert(send);
  };
  for (const trace::Record& record : run.trace.records) {
    if (record.type == EventType::send) under_way[record.id] = record.time;
    if (record.type != EventType::deliver) continue;
    if (const auto send = under_way.find(record.cause); send != under_way.end()) {
      check(send->first, send->second, record.time);
      under_way.erase(send);
    }
  }
  for (const auto& [send, sent] : under_way) check(send, sent, run.trace.records.back().time);
  return found;
}

/// The stretches of a run that tell what happened: where it parts from a passing one, and where it
/// is violated; one where these are near.
std::vector<Window> windows_of(const Finding& finding) {
  const RecordedRun& run = finding.smallest();
  const Window end = telling_window(run.trace, run.verdict.violations.front());
  if (!finding.difference || !finding.difference->first) return {end};
  using std::chrono::seconds;
  constexpr Duration kTogether = seconds(20);
  // What comes before takes no more than half of the drawing.
  constexpr Duration kBeforeMax = Milliseconds(300);
  const Duration before =
      std::clamp<Duration>(end.until - finding.difference->from, Milliseconds(1), kBeforeMax);
  constexpr Duration kPart = seconds(3);
  const Time from = std::max(Time{}, finding.difference->from - before);
  if (finding.difference->until - from <= kTogether) return {{from, end.until}};
  if (end.from <= from + kPart) return {{from, end.until}};
  return {{from, from + kPart}, {std::max(end.from, end.until - 4 * kPart), end.until}};
}

std::string diagrams(const Finding& finding) {
  const RecordedRun& run = finding.smallest();
  const bool explained = finding.difference && !finding.difference->sends.empty();
  const std::set<EventId> marked = explained ? finding.difference->sends : late_messages(run);
  std::string caption;
  if (!marked.empty()) {
    caption = explained ? " Bold: messages in which it differs from the nearest run that passes, "
                          "and those that "
                          "lead from there to the violation."
                        : " Bold: messages that the schedule delays most.";
  }
  std::string out;
  const std::vector<Window> windows = windows_of(finding);
  for (std::size_t i = 0; i < windows.size(); ++i) {
    if (windows.size() > 1)
      out += i == 0 ? "<h3>Where it begins</h3>\n" : "<h3>Where it ends</h3>\n";
    out += diagram(run, windows[i], marked, caption);
  }
  return out;
}

/// What clients saw, where that is what was violated.
std::string history_section(const RecordedRun& run) {
  const std::optional<run::HistoryDemand>& demand = run.recipe.scenario.history;
  if (!demand || run.verdict.violations.front().property != "history") return {};
  const history::History history = run::history_of(run.trace.records, run.recipe.scenario.name);
  const std::vector<history::Operation> operations = history::operations_of(history);
  const history::Verdict judged =
      history::check(history, operations, demand->model, demand->options);
  return section("history", "What clients saw",
                 figure(history_diagram(history, operations, judged),
                        "A lane per client, a bar per operation from question to answer; those "
                        "that cannot all be true are marked. Time is not to scale."));
}

std::string timeline_section(const RecordedRun& run) {
  const std::string svg = timeline(run.trace, run.verdict.violations.front());
  if (svg.empty()) return {};
  return section("timeline", "What each node decided",
                 figure(svg,
                        "A row per node and level, a mark per decision with its instance; where "
                        "nodes decided differently each value has a colour of its own."));
}

std::string likelihood_section(const Finding& finding) {
  if (finding.other_schedules.empty() && finding.other_seeds.empty()) return {};
  std::vector<LikelihoodCurve> curves;
  if (!finding.other_schedules.empty()) {
    curves.push_back({"random schedule from then on", finding.other_schedules});
  }
  if (!finding.other_seeds.empty()) {
    curves.push_back({"same schedule, another seed", finding.other_seeds});
  }
  const Time violation = finding.smallest().verdict.violations.front().time;
  std::string caption = fmt::format(
      "The run is repeated up to a moment and continued differently from there; the curve is the "
      "share of {} continuations per moment that still end in this violation, with Wilson's 95 % "
      "interval.",
      curves.front().points.front().runs);
  const Time no_return = point_of_no_return(curves.front().points);
  if (no_return != Time::max()) {
    caption += fmt::format(" From {} on every continuation failed.", when(no_return));
  }
  return section("likelihood", "When it became inevitable",
                 figure(likelihood_chart(curves, violation), escape(caption)));
}

// Tables.

std::string verdict_section(const RecordedRun& run) {
  Table table{{"property", "verdict", "why"}, {}, {}};
  for (const oracle::PropertyVerdict& property : run.verdict.properties) {
    table.rows.push_back(
        {escape(property.property), badge(property.outcome), escape(property.reason)});
  }
  std::string body = to_html(table);
  const auto list = [&](std::string_view title, const std::vector<oracle::Violation>& entries) {
    if (entries.empty()) return;
    Table rows{{"when", "nodes", "what"}, {}, {}};
    for (std::size_t i = 0; i < std::min(entries.size(), kRowsMax); ++i) {
      rows.rows.push_back(
          {when(entries[i].time), node_list(entries[i].nodes), escape(entries[i].text)});
    }
    body += fmt::format("<h3>{}</h3>\n{}", title, to_html(rows));
    if (entries.size() > kRowsMax) {
      body += fmt::format("<p class=\"quiet\">and {} more</p>\n", entries.size() - kRowsMax);
    }
  };
  list("Violations", run.verdict.violations);
  list("Legal but noteworthy", run.verdict.notes);
  return section("verdict", "Every property", body);
}

struct KindCounts {
  std::uint64_t sent = 0;
  std::uint64_t delivered = 0;
  std::uint64_t dropped = 0;
};

std::map<MessageKind, KindCounts> count_messages(const trace::Trace& trace) {
  std::map<MessageKind, KindCounts> counts;
  for (const trace::Record& record : trace.records) {
    if (record.kind == kNoKind) continue;
    KindCounts& kind = counts[record.kind];
    if (record.type == EventType::send) ++kind.sent;
    if (record.type == EventType::deliver) ++kind.delivered;
    if (record.type == EventType::drop) ++kind.dropped;
  }
  return counts;
}

std::string messages_section(const RecordedRun& run) {
  Table table{{"kind", "sent", "delivered", "lost"}, {}, {false, true, true, true}};
  for (const auto& [kind, counts] : count_messages(run.trace)) {
    table.rows.push_back({escape(trace::kind_name(run.trace.header, kind)),
                          std::to_string(counts.sent), std::to_string(counts.delivered),
                          std::to_string(counts.dropped)});
  }
  std::string fate;
  if (run.recipe.scenario.system->traits().outside) {
    fate = fmt::format("<p>A message that is lost {}.</p>\n",
                       escape(fate_of_lost(run.recipe.scenario.system_description())));
  }
  return section("messages", "Messages of the run", to_html(table) + fate);
}

std::string facts_table(const std::vector<std::pair<std::string, std::string>>& facts) {
  Table table{{"", ""}, {}, {}};
  for (const auto& [what, value] : facts) table.rows.push_back({escape(what), escape(value)});
  return to_html(table);
}

std::string hunt_section(const Finding& finding) {
  if (finding.hunt.empty()) return {};
  return section("hunt", "How it was found", facts_table(finding.hunt));
}

std::string servers_section(const Finding& finding) {
  if (!finding.servers) return {};
  std::string body = facts_table(finding.servers->facts);
  for (const auto& [file, lines] : finding.servers->logs) {
    body += folded("End of " + file, fmt::format("<pre>{}</pre>\n", escape(lines)));
  }
  return section("servers", "The servers", body);
}

std::string before_section(const Finding& finding) {
  if (!finding.minimal) return {};
  return section(
      "before", "Before shrinking",
      folded("Space-time diagram of the run as it was found",
             diagram(finding.found,
                     telling_window(finding.found.trace, finding.found.verdict.violations.front()),
                     {}, "")) +
          folded("Its schedule in words", words_list(finding.found.recipe)));
}

}  // namespace

RecordedRun record(const run::Recipe& recipe, std::string replay,
                   const std::optional<run::Recorded>& recorded) {
  run::RunOptions options = run::with_trace();
  options.log = true;
  options.branch = recipe.branch;
  run::RunResult result =
      recorded ? run::make_same(recipe, options, *recorded)
               : run::Runner().run(recipe.scenario, recipe.schedule, recipe.seed, options);
  oracle::Verdict verdict = result.verdict;
  std::string crash;
  for (Outside::Attachment& attachment : result.attachments) {
    if (attachment.name == "crash.txt") crash = std::move(attachment.text);
  }
  return {recipe, std::move(verdict), run::to_trace(recipe, options.detail, std::move(result)),
          std::move(replay), std::move(crash)};
}

Window telling_window(const trace::Trace& trace, const oracle::Violation& violation) {
  using std::chrono::seconds;
  constexpr Duration kLongest = seconds(30);
  Window window{Time{}, violation.time};
  for (const trace::Record& record : trace.records)
    window.until = std::max(window.until, record.time);
  if (!has_level(trace.header, violation)) {
    window.until = std::min(window.until, violation.time + seconds(1));
    window.from = std::max(window.from, window.until - kLongest);
    return window;
  }
  const Level level = level_of(trace.header, violation);
  Time first_report = Time::max();
  Time last_progress{};
  for (const trace::Record& record : trace.records) {
    if (record.time > violation.time || record.detail != level) continue;
    const bool decides = record.type == EventType::decide;
    if (!decides && record.type != EventType::propose) continue;
    if (record.number == violation.instance) first_report = std::min(first_report, record.time);
    if (decides) last_progress = std::max(last_progress, record.time);
  }
  if (violation.property == "termination") {
    window.from = std::max(Time{}, last_progress - seconds(4));
    window.until = std::min(violation.time, last_progress + seconds(6));
    return window;
  }
  window.until = std::min(window.until, violation.time + Milliseconds(200));
  if (first_report != Time::max()) window.from = std::max(Time{}, first_report - seconds(5));
  window.from = std::max(window.from, window.until - kLongest);
  return window;
}

std::string picture(const Finding& finding) {
  const RecordedRun& run = finding.smallest();
  return fmt::format("<p>{}</p>\n", escape(run.verdict.violations.front().text)) +
         words_list(run.recipe) + diagrams(finding);
}

std::string to_html(const Finding& finding) {
  const RecordedRun& run = finding.smallest();
  DISSENSUS_ASSERT(!run.verdict.violations.empty() && !finding.found.verdict.violations.empty(),
                   "report : a finding has a violation");
  std::string body = crash_section(run);
  body += schedule_section(finding);
  body += why_section(finding);
  body += history_section(run);
  body += section("diagram", "What happened", diagrams(finding));
  body += said_section(finding);
  body += replay_section(finding);
  body += course_section(run);
  body += timeline_section(run);
  body += likelihood_section(finding);
  body += verdict_section(run);
  body += messages_section(run);
  body += servers_section(finding);
  body += before_section(finding);
  body += hunt_section(finding);
  body += fmt::format("<p class=\"quiet\">Written by {}.</p>\n",
                      escape(finding.found.trace.header.program));
  return page(headline(run.verdict.violations.front()), head(finding) + contents(body) + body);
}

}  // namespace dissensus::report
