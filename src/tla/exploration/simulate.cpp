#include "tla/exploration/simulate.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>

#include <fmt/format.h>

#include "core/parallel.h"
#include "core/suggestion.h"
#include "tla/exploration/fingerprint_set.h"
#include "tla/exploration/search_worker.h"
#include "tla/exploration/shown_trace.h"

namespace dissensus::tla {

namespace {

constexpr std::size_t kInitialMax = 10'000;
constexpr int kConstraintTries = 32;
constexpr std::size_t kWalkCollectBytes = std::size_t{64} << 20;
constexpr std::size_t kEnds = static_cast<std::size_t>(WalkEnd::weights) + 1;

CheckOptions check_options_of(const SimulateOptions& options) {
  CheckOptions check;
  check.seed = options.seed;
  check.machine = options.machine;
  check.environment = options.environment;
  check.may_write_files = options.may_write_files;
  check.print = options.print;
  return check;
}

/// Makes walks, one after the other, on one thread.
class Walker {
 public:
  Walker(std::shared_ptr<const Spec> spec, const SimulateOptions& options,
         std::vector<double> weights)
      : spec_(std::move(spec)),
        options_(options),
        weights_(std::move(weights)),
        machine_(spec_, options.machine),
        checks_deadlock_(options.deadlock.value_or(spec_->config().check_deadlock.value_or(true))) {
    MachineSettings settings;
    settings.mode = "simulate";
    settings.depth = options.depth;
    settings.seed = options.seed;
    settings.checks_deadlock = checks_deadlock_;
    settings.statistics = &statistics_;
    set_up_environment(machine_, check_options_of(options), settings, &level_);
    collect_at_ = machine_.store().bytes() + kWalkCollectBytes;
  }

  Walk walk(std::uint64_t number);

 private:
  void begin(Walk& walk);
  /// Assumptions, registers and initial states: once.
  bool set_up(Walk& walk);
  bool step(Walk& walk);
  bool take_random_step(Walk& walk);
  bool is_allowed(const State& next);
  bool judge(Walk& walk, const State* from, const State& state);
  void fail(Walk& walk, WalkEnd end, std::string message, std::string property = {});
  void collect();

  std::shared_ptr<const Spec> spec_;
  const SimulateOptions& options_;
  std::vector<double> weights_;
  Machine machine_;
  bool checks_deadlock_;
  SearchStatistics statistics_;
  std::uint32_t level_ = 1;
  std::size_t collect_at_ = 0;
  bool is_set_up_ = false;
  decltype(Environment::registers) registers_;  // as the assumptions left them
  std::vector<State> initial_;
  // The present walk.
  Random random_;
  std::vector<double> present_weights_;
  std::vector<State> states_;
  std::vector<Label> labels_;
};

bool Walker::set_up(Walk& walk) {
  if (is_set_up_) return true;
  if (const std::optional<Location> failed = machine_.check_assumptions()) {
    walk.at = *failed;
    fail(walk, WalkEnd::error,
         fmt::format("{}: the assumption {} is false", failed->to_string(), failed->excerpt()));
    return false;
  }
  registers_ = machine_.environment().registers;
  machine_.environment().random = Random(options_.seed, "initial");
  machine_.initial_states([&](const State& state) {
    if (machine_.is_within_constraints(state)) initial_.push_back(state);
    return initial_.size() < kInitialMax;
  });
  is_set_up_ = true;
  return true;
}

void Walker::begin(Walk& walk) {
  random_ = Random(options_.seed, "walk", walk.number);
  const std::vector<ActionDescription>& actions = spec_->actions();
  walk.steps_by_action.assign(actions.size(), 0);
  walk.switched_off.assign(actions.size(), false);
  present_weights_ = weights_;
  if (options_.swarm && walk.number % 4 != 0) {
    for (std::size_t i = 0; i < actions.size(); ++i) {
      if (!actions[i].is_label || !random_.chance(0.3)) continue;
      walk.switched_off[i] = true;
      present_weights_[i] = 0;
    }
  }
  states_.clear();
  labels_.clear();
}

Walk Walker::walk(std::uint64_t number) {
  Walk walk;
  walk.number = number;
  begin(walk);
  try {
    if (!set_up(walk)) return walk;
    if (initial_.empty()) {
      walk.end = WalkEnd::constraint;
      return walk;
    }
    machine_.environment().random = Random(options_.seed, "operators", walk.number);
    machine_.environment().registers = registers_;
    level_ = 1;
    states_.push_back(initial_[random_.below(initial_.size())]);
    labels_.emplace_back();
    walk.fingerprints.push_back(machine_.fingerprint(states_.back()));
    if (judge(walk, nullptr, states_.back())) {
      while (states_.size() < options_.depth && step(walk)) {
      }
    }
  } catch (const EvaluationError& error) {
    walk.at = error.at();
    fail(walk, WalkEnd::error, error.what());
  }
  walk.states = static_cast<std::uint32_t>(states_.size());
  const bool is_failure =
      walk.end == WalkEnd::violation || walk.end == WalkEnd::deadlock || walk.end == WalkEnd::error;
  if (is_failure || options_.keep_behaviours) {
    walk.behaviour = shown_behaviour(machine_, {states_, labels_, std::nullopt}, walk.remarks);
  }
  collect();
  return walk;
}

void Walker::collect() {
  states_.clear();
  labels_.clear();
  if (machine_.store().bytes() < collect_at_) return;
  std::vector<State*> keep;
  for (State& state : initial_) keep.push_back(&state);
  machine_.collect(keep);
  collect_at_ = machine_.store().bytes() + kWalkCollectBytes;
}

void Walker::fail(Walk& walk, WalkEnd end, std::string message, std::string property) {
  walk.end = end;
  walk.message = std::move(message);
  walk.property = std::move(property);
}

bool Walker::is_allowed(const State& next) {
  level_ = static_cast<std::uint32_t>(states_.size()) + 1;
  return machine_.is_within_constraints(next) &&
         machine_.is_within_action_constraints(states_.back(), next);
}

/// A step that weights, swarm and constraints allow; the reason is in walk.end when there is none.
bool Walker::take_random_step(Walk& walk) {
  Label label;
  State next;
  for (int i = 0; i < kConstraintTries; ++i) {
    level_ = static_cast<std::uint32_t>(states_.size());
    if (!machine_.random_step(states_.back(), present_weights_, random_, label, next)) {
      const bool has_masks = present_weights_ != weights_;
      if (has_masks && machine_.random_step(states_.back(), weights_, random_, label, next)) {
        // Only what the swarm switched off can go on: that is better than to stop.
      } else if (machine_.random_step(states_.back(), {}, random_, label, next)) {
        walk.end = WalkEnd::weights;
        return false;
      } else {
        if (checks_deadlock_) {
          fail(walk, WalkEnd::deadlock, "deadlock: no action is enabled in the last state");
        } else {
          walk.end = WalkEnd::deadlock;
        }
        return false;
      }
    }
    if (is_allowed(next)) {
      states_.push_back(std::move(next));
      labels_.push_back(std::move(label));
      return true;
    }
  }
  walk.end = WalkEnd::constraint;
  return false;
}

bool Walker::step(Walk& walk) {
  if (!take_random_step(walk)) return false;
  const ActionId action = labels_.back().action;
  if (action < walk.steps_by_action.size()) ++walk.steps_by_action[action];
  walk.fingerprints.push_back(machine_.fingerprint(states_.back()));
  return judge(walk, &states_[states_.size() - 2], states_.back());
}

bool Walker::judge(Walk& walk, const State* from, const State& state) {
  const std::vector<ConfigName>& names = spec_->config().invariants;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (machine_.invariant_holds(i, state)) continue;
    fail(walk, WalkEnd::violation, fmt::format("invariant {} is violated", names[i].name),
         names[i].name);
    return false;
  }
  if (from == nullptr) return true;
  for (std::size_t i = 0; i < machine_.action_properties(); ++i) {
    if (machine_.action_property_holds(i, *from, state)) continue;
    const std::string& name = machine_.action_property_name(i);
    fail(walk, WalkEnd::violation,
         fmt::format("action property {} is violated by the last step", name), name);
    return false;
  }
  return true;
}

std::vector<double> weights_of(const Spec& spec, const SimulateOptions& options) {
  std::vector<double> weights(spec.actions().size(), 1.0);
  for (const auto& [name, weight] : options.weights) {
    weights[action_by_name(spec, name, "weight")] = weight;
  }
  return weights;
}

CheckOutcome outcome_of(WalkEnd end) {
  return end == WalkEnd::violation  ? CheckOutcome::violation
         : end == WalkEnd::deadlock ? CheckOutcome::deadlock
                                    : CheckOutcome::error;
}

}  // namespace

std::string_view to_string(WalkEnd end) {
  static constexpr std::array<std::string_view, kEnds> kNames{"depth", "violation",  "deadlock",
                                                              "error", "constraint", "weights"};
  return kNames[static_cast<std::size_t>(end)];
}

ActionId action_by_name(const Spec& spec, const std::string& name, const std::string& what) {
  if (const std::optional<ActionId> action = spec.find_action(name)) return *action;
  std::vector<std::string> known;
  for (const ActionDescription& action : spec.actions()) known.push_back(action.name);
  throw InputError(
      fmt::format("{}: no action '{}' in {}{}", what, name, spec.path(), suggestion(name, known)));
}

SimulateResult simulate(const std::shared_ptr<const Spec>& spec, const SimulateOptions& options,
                        const std::function<void(const Walk&)>& visit) {
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const std::vector<double> weights = weights_of(*spec, options);
  SimulateResult result;
  if (spec->config().postcondition) {
    result.remarks.push_back(fmt::format("POSTCONDITION {} is not evaluated by random walks",
                                         spec->config().postcondition->name));
  }
  result.steps_by_action.resize(spec->actions().size());
  result.ends.resize(kEnds);
  FingerprintSet distinct;
  const auto consume = [&](std::size_t, Walk walk) {
    ++result.walks;
    result.states += walk.states;
    result.longest = std::max(result.longest, walk.states);
    ++result.ends[static_cast<std::size_t>(walk.end)];
    for (std::size_t i = 0; i < walk.steps_by_action.size(); ++i) {
      result.steps_by_action[i] += walk.steps_by_action[i];
    }
    for (const std::uint64_t fingerprint : walk.fingerprints) distinct.insert(fingerprint);
    if (visit) visit(walk);
    if (walk.message.empty()) {
      if (options.seconds <= 0 || seconds() < options.seconds) return true;
      if (result.walks < options.walks) {
        result.outcome = CheckOutcome::incomplete;
        result.message = fmt::format("incomplete: {:g} s have passed", options.seconds);
      }
      return false;
    }
    result.outcome = outcome_of(walk.end);
    result.message = walk.message;
    result.property = walk.property;
    result.at = walk.at;
    result.failing_walk = walk.number;
    result.trace = std::move(walk.behaviour);
    result.remarks.insert(result.remarks.end(), walk.remarks.begin(), walk.remarks.end());
    return false;
  };
  for_each_in_order(
      options.walks, options.workers,
      [&] { return std::make_unique<Walker>(spec, options, weights); },
      [](Walker& walker, std::size_t number) { return walker.walk(number); }, consume);
  if (result.states == 0 && result.walks > 0 && result.message.empty()) {
    result.remarks.push_back(
        "there is no initial state: what was asked for holds because nothing happens");
  }
  result.distinct = distinct.size();
  result.seconds = seconds();
  return result;
}

}  // namespace dissensus::tla
