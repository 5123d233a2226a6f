#include "oracle/verdict.h"

#include <array>

#include <nlohmann/json.hpp>

namespace dissensus::oracle {

std::string_view to_string(Outcome outcome) {
  static constexpr std::array<std::string_view, 3> kNames{"pass", "fail", "unknown"};
  return kNames[static_cast<std::size_t>(outcome)];
}

std::string Violation::signature() const {
  return level.empty() ? property + "/" + rule : property + "/" + rule + "/" + level;
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
  json["notes"] = nlohmann::ordered_json::array();
  for (const Violation& note : verdict.notes) json["notes"].push_back(violation_json(note));
  return json.dump(indent);
}

}  // namespace dissensus::oracle
