#include <nlohmann/json.hpp>

#include "history/checker.h"
#include "history/describe.h"

namespace dissensus::history {

namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Part& part, const History& history, const std::vector<Operation>& operations) {
  const Operation& operation = operations[part.operation];
  const Event& asked = history.events()[operation.invoked];
  Json json;
  json["operation"] = part.operation;
  json["process"] = asked.process;
  json["text"] = label_of(history, operation);
  json["outcome"] = to_string(operation.outcome);
  if (asked.line > 0) json["line_invoked"] = asked.line;
  if (operation.completed != Operation::kNone) {
    const Event& answer = history.events()[operation.completed];
    if (answer.line > 0) json["line_answered"] = answer.line;
  }
  if (part.order > 0) json["place"] = part.order;
  if (part.is_conflict) json["conflict"] = true;
  if (!part.text.empty()) json["note"] = part.text;
  return json;
}

}  // namespace

std::string to_json(const Verdict& verdict, const History& history,
                    const std::vector<Operation>& operations) {
  Json json;
  json["history"] = history.name();
  json["model"] = verdict.model;
  json["outcome"] = to_string(verdict.outcome);
  if (!verdict.reason.empty()) json["reason"] = verdict.reason;
  json["findings"] = Json::array();
  for (const Finding& finding : verdict.findings) {
    Json item;
    item["name"] = finding.name;
    item["count"] = finding.count;
    item["text"] = finding.text;
    item["operations"] = Json::array();
    for (const Part& part : finding.parts) {
      item["operations"].push_back(json_of(part, history, operations));
    }
    if (!finding.links.empty()) item["links"] = Json::array();
    for (const Link& link : finding.links) {
      item["links"].push_back(
          {{"from", link.from}, {"to", link.to}, {"kind", link.label}, {"text", link.text}});
    }
    json["findings"].push_back(std::move(item));
  }
  json["figures"] = Json::object();
  for (const auto& [name, value] : verdict.figures) json["figures"][name] = value;
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace dissensus::history
