#include "serve/model.h"

#include <filesystem>
#include <map>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "dissensus/options.h"

#include "core/file.h"
#include "serve/json_text.h"
#include "tla/evaluation/machine.h"
#include "tla/exploration/check.h"
#include "tla/linking/spec.h"
#include "tla/syntax/config.h"

namespace dissensus::serve {

namespace {

constexpr std::uint64_t kStatesMax = 300'000;
constexpr double kSecondsMax = 10;
constexpr std::size_t kDrawnMax = 250;

std::shared_ptr<const tla::Spec> load_model(const std::string& path) {
  const std::string beside = std::filesystem::path(path).replace_extension(".cfg").string();
  tla::Config config;
  if (std::filesystem::exists(beside)) {
    constexpr std::size_t kBytesMax = 1 << 20;
    auto source = std::make_shared<tla::Source>();
    source->path = beside;
    source->text = read_file(beside, kBytesMax);
    config = tla::parse_config(source);
  }
  return tla::Spec::load(path, config);
}

Json state_json(const std::vector<std::string>& variables, const tla::State& state) {
  Json json = Json::object();
  for (std::size_t i = 0; i < state.size() && i < variables.size(); ++i) {
    json[variables[i]] = tla::to_string(state[i]);
  }
  return json;
}

Json steps_json(const tla::Behaviour& behaviour) {
  Json steps = Json::array();
  for (const tla::Behaviour::Step& step : behaviour.steps()) {
    steps.push_back({{"title", tla::title_of(step)},
                     {"at", step.place},
                     {"state", state_json(behaviour.variables(), step.state)}});
  }
  return steps;
}

/// All states, if there are few.
class Graph {
 public:
  explicit Graph(const std::shared_ptr<const tla::Spec>& spec) : spec_(spec), machine_(spec) {}

  /// Null where there are too many to be drawn.
  Json explore() {
    machine_.initial_states([this](const tla::State& state) { return add(state, 0); });
    for (std::size_t i = 0; i < states_.size() && !is_too_large_; ++i) {
      const tla::State from = states_[i];
      const std::uint32_t depth = depths_[i];
      if (!machine_.is_within_constraints(from)) continue;
      machine_.successors(from, [&](const tla::Label& label, const tla::State& to) {
        if (!add(to, depth + 1)) return false;
        edges_[{i, numbers_[machine_.fingerprint(to)]}] = label.action;
        return true;
      });
    }
    if (is_too_large_) return nullptr;
    Json json{{"states", Json::array()}, {"edges", Json::array()}, {"actions", Json::array()}};
    for (std::size_t i = 0; i < states_.size(); ++i) {
      json["states"].push_back(
          {{"depth", depths_[i]}, {"state", state_json(spec_->variables(), states_[i])}});
    }
    for (const auto& [ends, action] : edges_) {
      json["edges"].push_back({ends.first, ends.second, action});
    }
    for (const tla::ActionDescription& action : spec_->actions()) {
      json["actions"].push_back(action.name);
    }
    return json;
  }

 private:
  bool add(const tla::State& state, std::uint32_t depth) {
    const auto [entry, is_new] = numbers_.try_emplace(machine_.fingerprint(state), states_.size());
    if (!is_new) return true;
    if (states_.size() == kDrawnMax) {
      is_too_large_ = true;
      return false;
    }
    states_.push_back(state);
    depths_.push_back(depth);
    return true;
  }

  std::shared_ptr<const tla::Spec> spec_;
  tla::Machine machine_;
  std::unordered_map<std::uint64_t, std::size_t> numbers_;
  std::vector<tla::State> states_;
  std::vector<std::uint32_t> depths_;
  std::map<std::pair<std::size_t, std::size_t>, tla::ActionId> edges_;
  bool is_too_large_ = false;
};

Json graph_json(const std::shared_ptr<const tla::Spec>& spec) {
  try {
    return Graph(spec).explore();
  } catch (const std::exception&) {
    return nullptr;  // what cannot be evaluated is in the result of the check
  }
}

}  // namespace

std::string model_json(const std::string& path) {
  std::shared_ptr<const tla::Spec> spec;
  try {
    spec = load_model(path);
  } catch (const std::exception& error) {
    throw InputError(error.what());
  }
  tla::CheckOptions options;
  options.limits.states = kStatesMax;
  options.limits.seconds = kSecondsMax;
  const tla::CheckResult result = tla::check(spec, options);
  const bool is_small = spec->has_behaviour() && result.distinct <= kDrawnMax;
  return to_text(Json{{"spec", path},
                      {"result", tla::to_string(result.outcome)},
                      {"property", result.property},
                      {"message", result.message},
                      {"distinct", result.distinct},
                      {"generated", result.generated},
                      {"depth", result.depth},
                      {"seconds", result.seconds},
                      {"variables", spec->variables()},
                      {"steps", steps_json(result.trace)},
                      {"drawn_max", kDrawnMax},
                      {"graph", is_small ? graph_json(spec) : Json(nullptr)}});
}

}  // namespace dissensus::serve
