#include "tla/exploration/behaviour.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace dissensus::tla {

namespace {
using Json = nlohmann::ordered_json;

bool has_changed(const Behaviour& behaviour, std::size_t step, std::size_t variable) {
  return step > 0 && behaviour[step].state[variable] != behaviour[step - 1].state[variable];
}

std::string was(Value before, std::size_t width) {
  std::string text = to_string(before);
  if (text.size() > width) text = text.substr(0, width - 3) + "...";
  return text;
}

/// Of a function, record or sequence only the entries that differ: "[2] was 0, [3] was 1".
std::string entries_that_differ(Value before, Value after) {
  if (!before.is_cell() || !after.is_cell() || before.type() != after.type()) return {};
  const Cell* a = before.cell();
  const Cell* b = after.cell();
  if (a->size != b->size) return {};
  std::size_t first = 0;
  if (before.is(Type::record) || before.is(Type::function)) {
    if (a->items()[0] != b->items()[0]) return {};
    first = 1;
  } else if (!before.is(Type::tuple)) {
    return {};
  }
  std::string text;
  for (std::size_t i = first; i < a->size; ++i) {
    if (a->items()[i] == b->items()[i]) continue;
    if (!text.empty()) text += ", ";
    std::string key;
    if (before.is(Type::tuple)) {
      key = fmt::format("[{}]", i + 1);
    } else {
      const Value name = a->items()[0].cell()->items()[i - 1];
      key = before.is(Type::record) ? fmt::format(".{}", name.cell()->bytes())
                                    : fmt::format("[{}]", to_string(name));
    }
    text += fmt::format("{} was {}", key, was(a->items()[i], 60));
  }
  return text;
}

std::string change_of(Value before, Value after, std::size_t width) {
  const std::string entries = entries_that_differ(before, after);
  if (!entries.empty() && entries.size() <= width) return entries;
  return fmt::format("was {}", was(before, width));
}

void append_variable(std::string& text, const std::string& name, Value value,
                     const TextOptions& options) {
  const std::string start = fmt::format("  /\\ {} = ", name);
  text += start;
  text += to_pretty_string(value, start.size(), options.width);
}

void append_state(std::string& text, const Behaviour& behaviour, std::size_t index,
                  const TextOptions& options) {
  const Behaviour::Step& step = behaviour[index];
  text += fmt::format("State {}: {}", index + 1, title_of(step));
  if (!step.place.empty()) text += fmt::format("  ({})", step.place);
  text += '\n';
  if (!step.alias.is_null()) {
    text += fmt::format("  {}\n", to_pretty_string(step.alias, 2, options.width));
    return;
  }
  bool any = false;
  for (std::size_t v = 0; v < step.state.size(); ++v) {
    const bool changed = has_changed(behaviour, index, v);
    if (options.changes_only && index > 0 && !changed) continue;
    any = true;
    append_variable(text, behaviour.variables()[v], step.state[v], options);
    if (changed) {
      text += fmt::format("   ({})",
                          change_of(behaviour[index - 1].state[v], step.state[v], options.width));
    }
    text += '\n';
  }
  if (!any) text += "  (nothing changed)\n";
}

Json json_state(const Behaviour& behaviour, std::size_t index, std::string (*write)(Value)) {
  Json state = Json::object();
  for (std::size_t v = 0; v < behaviour.variables().size(); ++v) {
    state[behaviour.variables()[v]] = Json::parse(write(behaviour[index].state[v]));
  }
  return state;
}

Json json_arguments(const Behaviour::Step& step, std::string (*write)(Value)) {
  Json arguments = Json::object();
  for (std::size_t i = 0; i < step.arguments.size(); ++i) {
    arguments[step.parameters[i]] = Json::parse(write(step.arguments[i]));
  }
  return arguments;
}

}  // namespace

Behaviour::Behaviour(const Spec& spec)
    : store_(std::make_shared<Store>()), variables_(spec.variables()) {}

Value Behaviour::copy(Value value) {
  return copied(*store_, value);
}

void Behaviour::append(const Spec& spec, const Label* label, const State& state, Value alias) {
  Step step;
  if (label != nullptr && label->action < spec.actions().size()) {
    const ActionDescription& action = spec.actions()[label->action];
    step.action = action.name;
    step.place = action.at.to_string();
    const std::size_t count = std::min(action.parameters.size(), label->arguments.size());
    for (std::size_t i = 0; i < count; ++i) {
      step.parameters.push_back(action.parameters[i]);
      step.arguments.push_back(copy(label->arguments[i]));
    }
  }
  for (const Value value : state) step.state.push_back(copy(value));
  step.alias = copy(alias);
  steps_.push_back(std::move(step));
}

std::string title_of(const Behaviour::Step& step) {
  if (step.action.empty()) return "initial state";
  if (step.arguments.empty()) return step.action;
  std::string text = step.action + '(';
  for (std::size_t i = 0; i < step.arguments.size(); ++i) {
    if (i > 0) text += ", ";
    text += fmt::format("{} = {}", step.parameters[i], to_string(step.arguments[i]));
  }
  return text + ')';
}

namespace {

void append_loop(std::string& text, const Behaviour& behaviour) {
  if (!behaviour.loop) return;
  if (*behaviour.loop + 1 == behaviour.size()) {
    text += fmt::format("Stuttering: nothing changes after state {}\n", behaviour.size());
  } else {
    text += fmt::format("Back to state {}: {}\n", *behaviour.loop + 1, behaviour.loop_action);
  }
}

}  // namespace

std::string to_text(const Behaviour& behaviour, const TextOptions& options) {
  std::string text;
  const std::size_t max = options.states_max;
  const bool is_cut = max != 0 && behaviour.size() > max;
  const std::size_t head = is_cut ? max / 2 : behaviour.size();
  for (std::size_t i = 0; i < head; ++i) append_state(text, behaviour, i, options);
  if (!is_cut) {
    append_loop(text, behaviour);
    return text;
  }
  const std::size_t tail = behaviour.size() - (max - head);
  text += fmt::format("  ... {} states are not shown ...\n", tail - head);
  for (std::size_t i = tail; i < behaviour.size(); ++i) append_state(text, behaviour, i, options);
  append_loop(text, behaviour);
  return text;
}

std::string to_json(const Behaviour& behaviour) {
  Json list = Json::array();
  for (std::size_t i = 0; i < behaviour.size(); ++i) {
    const Behaviour::Step& step = behaviour[i];
    Json json;
    json["action"] = step.action.empty() ? Json(nullptr) : Json(step.action);
    json["arguments"] = json_arguments(step, to_json);
    if (!step.place.empty()) json["at"] = step.place;
    json["state"] = json_state(behaviour, i, to_json);
    Json changed = Json::array();
    for (std::size_t v = 0; v < step.state.size(); ++v) {
      if (has_changed(behaviour, i, v)) changed.push_back(behaviour.variables()[v]);
    }
    json["changed"] = std::move(changed);
    if (!step.alias.is_null()) json["alias"] = Json::parse(to_json(step.alias));
    list.push_back(std::move(json));
  }
  return list.dump();
}

std::string to_itf(const Behaviour& behaviour, const std::string& source) {
  Json json;
  json["#meta"] = {
      {"format", "ITF"},
      {"format-description", "https://apalache.informal.systems/docs/adr/015adr-trace.html"},
      {"source", source}};
  json["vars"] = behaviour.variables();
  json["states"] = Json::array();
  for (std::size_t i = 0; i < behaviour.size(); ++i) {
    const Behaviour::Step& step = behaviour[i];
    Json state;
    state["#meta"]["index"] = i;
    if (!step.action.empty()) {
      state["#meta"]["action"] = step.action;
      state["#meta"]["arguments"] = json_arguments(step, to_itf);
    }
    state.update(json_state(behaviour, i, to_itf));
    json["states"].push_back(std::move(state));
  }
  if (behaviour.loop) json["loop"] = *behaviour.loop;
  return json.dump(1) + '\n';
}

std::string to_log(const Behaviour& behaviour) {
  std::string text;
  for (std::size_t i = 0; i < behaviour.size(); ++i) {
    const Behaviour::Step& step = behaviour[i];
    Json json;
    json["action"] = step.action.empty() ? "Init" : step.action;
    json["args"] = Json::array();
    for (const Value argument : step.arguments)
      json["args"].push_back(Json::parse(to_itf(argument)));
    json["post"] = Json::object();
    for (std::size_t v = 0; v < step.state.size(); ++v) {
      if (i > 0 && !has_changed(behaviour, i, v)) continue;
      json["post"][behaviour.variables()[v]] = Json::parse(to_itf(step.state[v]));
    }
    text += json.dump() + '\n';
  }
  return text;
}

}  // namespace dissensus::tla
