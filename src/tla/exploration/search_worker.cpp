#include "tla/exploration/search_worker.h"

#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "dissensus/digest.h"

#include "core/assert.h"
#include "tla/evaluation/temporal.h"

namespace dissensus::tla {

namespace {

constexpr std::size_t kBlockStates = 256;
constexpr std::size_t kInitialPiece = 4096;

SearchEvent event_of(const EvaluationError& error) {
  SearchEvent event;
  event.outcome = CheckOutcome::error;
  event.message = error.what();
  event.at = error.at();
  event.calls = error.calls;
  return event;
}

SearchEvent violation_of(std::string message, const std::string& property) {
  SearchEvent event;
  event.outcome = CheckOutcome::violation;
  event.message = std::move(message);
  event.property = property;
  return event;
}

Value number_value(std::uint64_t number) {
  return Value::integer(static_cast<std::int64_t>(number));
}

/// TLC's own names of what it knows of itself, as far as they make sense here.
Value statistic_of(std::string_view name, Store& store, const MachineSettings& settings,
                   std::uint32_t level) {
  const SearchStatistics* statistics = settings.statistics;
  const auto record = [&](std::initializer_list<std::pair<std::string_view, Value>> fields) {
    std::vector<Value> names, values;
    for (const auto& [field, value] : fields) {
      names.push_back(store.text(field));
      values.push_back(value);
    }
    return store.record(names, values);
  };
  if (name == "level") return number_value(level);
  if (name == "config") {
    return record({{"mode", store.text(settings.mode)},
                   {"depth", Value::integer(settings.depth)},
                   {"deadlock", Value::boolean(settings.checks_deadlock)},
                   {"worker", number_value(settings.workers)},
                   {"seed", number_value(settings.seed & 0x7fffffff)},
                   {"fingerprint", Value::integer(0)},
                   {"traces", Value::integer(-1)}});
  }
  if (name == "revision") {
    return record({{"timestamp", Value::integer(1'700'000'000)},
                   {"count", Value::integer(0)},
                   {"tag", store.text("dissensus")}});
  }
  // TLC composes actions only when asked to; here \cdot always works.
  if (name == "-Dtlc2.tool.impl.Tool.cdot") return store.text("true");
  if (statistics == nullptr) return {};
  const Value duration = number_value(static_cast<std::uint64_t>(
      statistics->seconds == nullptr ? 0 : statistics->seconds(statistics->clock)));
  if (name == "distinct") return number_value(statistics->distinct);
  if (name == "generated") return number_value(statistics->generated);
  if (name == "queue") return number_value(statistics->queued);
  if (name == "diameter") return number_value(statistics->depth);
  if (name == "duration") return duration;
  if (name == "stats") {
    return record({{"distinct", number_value(statistics->distinct)},
                   {"generated", number_value(statistics->generated)},
                   {"queue", number_value(statistics->queued)},
                   {"diameter", number_value(statistics->depth)},
                   {"duration", duration}});
  }
  return {};
}

}  // namespace

void set_up_environment(Machine& machine, const CheckOptions& options,
                        const MachineSettings& settings, const std::uint32_t* level) {
  Environment& environment = machine.environment();
  environment.seed = options.seed;
  environment.variables = options.environment;
  environment.may_write_files = options.may_write_files;
  environment.print = options.print;
  if (environment.folder.empty()) {
    environment.folder = std::filesystem::path(machine.spec().path()).parent_path().string();
  }
  environment.statistic = [&machine, settings, level](std::string_view name) {
    return statistic_of(name, machine.store(), settings, *level);
  };
}

SearchWorker::SearchWorker(std::shared_ptr<const Spec> spec, const CheckOptions& options,
                           const MachineSettings& settings)
    : options_(options),
      settings_(settings),
      spec_(std::move(spec)),
      machine_(spec_, options.machine),
      codec_(machine_.store()),
      collect_at_(options.collect_bytes) {
  set_up_environment(machine_, options_, settings_, &level_);
  if (!options_.maximise.empty()) measure_ = machine_.compile(options_.maximise);
  if (!options_.goal.empty()) goal_ = machine_.compile(options_.goal);
}

void SearchWorker::prepare(std::uint32_t index, std::uint32_t level) {
  machine_.environment().random = Random(mix64(settings_.seed, index));
  level_ = level;
}

UnitResult SearchWorker::expand(SearchUnit& unit, const FingerprintSet::Slots& known) {
  result_ = {};
  result_.number = unit.number;
  result_.number_end = unit.number + unit.blocks.size();
  result_.steps_by_action.resize(spec_->actions().size());
  recent_.clear();
  const std::size_t width = spec_->variables().size();
  for (StateBlock& block : unit.blocks) {
    // Cells do not change, so those of another worker's store can be read; it keeps them until
    // this unit is handed in.
    if (block.owner != settings_.worker) codec_.encode(block);
    const std::vector<Value>& values = codec_.decode(block);
    block_level_ = block.level + 1;
    for (std::size_t row = 0; row < block.size() && !result_.end; ++row) {
      const auto start = values.begin() + static_cast<std::ptrdiff_t>(row * width);
      scratch_.assign(start, start + static_cast<std::ptrdiff_t>(width));
      const auto index = static_cast<std::uint32_t>(block.first_index + row);
      expand_state(scratch_, index, block.level, known);
      if (result_.is_stopped || settings_.statistics->stop.load(std::memory_order_relaxed)) break;
    }
    if (result_.end || result_.is_stopped) break;
  }
  return std::move(result_);
}

bool SearchWorker::is_full() {
  return machine_.store().bytes() > collect_at_;
}

void SearchWorker::collect() {
  machine_.collect();
  // Constants stay: what counts is what comes on top.
  collect_at_ = machine_.store().bytes() + options_.collect_bytes;
}

void SearchWorker::expand_state(const State& state, std::uint32_t index, std::uint32_t level,
                                const FingerprintSet::Slots& known) {
  prepare(index, level);
  steps_recorded_ = 0;
  step_seen_.clear();
  std::uint32_t ordinal = 0;
  const std::uint64_t composed = machine_.composed_states();
  try {
    machine_.successors(state, [&](const Label& label, const State& next) {
      ++ordinal;
      ++result_.generated;
      if (label.action < result_.steps_by_action.size()) {
        ++result_.steps_by_action[label.action];
      }
      level_ = level + 1;
      const bool goes_on = visit(&state, next, {index, ordinal}, &known);
      level_ = level;
      return goes_on;
    });
  } catch (const EvaluationError& error) {
    if (!result_.end) end_with(event_of(error), {index, 0});
    return;
  } catch (const EvaluationStopped&) {
    result_.is_stopped = true;
    return;
  }
  // TLC counts the states in the middle of A \cdot B, too.
  result_.generated += machine_.composed_states() - composed;
  if (result_.end) return;
  if (machine_.environment().exit_requested) {
    SearchEvent event;
    event.is_exit = true;
    end_with(std::move(event), {index, 0});
  } else if (ordinal == 0 && settings_.checks_deadlock) {
    SearchEvent event;
    event.outcome = CheckOutcome::deadlock;
    event.message = "deadlock: no action is enabled in the last state";
    end_with(std::move(event), {index, 0});
  } else if (settings_.records_steps) {
    record_state(state, index);
  }
}

bool SearchWorker::end_with(SearchEvent event, Origin origin) {
  event.origin = origin;
  event.generated = result_.generated;
  result_.end = std::move(event);
  return false;
}

bool SearchWorker::is_in_model(const State* from, const State& state) {
  return machine_.is_within_constraints(state) &&
         (from == nullptr || machine_.is_within_action_constraints(*from, state));
}

// Exceptions must not pass through the machine's enumeration: they become the end of the unit.
bool SearchWorker::visit(const State* from, const State& state, Origin origin,
                         const FingerprintSet::Slots* known) {
  try {
    const bool in_model = is_in_model(from, state);
    bool is_new = true;
    std::uint64_t fingerprint = 0;
    if (in_model) {
      fingerprint = machine_.fingerprint(state);
      is_new = recent_.insert(fingerprint) && (known == nullptr || !known->contains(fingerprint));
      if (is_new) add_candidate(state, fingerprint, origin);
    }
    if (is_new) {
      if (std::optional<SearchEvent> event = judge_state(state, from == nullptr)) {
        if (!in_model) return end_with(std::move(*event), origin);
        event->origin = origin;
        event->generated = result_.generated;
        result_.candidates.back().event = static_cast<std::int32_t>(result_.events.size());
        result_.events.push_back(std::move(*event));
      }
    }
    if (from != nullptr) {
      if (std::optional<SearchEvent> event = judge_step(*from, state)) {
        return end_with(std::move(*event), origin);
      }
      if (settings_.records_steps && in_model) record_step(*from, state, fingerprint, true);
    }
    return true;
  } catch (const EvaluationError& error) {
    return end_with(event_of(error), origin);
  }
}

/// A step that is found in several ways is one step.
void SearchWorker::record_step(const State& from, const State& to, std::uint64_t fingerprint,
                               bool is_generated) {
  if (!step_seen_.insert(fingerprint)) return;
  if (steps_recorded_ == step_targets_.size()) {
    step_targets_.emplace_back();
    step_letters_.emplace_back();
  }
  Letter& letter = step_letters_[steps_recorded_];
  letter.assign(empty_letter(machine_.temporal().atoms()).size(), 0);
  machine_.judge_step_atoms(from, to, is_generated, letter);
  step_targets_[steps_recorded_++] = fingerprint;
}

/// The state has been expanded: it may also stutter.
void SearchWorker::record_state(const State& state, std::uint32_t index) {
  try {
    record_step(state, state, machine_.fingerprint(state), false);
    Letter evidence = step_letters_[0];
    for (std::size_t i = 1; i < steps_recorded_; ++i) {
      for (std::size_t word = 0; word < evidence.size(); ++word) {
        evidence[word] |= step_letters_[i][word];
      }
    }
    Letter of_state(evidence.size());
    machine_.judge_state_atoms(state, evidence, of_state);
    for (std::size_t i = 0; i < steps_recorded_; ++i) {
      Letter& letter = step_letters_[i];
      for (std::size_t word = 0; word < letter.size(); ++word) letter[word] |= of_state[word];
      result_.steps.targets.push_back(step_targets_[i]);
      result_.steps.letters.push_back(result_.steps.table.number_of(letter));
    }
    result_.steps.sources.push_back({index, static_cast<std::uint32_t>(steps_recorded_)});
  } catch (const EvaluationError& error) {
    end_with(event_of(error), {index, 0});
  }
}

void SearchWorker::add_candidate(const State& state, std::uint64_t fingerprint, Origin origin) {
  if (measure_) {
    const Value value = machine_.evaluate(*measure_, &state);
    result_.measures.push_back(value.is_integer() ? value.number() : 0);
  }
  if (result_.blocks.empty() || result_.blocks.back().size() >= kBlockStates ||
      result_.blocks.back().level != block_level_) {
    StateBlock& block = result_.blocks.emplace_back();
    block.level = block_level_;
    block.owner = settings_.worker;
  }
  result_.blocks.back().add_raw(state);
  Candidate candidate;
  candidate.fingerprint = fingerprint;
  candidate.origin = origin;
  candidate.generated = result_.generated;
  result_.candidates.push_back(candidate);
}

std::optional<SearchEvent> SearchWorker::judge_state(const State& state, bool is_initial) {
  const std::vector<ConfigName>& names = spec_->config().invariants;
  for (std::size_t i = 0; i < names.size(); ++i) {
    try {
      if (machine_.invariant_holds(i, state)) continue;
    } catch (const EvaluationError& error) {
      SearchEvent event = event_of(error);
      event.property = names[i].name;
      return event;
    }
    return violation_of(fmt::format("invariant {} is violated{}", names[i].name,
                                    is_initial ? " by an initial state" : ""),
                        names[i].name);
  }
  if (is_initial) {
    for (std::size_t i = 0; i < machine_.initial_properties(); ++i) {
      if (machine_.initial_property_holds(i, state)) continue;
      const std::string& name = machine_.initial_property_name(i);
      return violation_of(fmt::format("property {} is violated by an initial state", name), name);
    }
  }
  if (goal_) {
    const Value value = machine_.evaluate(*goal_, &state);
    if (value == Value::boolean(true)) {
      SearchEvent event;
      event.is_goal = true;
      return event;
    }
  }
  return std::nullopt;
}

std::optional<SearchEvent> SearchWorker::judge_step(const State& from, const State& to) {
  for (std::size_t i = 0; i < machine_.action_properties(); ++i) {
    if (machine_.action_property_holds(i, from, to)) continue;
    const std::string& name = machine_.action_property_name(i);
    return violation_of(fmt::format("action property {} is violated by the last step", name), name);
  }
  return std::nullopt;
}

void SearchWorker::initial(const std::function<bool(UnitResult)>& consume) {
  prepare(kNoParent, 1);
  result_ = {};
  recent_.clear();
  block_level_ = 1;
  std::uint32_t ordinal = 0;
  bool goes_on = true;
  const auto flush = [&] {
    goes_on = consume(std::move(result_));
    result_ = {};
  };
  try {
    machine_.initial_states([&](const State& state) {
      ++result_.generated;
      goes_on = visit(nullptr, state, {kNoParent, ++ordinal}, nullptr);
      if (goes_on && result_.candidates.size() >= kInitialPiece) flush();
      return goes_on;
    });
  } catch (const EvaluationError& error) {
    if (!result_.end) end_with(event_of(error), {kNoParent, 0});
    goes_on = true;
  } catch (const EvaluationStopped&) {
    result_.is_stopped = true;
  }
  if (goes_on || result_.end) flush();
}

bool SearchWorker::find(const State* parent, Origin origin, Label& label, State& state) {
  std::uint32_t ordinal = 0;
  bool found = false;
  const auto take = [&](const Label* taken, const State& next) {
    if (++ordinal != origin.ordinal) return true;
    if (taken != nullptr) label = *taken;
    state = next;
    found = true;
    return false;
  };
  prepare(origin.parent, level_);
  // The enumeration may fail after the state in question, as it did in the search.
  try {
    if (parent == nullptr) {
      machine_.initial_states([&](const State& next) { return take(nullptr, next); });
    } else {
      machine_.successors(
          *parent, [&](const Label& taken, const State& next) { return take(&taken, next); });
    }
  } catch (const EvaluationError&) {
  }
  return found;
}

bool SearchWorker::find_step(const State& from, std::uint64_t fingerprint, Label& label,
                             State& state) {
  bool found = false;
  try {
    machine_.successors(from, [&](const Label& taken, const State& next) {
      if (!is_in_model(&from, next) || machine_.fingerprint(next) != fingerprint) return true;
      label = taken;
      state = next;
      found = true;
      return false;
    });
  } catch (const EvaluationError&) {
  }
  return found;
}

}  // namespace dissensus::tla
