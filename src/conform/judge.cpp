#include "conform/judge.h"

#include <algorithm>

#include <fmt/format.h>

namespace dissensus::conform {

Judge::Judge(BoundMapping& mapping, const JudgeOptions& options)
    : mapping_(mapping),
      machine_(mapping.machine()),
      options_(options),
      steps_(mapping, options.frontier_most),
      matcher_(machine_, *this, mapping.hidden(),
               {options.frontier_most, options.hidden_states_most}),
      weights_(mapping.weights()) {}

void Judge::start(std::span<const tla::Value> initial_node_states) {
  seen_.clear();
  if (options_.coverage != nullptr) options_.coverage->start_trace();
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

JudgeCounters Judge::counters() const {
  JudgeCounters all = counters_;
  all.model_steps = steps_.performed();
  all.cached_steps = steps_.known();
  all.new_views = steps_.new_views();
  return all;
}

const Judge::Seen& Judge::seen_at(std::size_t event) const {
  return mapping_.has_hidden() ? seen_[event] : seen_.back();
}

bool Judge::steps(std::size_t event, const tla::State& from,
                  tla::FunctionRef<bool(const tla::State&)> visit) {
  const Seen& seen = seen_at(event);
  const auto reached = steps_.advance_all({from}, seen.labels);
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
    Violation violation = steps_.refusal(observation, {}, frontier());
    violation.step = step_;
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
  if (match == tla::Match::refused) {
    Violation violation = steps_.explained(observation, labels, frontier());
    violation.step = step_;
    return violation;
  }
  counters_.frontier_max = std::max(counters_.frontier_max, frontier().size());
  for (const tla::Label& label : labels) cover(label, observation.node, frontier().front());
  return std::nullopt;
}

void Judge::forget() {
  steps_.forget();
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

}  // namespace dissensus::conform
