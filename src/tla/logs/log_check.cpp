// A log of ours against a specification: the set of model states that agree with the log so far is
// carried from event to event.
#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "tla/logs/log_event.h"
#include "tla/exploration/search_worker.h"
#include "tla/exploration/simulate.h"
#include "tla/logs/trace.h"
#include "core/file.h"
#include "core/suggestion.h"

namespace dissensus::tla {

namespace {

constexpr std::size_t kLogBytesMax = std::size_t{2} << 30;
constexpr std::size_t kCollectBytes = std::size_t{64} << 20;
constexpr std::size_t kExplainedStates = 16;

struct WordOrder {
  bool operator()(const State& a, const State& b) const {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                        [](Value x, Value y) { return x.word() < y.word(); });
  }
};

/// States in the order in which they were found, each once.
class Frontier {
 public:
  bool add(const State& state) {
    if (!known_.insert(state).second) return false;
    states_.push_back(state);
    return true;
  }
  bool contains(const State& state) const { return known_.contains(state); }
  std::vector<State>& states() { return states_; }
  const std::vector<State>& states() const { return states_; }
  bool empty() const { return states_.empty(); }
  std::size_t size() const { return states_.size(); }
  /// After a collection, which made all values anew.
  void rebuild() {
    known_.clear();
    known_.insert(states_.begin(), states_.end());
  }

 private:
  std::vector<State> states_;
  std::set<State, WordOrder> known_;  // only asked, never listed: its order is that of addresses
};

class LogCheck {
 public:
  LogCheck(std::shared_ptr<const Spec> spec, const std::vector<LogEvent>& events, std::string name,
           const LogOptions& options);
  /// With `eager`, hidden steps are considered everywhere, not only where nothing else fits.
  LogResult run(bool eager);

 private:
  bool start(LogResult& result);
  /// The states after an event; stops at the limit.
  void advance(const LogEvent& event, const Frontier& from, Frontier& to);
  void steps_of(const LogEvent& event, const State& state,
                FunctionRef<bool(const State&, std::span<const Value>)> visit);
  bool agrees(const std::vector<LogEvent::Expectation>& expectations, const LogEvent& event,
              const State& state, std::span<const Value> arguments, std::size_t* wrong = nullptr);
  Value evaluate(const std::string& what, const LogEvent& event, const State& state,
                 std::span<const Value> arguments);
  std::vector<Value> arguments_of(const LogEvent& event);
  Frontier with_hidden_steps(const Frontier& from);
  bool invariants_hold(const Frontier& frontier, LogResult& result);
  void explain(const LogEvent& event, const Frontier& before, LogResult& result);
  void explain_difference(const LogEvent& event, const State& state, LogResult& result);
  void name_enabled(const LogEvent& event, const State& state, LogResult& result);
  void collect(Frontier& frontier);
  std::string place(const LogEvent& event) const { return fmt::format("{}:{}", name_, event.line); }

  std::shared_ptr<const Spec> spec_;
  const std::vector<LogEvent>& events_;
  std::string name_;
  const LogOptions& options_;
  Machine machine_;
  JsonValues json_;
  std::map<ActionId, std::uint32_t> hidden_;
  std::map<std::pair<std::string, std::int64_t>, std::shared_ptr<const CompiledExpression>>
      expressions_;
  std::uint32_t level_ = 1;
  std::size_t collect_at_ = 0;
  bool is_too_wide_ = false;
  std::uint64_t visited_ = 0;
  std::size_t least_wrong_ = 0;
};

LogCheck::LogCheck(std::shared_ptr<const Spec> spec, const std::vector<LogEvent>& events,
                   std::string name, const LogOptions& options)
    : spec_(std::move(spec)),
      events_(events),
      name_(std::move(name)),
      options_(options),
      machine_(spec_, options.machine),
      json_(*spec_) {
  CheckOptions check;
  check.environment = options.environment;
  set_up_environment(machine_, check, {}, &level_);
  for (const auto& [action, count] : options.hidden) {
    const ActionId id = action_by_name(*spec_, action, "hidden");
    if (!spec_->actions()[id].is_label) {
      throw InputError(
          fmt::format("hidden: {} is not a disjunct of the next-state relation", action));
    }
    hidden_[id] = count;
  }
  collect_at_ = machine_.store().bytes() + kCollectBytes;
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

void LogCheck::advance(const LogEvent& event, const Frontier& from, Frontier& to) {
  for (const State& state : from.states()) {
    if (!event.before.empty() && !agrees(event.before, event, state, {})) continue;
    steps_of(event, state, [&](const State& next, std::span<const Value> arguments) {
      if (to.contains(next)) return true;
      if (agrees(event.after, event, next, arguments)) to.add(next);
      is_too_wide_ = to.size() > options_.frontier_max;
      return !is_too_wide_;
    });
    if (is_too_wide_) return;
  }
}

Frontier LogCheck::with_hidden_steps(const Frontier& from) {
  Frontier reached = from;
  // Which hidden steps led to a state matters for how many are left.
  using Counts = std::map<ActionId, std::uint32_t>;
  std::vector<std::pair<State, Counts>> open;
  std::set<std::pair<std::vector<std::uint64_t>, Counts>> seen;
  const auto enter = [&](const State& state, const Counts& counts) {
    std::vector<std::uint64_t> words;
    for (const Value value : state) words.push_back(value.word());
    if (seen.emplace(std::move(words), counts).second) open.emplace_back(state, counts);
  };
  for (const State& state : from.states()) enter(state, {});
  for (std::size_t i = 0; i < open.size() && !is_too_wide_; ++i) {
    const State state = open[i].first;  // a copy: the list grows
    const Counts counts = open[i].second;
    machine_.successors(state, [&](const Label& label, const State& next) {
      const auto allowed = hidden_.find(label.action);
      if (allowed == hidden_.end()) return true;
      Counts used = counts;
      if (++used[label.action] > allowed->second) return true;
      ++visited_;
      reached.add(next);
      enter(next, used);
      is_too_wide_ = open.size() > options_.frontier_max;
      return !is_too_wide_;
    });
  }
  return reached;
}

bool LogCheck::invariants_hold(const Frontier& frontier, LogResult& result) {
  if (!options_.check_invariants) return true;
  const std::vector<ConfigName>& names = spec_->config().invariants;
  for (std::size_t i = 0; i < names.size(); ++i) {
    bool fails_everywhere = true;
    for (const State& state : frontier.states()) {
      if (!machine_.invariant_holds(i, state)) continue;
      fails_everywhere = false;
      break;
    }
    if (!fails_everywhere) continue;
    result.outcome = LogOutcome::violation;
    result.property = names[i].name;
    result.before = Behaviour(*spec_);
    result.before.append(*spec_, nullptr, frontier.states().front());
    return false;
  }
  return true;
}

void LogCheck::collect(Frontier& frontier) {
  if (machine_.store().bytes() < collect_at_) return;
  std::vector<State*> keep;
  for (State& state : frontier.states()) keep.push_back(&state);
  machine_.collect(keep);
  frontier.rebuild();
  collect_at_ = machine_.store().bytes() + kCollectBytes;
}

LogResult LogCheck::run(bool eager) {
  LogResult result;
  is_too_wide_ = false;
  try {
    Frontier frontier;
    const bool has_initial = !events_.empty() && events_[0].is_initial;
    machine_.initial_states([&](const State& state) {
      ++visited_;
      frontier.add(state);
      is_too_wide_ = frontier.size() > options_.frontier_max;
      return !is_too_wide_;
    });
    for (std::size_t i = 0; i < events_.size() && !is_too_wide_; ++i) {
      const LogEvent& event = events_[i];
      level_ = static_cast<std::uint32_t>(i) + 1;
      Frontier next;
      if (i == 0 && has_initial) {
        for (const State& state : frontier.states()) {
          if (agrees(event.after, event, state, {})) next.add(state);
        }
      } else {
        if (eager) frontier = with_hidden_steps(frontier);
        advance(event, frontier, next);
        if (next.empty() && !eager && !hidden_.empty()) {
          frontier = with_hidden_steps(frontier);
          result.used_hidden_steps = true;
          advance(event, frontier, next);
        }
      }
      if (is_too_wide_) {
        result.line = event.line;
        break;
      }
      if (next.empty()) {
        explain(event, frontier, result);
        break;
      }
      result.frontier = std::max(result.frontier, next.size());
      ++result.events;
      if (!invariants_hold(next, result)) {
        result.line = event.line;
        result.event = event.text;
        result.message = fmt::format("{}: invariant {} is violated after this event", place(event),
                                     result.property);
        break;
      }
      frontier = std::move(next);
      collect(frontier);
    }
    if (is_too_wide_) {
      result.outcome = LogOutcome::incomplete;
      result.message =
          fmt::format("{}:{}: incomplete: more than {} states of the model agree with the log",
                      name_, result.line, options_.frontier_max);
    }
  } catch (const EvaluationError& error) {
    result.outcome = LogOutcome::error;
    result.message = error.what();
    result.at = error.at();
  }
  result.used_hidden_steps = result.used_hidden_steps || (eager && !hidden_.empty());
  result.states = visited_;
  return result;
}

/// The shortest way to say what the model would have allowed instead.
void LogCheck::explain(const LogEvent& event, const Frontier& before, LogResult& result) {
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
  const std::size_t count = std::min(before.size(), kExplainedStates);
  for (std::size_t i = 0; i < count; ++i) {
    const State& state = before.states()[i];
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
  if (nearest == nullptr) nearest = &before.states().front();
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
  LogCheck check(spec, events, name, options);
  LogResult result = check.run(false);
  // A hidden step may have been needed before the place where its absence shows.
  if (result.outcome == LogOutcome::rejected && !options.hidden.empty()) result = check.run(true);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

LogResult check_log(const std::shared_ptr<const Spec>& spec, const std::string& path,
                    const LogOptions& options) {
  return check_log_text(spec, read_file(path, kLogBytesMax), path, options);
}

}  // namespace dissensus::tla
