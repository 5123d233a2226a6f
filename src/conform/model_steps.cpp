#include "conform/model_steps.h"

#include <algorithm>

#include <fmt/format.h>

namespace dissensus::conform {
namespace {

constexpr std::size_t kTransitionsMost = 200'000;
constexpr std::size_t kEnabledShown = 8;

std::uint64_t hash_of(const tla::Label& label) {
  std::uint64_t hash = mix64(label.action, label.arguments.size());
  for (const tla::Value argument : label.arguments) hash = mix64(hash, argument.hash());
  return hash;
}

std::uint64_t hash_of(const tla::State& state) {
  std::uint64_t hash = state.size();
  for (const tla::Value value : state) hash = mix64(hash, value.hash());
  return hash;
}

std::string describe(const tla::Spec& spec, const std::vector<tla::Label>& labels) {
  std::string text;
  for (const tla::Label& label : labels) {
    text += (text.empty() ? "" : "; ") + tla::to_string(spec, label);
  }
  return text;
}

}  // namespace

ModelSteps::ModelSteps(BoundMapping& mapping, std::size_t most)
    : mapping_(mapping), machine_(mapping.machine()), most_(most) {}

std::optional<std::vector<tla::State>> ModelSteps::advance(const std::vector<tla::State>& from,
                                                           const tla::Label& label) {
  tla::Frontier reached;
  const std::uint64_t label_hash = hash_of(label);
  for (const tla::State& state : from) {
    const std::uint64_t key = mix64(hash_of(state), label_hash);
    const auto known = transitions_.find(key);
    if (known != transitions_.end()) {
      ++known_;
      for (const tla::State& next : known->second) reached.add(next);
      continue;
    }
    tla::Frontier found;
    machine_.perform(state, label.action, label.arguments, [&](const tla::State& next) {
      found.add(next);
      return found.size() <= most_;
    });
    ++performed_;
    if (found.size() > most_) return std::nullopt;
    for (const tla::State& next : found.states()) reached.add(next);
    if (transitions_.size() < kTransitionsMost) transitions_.emplace(key, found.states());
  }
  if (reached.size() > most_) return std::nullopt;
  return reached.states();
}

std::optional<std::vector<tla::State>> ModelSteps::advance_all(
    std::vector<tla::State> states, const std::vector<tla::Label>& labels) {
  for (const tla::Label& label : labels) {
    auto reached = advance(states, label);
    if (!reached) return std::nullopt;
    states = std::move(*reached);
  }
  return states;
}

/// Why no state fits: the model refuses the step, or looks different after it.
Violation ModelSteps::explained(const Observation& observation,
                                const std::vector<tla::Label>& labels,
                                const std::vector<tla::State>& before) {
  const auto reached = advance_all(before, labels);
  return reached && !reached->empty() ? mismatch(observation, labels, *reached)
                                      : refusal(observation, labels, before);
}

bool ModelSteps::cover(const tla::Label& label, NodeId node, const tla::State& state) {
  const bool is_new = covered_.insert(mix64(mapping_.view_hash(node, state), label.action)).second;
  new_views_ += is_new ? 1 : 0;
  return is_new;
}

std::vector<std::string> ModelSteps::nearest_actions(const tla::State& state, NodeId node) {
  std::vector<std::string> texts;
  for (const tla::Label& label : machine_.enabled(state, 200)) {
    // Those of the acting node first: models number nodes from 0 or 1.
    const bool is_near =
        !label.arguments.empty() && label.arguments[0].is_integer() &&
        (label.arguments[0].number() == node || label.arguments[0].number() == node + 1);
    const std::string text = tla::to_string(machine_.spec(), label);
    if (is_near) {
      texts.insert(texts.begin(), text);
    } else {
      texts.push_back(text);
    }
  }
  if (texts.size() > kEnabledShown) texts.resize(kEnabledShown);
  return texts;
}

Violation ModelSteps::refusal(const Observation& observation, const std::vector<tla::Label>& labels,
                              const std::vector<tla::State>& before) {
  Violation violation;
  violation.event = mapping_.to_string(observation);
  violation.action = describe(machine_.spec(), labels);
  violation.message = "the model does not allow this step";
  // The step that is refused, from the states before it.
  std::vector<tla::State> states = before;
  for (const tla::Label& label : labels) {
    auto next = advance(states, label);
    if (!next) break;
    if (next->empty()) {
      violation.message =
          fmt::format("the model does not allow {}", tla::to_string(machine_.spec(), label));
      violation.guards =
          to_guards(mapping_.machine().explain(states.front(), label.action, label.arguments));
      break;
    }
    states = std::move(*next);
  }
  if (!states.empty()) violation.enabled = nearest_actions(states.front(), observation.node);
  return violation;
}

Violation ModelSteps::mismatch(const Observation& observation,
                               const std::vector<tla::Label>& labels,
                               const std::vector<tla::State>& reached) {
  Violation violation;
  violation.event = mapping_.to_string(observation);
  violation.action = describe(machine_.spec(), labels);
  violation.differences = mapping_.differences(observation, reached.front());
  for (const tla::State& state : reached) {
    auto differences = mapping_.differences(observation, state);
    if (differences.size() < violation.differences.size()) {
      violation.differences = std::move(differences);
    }
  }
  std::vector<std::string> names;
  for (const ViewDifference& difference : violation.differences) names.push_back(difference.view);
  violation.message = fmt::format("model and implementation differ in {}", fmt::join(names, ", "));
  return violation;
}

}  // namespace dissensus::conform
