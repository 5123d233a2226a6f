#include "conform/finding_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/file.h"

namespace dissensus::conform {
namespace {

using OrderedJson = nlohmann::ordered_json;
constexpr std::size_t kFindingBytesMax = std::size_t{16} << 20;

OrderedJson to_object(const std::vector<std::pair<std::string, std::string>>& pairs) {
  OrderedJson object = OrderedJson::object();
  for (const auto& [key, value] : pairs) object[key] = value;
  return object;
}

std::vector<std::pair<std::string, std::string>> to_pairs(const Options& options) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string& key : options.keys()) pairs.emplace_back(key, options.at(key).text());
  return pairs;
}

OrderedJson to_object(const Violation& violation) {
  OrderedJson json{{"type", to_string(violation.type)},
                   {"step", violation.step},
                   {"message", violation.message}};
  if (!violation.event.empty()) json["event"] = violation.event;
  if (!violation.action.empty()) json["action"] = violation.action;
  if (!violation.property.empty()) json["property"] = violation.property;
  for (const RefusingGuard& guard : violation.guards) {
    OrderedJson operands = OrderedJson::object();
    for (const auto& [text, value] : guard.operands) operands[text] = value;
    json["guards"].push_back({{"at", guard.at}, {"text", guard.text}, {"operands", operands}});
  }
  for (const ViewDifference& difference : violation.differences) {
    json["differences"].push_back({{"view", difference.view},
                                   {"model", difference.model},
                                   {"implementation", difference.implementation}});
  }
  if (!violation.enabled.empty()) json["enabled"] = violation.enabled;
  return json;
}

}  // namespace

std::string to_json(const FindingFile& file) {
  const ConformanceFinding& finding = file.finding;
  OrderedJson json{{"format", kFindingFormat},
                   {"mapping", file.mapping},
                   {"workflow", finding.workflow},
                   {"seed", std::to_string(finding.seed)},
                   {"inputs", finding.values},
                   {"settings", to_object(file.variant.settings)},
                   {"constants", to_object(file.variant.constants)},
                   {"violation", to_object(finding.violation)},
                   {"trace_length", finding.trace_length},
                   {"shrunk_from", finding.shrunk_from},
                   {"is_script", finding.is_script},
                   {"ignored_properties", finding.ignored},
                   {"steps", finding.labels}};
  return json.dump(2) + "\n";
}

FindingFile read_finding(const std::string& path) {
  const Options options = Options::from_json(read_file(path, kFindingBytesMax), path);
  const OptionValue format = options.at("format");
  if (format.text() != kFindingFormat) format.fail(fmt::format("expected \"{}\"", kFindingFormat));
  FindingFile file;
  file.mapping = options.at("mapping").text();
  ConformanceFinding& finding = file.finding;
  finding.workflow = static_cast<int>(options.at("workflow").integer(1, 2));
  try {
    finding.seed = std::stoull(options.at("seed").text());
  } catch (const std::exception&) {
    options.fail("seed", "expected a whole number in quotes");
  }
  for (const OptionValue& value : options.at("inputs").list()) {
    finding.values.push_back(value.number());
  }
  file.variant.settings = to_pairs(options.table("settings"));
  file.variant.constants = to_pairs(options.table("constants"));
  finding.is_script = options.boolean("is_script", false);
  if (const auto ignored = options.find("ignored_properties")) {
    for (const OptionValue& name : ignored->list()) finding.ignored.push_back(name.text());
  }
  for (const OptionValue& step : options.at("steps").list()) finding.labels.push_back(step.text());
  return file;
}

}  // namespace dissensus::conform
