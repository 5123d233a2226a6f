#include "tla/logs/log_event.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "core/suggestion.h"
#include "tla/exploration/simulate.h"

namespace dissensus::tla {

namespace {

constexpr std::size_t kEventsMax = 10'000'000;

[[noreturn]] void fail(const std::string& name, std::uint32_t line, std::string_view message) {
  throw InputError(fmt::format("{}:{}: {}", name, line, message));
}

class EventReader {
 public:
  EventReader(const Spec& spec, const std::string& name) : spec_(spec), name_(name) {}

  LogEvent read(std::string_view text, std::uint32_t line) {
    line_ = line;
    LogJson json;
    try {
      json = LogJson::parse(text);
    } catch (const LogJson::parse_error& error) {
      fail(name_, line, fmt::format("column {}: not valid JSON", error.byte));
    }
    if (!json.is_object()) fail(name_, line, "expected an object {\"action\": ...}");
    LogEvent event;
    event.line = line;
    event.text = std::string(text);
    check_keys(json);
    read_action(json, event);
    read_arguments(json, event);
    for (const char* key : {"pre"}) read_expectations(json, key, event.before);
    for (const char* key : {"post", "state"}) read_expectations(json, key, event.after);
    return event;
  }

 private:
  void check_keys(const LogJson& json) {
    static const std::vector<std::string> kKnown{"action", "args", "pre", "post", "state"};
    for (const auto& [key, value] : json.items()) {
      // Room for what a log wants to say beside.
      if (key.starts_with('#') || key.starts_with('_')) continue;
      if (std::find(kKnown.begin(), kKnown.end(), key) == kKnown.end()) {
        fail(name_, line_,
             fmt::format("{}: unknown key{} (known: {}; keys that begin with # or _ are ignored)",
                         key, suggestion(key, kKnown), fmt::join(kKnown, ", ")));
      }
    }
  }

  void read_action(const LogJson& json, LogEvent& event) {
    const auto action = json.find("action");
    if (action == json.end() || action->is_null()) return;
    if (!action->is_string()) fail(name_, line_, "action: expected a string");
    const std::string name = action->get<std::string>();
    event.action = spec_.find_action(name);
    if (event.action) return;
    if (name == "Init" || name == "init") {
      event.is_initial = true;
      return;
    }
    action_by_name(spec_, name, fmt::format("{}:{}: action", name_, line_));
  }

  void read_arguments(const LogJson& json, LogEvent& event) {
    const auto arguments = json.find("args");
    if (arguments != json.end()) {
      if (!arguments->is_array()) fail(name_, line_, "args: expected a list");
      event.has_arguments = true;
      for (const LogJson& argument : *arguments) event.arguments.push_back(argument);
    }
    if (!event.action) {
      if (!event.arguments.empty()) fail(name_, line_, "args: there is no action to take them");
      event.has_arguments = false;
      return;
    }
    const ActionDescription& action = spec_.actions()[*event.action];
    if (action.parameters.empty()) event.has_arguments = true;
    if (event.has_arguments && event.arguments.size() != action.parameters.size()) {
      fail(name_, line_,
           fmt::format("args: {} takes {} ({}), found {}", action.name, action.parameters.size(),
                       fmt::join(action.parameters, ", "), event.arguments.size()));
    }
    if (!event.has_arguments && !action.is_label) {
      fail(name_, line_,
           fmt::format("args: {} is not a disjunct of the next-state relation, so its arguments "
                       "({}) must be logged",
                       action.name, fmt::join(action.parameters, ", ")));
    }
  }

  void read_expectations(const LogJson& json, const char* key,
                         std::vector<LogEvent::Expectation>& list) {
    const auto found = json.find(key);
    if (found == json.end() || found->is_null()) return;
    if (!found->is_object()) {
      fail(name_, line_, fmt::format("{}: expected an object {{\"variable\": value, ...}}", key));
    }
    for (const auto& [what, value] : found->items()) list.push_back({what, value});
  }

  const Spec& spec_;
  const std::string& name_;
  std::uint32_t line_ = 0;
};

bool is_tagged(const LogJson& json, const char* tag) {
  return json.is_object() && json.size() == 1 && json.contains(tag);
}

void collect_model_values(const ConfigValue& value, std::set<std::string, std::less<>>& names) {
  if (value.type == ConfigValue::Type::name) names.insert(value.text);
  for (const ConfigValue& element : value.elements) collect_model_values(element, names);
}

}  // namespace

std::vector<LogEvent> read_log(const Spec& spec, std::string_view text, const std::string& name) {
  std::vector<LogEvent> events;
  EventReader reader(spec, name);
  std::uint32_t line = 0;
  while (!text.empty()) {
    ++line;
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view one = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (one.find_first_not_of(" \t\r") == one.npos) continue;
    if (events.size() == kEventsMax) fail(name, line, "more than 10 million events");
    LogEvent event = reader.read(one, line);
    if (event.is_initial && !events.empty()) {
      fail(name, line, "action: only the first event can be Init");
    }
    events.push_back(std::move(event));
  }
  return events;
}

JsonValues::JsonValues(const Spec& spec) {
  for (const Config::Assignment& assignment : spec.config().assignments) {
    collect_model_values(assignment.value, model_values_);
  }
}

Value JsonValues::value_of(const LogJson& json, Store& store) const {
  const auto values_of = [&](const LogJson& list) {
    if (!list.is_array()) throw ValueError("expected a list in " + json.dump());
    std::vector<Value> values;
    for (const LogJson& item : list) values.push_back(value_of(item, store));
    return values;
  };
  if (json.is_boolean()) return Value::boolean(json.get<bool>());
  if (json.is_number_integer() && Value::fits(json.get<std::int64_t>())) {
    return Value::integer(json.get<std::int64_t>());
  }
  if (json.is_string()) {
    const std::string& text = json.get_ref<const std::string&>();
    return model_values_.contains(text) ? store.model_value(text) : store.text(text);
  }
  if (json.is_array()) return store.tuple(values_of(json));
  if (is_tagged(json, "#set")) return store.set(values_of(json["#set"]));
  if (is_tagged(json, "#tup")) return store.tuple(values_of(json["#tup"]));
  if (is_tagged(json, "#map")) {
    std::vector<std::pair<Value, Value>> pairs;
    Value function = store.tuple({});
    for (const LogJson& pair : json["#map"]) {
      const std::vector<Value> both = values_of(pair);
      if (both.size() != 2) throw ValueError("expected [argument, value] in " + pair.dump());
      function = store.merge_functions(function, store.singleton_function(both[0], both[1]));
    }
    return function;
  }
  if (is_tagged(json, "#bigint") && json["#bigint"].is_string()) {
    const std::string& digits = json["#bigint"].get_ref<const std::string&>();
    std::int64_t number = 0;
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, number);
    if (error == std::errc{} && stop == end && Value::fits(number)) return Value::integer(number);
    throw ValueError("not a whole number of 62 bits: " + json.dump());
  }
  if (json.is_object()) {
    std::vector<Value> names, values;
    for (const auto& [key, value] : json.items()) {
      names.push_back(store.text(key));
      values.push_back(value_of(value, store));
    }
    return names.empty() ? store.tuple({}) : store.record(names, values);
  }
  throw ValueError(
      fmt::format("no value for {}: expected a whole number, string, boolean, list or "
                  "object",
                  json.dump()));
}

bool JsonValues::describes(const LogJson& json, Value value, Store& store) const {
  if (value.is_boolean()) return json.is_boolean() && json.get<bool>() == value.truth();
  if (value.is_integer() && json.is_number_integer()) {
    return json.get<std::int64_t>() == value.number();
  }
  if (json.is_string() && value.is_cell()) {
    const std::string& text = json.get_ref<const std::string&>();
    if (value.is(Type::text)) return value.cell()->bytes() == text;
    return value.is(Type::model_value) && to_string(value) == text;
  }
  if (json.is_array() && value.is_cell()) {
    if (is_set(value.type())) return describes_set(json, store.canonical(value), store);
    if (!value.is(Type::tuple) || value.cell()->size != json.size()) return false;
    for (std::size_t i = 0; i < json.size(); ++i) {
      if (!describes(json[i], value.cell()->items()[i], store)) return false;
    }
    return true;
  }
  if (json.is_object() && value.is_cell() && is_function(value.type()) &&
      (json.empty() || !json.begin().key().starts_with('#'))) {
    return describes_function(json, value, store);
  }
  try {
    return store.equal(value_of(json, store), value);
  } catch (const ValueError&) {
    return false;
  }
}

bool JsonValues::describes_set(const LogJson& list, Value set, Store& store) const {
  const std::uint64_t count = store.cardinality(set);
  if (list.size() != count) return false;
  std::vector<bool> used(count, false);
  for (const LogJson& item : list) {
    bool found = false;
    for (std::uint64_t i = 0; i < count && !found; ++i) {
      if (used[i] || !describes(item, store.element(set, i), store)) continue;
      used[i] = found = true;
    }
    if (!found) return false;
  }
  return true;
}

bool JsonValues::describes_function(const LogJson& object, Value function, Store& store) const {
  if (object.size() != store.domain_size(function)) return false;
  SetCursor cursor(store, store.domain(function));
  Value argument;
  while (cursor.next(argument)) {
    const std::string key = argument.is_cell() && argument.is(Type::text)
                                ? std::string(argument.cell()->bytes())
                                : to_string(argument);
    const auto found = object.find(key);
    if (found == object.end()) return false;
    if (!describes(*found, store.apply(function, argument), store)) return false;
  }
  return true;
}

}  // namespace dissensus::tla
