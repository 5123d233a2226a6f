#include "conform/pairing.h"

#include <utility>

#include <fmt/format.h>

#include "conform/quint.h"
#include "core/file.h"
#include "core/toml_text.h"
#include "run/scenario_file.h"
#include "tla/syntax/config.h"

namespace dissensus::conform {
namespace {

constexpr std::size_t kTextBytesMax = std::size_t{4} << 20;

std::string replaced(std::string text, const Mapping& mapping, const InputValues& values) {
  for (std::size_t index = 0; index < values.size(); ++index) {
    const std::string place = "{" + mapping.inputs[index].name + "}";
    const std::string value = input_text(mapping.inputs[index], values[index], false);
    for (std::size_t at = text.find(place); at != std::string::npos; at = text.find(place, at)) {
      text.replace(at, place.size(), value);
    }
  }
  return text;
}

std::string constants_text(const Mapping& mapping, const InputValues& values) {
  std::string all;
  for (const auto& [name, text] : mapping.constants) {
    all += name + " = " + replaced(text, mapping, values) + "\n";
  }
  return all;
}

}  // namespace

run::Scenario load_scenario(const Mapping& mapping, const Variant& variant,
                            const InputValues& values, const SystemRegistry& systems) {
  if (mapping.scenario.empty()) {
    throw InputError(fmt::format(
        "{}: scenario: expected one; without it a mapping is for logs alone (conform follow)",
        mapping.path));
  }
  TomlText text(run::read_scenario(mapping.scenario), mapping.scenario);
  for (std::size_t index = 0; index < values.size(); ++index) {
    const MappingInput& input = mapping.inputs[index];
    if (input.sets.empty()) continue;
    const std::string value = input_text(input, values[index], true);
    text.set(input.sets, input.unit.empty() ? value : '"' + value + '"');
  }
  for (const auto& [key, value] : variant.settings) {
    text.merge(fmt::format("{} = {}", key, value), fmt::format("{} = {}", key, value));
  }
  return run::parse_scenario(text.text(), mapping.scenario, systems);
}

std::shared_ptr<const tla::Spec> load_model(const Mapping& mapping, const Variant& variant,
                                            const InputValues& values) {
  tla::Config config;
  if (!mapping.config.empty()) {
    config = tla::parse_config(std::make_shared<const tla::Source>(
        tla::Source{mapping.config, read_file(mapping.config, kTextBytesMax)}));
  }
  tla::SpecOptions options;
  for (const auto& [name, text] : mapping.constants) {
    options.constants.emplace_back(name, replaced(text, mapping, values));
  }
  for (const auto& [name, text] : variant.constants) {
    std::erase_if(options.constants,
                  [&given = name](const auto& one) { return one.first == given; });
    options.constants.emplace_back(name, text);
  }
  options.change = variant.change;
  return load_specification(mapping.spec, config, std::move(options));
}

std::string input_text(const MappingInput& input, double value, bool with_unit) {
  const std::string number = input.is_whole ? std::to_string(static_cast<std::int64_t>(value))
                                            : fmt::format("{:.3f}", value);
  return with_unit ? number + input.unit : number;
}

Pairing::Pairing(const Mapping& mapping, const Variant& variant, const InputValues& values,
                 const SystemRegistry& systems, const JudgeOptions& judge)
    : scenario_(load_scenario(mapping, variant, values, systems)),
      constants_(constants_text(mapping, values)),
      machine_(std::make_unique<tla::Machine>(load_model(mapping, variant, values))),
      bound_(std::make_unique<BoundMapping>(mapping, *machine_, *scenario_.system)),
      judge_(std::make_unique<Judge>(*bound_, judge)),
      lockstep_(std::make_unique<Lockstep>(*bound_, *judge_, *scenario_.system)) {}

void Pairing::clean() {
  judge_->forget();
  machine_->collect();
}

}  // namespace dissensus::conform
