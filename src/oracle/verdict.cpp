#include "oracle/verdict.h"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "dissensus/options.h"

namespace dissensus::oracle {

std::string_view to_string(Outcome outcome) {
  static constexpr std::array<std::string_view, 3> kNames{"pass", "fail", "unknown"};
  return kNames[static_cast<std::size_t>(outcome)];
}

std::string Violation::signature() const {
  return level.empty() ? property + "/" + rule : property + "/" + rule + "/" + level;
}

void add_unjudged(Verdict& verdict, std::string reason) {
  const auto known =
      std::find_if(verdict.properties.begin(), verdict.properties.end(),
                   [](const PropertyVerdict& judged) { return judged.property == kEvidence; });
  if (known == verdict.properties.end()) {
    verdict.properties.push_back({std::string(kEvidence), Outcome::unknown, std::move(reason)});
  } else {
    known->reason += "; " + reason;
  }
  if (verdict.outcome == Outcome::pass) verdict.outcome = Outcome::unknown;
}

namespace {
nlohmann::ordered_json violation_json(const Violation& violation) {
  nlohmann::ordered_json json{{"property", violation.property}, {"rule", violation.rule}};
  if (!violation.level.empty()) {
    json["level"] = violation.level;
    json["instance"] = violation.instance;
  }
  json["nodes"] = violation.nodes;
  nlohmann::ordered_json values = nlohmann::ordered_json::array();
  for (const Digest& value : violation.values) values.push_back(to_string(value));
  json["values"] = std::move(values);
  json["event"] = violation.event;
  json["time_us"] = microseconds_of(violation.time);
  json["text"] = violation.text;
  return json;
}
}  // namespace

std::string to_json(const Verdict& verdict, int indent) {
  nlohmann::ordered_json json;
  json["format"] = kVerdictFormat;
  json["outcome"] = to_string(verdict.outcome);
  json["properties"] = nlohmann::ordered_json::object();
  for (const PropertyVerdict& property : verdict.properties) {
    nlohmann::ordered_json entry{{"outcome", to_string(property.outcome)}};
    if (!property.reason.empty()) entry["reason"] = property.reason;
    json["properties"][property.property] = std::move(entry);
  }
  json["violations"] = nlohmann::ordered_json::array();
  for (const Violation& violation : verdict.violations) {
    json["violations"].push_back(violation_json(violation));
  }
  json["violations_left_out"] = verdict.violations_left_out;
  if (!verdict.faulty.empty()) json["faulty_nodes"] = verdict.faulty;
  if (!verdict.cut_by.empty()) json["cut_by"] = verdict.cut_by;
  json["notes"] = nlohmann::ordered_json::array();
  for (const Violation& note : verdict.notes) json["notes"].push_back(violation_json(note));
  return json.dump(indent);
}

namespace {

Outcome read_outcome(const OptionValue& value) {
  static constexpr std::string_view kNames[] = {"pass", "fail", "unknown"};
  return static_cast<Outcome>(value.choice(kNames));
}

std::vector<NodeId> read_nodes(const Options& options, std::string_view key) {
  std::vector<NodeId> nodes;
  if (const auto list = options.find(key)) {
    for (const OptionValue& node : list->list()) {
      nodes.push_back(static_cast<NodeId>(node.integer(0, kNoNode)));
    }
  }
  return nodes;
}

Violation read_violation(const Options& options) {
  Violation violation;
  violation.property = options.at("property").text();
  violation.rule = options.at("rule").text();
  violation.level = options.text("level", "");
  violation.instance = static_cast<std::uint64_t>(options.integer("instance", 0, 0));
  violation.nodes = read_nodes(options, "nodes");
  if (const auto values = options.find("values")) {
    for (const OptionValue& value : values->list()) {
      if (!parse_digest(value.text(), violation.values.emplace_back())) {
        value.fail("expected a number or 32 hexadecimal digits");
      }
    }
  }
  violation.event = static_cast<EventId>(options.integer("event", 0, 0));
  violation.time = time_of_microseconds(options.integer("time_us", 0, 0));
  violation.text = options.text("text", "");
  return violation;
}

}  // namespace

Verdict parse_verdict(std::string_view text, const std::string& name) {
  const Options options = Options::from_json(text, name);
  const OptionValue format = options.at("format");
  if (format.text() != kVerdictFormat) {
    format.fail("expected \"" + std::string(kVerdictFormat) + '"');
  }
  Verdict verdict;
  verdict.outcome = read_outcome(options.at("outcome"));
  const Options properties = options.table("properties");
  for (const std::string& property : properties.keys()) {
    const Options entry = properties.at(property).table();
    verdict.properties.push_back(
        {property, read_outcome(entry.at("outcome")), entry.text("reason", "")});
  }
  for (const Options& entry : options.tables("violations")) {
    verdict.violations.push_back(read_violation(entry));
  }
  verdict.violations_left_out =
      static_cast<std::size_t>(options.integer("violations_left_out", 0, 0));
  verdict.faulty = read_nodes(options, "faulty_nodes");
  verdict.cut_by = options.text("cut_by", "");
  for (const Options& entry : options.tables("notes")) {
    verdict.notes.push_back(read_violation(entry));
  }
  return verdict;
}

}  // namespace dissensus::oracle
