#include "conform/node_log.h"

#include <algorithm>

#include <fmt/format.h>

#include "dissensus/options.h"

#include "core/suggestion.h"
#include "trace/node_log.h"

namespace dissensus::conform {
namespace {

class NodeLogLineReader {
 public:
  NodeLogLineReader(const std::vector<StepDescription>& steps, const std::string& place)
      : steps_(steps), place_(place) {}

  std::optional<NodeLogLine> read(std::string_view text) {
    if (text.find_first_not_of(" \t\r") == text.npos) return std::nullopt;
    LogJson json;
    try {
      json = LogJson::parse(text);
    } catch (const LogJson::parse_error& error) {
      fail(fmt::format("column {}: not valid JSON", error.byte));
    }
    if (!json.is_object()) fail("expected an object {\"node\": ..., \"step\": ...}");
    check_keys(json);
    if (const auto format = json.find("format"); format != json.end()) {
      if (*format != trace::kNodeLogFormat)
        fail(fmt::format("format: expected \"{}\"", trace::kNodeLogFormat));
      return std::nullopt;
    }
    NodeLogLine line;
    line.node = read_node(json);
    read_step(json, line);
    if (const auto state = json.find("state"); state != json.end()) line.state = *state;
    line.sends = read_messages(json, "sends");
    line.receives = read_messages(json, "receives");
    if (const auto at = json.find("at"); at != json.end() && !at->is_null()) {
      if (!at->is_number()) fail("at: expected a number of seconds");
      line.at_seconds = at->get<double>();
    }
    return line;
  }

 private:
  [[noreturn]] void fail(std::string_view message) const {
    throw InputError(fmt::format("{}: {}", place_, message));
  }

  void check_keys(const LogJson& json) const {
    static const std::vector<std::string> kKnown{"format", "node",     "step", "args",
                                                 "state",  "receives", "at",   "sends"};
    for (const auto& [key, value] : json.items()) {
      if (key.starts_with('#') || key.starts_with('_')) continue;
      if (std::find(kKnown.begin(), kKnown.end(), key) != kKnown.end()) continue;
      fail(fmt::format("{}: unknown key{} (known: {}; keys that begin with # or _ are ignored)",
                       key, suggestion(key, kKnown), fmt::join(kKnown, ", ")));
    }
  }

  std::uint32_t read_node(const LogJson& json) const {
    constexpr std::int64_t kNodesMost = 1'000;
    const auto node = json.find("node");
    if (node == json.end()) fail("node: expected the number of the node, from 0");
    if (!node->is_number_integer() || node->get<std::int64_t>() < 0 ||
        node->get<std::int64_t>() >= kNodesMost) {
      fail(fmt::format("node: expected a number from 0 to {}", kNodesMost - 1));
    }
    return node->get<std::uint32_t>();
  }

  void read_step(const LogJson& json, NodeLogLine& line) const {
    const auto step = json.find("step");
    if (step == json.end() || step->is_null()) return;
    if (!step->is_string()) fail("step: expected a name");
    std::vector<std::string> names;
    for (const StepDescription& one : steps_) names.push_back(one.name);
    names.insert(names.end(), {"crash", "restart"});
    const std::string& name = step->get_ref<const std::string&>();
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      fail(fmt::format("step: there is no \"{}\"{}", name, suggestion(name, names)));
    }
    line.step = static_cast<std::uint32_t>(found - names.begin());
    if (*line.step < steps_.size()) read_arguments(json, line);
  }

  void read_arguments(const LogJson& json, NodeLogLine& line) const {
    const StepDescription& step = steps_[*line.step];
    const auto given = json.find("args");
    const LogJson none = LogJson::object();
    const LogJson& arguments = given == json.end() ? none : *given;
    if (!arguments.is_object()) fail("args: expected an object {\"name\": value, ...}");
    for (const std::string& name : step.arguments) {
      const auto value = arguments.find(name);
      if (value != arguments.end()) {
        line.arguments.push_back(*value);
      } else if (name == "node") {
        line.arguments.push_back(line.node);
      } else {
        fail(fmt::format("args: {} takes {}, found no {}", step.name,
                         fmt::join(step.arguments, ", "), name));
      }
    }
    for (const auto& [name, value] : arguments.items()) {
      if (std::find(step.arguments.begin(), step.arguments.end(), name) == step.arguments.end()) {
        fail(fmt::format("args: {} takes no {}{}", step.name, name,
                         suggestion(name, step.arguments)));
      }
    }
  }

  std::vector<std::string> read_messages(const LogJson& json, const char* key) const {
    std::vector<std::string> messages;
    const auto list = json.find(key);
    if (list == json.end()) return messages;
    if (!list->is_array()) fail(fmt::format("{}: expected a list of messages' names", key));
    for (const LogJson& one : *list) {
      if (one.is_string()) {
        messages.push_back(one.get<std::string>());
      } else if (one.is_number_integer()) {
        messages.push_back(one.dump());
      } else {
        fail(fmt::format("{}: expected strings or whole numbers", key));
      }
    }
    return messages;
  }

  const std::vector<StepDescription>& steps_;
  const std::string& place_;
};

}  // namespace

std::optional<NodeLogLine> read_node_log_line(const std::vector<StepDescription>& steps,
                                              std::string_view text, const std::string& place) {
  return NodeLogLineReader(steps, place).read(text);
}

}  // namespace dissensus::conform
