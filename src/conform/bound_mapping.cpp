#include "conform/bound_mapping.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/suggestion.h"
#include "tla/syntax/ast.h"

namespace dissensus::conform {

namespace {

std::vector<tla::Value> to_values(tla::Store& store, const std::vector<StateValue>& items) {
  std::vector<tla::Value> values;
  values.reserve(items.size());
  for (const StateValue& item : items) values.push_back(to_value(store, item));
  return values;
}

/// Names of steps and arguments may have dashes, TLA+ names may not.
std::string identifier(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

template <class Names>
std::string unknown(std::string_view what, std::string_view name, const Names& known) {
  std::vector<std::string> names(known.begin(), known.end());
  return fmt::format("there is no {} \"{}\"{}", what, name, suggestion(name, names));
}

}  // namespace

tla::Value to_value(tla::Store& store, const StateValue& value) {
  struct Visitor {
    tla::Store& store;
    tla::Value operator()(bool truth) const { return tla::Value::boolean(truth); }
    tla::Value operator()(std::int64_t number) const { return tla::Value::integer(number); }
    tla::Value operator()(const std::string& text) const { return store.text(text); }
    tla::Value operator()(const StateValue::Sequence& sequence) const {
      return store.tuple(to_values(store, sequence.items));
    }
    tla::Value operator()(const StateValue::Set& set) const {
      return store.set(to_values(store, set.items));
    }
    tla::Value operator()(const StateValue::Record& record) const {
      return to_value(store, record);
    }
  };
  return std::visit(Visitor{store}, value.value);
}

tla::Value to_value(tla::Store& store, const StateValue::Record& record) {
  std::vector<tla::Value> names;
  std::vector<tla::Value> values;
  for (const auto& [name, value] : record.fields) {
    names.push_back(store.text(name));
    values.push_back(to_value(store, value));
  }
  return store.record(names, values);
}

tla::Value to_value(tla::Store& store, const FieldValue& value) {
  struct Visitor {
    tla::Store& store;
    tla::Value operator()(std::int64_t number) const { return tla::Value::integer(number); }
    tla::Value operator()(std::uint64_t number) const {
      return tla::Value::integer(static_cast<std::int64_t>(number));
    }
    tla::Value operator()(const Digest& digest) const { return store.text(to_string(digest)); }
    tla::Value operator()(const NodeSet& nodes) const {
      std::vector<tla::Value> items;
      for (const NodeId node : nodes) items.push_back(tla::Value::integer(node));
      return store.set(items);
    }
    tla::Value operator()(const std::string& text) const { return store.text(text); }
  };
  return std::visit(Visitor{store}, value);
}

BoundMapping::BoundMapping(const Mapping& mapping, tla::Machine& model, const System& system)
    : mapping_(mapping),
      machine_(model),
      system_(system.description()),
      entries_of_(system_.steps.size() + 2),
      replay_of_(model.spec().actions().size()),
      hidden_(model.spec().actions().size(), 0),
      automatic_(system_.kinds.size(), false),
      weights_(model.spec().actions().size(), 1.0),
      action_seen_(model.spec().actions().size(), false) {
  bind_events();
  bind_views();
  bind_abstraction();
  bind_replays(system);
  bind_weights();
  entry_seen_.resize(entries_.size(), false);
}

std::string BoundMapping::event_name(std::uint32_t event) const {
  if (event == crash_event()) return "crash";
  if (event == restart_event()) return "restart";
  return system_.steps[event].name;
}

std::string BoundMapping::to_string(const Observation& observation) const {
  std::string text = fmt::format("{}(node {}", event_name(observation.event), observation.node);
  if (observation.event < system_.steps.size()) {
    const std::vector<std::string>& names = system_.steps[observation.event].arguments;
    for (std::size_t index = 0; index < names.size(); ++index) {
      if (names[index] == "node") continue;
      text += fmt::format(", {} {}", names[index], tla::to_string(observation.arguments[index]));
    }
  }
  return text + ")";
}

std::vector<std::string> BoundMapping::event_parameters(std::uint32_t event) const {
  std::vector<std::string> names{"node", "state"};
  if (event < system_.steps.size()) {
    for (const std::string& argument : system_.steps[event].arguments) {
      if (argument != "node") names.push_back(identifier(argument));
    }
  }
  return names;
}

std::vector<tla::Value> BoundMapping::event_values(const Observation& observation) const {
  std::vector<tla::Value> values{tla::Value::integer(observation.node), observation.state};
  if (observation.event < system_.steps.size()) {
    const std::vector<std::string>& names = system_.steps[observation.event].arguments;
    for (std::size_t index = 0; index < names.size(); ++index) {
      if (names[index] != "node") values.push_back(observation.arguments[index]);
    }
  }
  return values;
}

BoundMapping::Compiled BoundMapping::compile(const MappedText& text,
                                             const std::vector<std::string>& parameters) {
  try {
    return machine_.compile(text.text, parameters);
  } catch (const tla::SpecError& error) {
    text.at.fail(fmt::format("\"{}\": {}", text.text, error.message()));
  }
}

BoundMapping::Compiled BoundMapping::compile(const std::optional<MappedText>& text,
                                             const std::vector<std::string>& parameters) {
  return text ? compile(*text, parameters) : nullptr;
}

tla::ActionId BoundMapping::action_of(const OptionValue& at, std::string_view name,
                                      std::size_t arity) const {
  const auto action = machine_.spec().find_action(name);
  if (!action) {
    std::vector<std::string> names;
    for (const tla::ActionDescription& one : machine_.spec().actions()) names.push_back(one.name);
    at.fail(unknown("action", name, names) + " in the model");
  }
  const std::size_t expected = machine_.spec().actions()[*action].parameters.size();
  if (arity != expected) {
    at.fail(fmt::format("{} takes {} argument{}, not {}", name, expected, expected == 1 ? "" : "s",
                        arity));
  }
  return *action;
}

BoundMapping::Call BoundMapping::bind_call(const MappedText& text,
                                           const std::vector<std::string>& parameters) {
  const auto source = std::make_shared<const tla::Source>(tla::Source{"mapping", text.text});
  tla::ExpressionPtr expression;
  try {
    expression = tla::parse_expression(source);
  } catch (const tla::SpecError& error) {
    text.at.fail(fmt::format("\"{}\": {}", text.text, error.message()));
  }
  if (expression->syntax != tla::Syntax::apply) {
    text.at.fail("expected an action with arguments, as in Receive(node + 1, creator + 1)");
  }
  std::string name;
  for (const tla::PathPart& part : expression->path) name += part.name + "!";
  name += expression->name;
  Call call;
  call.action = action_of(text.at, name, expression->operands.size());
  for (const tla::ExpressionPtr& operand : expression->operands) {
    call.arguments.push_back(
        compile(MappedText{operand->at.excerpt(text.text.size() + 1), text.at}, parameters));
  }
  return call;
}

void BoundMapping::bind_events() {
  std::vector<std::string> names;
  for (std::uint32_t event = 0; event <= restart_event(); ++event) {
    names.push_back(event_name(event));
  }
  for (const MappingEvent& mapped : mapping_.events) {
    const auto found = std::find(names.begin(), names.end(), mapped.name);
    if (found == names.end())
      mapped.at.fail(unknown("step", mapped.name, names) + " in the system");
    const auto event = static_cast<std::uint32_t>(found - names.begin());
    const std::vector<std::string> parameters = event_parameters(event);
    EventEntry entry{
        event, compile(mapped.when, parameters), compile(mapped.until, parameters), {}};
    for (const MappedText& action : mapped.actions) {
      entry.calls.push_back(bind_call(action, parameters));
    }
    entries_of_[event].push_back(entries_.size());
    entries_.push_back(std::move(entry));
  }
  for (const MappingHidden& hidden : mapping_.hidden) {
    const auto action = machine_.spec().find_action(hidden.action);
    if (!action) action_of(hidden.at, hidden.action, 0);
    hidden_[*action] = hidden.most;
  }
}

void BoundMapping::bind_views() {
  for (const MappingView& view : mapping_.views) {
    views_.push_back({compile(view.model, {"node"}),
                      compile(view.implementation, {"node", "state"}),
                      compile(view.when, {"node", "state"})});
  }
}

void BoundMapping::bind_abstraction() {
  for (const MappingHistory& history : mapping_.histories) {
    histories_.emplace_back(compile(history.starts, {}),
                            compile(history.becomes, {"was", "node", "state"}));
  }
  const std::vector<std::string>& variables = machine_.spec().variables();
  for (const auto& [name, text] : mapping_.abstraction) {
    const auto found = std::find(variables.begin(), variables.end(), name);
    if (found == variables.end()) text.at.fail(unknown("variable", name, variables));
    abstraction_.emplace_back(static_cast<std::size_t>(found - variables.begin()),
                              compile(text, {"nodes", "history"}));
  }
  for (const MappedText& property : mapping_.properties) {
    if (abstraction_.empty()) {
      property.at.fail("properties are judged on the abstracted state: expected an [abstraction]");
    }
    properties_.emplace_back(property.text, compile(property, {}));
  }
}

void BoundMapping::bind_replays(const System& system) {
  for (const MappingReplay& replay : mapping_.replays) {
    const std::vector<std::string>& parameters = replay.parameters;
    Replay bound;
    bound.action = action_of(replay.at, replay.action, parameters.size());
    bound.node = compile(replay.node, parameters);
    bound.from = compile(replay.from, parameters);
    bound.tag = compile(replay.tag, parameters);
    if (replay.request) bound.request = system.make_request(replay.request->table());
    if (replay.command == MappingReplay::Command::deliver) {
      bound.kind = system_.find_kind(replay.kind);
      if (bound.kind == kNoKind) {
        std::vector<std::string> kinds;
        for (const KindDescription& kind : system_.kinds) kinds.push_back(kind.name);
        replay.at.fail(unknown("message kind", replay.kind, kinds));
      }
      const PayloadDescription& payload = system_.payloads[system_.kinds[bound.kind].payload];
      std::vector<std::string> fields;
      for (const FieldDescription& field : payload.fields) fields.push_back(field.name);
      for (const auto& [name, text] : replay.where) {
        const auto found = std::find(fields.begin(), fields.end(), name);
        if (found == fields.end()) text.at.fail(unknown("field", name, fields));
        bound.fields.emplace_back(static_cast<std::size_t>(found - fields.begin()),
                                  compile(text, parameters));
      }
    }
    replay_of_[bound.action] = replays_.size();
    replays_.push_back(std::move(bound));
  }
  for (const auto& [name, at] : mapping_.automatic) {
    const MessageKind kind = system_.find_kind(name);
    if (kind == kNoKind) at.fail("there is no such message kind");
    automatic_[kind] = true;
  }
}

void BoundMapping::bind_weights() {
  for (const MappingWeight& weight : mapping_.weights) {
    const auto action = machine_.spec().find_action(weight.action);
    if (!action) action_of(weight.at, weight.action, 0);
    weights_[*action] = weight.weight;
  }
}

BoundMapping::Meaning BoundMapping::meaning(const Observation& observation) {
  const std::vector<tla::Value> values = event_values(observation);
  const auto holds = [&](const Compiled& condition) {
    return !condition || machine_.evaluate(*condition, nullptr, values).truth();
  };
  for (const std::size_t index : entries_of_[observation.event]) {
    const EventEntry& entry = entries_[index];
    if (!holds(entry.when)) continue;
    entry_seen_[index] = true;
    const bool is_stable = mapping_.events[index].is_stable;
    if (!holds(entry.until)) return {Meaning::Type::pending, {}, is_stable};
    if (entry.calls.empty()) return {Meaning::Type::stutter, {}, is_stable};
    Meaning meaning{Meaning::Type::steps, {}, is_stable};
    for (const Call& call : entry.calls) {
      tla::Label label{call.action, {}};
      for (const Compiled& argument : call.arguments) {
        label.arguments.push_back(machine_.evaluate(*argument, nullptr, values));
      }
      action_seen_[call.action] = true;
      meaning.labels.push_back(std::move(label));
    }
    return meaning;
  }
  return {};
}

bool BoundMapping::view_fits(std::size_t index, const Observation& observation,
                             const tla::State& state, ViewDifference* difference) {
  const View& view = views_[index];
  const std::array<tla::Value, 2> values{tla::Value::integer(observation.node), observation.state};
  if (view.when && !machine_.evaluate(*view.when, &state, values).truth()) return true;
  const tla::Value model = machine_.evaluate(*view.model, &state, std::span(values).first(1));
  const tla::Value implementation = machine_.evaluate(*view.implementation, nullptr, values);
  tla::Store& store = machine_.store();
  bool fits = false;
  switch (mapping_.views[index].compare) {
    case MappingView::Compare::equal:
      fits = store.equal(model, implementation);
      break;
    case MappingView::Compare::subset:
      fits = store.is_subset(implementation, model);
      break;
    case MappingView::Compare::superset:
      fits = store.is_subset(model, implementation);
      break;
    case MappingView::Compare::prefix: {
      const auto length = static_cast<std::int64_t>(store.domain_size(implementation));
      fits = static_cast<std::int64_t>(store.domain_size(model)) >= length &&
             store.equal(store.subsequence(model, 1, length), implementation);
      break;
    }
  }
  if (!fits && difference != nullptr) {
    *difference = {mapping_.views[index].name, tla::to_string(model),
                   tla::to_string(implementation)};
  }
  return fits;
}

std::vector<ViewDifference> BoundMapping::differences(const Observation& observation,
                                                      const tla::State& state) {
  std::vector<ViewDifference> found;
  if (observation.state.is_null()) return found;
  for (std::size_t index = 0; index < views_.size(); ++index) {
    ViewDifference difference;
    if (!view_fits(index, observation, state, &difference)) found.push_back(difference);
  }
  return found;
}

bool BoundMapping::fits(const Observation& observation, const tla::State& state) {
  if (observation.state.is_null()) return true;
  for (std::size_t index = 0; index < views_.size(); ++index) {
    if (!view_fits(index, observation, state, nullptr)) return false;
  }
  return true;
}

std::uint64_t BoundMapping::view_hash(NodeId node, const tla::State& state) {
  const std::array<tla::Value, 1> values{tla::Value::integer(node)};
  std::uint64_t hash = 0;
  for (const View& view : views_) {
    const tla::Value seen = machine_.evaluate(*view.model, &state, values);
    hash = mix64(hash, machine_.store().canonical(seen).hash());
  }
  return hash;
}

tla::Value BoundMapping::first_history() {
  std::vector<tla::Value> names;
  std::vector<tla::Value> values;
  for (std::size_t index = 0; index < histories_.size(); ++index) {
    names.push_back(machine_.store().text(mapping_.histories[index].name));
    values.push_back(machine_.evaluate(*histories_[index].first));
  }
  return machine_.store().record(names, values);
}

tla::Value BoundMapping::next_history(tla::Value history, const Observation& observation) {
  if (observation.state.is_null()) return history;
  tla::Store& store = machine_.store();
  for (std::size_t index = 0; index < histories_.size(); ++index) {
    const tla::Value name = store.text(mapping_.histories[index].name);
    const std::array<tla::Value, 3> values{
        store.field(history, name), tla::Value::integer(observation.node), observation.state};
    history =
        store.with(history, name,
                   store.canonical(machine_.evaluate(*histories_[index].second, nullptr, values)));
  }
  return history;
}

tla::State BoundMapping::abstract(std::span<const tla::Value> node_states,
                                  std::span<const tla::Value> histories) {
  if (abstraction_.empty()) return {};
  tla::Store& store = machine_.store();
  const std::array<tla::Value, 2> values{store.tuple(node_states), store.tuple(histories)};
  tla::State state(machine_.spec().variables().size());
  for (const auto& [variable, expression] : abstraction_) {
    state[variable] = store.canonical(machine_.evaluate(*expression, nullptr, values));
  }
  return state;
}

std::optional<std::string> BoundMapping::violated_property(const tla::State& abstracted,
                                                           std::span<const std::string> except) {
  for (const auto& [name, expression] : properties_) {
    if (std::find(except.begin(), except.end(), name) != except.end()) continue;
    if (!machine_.evaluate(*expression, &abstracted).truth()) return name;
  }
  return std::nullopt;
}

std::optional<ReplayCommand> BoundMapping::command(const tla::Label& label,
                                                   const tla::State& state) {
  action_seen_[label.action] = true;
  if (!replay_of_[label.action]) return std::nullopt;
  const Replay& replay = replays_[*replay_of_[label.action]];
  const MappingReplay& mapped = mapping_.replays[*replay_of_[label.action]];
  const auto number = [&](const Compiled& expression) {
    const tla::Value value = machine_.evaluate(*expression, &state, label.arguments);
    if (!value.is_integer() || value.number() < 0) {
      mapped.at.fail(fmt::format("expected a whole number, not {}", tla::to_string(value)));
    }
    return static_cast<std::uint64_t>(value.number());
  };
  ReplayCommand command;
  command.command = mapped.command;
  command.kind = replay.kind;
  command.request = replay.request.get();
  if (replay.node) command.node = static_cast<NodeId>(number(replay.node));
  if (replay.from) command.from = static_cast<NodeId>(number(replay.from));
  if (replay.tag) command.tag = number(replay.tag);
  for (const auto& [field, expression] : replay.fields) {
    command.fields.emplace_back(field, machine_.evaluate(*expression, &state, label.arguments));
  }
  return command;
}

BoundMapping::Coverage BoundMapping::coverage() const {
  Coverage coverage;
  const auto& named = machine_.spec().config().next;
  const std::string next = named ? named->name : "Next";  // names no step of its own
  for (std::size_t index = 0; index < entries_.size(); ++index) {
    if (!entry_seen_[index]) coverage.events_never_seen.push_back(mapping_.events[index].name);
  }
  for (std::size_t action = 0; action < action_seen_.size(); ++action) {
    const bool is_next = machine_.spec().actions()[action].name == next;
    if (machine_.spec().actions()[action].is_label && !is_next && !action_seen_[action]) {
      coverage.actions_never_seen.push_back(machine_.spec().actions()[action].name);
    }
  }
  return coverage;
}

}  // namespace dissensus::conform
