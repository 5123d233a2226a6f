#include "serve/conformance.h"

#include <fstream>

#include "dissensus/options.h"

#include "conform/walkthrough.h"
#include "serve/json_text.h"

namespace dissensus::serve {

namespace {

Json object_of(const std::vector<std::pair<std::string, std::string>>& pairs) {
  Json json = Json::object();
  for (const auto& [name, text] : pairs) json[name] = text;
  return json;
}

Json object_of(const conform::NamedTexts& texts) {
  Json json = Json::object();
  for (const auto& [name, text] : texts) json[name] = text;
  return json;
}

Json guards_json(const conform::Walkthrough& walk) {
  Json guards = Json::array();
  for (std::size_t i = 0; i < walk.violation->guards.size(); ++i) {
    const conform::RefusingGuard& guard = walk.violation->guards[i];
    const conform::SourceLines& source = walk.sources[i];
    Json operands = Json::array();
    for (const auto& [text, value] : guard.operands) operands.push_back({text, value});
    guards.push_back({{"at", guard.at},
                      {"text", guard.text},
                      {"operands", std::move(operands)},
                      {"first_line", source.first},
                      {"line", source.marked},
                      {"lines", source.lines}});
  }
  return guards;
}

Json violation_json(const conform::Walkthrough& walk) {
  if (!walk.violation) return nullptr;
  const conform::Violation& violation = *walk.violation;
  Json differences = Json::array();
  for (const conform::ViewDifference& difference : violation.differences) {
    differences.push_back({{"view", difference.view},
                           {"model", difference.model},
                           {"implementation", difference.implementation}});
  }
  return {{"type", conform::to_string(violation.type)},
          {"message", violation.message},
          {"event", violation.event},
          {"action", violation.action},
          {"property", violation.property},
          {"guards", guards_json(walk)},
          {"differences", std::move(differences)},
          {"enabled", violation.enabled}};
}

Json steps_json(const conform::Walkthrough& walk) {
  Json steps = Json::array();
  for (const conform::WalkStep& step : walk.steps) {
    steps.push_back({{"number", step.number},
                     {"node", step.node ? Json(*step.node) : Json(nullptr)},
                     {"events", step.events},
                     {"actions", step.actions},
                     {"at", step.place},
                     {"model", object_of(step.model)},
                     {"implementation", object_of(step.implementation)}});
  }
  return steps;
}

}  // namespace

bool is_conformance_finding(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string head(200, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  return head.find(conform::kFindingFormat) != std::string::npos;
}

std::string conformance_json(const std::string& path, const SystemRegistry& systems) {
  const conform::FindingFile file = conform::read_finding(path);
  conform::Walkthrough walk;
  try {
    walk = conform::walk_through(file, systems);
  } catch (const InputError&) {
    throw;
  } catch (const std::exception& error) {
    throw InputError(error.what());  // of the model's evaluation
  }
  Json nodes = Json::object();
  for (const auto& [node, texts] : walk.implementation) {
    nodes[std::to_string(node)] = object_of(texts);
  }
  return to_text(Json{{"file", path},
                      {"mapping", file.mapping},
                      {"spec", walk.spec},
                      {"scenario", walk.scenario},
                      {"workflow", file.finding.workflow},
                      {"inputs", object_of(walk.inputs)},
                      {"settings", object_of(file.variant.settings)},
                      {"constants", object_of(file.variant.constants)},
                      {"left_out", walk.left_out},
                      {"model", object_of(walk.model)},
                      {"implementation", std::move(nodes)},
                      {"steps", steps_json(walk)},
                      {"violation", violation_json(walk)}});
}

}  // namespace dissensus::serve
