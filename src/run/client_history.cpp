#include "run/client_history.h"

#include <algorithm>

#include <fmt/format.h>

#include "history/checker.h"
#include "history/closeness.h"
#include "history/reader.h"

namespace dissensus::run {

namespace {

void add_line(std::string& lines, unsigned detail, std::uint64_t process, Time time,
              std::string_view text) {
  const auto kind = static_cast<history::EventKind>(detail & (kFinalOperation - 1));
  // The text is an object of its own, whose members follow ours.
  lines += fmt::format("{{\"process\":{},\"type\":\"{}\",\"time\":{}{},{}\n",
                       static_cast<std::int64_t>(process), history::to_string(kind),
                       microseconds_of(time) * 1000,
                       (detail & kFinalOperation) != 0 ? ",\"final\":true" : "", text.substr(1));
}

oracle::Outcome outcome_of(history::Outcome outcome) {
  switch (outcome) {
    case history::Outcome::pass:
      return oracle::Outcome::pass;
    case history::Outcome::fail:
      return oracle::Outcome::fail;
    case history::Outcome::unknown:
      break;
  }
  return oracle::Outcome::unknown;
}

}  // namespace

void HistoryCollector::on_event(const Event& event) {
  add_line(lines_, event.detail, event.number, event.time, event.text);
  const auto kind = static_cast<history::EventKind>(event.detail & (kFinalOperation - 1));
  has_answers_ = has_answers_ || kind == history::EventKind::ok;
  events_.push_back(event.id);
  times_.push_back(event.time);
  nodes_.push_back(event.node);
}

double HistoryCollector::judge(const HistoryDemand& demand, const std::string& name,
                               oracle::Verdict& verdict) const {
  const history::History history = history::parse_history(name, lines_, history::Format::json);
  const std::vector<history::Operation> operations = history::operations_of(history);
  const history::Verdict judged = history::check(history, operations, demand.model, demand.options);
  oracle::PropertyVerdict property{"history", outcome_of(judged.outcome), judged.reason};
  if (property.outcome == oracle::Outcome::pass && !verdict.cut_by.empty()) {
    property.outcome = oracle::Outcome::unknown;
    property.reason = "the run was cut by " + verdict.cut_by;
  }
  if (property.outcome == oracle::Outcome::pass && !has_answers_) {
    property.outcome = oracle::Outcome::unknown;
    property.reason = "nothing that a client asked is known to be done: nothing was checked";
  }
  for (const history::Finding& finding : judged.findings) {
    oracle::Violation violation;
    violation.property = "history";
    violation.rule = finding.name;
    std::replace(violation.rule.begin(), violation.rule.end(), ' ', '-');
    violation.text = fmt::format("{}: {}", finding.name, finding.text);
    std::size_t last = 0;
    for (const history::Part& part : finding.parts) {
      const history::Operation& operation = operations[part.operation];
      const bool is_answered = operation.completed != history::Operation::kNone;
      if (!part.is_conflict && finding.parts.size() > 1) continue;
      last = std::max<std::size_t>(last, is_answered ? operation.completed : operation.invoked);
      const NodeId node = nodes_[operation.invoked];
      if (std::find(violation.nodes.begin(), violation.nodes.end(), node) ==
          violation.nodes.end()) {
        violation.nodes.push_back(node);
      }
    }
    std::sort(violation.nodes.begin(), violation.nodes.end());
    if (last < events_.size()) {
      violation.event = events_[last];
      violation.time = times_[last];
    }
    if (judged.outcome == history::Outcome::fail) {
      if (property.reason.empty()) property.reason = violation.text;
      verdict.violations.push_back(std::move(violation));
    } else {
      verdict.notes.push_back(std::move(violation));
    }
  }
  if (demand.availability && verdict.cut_by.empty()) {
    judge_availability(*demand.availability, operations, property, verdict);
  }
  if (property.outcome == oracle::Outcome::fail) {
    verdict.outcome = oracle::Outcome::fail;
  } else if (property.outcome == oracle::Outcome::unknown &&
             verdict.outcome == oracle::Outcome::pass) {
    verdict.outcome = oracle::Outcome::unknown;
  }
  verdict.properties.push_back(std::move(property));
  return history::closeness(history, operations, demand.model);
}

void HistoryCollector::judge_availability(double demanded,
                                          const std::vector<history::Operation>& operations,
                                          oracle::PropertyVerdict& property,
                                          oracle::Verdict& verdict) const {
  const auto succeeded = static_cast<std::size_t>(
      std::count_if(operations.begin(), operations.end(), [](const history::Operation& operation) {
        return operation.outcome == history::EventKind::ok;
      }));
  if (static_cast<double>(succeeded) >= demanded * static_cast<double>(operations.size())) return;
  oracle::Violation violation;
  violation.property = "history";
  violation.rule = "unavailable";
  violation.text = fmt::format("{} of {} questions succeeded, expected {:g} %", succeeded,
                               operations.size(), 100 * demanded);
  violation.event = events_.back();
  violation.time = times_.back();
  if (property.outcome != oracle::Outcome::fail) property.reason = violation.text;
  property.outcome = oracle::Outcome::fail;
  verdict.violations.push_back(std::move(violation));
}

history::History history_of(const std::vector<trace::Record>& records, const std::string& name) {
  std::string lines;
  for (const trace::Record& record : records) {
    if (record.type != EventType::operation || record.text.empty()) continue;
    add_line(lines, record.detail, record.number, record.time, record.text);
  }
  return history::parse_history(name, lines, history::Format::json);
}

}  // namespace dissensus::run
