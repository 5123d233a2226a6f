// A log of ours against a specification, event by event (matcher.h), and why one is refused.
#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "core/file.h"
#include "core/suggestion.h"
#include "tla/exploration/search_worker.h"
#include "tla/exploration/simulate.h"
#include "tla/logs/log_event.h"
#include "tla/logs/matcher.h"
#include "tla/logs/trace.h"

namespace dissensus::tla {

namespace {

constexpr std::size_t kLogBytesMax = std::size_t{2} << 30;
constexpr std::size_t kCollectBytes = std::size_t{64} << 20;
constexpr std::size_t kExplainedStates = 16;

class LogCheck final : private SeenEvents {
 public:
  LogCheck(std::shared_ptr<const Spec> spec, const std::vector<LogEvent>& events, std::string name,
           const LogOptions& options);
  LogResult run();

 private:
  // The first line may describe the initial state: it is no event of the matcher.
  const LogEvent& event_at(std::size_t number) const {
    return events_[number + (has_initial_ ? 1 : 0)];
  }
  bool fits_initially(const State& state) override;
  void begin(std::size_t number, Frontier& frontier) override;
  bool steps(std::size_t number, const State& from, FunctionRef<bool(const State&)> visit) override;

  /// Reads a line and judges the invariants after it.
  Match read(std::size_t line);
  void steps_of(const LogEvent& event, const State& state,
                FunctionRef<bool(const State&, std::span<const Value>)> visit);
  bool agrees(const std::vector<LogEvent::Expectation>& expectations, const LogEvent& event,
              const State& state, std::span<const Value> arguments, std::size_t* wrong = nullptr);
  Value evaluate(const std::string& what, const LogEvent& event, const State& state,
                 std::span<const Value> arguments);
  std::vector<Value> arguments_of(const LogEvent& event);
  std::optional<std::size_t> violated_invariant();
  std::vector<State> states_before(const LogEvent& event);
  void explain(const LogEvent& event, LogResult& result);
  void explain_difference(const LogEvent& event, const State& state, LogResult& result);
  void name_enabled(const LogEvent& event, const State& state, LogResult& result);
  std::vector<std::uint32_t> hidden_steps() const;
  std::string place(const LogEvent& event) const { return fmt::format("{}:{}", name_, event.line); }

  std::shared_ptr<const Spec> spec_;
  const std::vector<LogEvent>& events_;
  std::string name_;
  const LogOptions& options_;
  Machine machine_;
  JsonValues json_;
  Matcher matcher_;
  bool has_initial_ = false;
  std::map<std::pair<std::string, std::int64_t>, std::shared_ptr<const CompiledExpression>>
      expressions_;
  std::uint32_t level_ = 1;
  std::size_t collect_at_ = 0;
  std::uint64_t visited_ = 0;
  std::optional<std::size_t> violated_;  ///< invariant
  std::size_t least_wrong_ = 0;
};

LogCheck::LogCheck(std::shared_ptr<const Spec> spec, const std::vector<LogEvent>& events,
                   std::string name, const LogOptions& options)
    : spec_(std::move(spec)),
      events_(events),
      name_(std::move(name)),
      options_(options),
      machine_(spec_, options.machine),
      json_(*spec_),
      matcher_(machine_, *this, hidden_steps(), {options.frontier_max, options.frontier_max}),
      has_initial_(!events.empty() && events[0].is_initial) {
  CheckOptions check;
  check.environment = options.environment;
  set_up_environment(machine_, check, {}, &level_);
  collect_at_ = machine_.store().bytes() + kCollectBytes;
}

std::vector<std::uint32_t> LogCheck::hidden_steps() const {
  std::vector<std::uint32_t> most(spec_->actions().size(), 0);
  for (const auto& [action, count] : options_.hidden) {
    const ActionId id = action_by_name(*spec_, action, "hidden");
    if (!spec_->actions()[id].is_label) {
      throw InputError(
          fmt::format("hidden: {} is not a disjunct of the next-state relation", action));
    }
    most[id] = count;
  }
  return most;
}

std::vector<Value> LogCheck::arguments_of(const LogEvent& event) {
  std::vector<Value> arguments;
  for (const LogJson& argument : event.arguments) {
    try {
      arguments.push_back(json_.value_of(argument, machine_.store()));
    } catch (const ValueError& error) {
      throw InputError(fmt::format("{}: args: {}", place(event), error.what()));
    }
  }
  return arguments;
}

Value LogCheck::evaluate(const std::string& what, const LogEvent& event, const State& state,
                         std::span<const Value> arguments) {
  const std::vector<std::string>& variables = spec_->variables();
  const auto variable = std::find(variables.begin(), variables.end(), what);
  if (variable != variables.end()) {
    return state[static_cast<std::size_t>(variable - variables.begin())];
  }
  // Without the arguments' values, parameters cannot be named.
  const bool has_parameters = event.action && !arguments.empty();
  const std::int64_t owner = has_parameters ? static_cast<std::int64_t>(*event.action) : -1;
  std::shared_ptr<const CompiledExpression>& compiled = expressions_[{what, owner}];
  if (!compiled) {
    try {
      compiled = machine_.compile(what, has_parameters ? spec_->actions()[*event.action].parameters
                                                       : std::vector<std::string>{});
    } catch (const SpecError& error) {
      throw InputError(fmt::format("{}: '{}' is neither a variable nor an expression: {}{}",
                                   place(event), what, error.message(),
                                   suggestion(what, variables)));
    }
  }
  return machine_.evaluate(*compiled, &state, arguments);
}

bool LogCheck::agrees(const std::vector<LogEvent::Expectation>& expectations, const LogEvent& event,
                      const State& state, std::span<const Value> arguments, std::size_t* wrong) {
  bool all = true;
  for (const LogEvent::Expectation& expectation : expectations) {
    const Value value = evaluate(expectation.what, event, state, arguments);
    if (json_.describes(expectation.value, value, machine_.store())) continue;
    all = false;
    if (wrong == nullptr) break;
    ++*wrong;
  }
  return all;
}

void LogCheck::steps_of(const LogEvent& event, const State& state,
                        FunctionRef<bool(const State&, std::span<const Value>)> visit) {
  // An exception of the visitor must not pass through the machine's enumeration.
  std::exception_ptr failure;
  const auto guarded = [&](const State& next, std::span<const Value> arguments) {
    try {
      ++visited_;
      return visit(next, arguments);
    } catch (...) {
      failure = std::current_exception();
      return false;
    }
  };
  if (event.has_arguments) {
    const std::vector<Value> arguments = arguments_of(event);
    machine_.perform(state, *event.action, arguments,
                     [&](const State& next) { return guarded(next, arguments); });
  } else {
    machine_.successors(state, [&](const Label& label, const State& next) {
      if (event.action && label.action != *event.action) return true;
      return guarded(next, label.arguments);
    });
  }
  if (failure) std::rethrow_exception(failure);
}

bool LogCheck::fits_initially(const State& state) {
  return !has_initial_ || agrees(events_[0].after, events_[0], state, {});
}

void LogCheck::begin(std::size_t number, Frontier& frontier) {
  level_ = static_cast<std::uint32_t>(number + (has_initial_ ? 2 : 1));
  if (machine_.store().bytes() < collect_at_) return;
  frontier.collect(machine_);
  collect_at_ = machine_.store().bytes() + kCollectBytes;
}

bool LogCheck::steps(std::size_t number, const State& from, FunctionRef<bool(const State&)> visit) {
  const LogEvent& event = event_at(number);
  if (!event.before.empty() && !agrees(event.before, event, from, {})) return true;
  steps_of(event, from, [&](const State& next, std::span<const Value> arguments) {
    return !agrees(event.after, event, next, arguments) || visit(next);
  });
  return true;
}

std::optional<std::size_t> LogCheck::violated_invariant() {
  if (!options_.check_invariants) return std::nullopt;
  const std::vector<State>& states = matcher_.frontier().states();
  for (std::size_t i = 0; i < spec_->config().invariants.size(); ++i) {
    const auto holds = [&](const State& state) { return machine_.invariant_holds(i, state); };
    if (std::none_of(states.begin(), states.end(), holds)) return i;
  }
  return std::nullopt;
}

Match LogCheck::read(std::size_t line) {
  Match match = Match::admitted;
  if (line == 0) match = matcher_.start();
  if (match == Match::admitted && !events_[line].is_initial) match = matcher_.next();
  if (match == Match::admitted) violated_ = violated_invariant();
  // Another reading, with hidden steps, may keep the invariant.
  if (match == Match::admitted && violated_ && matcher_.can_widen()) {
    match = matcher_.widen();
    if (match == Match::admitted) violated_ = violated_invariant();
  }
  return match;
}

LogResult LogCheck::run() {
  LogResult result;
  try {
    for (std::size_t line = 0; line < events_.size(); ++line) {
      const LogEvent& event = events_[line];
      const Match match = read(line);
      if (match == Match::refused) {
        explain(event, result);
        break;
      }
      if (match == Match::unknown) {
        result.outcome = LogOutcome::incomplete;
        result.line = event.line;
        result.message =
            fmt::format("{}: incomplete: more than {} states of the model agree with the log",
                        place(event), options_.frontier_max);
        break;
      }
      ++result.events;
      if (!violated_) continue;
      result.outcome = LogOutcome::violation;
      result.property = spec_->config().invariants[*violated_].name;
      result.before = Behaviour(*spec_);
      result.before.append(*spec_, nullptr, matcher_.frontier().states().front());
      result.line = event.line;
      result.event = event.text;
      result.message = fmt::format("{}: invariant {} is violated after this event", place(event),
                                   result.property);
      break;
    }
  } catch (const EvaluationError& error) {
    result.outcome = LogOutcome::error;
    result.message = error.what();
    result.at = error.at();
  }
  result.frontier = matcher_.widest();
  result.used_hidden_steps = matcher_.used_hidden_steps();
  result.states = visited_ + matcher_.visited();
  return result;
}

/// What a refused event was tried from.
std::vector<State> LogCheck::states_before(const LogEvent& event) {
  std::vector<State> states = matcher_.frontier().states();
  if (event.is_initial) {
    machine_.initial_states([&](const State& state) {
      states.push_back(state);
      return states.size() < kExplainedStates;
    });
  }
  if (states.size() > kExplainedStates) states.resize(kExplainedStates);
  return states;
}

/// The shortest way to say what the model would have allowed instead.
void LogCheck::explain(const LogEvent& event, LogResult& result) {
  const std::vector<State> before = states_before(event);
  result.outcome = LogOutcome::rejected;
  result.line = event.line;
  result.event = event.text;
  const std::string action = event.action       ? spec_->actions()[*event.action].name
                             : event.is_initial ? "Init"
                                                : "a step";
  if (before.empty()) {
    result.message = fmt::format("{}: the model has no initial state", place(event));
    return;
  }
  const State* nearest = nullptr;
  least_wrong_ = ~std::size_t{0};
  for (const State& state : before) {
    if (event.is_initial) {
      explain_difference(event, state, result);
      continue;
    }
    steps_of(event, state, [&](const State&, std::span<const Value>) {
      result.is_enabled = true;
      return false;
    });
    const std::size_t known = least_wrong_;
    if (result.is_enabled) explain_difference(event, state, result);
    if (least_wrong_ < known) nearest = &state;
  }
  if (nearest == nullptr) nearest = &before.front();
  result.before = Behaviour(*spec_);
  result.before.append(*spec_, nullptr, *nearest);
  if (event.is_initial) {
    result.message = fmt::format("{}: no initial state of the model is as logged", place(event));
    return;
  }
  if (!result.is_enabled && event.action && event.has_arguments) {
    result.explanation = machine_.explain(*nearest, *event.action, arguments_of(event));
  }
  name_enabled(event, *nearest, result);
  result.message = result.is_enabled
                       ? fmt::format("{}: the model admits {}, but not with the logged result",
                                     place(event), action)
                       : fmt::format("{}: the model does not admit {} here", place(event), action);
}

void LogCheck::explain_difference(const LogEvent& event, const State& state, LogResult& result) {
  const auto compare = [&](const State& next, std::span<const Value> arguments) {
    std::size_t wrong = 0;
    agrees(event.after, event, next, arguments, &wrong);
    if (wrong == 0 || wrong >= least_wrong_) return true;
    least_wrong_ = wrong;
    result.differences.clear();
    for (const LogEvent::Expectation& expectation : event.after) {
      const Value value = evaluate(expectation.what, event, next, arguments);
      if (json_.describes(expectation.value, value, machine_.store())) continue;
      result.differences.push_back({expectation.what, expectation.value.dump(), to_string(value)});
    }
    return true;
  };
  if (event.is_initial) {
    compare(state, {});
    return;
  }
  if (!agrees(event.before, event, state, {})) {
    for (const LogEvent::Expectation& expectation : event.before) {
      const Value value = evaluate(expectation.what, event, state, {});
      if (json_.describes(expectation.value, value, machine_.store())) continue;
      result.differences.push_back(
          {expectation.what + " (before)", expectation.value.dump(), to_string(value)});
    }
    return;
  }
  steps_of(event, state, compare);
}

void LogCheck::name_enabled(const LogEvent& event, const State& state, LogResult& result) {
  constexpr std::size_t kConsidered = 256;
  std::string wanted;
  if (event.action) {
    Label label{*event.action, event.has_arguments ? arguments_of(event) : std::vector<Value>{}};
    wanted = to_string(*spec_, label);
  }
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (const Label& label : machine_.enabled(state, kConsidered)) {
    std::string text = to_string(*spec_, label);
    const std::size_t distance = edit_distance(wanted, text);
    ranked.emplace_back(event.action && label.action == *event.action ? distance : distance + 1000,
                        std::move(text));
  }
  std::sort(ranked.begin(), ranked.end());
  ranked.erase(std::unique(ranked.begin(), ranked.end()), ranked.end());
  for (std::size_t i = 0; i < ranked.size() && i < options_.enabled_max; ++i) {
    result.enabled.push_back(std::move(ranked[i].second));
  }
}

}  // namespace

std::string_view to_string(LogOutcome outcome) {
  switch (outcome) {
    case LogOutcome::matched:
      return "matched";
    case LogOutcome::rejected:
      return "rejected";
    case LogOutcome::violation:
      return "violation";
    case LogOutcome::error:
      return "error";
    case LogOutcome::incomplete:
      break;
  }
  return "incomplete";
}

LogResult check_log_text(const std::shared_ptr<const Spec>& spec, std::string_view text,
                         const std::string& name, const LogOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const std::vector<LogEvent> events = read_log(*spec, text, name);
  LogResult result = LogCheck(spec, events, name, options).run();
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

LogResult check_log(const std::shared_ptr<const Spec>& spec, const std::string& path,
                    const LogOptions& options) {
  return check_log_text(spec, read_file(path, kLogBytesMax), path, options);
}

}  // namespace dissensus::tla
