#include "hunt/parts.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/suggestion.h"
#include "core/toml_text.h"
#include "hunt/sample_search.h"
#include "run/runner.h"
#include "search/genotype.h"
#include "search/pace.h"

namespace dissensus::hunt {

namespace {

template <class... Lists>
std::vector<std::string> names_of(const Lists&... lists) {
  std::vector<std::string> names;
  const auto add = [&names](const auto& list) {
    for (const auto& entry : list) names.push_back(entry.name);
  };
  (add(lists), ...);
  return names;
}

template <class Entry>
const Entry* find_entry(const std::vector<Entry>& entries, std::string_view name) {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [name](const Entry& entry) { return entry.name == name; });
  return found == entries.end() ? nullptr : &*found;
}

[[noreturn]] void fail_unknown(std::string_view option, std::string_view what,
                               std::string_view name, const std::vector<std::string>& known) {
  throw InputError(fmt::format("{}: no {} '{}'{} (known: {})", option, what, name,
                               suggestion(name, known), fmt::join(known, ", ")));
}

void add_objectives(const run::Scenario& scenario, const Registry& registry,
                    const std::vector<std::string>& names, HuntParts& parts) {
  for (const std::string& name : names) {
    const FitnessEntry* const entry = find_entry(registry.fitness, name);
    if (entry == nullptr) {
      fail_unknown("--fitness", "fitness function", name, names_of(registry.fitness));
    }
    parts.objectives.push_back(entry->make(scenario.system_description()));
    parts.objective_names.push_back(name);
    parts.wanted.rules = parts.wanted.rules || entry->needs == Signal::rules;
  }
}

constexpr std::string_view kModel = "model=";

/// Null: those that are measured.
run::MakeStateSource states_of(const HuntOptions& options) {
  if (!options.novelty.starts_with(kModel)) return {};
  if (!options.model_states) {
    throw InputError("--novelty: a model's states are for 'dissensus hunt' alone");
  }
  return [make = options.model_states, file = options.novelty.substr(kModel.size())](
             const run::Scenario& scenario) { return make(file, scenario); };
}

search::Novelty novelty_of(const std::string& name) {
  if (name.empty()) return search::Novelty::states;
  if (name.starts_with(kModel)) return search::Novelty::none;
  const auto& names = search::kNoveltyNames;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    fail_unknown("--novelty", "novelty", name, {names.begin(), names.end()});
  }
  return static_cast<search::Novelty>(found - names.begin());
}

SearchSpace space_of(const run::Scenario& scenario, const Registry& registry,
                     const HuntOptions& options, const Options& parameters) {
  SearchSpace space = search::make_space(scenario);
  if (options.faults.empty()) return space;
  const FaultStrategyEntry* const entry = find_entry(registry.fault_strategies, options.faults);
  if (entry == nullptr) {
    fail_unknown("--faults", "fault strategy", options.faults, names_of(registry.fault_strategies));
  }
  const Options table = parameters.table("faults");
  constexpr std::int64_t kFaultsDefault = 3;
  space.faults_max = static_cast<std::size_t>(table.integer("max", kFaultsDefault, 1, 100));
  space.fault_strategy = entry->make(scenario.nodes(), scenario.system_description(), table);
  return space;
}

}  // namespace

HuntParts make_parts(const run::Scenario& scenario, const Registry& registry,
                     const HuntOptions& options) {
  const Options parameters = Options::from_toml(options.parameters, "--parameter");
  const SearchEntry* const entry = find_entry(registry.searches, options.search);
  const SchedulerEntry* const scheduler = find_entry(registry.schedulers, options.search);
  if (entry == nullptr && scheduler == nullptr) {
    fail_unknown("--search", "search", options.search,
                 names_of(registry.searches, registry.schedulers));
  }
  HuntParts parts;
  parts.wanted.novelty = novelty_of(options.novelty);
  parts.states = states_of(options);
  if (parts.states) parts.states(scenario);  // finds mistakes in the mapping
  if (entry != nullptr) {
    add_objectives(scenario, registry, options.fitness.empty() ? entry->fitness : options.fitness,
                   parts);
    const SearchContext context{space_of(scenario, registry, options, parameters),
                                parts.objectives.size(), options.seed,
                                entry->paced ? search::measure_pace(scenario) : TimeScales{}};
    parts.search = entry->make(context, parameters);
  } else {
    add_objectives(scenario, registry, options.fitness, parts);
    // Made once more for each run; this one finds mistakes in the parameters.
    scheduler->make(options.seed, parameters);
    parts.search = make_scheduler_search(*scheduler, parameters, options.seed);
  }
  parameters.finish();
  return parts;
}

HuntParts make_campaign_parts(const run::Scenario& scenario, const Registry& registry,
                              const HuntOptions& options) {
  if (options.search != kSampleSearch) return make_parts(scenario, registry, options);
  HuntParts parts;
  parts.search = make_sample_search(scenario, options.seed);
  return parts;
}

std::string parameter_line(const std::string& assignment) {
  const auto [key, value] = parse_assignment(assignment, "--parameter");
  return fmt::format("{} = {}\n", key, value);
}

void check_finding(std::string_view option, const std::vector<std::string>& finding,
                   const run::Scenario& scenario) {
  // The properties of docs/formats/run-folder.md, and those that rules name.
  std::vector<std::string> known{"agreement", "validity", "integrity", "termination", "invariant",
                                 "history",   "crash",    "hang",      "memory"};
  for (const oracle::Rule& rule : scenario.oracle.rules) {
    if (std::find(known.begin(), known.end(), rule.property) == known.end())
      known.push_back(rule.property);
  }
  for (const std::string& signature : finding) {
    const std::size_t slash = signature.find('/');
    const bool is_known = std::any_of(known.begin(), known.end(), [&](const std::string& property) {
      return slash == std::string::npos ? !signature.empty() && property.starts_with(signature)
                                        : property == signature.substr(0, slash);
    });
    if (!is_known) fail_unknown(option, "property", signature.substr(0, slash), known);
  }
}

HuntRecord describe_hunt(const run::Scenario& scenario, const HuntOptions& options) {
  nlohmann::ordered_json json{{"search", options.search},   {"set", options.parameters},
                              {"fitness", options.fitness}, {"faults", options.faults},
                              {"seed", options.seed},       {"repeats", options.repeats}};
  if (options.window != 0) json["window"] = options.window;
  if (options.islands) json["islands"] = true;
  if (!options.novelty.empty()) json["novelty"] = options.novelty;
  if (!options.plugins.empty()) json["plugins"] = options.plugins;
  return {0,     scenario.name,  scenario.text, json.dump(), run::program_version(),
          false, options.islands};
}

HuntOptions options_of(const HuntRecord& hunt, const std::string& store) {
  HuntOptions options;
  try {
    const auto json = nlohmann::json::parse(hunt.options);
    options.search = json.at("search");
    options.parameters = json.at("set");
    options.fitness = json.at("fitness").get<std::vector<std::string>>();
    options.faults = json.at("faults");
    options.seed = json.at("seed");
    options.repeats = json.at("repeats");
    options.window = json.value("window", std::size_t{0});
    options.islands = json.value("islands", false);
    options.novelty = json.value("novelty", std::string());
    options.plugins = json.value("plugins", std::vector<std::string>());
  } catch (const nlohmann::json::exception&) {
    throw InputError(fmt::format("{}: the options of hunt {} are damaged", store, hunt.id));
  }
  return options;
}

}  // namespace dissensus::hunt
