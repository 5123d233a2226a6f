#include "tla/exploration/shown_trace.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

namespace dissensus::tla {

namespace {

Value number(std::uint64_t value) {
  return Value::integer(static_cast<std::int64_t>(value));
}

Value record_of_state(Machine& machine, const State& state) {
  Store& store = machine.store();
  std::vector<Value> names;
  for (const std::string& name : machine.spec().variables()) names.push_back(store.text(name));
  return names.empty() ? store.tuple({}) : store.record(names, state);
}

std::vector<Value> records_of(Machine& machine, const StateTrace& trace) {
  std::vector<Value> records;
  for (const State& state : trace.states) records.push_back(record_of_state(machine, state));
  return records;
}

Value location_of(Store& store, const ActionDescription& action) {
  const Location& at = action.at;
  const std::string module =
      at.source == nullptr ? "" : std::filesystem::path(at.source->path).stem().string();
  const std::pair<std::string_view, Value> fields[] = {
      {"beginLine", number(at.line)},   {"beginColumn", number(at.column)},
      {"endLine", number(at.end_line)}, {"endColumn", number(at.end_column)},
      {"module", store.text(module)},
  };
  std::vector<Value> names, values;
  for (const auto& [name, value] : fields) {
    names.push_back(store.text(name));
    values.push_back(value);
  }
  return store.record(names, values);
}

Value record_of_action(Machine& machine, const Label& label) {
  Store& store = machine.store();
  const ActionDescription& action = machine.spec().actions()[label.action];
  std::vector<Value> parameters;
  for (const std::string& name : action.parameters) parameters.push_back(store.text(name));
  const Value context = parameters.empty() || label.arguments.size() != parameters.size()
                            ? store.tuple({})
                            : store.record(parameters, label.arguments);
  const Value names[] = {store.text("name"), store.text("location"), store.text("parameters"),
                         store.text("context")};
  const Value values[] = {store.text(action.name), location_of(store, action),
                          store.tuple(parameters), context};
  return store.record(names, values);
}

}  // namespace

MoreStatistics::MoreStatistics(Machine& machine, std::function<Value(std::string_view)> more)
    : machine_(machine), before_(machine.environment().statistic) {
  machine_.environment().statistic = [more = std::move(more), this](std::string_view name) {
    const Value known = more(name);
    return known.is_null() && before_ ? before_(name) : known;
  };
}

MoreStatistics::~MoreStatistics() {
  machine_.environment().statistic = std::move(before_);
}

Behaviour shown_behaviour(Machine& machine, const StateTrace& trace,
                          std::vector<std::string>& remarks) {
  const Spec& spec = machine.spec();
  Behaviour behaviour(spec);
  std::shared_ptr<const CompiledExpression> alias;
  if (spec.config().alias) alias = machine.compile(spec.config().alias->name);
  const std::vector<Value> records = alias ? records_of(machine, trace) : std::vector<Value>{};
  std::size_t present = 0;
  const MoreStatistics statistics(machine, [&](std::string_view name) {
    if (name == "level") return number(present + 1);
    if (name == "Trace" && present < records.size()) {
      return machine.store().tuple(std::span<const Value>(records).first(present + 1));
    }
    return Value();
  });
  for (; present < trace.states.size(); ++present) {
    const State& state = trace.states[present];
    Value shown;
    // The alias of the last state would need a next one; TLC, too, lets it stutter.
    const State& next = trace.states[std::min(present + 1, trace.states.size() - 1)];
    try {
      if (alias) shown = machine.evaluate(*alias, &state, {}, &next);
    } catch (const EvaluationError& error) {
      remarks.push_back(fmt::format("ALIAS {} cannot be evaluated in state {}: {}",
                                    spec.config().alias->name, present + 1, error.what()));
      alias.reset();
    }
    behaviour.append(spec, present == 0 ? nullptr : &trace.labels[present], state, shown);
  }
  return behaviour;
}

Value counter_example_of(Machine& machine, const StateTrace& trace) {
  Store& store = machine.store();
  const std::vector<Value> records = records_of(machine, trace);
  std::vector<Value> states, actions;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const Value numbered[] = {number(i + 1), records[i]};
    states.push_back(store.tuple(numbered));
    if (i == 0) continue;
    const Value step[] = {states[i - 1], record_of_action(machine, trace.labels[i]), states[i]};
    actions.push_back(store.tuple(step));
  }
  const Value names[] = {store.text("state"), store.text("action")};
  const Value values[] = {store.set(states), store.set(actions)};
  return store.record(names, values);
}

}  // namespace dissensus::tla
