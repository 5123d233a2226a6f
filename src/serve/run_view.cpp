#include "serve/run_view.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <unordered_map>

#include <fmt/format.h>

#include "faults/schedule.h"
#include "faults/words.h"
#include "serve/json_text.h"
#include "serve/node_state.h"
#include "trace/dependence.h"
#include "trace/labels.h"
#include "trace/text.h"

namespace dissensus::serve {

namespace {

/// Texts that many events share, by number.
class TextTable {
 public:
  std::size_t add(std::string text) {
    const auto [entry, is_new] = numbers_.try_emplace(std::move(text), texts_.size());
    if (is_new) texts_.push_back(&entry->first);
    return entry->second;
  }
  void append_to(std::string& out) const {
    out += '[';
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      if (i > 0) out += ',';
      trace::append_json_text(out, *texts_[i]);
    }
    out += ']';
  }

 private:
  std::unordered_map<std::string, std::size_t> numbers_;
  std::vector<const std::string*> texts_;
};

template <class Value>
void append_column(std::string& out, const char* name, std::size_t count, const Value& value) {
  fmt::format_to(std::back_inserter(out), ",\"{}\":[", name);
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) out += ',';
    fmt::format_to(std::back_inserter(out), "{}", value(i));
  }
  out += ']';
}

/// What stands beside an event in the diagram; messages and timers have their kind or nothing.
bool has_label(EventType type) {
  switch (type) {
    case EventType::start:
    case EventType::send:
    case EventType::deliver:
    case EventType::drop:
    case EventType::duplicate:
    case EventType::timer:
    case EventType::log:
      return false;
    default:
      return true;
  }
}

Json violation_json(const LoadedRun& run, const oracle::Violation& violation) {
  const std::size_t record = trace::find_record(run.trace, violation.event);
  return {{"signature", violation.signature()},
          {"property", violation.property},
          {"rule", violation.rule},
          {"level", violation.level},
          {"nodes", violation.nodes},
          {"event", violation.event},
          {"time_us", microseconds_of(violation.time)},
          {"text", cut(violation.text, kFieldBytesMax)},
          {"record", record == trace::kNoIndex ? Json(nullptr) : Json(record)}};
}

std::vector<std::string> schedule_words(const LoadedRun& run) {
  if (!run.recipe) return {};
  const run::Scenario& scenario = run.recipe->scenario;
  std::vector<std::string> words =
      faults::in_words(run.recipe->schedule, scenario.system_description(), scenario.nodes());
  if (!run.recipe->branch) return words;
  const run::Branch& branch = *run.recipe->branch;
  words.push_back(fmt::format("from event {} on:{}", branch.at,
                              branch.seed ? fmt::format(" seed {}", *branch.seed) : ""));
  if (branch.schedule) {
    for (std::string& line :
         faults::in_words(*branch.schedule, scenario.system_description(), scenario.nodes())) {
      words.push_back(std::move(line));
    }
  }
  return words;
}

/// What a record says, with its node: the line of the log.
std::string line_text(const LoadedRun& run, const trace::Record& record) {
  std::string text =
      record.type == EventType::log ? record.text : trace::event_text(run.trace.header, record);
  return cut(std::move(text), kLineBytesMax);
}

Json brief(const LoadedRun& run, std::size_t index) {
  const trace::Record& record = run.records()[index];
  return {{"record", index},
          {"id", record.id},
          {"time_us", microseconds_of(record.time)},
          {"type", to_string(record.type)},
          {"node", record.node == kNoNode ? Json(nullptr) : Json(record.node)},
          {"text", line_text(run, record)}};
}

Json fields_json(const LoadedRun& run, const trace::Record& record) {
  Json fields = Json::array();
  const auto& descriptions = run.trace.header.kind_fields;
  if (record.kind != kNoKind && record.kind < descriptions.size()) {
    const auto& names = descriptions[record.kind];
    for (std::size_t i = 0; i < record.fields.size() && i < names.size(); ++i) {
      fields.push_back({{"name", names[i].name},
                        {"type", to_string(names[i].type)},
                        {"value", cut(trace::field_text(record.fields[i]), kFieldBytesMax)}});
    }
  }
  for (const auto& [name, value] : record.request) {
    fields.push_back({{"name", name},
                      {"type", "request"},
                      {"value", cut(trace::field_text(value), kFieldBytesMax)}});
  }
  return fields;
}

/// The record that holds the fields of an event's message as it arrived: its send, or the change on
/// the way.
std::size_t content_record(const LoadedRun& run, std::size_t index) {
  const trace::Record& record = run.records()[index];
  if (!record.fields.empty() || record.kind == kNoKind) return index;
  const std::size_t send = run.cause[index];
  if (send == trace::kNoIndex) return index;
  for (std::size_t at = send; at < index; ++at) {
    if (run.records()[at].type == EventType::mutate && run.cause[at] == send &&
        run.records()[at].content == record.content) {
      return at;
    }
  }
  return send;
}

constexpr std::size_t kCausesMax = 60;
constexpr std::size_t kEffectsMax = 200;

}  // namespace

std::string run_json(const LoadedRun& run) {
  const trace::Header& header = run.trace.header;
  const trace::Footer& footer = run.trace.footer;
  Json json{{"scenario", header.scenario_name},
            {"system", header.system},
            {"program", header.program},
            {"seed", header.seed},
            {"nodes", header.nodes},
            {"hash", footer.hash},
            {"outcome", footer.outcome},
            {"ended_by", footer.stop},
            {"events", footer.events},
            {"records", run.records().size()},
            {"end_us", run.records().empty() ? 0 : microseconds_of(run.records().back().time)},
            {"kinds", header.kinds},
            {"levels", header.levels},
            {"phases", header.phases},
            {"event_types", Json::array()},
            {"violations", Json::array()},
            {"notes", Json::array()},
            {"schedule", schedule_words(run)},
            {"repeatable", run.recipe.has_value()},
            {"not_repeatable", run.not_repeatable}};
  for (std::size_t type = 0; type < kEventTypes; ++type) {
    json["event_types"].push_back(to_string(static_cast<EventType>(type)));
  }
  for (const oracle::Violation& violation : run.verdict.violations) {
    json["violations"].push_back(violation_json(run, violation));
  }
  for (const oracle::Violation& note : run.verdict.notes) {
    json["notes"].push_back(violation_json(run, note));
  }
  json["violations_left_out"] = run.verdict.violations_left_out;
  json["properties"] = Json::array();
  for (const oracle::PropertyVerdict& property : run.verdict.properties) {
    json["properties"].push_back({{"property", property.property},
                                  {"outcome", oracle::to_string(property.outcome)},
                                  {"reason", cut(property.reason, kFieldBytesMax)}});
  }
  return to_text(json);
}

std::string columns_json(const LoadedRun& run) {
  const std::vector<trace::Record>& records = run.records();
  const std::size_t count = records.size();
  TextTable labels;
  std::vector<std::size_t> label(count);
  labels.add("");
  for (std::size_t i = 0; i < count; ++i) {
    if (has_label(records[i].type)) label[i] = labels.add(line_text(run, records[i]));
  }
  const auto small = [](std::uint16_t value, std::uint16_t none) {
    return value == none ? -1 : static_cast<int>(value);
  };
  std::string out;
  out.reserve(count * 30 + 1000);
  fmt::format_to(std::back_inserter(out), "{{\"count\":{}", count);
  append_column(out, "id", count,
                [&](std::size_t i) { return records[i].id - (i == 0 ? 0 : records[i - 1].id); });
  append_column(out, "time_us", count, [&](std::size_t i) {
    return microseconds_of(records[i].time) - (i == 0 ? 0 : microseconds_of(records[i - 1].time));
  });
  append_column(out, "type", count,
                [&](std::size_t i) { return static_cast<int>(records[i].type); });
  append_column(out, "node", count, [&](std::size_t i) { return small(records[i].node, kNoNode); });
  append_column(out, "peer", count, [&](std::size_t i) { return small(records[i].peer, kNoNode); });
  append_column(out, "kind", count, [&](std::size_t i) { return small(records[i].kind, kNoKind); });
  append_column(out, "cause", count, [&](std::size_t i) {
    return run.cause[i] == trace::kNoIndex ? 0 : i - run.cause[i];
  });
  append_column(out, "round", count,
                [&](std::size_t i) { return std::min<std::uint64_t>(run.round[i], UINT32_MAX); });
  append_column(out, "phase", count, [&](std::size_t i) {
    return records[i].type == EventType::phase
               ? static_cast<std::int64_t>(std::min<std::uint64_t>(records[i].number, UINT16_MAX))
               : -1;
  });
  append_column(out, "variant", count,
                [&](std::size_t i) { return run.variant[i] + (run.disputed[i] ? 256 : 0); });
  append_column(out, "label", count, [&](std::size_t i) { return label[i]; });
  out += ",\"labels\":";
  labels.append_to(out);
  out += ",\"endings\":[";
  for (std::size_t i = 0; i < count; ++i) {
    if (records[i].type != EventType::heal && records[i].type != EventType::fault_end) continue;
    const std::size_t begin = trace::find_record(run.trace, records[i].number);
    if (begin == trace::kNoIndex) continue;
    fmt::format_to(std::back_inserter(out), "{}[{},{}]", out.back() == '[' ? "" : ",", begin, i);
  }
  out += "]}";
  return out;
}

std::string lines_json(const LoadedRun& run, std::span<const std::size_t> records) {
  std::string out = "{\"lines\":[";
  for (const std::size_t index : records) {
    if (index >= run.records().size()) continue;
    if (out.back() != '[') out += ',';
    const trace::Record& record = run.records()[index];
    std::string text = line_text(run, record);
    if (record.type == EventType::send) {
      if (const std::string fields = trace::fields_text(run.trace.header, record);
          !fields.empty()) {
        text += "  " + cut(fields, kLineBytesMax);
      }
    }
    trace::append_json_text(out, text);
  }
  return out + "]}";
}

std::string event_json(const LoadedRun& run, std::size_t index) {
  const trace::Record& record = run.records().at(index);
  Json json = brief(run, index);
  json["peer"] = record.peer == kNoNode ? Json(nullptr) : Json(record.peer);
  json["kind"] = record.kind == kNoKind ? Json(nullptr)
                                        : Json(trace::kind_name(run.trace.header, record.kind));
  json["round"] = run.round[index];
  json["long_text"] = cut(record.text, kFieldBytesMax);
  const std::size_t content = content_record(run, index);
  json["fields"] = fields_json(run, run.records()[content]);
  if (run.records()[content].type == EventType::mutate && run.cause[content] != trace::kNoIndex) {
    json["fields_as_sent"] = fields_json(run, run.records()[run.cause[content]]);
  }
  json["causes"] = Json::array();  // the chain back to where it began
  std::size_t causes = 0;
  for (std::size_t at = run.cause[index]; at != trace::kNoIndex; at = run.cause[at]) {
    if (++causes <= kCausesMax) json["causes"].push_back(brief(run, at));
  }
  json["causes_left_out"] = causes - std::min(causes, kCausesMax);
  json["effects"] = Json::array();
  std::size_t effects = 0;
  for (std::size_t at = index + 1; at < run.records().size(); ++at) {
    if (run.cause[at] != index) continue;
    if (++effects <= kEffectsMax) json["effects"].push_back(brief(run, at));
  }
  json["effects_left_out"] = effects - std::min(effects, kEffectsMax);
  json["node_state"] = node_state_json(run, index);
  return to_text(json);
}

}  // namespace dissensus::serve
