#include "report/course.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "report/page.h"

namespace dissensus::report {

namespace {

constexpr std::size_t kCourseRowsMax = 80;

class Course {
 public:
  explicit Course(const RecordedRun& run)
      : run_(run),
        description_(run.recipe.scenario.system_description()),
        violation_(run.verdict.violations.front()) {}

  Table table() {
    Table table{{"when", "who", "what"}, {}, {}};
    for (const trace::Record& record : run_.trace.records) {
      if (record.time > violation_.time) break;
      if (record.type == EventType::round) round_[record.node] = record.number;
      const std::string text = text_of(record);
      if (text.empty()) continue;
      const auto seconds = static_cast<double>((record.time - Time{}).count()) / 1e6;
      table.rows.push_back({fmt::format("{:.3f}&nbsp;s", seconds),
                            record.node == kNoNode ? "" : fmt::format("n{}", record.node), text});
    }
    return table;
  }

 private:
  std::string text_of(const trace::Record& record) {
    switch (record.type) {
      case EventType::partition:
        begun_[record.id] = record.text;
        return "the network falls apart: " + escape(record.text);
      case EventType::fault:
        begun_[record.id] = record.text;
        return escape(record.text);
      case EventType::heal:
      case EventType::fault_end:
        return begun_.contains(record.number) ? "over: " + escape(begun_[record.number]) : "";
      case EventType::crash:
        return "crashes";
      case EventType::restart:
        return "restarts";
      case EventType::phase:
        return phase_text(record);
      case EventType::propose:
        return is_disputed(record) ? value_text(record, "has") : "";
      case EventType::decide:
        return is_disputed(record) ? value_text(record, "decides") : "";
      default:
        return {};
    }
  }
  std::string phase_text(const trace::Record& record) {
    const auto& anchors = description_.anchors;
    if (std::find(anchors.begin(), anchors.end(), record.number) == anchors.end()) return {};
    const auto round = round_.find(record.node);
    return fmt::format("<b>{}</b>{}", escape(description_.phases.at(record.number)),
                       round == round_.end() ? "" : fmt::format(" of round {}", round->second));
  }
  bool is_disputed(const trace::Record& record) const {
    return record.detail < description_.levels.size() &&
           description_.levels[record.detail].name == violation_.level &&
           record.number == violation_.instance;
  }
  /// Once per node and value: a node may hold a value again.
  std::string value_text(const trace::Record& record, std::string_view verb) {
    if (!told_.insert({record.node, record.type, record.value}).second) return {};
    const std::string name = to_string(record.value).substr(0, 6);
    return fmt::format("{} <code>{}</code> {} {} {}", verb, name, verb == "has" ? "as its" : "for",
                       escape(violation_.level), violation_.instance);
  }

  const RecordedRun& run_;
  const SystemDescription& description_;
  const oracle::Violation& violation_;
  std::map<EventId, std::string> begun_;
  std::map<NodeId, std::uint64_t> round_;
  std::set<std::tuple<NodeId, EventType, Digest>> told_;
};

}  // namespace

std::string course_section(const RecordedRun& run) {
  if (run.recipe.scenario.system_description().anchors.empty()) return {};
  Table table = Course(run).table();
  if (table.rows.empty()) return {};
  const std::size_t left_out =
      table.rows.size() > kCourseRowsMax ? table.rows.size() - kCourseRowsMax : 0;
  // The end tells more than the beginning.
  table.rows.erase(table.rows.begin(), table.rows.begin() + static_cast<std::ptrdiff_t>(left_out));
  std::string body = to_html(table);
  if (left_out > 0) body += fmt::format("<p class=\"quiet\">{} before these</p>\n", left_out);
  return section("course", "How it came about", body);
}

}  // namespace dissensus::report
