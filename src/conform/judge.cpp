#include "conform/judge.h"

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

Judge::Judge(BoundMapping& mapping, const JudgeOptions& options)
    : mapping_(mapping),
      machine_(mapping.machine()),
      options_(options),
      matcher_(machine_, *this, mapping.hidden(),
               {options.frontier_most, options.hidden_states_most}) {}

void Judge::start(std::span<const tla::Value> initial_node_states) {
  seen_.clear();
  const tla::Match match = matcher_.start();
  if (match == tla::Match::refused) {
    throw InputError(fmt::format("{}: the model has no initial state", machine_.spec().path()));
  }
  is_unknown_ = match == tla::Match::unknown;
  node_states_.assign(initial_node_states.begin(), initial_node_states.end());
  histories_.clear();
  if (mapping_.has_properties()) {
    histories_.assign(node_states_.size(), mapping_.first_history());
  }
  states_changed_ = true;
  goes_on_ = true;
  broken_ = options_.ignored_properties;
  step_ = 0;
}

std::optional<std::vector<tla::State>> Judge::advance(const std::vector<tla::State>& from,
                                                      const tla::Label& label) {
  tla::Frontier reached;
  const std::uint64_t label_hash = hash_of(label);
  for (const tla::State& state : from) {
    const std::uint64_t key = mix64(hash_of(state), label_hash);
    const auto known = transitions_.find(key);
    if (known != transitions_.end()) {
      ++counters_.cached_steps;
      for (const tla::State& next : known->second) reached.add(next);
      continue;
    }
    tla::Frontier found;
    machine_.perform(state, label.action, label.arguments, [&](const tla::State& next) {
      found.add(next);
      return found.size() <= options_.frontier_most;
    });
    ++counters_.model_steps;
    if (found.size() > options_.frontier_most) return std::nullopt;
    for (const tla::State& next : found.states()) reached.add(next);
    if (transitions_.size() < kTransitionsMost) transitions_.emplace(key, found.states());
  }
  if (reached.size() > options_.frontier_most) return std::nullopt;
  return reached.states();
}

std::optional<std::vector<tla::State>> Judge::advance_all(std::vector<tla::State> states,
                                                          const std::vector<tla::Label>& labels) {
  for (const tla::Label& label : labels) {
    auto reached = advance(states, label);
    if (!reached) return std::nullopt;
    states = std::move(*reached);
  }
  return states;
}

const Judge::Seen& Judge::seen_at(std::size_t event) const {
  return mapping_.has_hidden() ? seen_[event] : seen_.back();
}

bool Judge::steps(std::size_t event, const tla::State& from,
                  tla::FunctionRef<bool(const tla::State&)> visit) {
  const Seen& seen = seen_at(event);
  const auto reached = advance_all({from}, seen.labels);
  if (!reached) return false;
  for (const tla::State& state : *reached) {
    if (mapping_.fits(seen.observation, state) && !visit(state)) break;
  }
  return true;
}

std::optional<Violation> Judge::check_properties(const Observation& observation) {
  if (!mapping_.has_properties()) return std::nullopt;
  if (!observation.state.is_null() && observation.node < node_states_.size()) {
    tla::Value& history = histories_[observation.node];
    const tla::Value next = mapping_.next_history(history, observation);
    states_changed_ =
        states_changed_ || node_states_[observation.node] != observation.state || history != next;
    node_states_[observation.node] = observation.state;
    history = next;
  }
  if (!states_changed_) return std::nullopt;
  states_changed_ = false;
  const bool all_known = std::none_of(node_states_.begin(), node_states_.end(),
                                      [](tla::Value state) { return state.is_null(); });
  if (!all_known) return std::nullopt;
  const auto property =
      mapping_.violated_property(mapping_.abstract(node_states_, histories_), broken_);
  if (!property) return std::nullopt;
  broken_.push_back(*property);
  Violation violation;
  violation.type = Violation::Type::property;
  violation.step = step_;
  violation.event = mapping_.to_string(observation);
  violation.property = *property;
  violation.message = fmt::format("the implementation's state breaks {}", *property);
  return violation;
}

std::optional<Violation> Judge::observe(const Observation& observation) {
  ++step_;
  ++counters_.events;
  auto broken = check_properties(observation);
  auto refused = follow(observation);
  goes_on_ = !refused;
  return broken ? std::move(broken) : std::move(refused);
}

/// The model takes the same step.
std::optional<Violation> Judge::follow(const Observation& observation) {
  if (is_unknown_) return std::nullopt;

  BoundMapping::Meaning meaning = mapping_.meaning(observation);
  using Type = BoundMapping::Meaning::Type;
  if (meaning.type == Type::pending) {
    ++counters_.stutters;
    return std::nullopt;
  }
  if (meaning.type == Type::unmapped) {
    Violation violation = refusal(observation, {});
    violation.message = fmt::format("the mapping has no entry for this {} event",
                                    mapping_.event_name(observation.event));
    return violation;
  }
  if (meaning.type == Type::stutter) ++counters_.stutters;
  if (!mapping_.has_hidden()) seen_.clear();
  seen_.push_back({observation, std::move(meaning.labels)});
  const tla::Match match = matcher_.next();
  const std::vector<tla::Label>& labels = seen_.back().labels;
  is_unknown_ = match == tla::Match::unknown;
  if (is_unknown_) return std::nullopt;
  if (match == tla::Match::refused) return explained(observation, labels);
  counters_.frontier_max = std::max(counters_.frontier_max, frontier().size());
  for (const tla::Label& label : labels) cover(label, observation.node, frontier().front());
  return std::nullopt;
}

/// Why no state fits: the model refuses the step, or looks different after it.
Violation Judge::explained(const Observation& observation, const std::vector<tla::Label>& labels) {
  const auto reached = advance_all(frontier(), labels);
  return reached && !reached->empty() ? mismatch(observation, labels, *reached)
                                      : refusal(observation, labels);
}

bool Judge::cover(const tla::Label& label, NodeId node, const tla::State& state) {
  const bool is_new = covered_.insert(mix64(mapping_.view_hash(node, state), label.action)).second;
  counters_.new_views += is_new ? 1 : 0;
  return is_new;
}

void Judge::forget() {
  transitions_.clear();
  seen_.clear();
  node_states_.clear();
  histories_.clear();
}

std::optional<Violation> Judge::judge(const ObservedTrace& trace) {
  start(trace.initial_states);
  for (const Observation& observation : trace.observations) {
    if (auto violation = observe(observation)) return violation;
  }
  return std::nullopt;
}

std::vector<std::string> Judge::nearest_actions(const tla::State& state, NodeId node) {
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

Violation Judge::refusal(const Observation& observation, const std::vector<tla::Label>& labels) {
  Violation violation;
  violation.step = step_;
  violation.event = mapping_.to_string(observation);
  violation.action = describe(machine_.spec(), labels);
  violation.message = "the model does not allow this step";
  // The step that is refused, from the states before it.
  std::vector<tla::State> states = frontier();
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

Violation Judge::mismatch(const Observation& observation, const std::vector<tla::Label>& labels,
                          const std::vector<tla::State>& reached) {
  Violation violation;
  violation.step = step_;
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
