#include "systems/server/settings.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/file.h"

namespace dissensus::server {

namespace {

constexpr std::size_t kNodesMax = 200;
constexpr std::string_view kFolder = "/node/";

std::vector<std::string> read_words(const OptionValue& value) {
  std::vector<std::string> words;
  for (const OptionValue& word : value.list()) words.push_back(word.text());
  if (words.empty()) value.fail("expected a program and its arguments");
  return words;
}

std::regex read_expression(const OptionValue& value) {
  try {
    return std::regex(value.text(), std::regex::ECMAScript | std::regex::optimize);
  } catch (const std::regex_error& error) {
    value.fail(fmt::format("expected a regular expression ({})", error.what()));
  }
}

Pattern read_pattern(const Options& options) {
  static constexpr std::string_view kSources[] = {"servers", "clients"};
  Pattern pattern;
  pattern.expression = read_expression(options.at("pattern"));
  pattern.of_clients = options.choice("of", kSources, 0) == 1;
  return pattern;
}

void read_machines(const Options& options, Settings& settings) {
  std::vector<hosted::MachinePlan>& machines = settings.plan.machines;
  const hosted::Command common = read_words(options.at("command"));
  const std::string contents = options.text("contents", "");
  for (std::size_t i = 0; i < machines.size(); ++i) {
    machines[i].name = fmt::format("n{}", i);
    machines[i].log_file = fmt::format("servers/{}.log", i);
    machines[i].contents = contents;
    if (i < settings.nodes) machines[i].command = common;
  }
  const auto node_of = [&](const Options& table, std::size_t count) -> std::optional<std::size_t> {
    const auto node = table.find("node");
    if (!node) return std::nullopt;
    return static_cast<std::size_t>(node->integer(0, static_cast<std::int64_t>(count) - 1));
  };
  for (const Options& table : options.tables("node")) {
    const auto node = node_of(table, settings.nodes);
    if (!node) table.fail("node", "expected the number of a node");
    machines[*node].command = read_words(table.at("command"));
  }
  for (const Options& table : options.tables("prepare")) {
    const auto node = node_of(table, machines.size());
    const hosted::Command words = read_words(table.at("command"));
    for (std::size_t i = 0; i < machines.size(); ++i) {
      if (!node || *node == i) machines[i].prepare.push_back(words);
    }
  }
}

/// Addresses and names take the places of the words that stand for them.
void fill_in_machines(Settings& settings) {
  for (std::size_t i = 0; i < settings.plan.machines.size(); ++i) {
    hosted::MachinePlan& machine = settings.plan.machines[i];
    const auto node = static_cast<NodeId>(i);
    machine.command = fill_in(machine.command, node, settings.nodes);
    machine.environment = fill_in(settings.environment, node, settings.nodes);
    for (hosted::Command& command : machine.prepare) {
      command = fill_in(command, node, settings.nodes);
    }
  }
}

void read_reports(const Options& options, Settings& settings) {
  for (const Options& table : options.tables("observe")) {
    Observable observable;
    observable.name = table.at("name").text();
    observable.pattern = read_pattern(table);
    observable.is_count = table.boolean("count", false);
    settings.observables.push_back(std::move(observable));
  }
  for (const Options& table : options.tables("decide")) {
    Decision decision;
    const std::string name = table.at("level").text();
    const auto known =
        std::find_if(settings.levels.begin(), settings.levels.end(),
                     [&](const LevelDescription& level) { return level.name == name; });
    decision.level = static_cast<std::size_t>(known - settings.levels.begin());
    if (known == settings.levels.end()) {
      settings.levels.push_back({.name = name,
                                 .agreement = table.boolean("agreement", true),
                                 .integrity = table.boolean("integrity", true),
                                 .validity = false,
                                 .is_expected = true});
    }
    decision.pattern = read_pattern(table);
    decision.instance_group = static_cast<std::size_t>(table.integer("instance", 1, 0, 20));
    decision.value_group = static_cast<std::size_t>(table.integer("value", 2, 0, 20));
    const std::size_t groups = decision.pattern.expression.mark_count();
    if (decision.instance_group > groups || decision.value_group > groups) {
      table.fail("pattern", fmt::format("has {} groups; instance and value name others", groups));
    }
    settings.decisions.push_back(std::move(decision));
  }
}

void read_messages(const Options& options, hosted::Plan& plan) {
  static constexpr std::string_view kFramings[] = {"none", "lines", "length-u32", "json", "http2"};
  plan.framing = static_cast<hosted::Framing>(options.choice("framing", kFramings, 0));
  if (const auto name = options.find("protocol")) {
    if (options.has("framing")) options.fail("framing", "a protocol says where messages end");
    plan.protocol = &protocols::protocol(name->choice(protocols::protocol_names()));
  }
  for (const Options& table : options.tables("message")) {
    plan.kinds.push_back({table.at("kind").text(), read_expression(table.at("pattern"))});
  }
  plan.retransmit = options.duration("retransmit", plan.retransmit);
}

void read_host(const Options& options, hosted::Plan& whole) {
  static constexpr std::string_view kOrders[] = {"first-come", "seeded"};
  host::Plan& plan = whole.host;
  plan.order = static_cast<host::ThreadOrder>(options.choice("threads", kOrders, 0));
  static constexpr std::string_view kUptimes[] = {"apart", "equal"};
  plan.has_own_uptimes = options.choice("uptimes", kUptimes, 0) == 0;
  static constexpr std::string_view kAnswers[] = {"inside", "stops"};
  plan.answers = static_cast<host::Answers>(options.choice("answers", kAnswers, 0));
  plan.sleep_min = options.duration("sleep_min", Duration{});
  plan.epoch_seconds = options.integer("epoch", plan.epoch_seconds, 0, 4'000'000'000);
  const Options disk = options.table("disk");
  plan.disk.write = disk.duration("write", Duration{});
  plan.disk.sync = disk.duration("sync", Duration{});
  plan.disk.bytes_per_second = static_cast<std::uint64_t>(disk.integer("bytes_per_second", 0, 0));
  whole.is_power_lost = disk.boolean("crash_loses_unsynced", false);
  plan.disk.keeps_unsynced = whole.is_power_lost;
  const Options limits = options.table("limits");
  const auto mebibytes = [&](std::string_view key, std::uint64_t fallback) {
    return static_cast<std::uint64_t>(
               limits.integer(key, static_cast<std::int64_t>(fallback >> 20), 1, 1 << 20))
           << 20;
  };
  plan.limits.memory_bytes = mebibytes("memory_mib", plan.limits.memory_bytes);
  plan.limits.folder_bytes = mebibytes("folder_mib", plan.limits.folder_bytes);
  plan.limits.output_bytes = mebibytes("output_mib", plan.limits.output_bytes);
  plan.limits.threads = static_cast<std::size_t>(
      limits.integer("threads", static_cast<std::int64_t>(plan.limits.threads), 1, 100'000));
  plan.limits.wall_time = std::chrono::ceil<std::chrono::milliseconds>(
      limits.duration("wall_time", Duration(plan.limits.wall_time)));
  if (const auto visible = options.find("visible")) {
    for (const OptionValue& path : visible->list()) plan.visible.push_back(path.text());
  }
}

void check_programs(const Options& options, const hosted::Plan& plan) {
  for (const hosted::MachinePlan& machine : plan.machines) {
    if (machine.command.empty() || machine.command.front().starts_with('/')) continue;
    options.fail("command", "expected an absolute path of a program");
  }
}

}  // namespace

Settings read_settings(const Options& options) {
  Settings settings;
  hosted::Plan& plan = settings.plan;
  settings.nodes = static_cast<std::size_t>(
      options.at("nodes").integer(1, static_cast<std::int64_t>(kNodesMax)));
  const auto clients = static_cast<std::size_t>(
      options.integer("clients", 0, 0, static_cast<std::int64_t>(kNodesMax)));
  plan.machines.resize(settings.nodes + clients);
  plan.has_history = options.boolean("history", false);
  read_machines(options, settings);
  if (const auto environment = options.find("environment")) {
    for (const OptionValue& variable : environment->list()) {
      settings.environment.push_back(variable.text());
    }
  }
  plan.may_exit = options.boolean("may_exit", false);
  const Options ready = options.table("ready");
  plan.ready_port = static_cast<std::uint16_t>(ready.integer("port", 0, 0, 65535));
  if (const auto line = ready.find("line")) plan.ready_line = read_expression(*line);
  read_messages(options, plan);
  read_reports(options, settings);
  read_host(options, plan);
  if (const auto keep = options.find("keep")) {
    for (const OptionValue& pattern : keep->list()) plan.keep.push_back(pattern.text());
  }
  check_programs(options, plan);
  fill_in_machines(settings);
  hosted::show_programs(plan);
  return settings;
}

std::vector<std::string> missing_programs(const hosted::Plan& plan) {
  std::vector<std::string> missing;
  // Preparations may make what is in a node's folder.
  const bool is_made = std::any_of(plan.machines.begin(), plan.machines.end(),
                                   [](const auto& machine) { return !machine.prepare.empty(); });
  const auto look = [&](const std::string& key, const std::string& program,
                        const std::string& contents) {
    const bool is_own = program.starts_with(kFolder);
    const bool is_there =
        is_own ? is_program("./" + program.substr(kFolder.size()), contents) : is_program(program);
    std::string line = fmt::format("system.{}: {}: no such program", key, program);
    if (is_own) line += fmt::format(" in system.contents ('{}')", contents);
    if (!is_there && !(is_own && is_made) &&
        std::find(missing.begin(), missing.end(), line) == missing.end()) {
      missing.push_back(std::move(line));
    }
  };
  for (const hosted::MachinePlan& machine : plan.machines) {
    if (!machine.command.empty()) look("command", machine.command.front(), machine.contents);
  }
  for (const hosted::MachinePlan& machine : plan.machines) {
    for (const hosted::Command& command : machine.prepare) {
      look("prepare", command.front(), machine.contents);
    }
  }
  return missing;
}

namespace {

std::string ip_text(NodeId node) {
  const std::string both = host::to_string(host::Endpoint{host::address_of(node), 0});
  return both.substr(0, both.find(':'));
}

}  // namespace

std::string fill_in(const std::string& text, NodeId node, std::size_t servers) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t open = text.find('{', at);
    const std::size_t close = open == text.npos ? text.npos : text.find('}', open);
    if (close == text.npos) return result + text.substr(at);
    result += text.substr(at, open - at);
    const std::string word = text.substr(open + 1, close - open - 1);
    const bool is_other = word.starts_with("address:") && word.size() > 8 &&
                          word.find_first_not_of("0123456789", 8) == word.npos;
    if (word == "address") {
      result += ip_text(node);
    } else if (is_other) {
      result += ip_text(static_cast<NodeId>(std::stoul(word.substr(8))));
    } else if (word == "addresses") {
      for (NodeId other = 0; other < servers; ++other) {
        result += (other == 0 ? "" : " ") + ip_text(other);
      }
    } else if (word == "node") {
      result += std::to_string(node);
    } else if (word == "name") {
      result += fmt::format("n{}", node);
    } else if (word == "folder") {
      result += "/node";
    } else {  // not ours, e.g. JSON
      result += '{';
      at = open + 1;
      continue;
    }
    at = close + 1;
  }
  return result;
}

hosted::Command fill_in(hosted::Command command, NodeId node, std::size_t servers) {
  for (std::string& word : command) word = fill_in(word, node, servers);
  return command;
}

ClientRequest::ClientRequest(const Options& options) {
  pause_ = options.duration("pause", Duration{});
  if (pause_ == Duration{}) command_ = read_words(options.at("command"));
  input_ = options.text("input", "");
  may_fail_ = options.boolean("may_fail", false);
}

std::vector<std::pair<std::string, FieldValue>> ClientRequest::fields() const {
  if (pause_ != Duration{}) return {{"pause", to_string(pause_)}};
  std::string text;
  for (const std::string& word : command_) text += (text.empty() ? "" : " ") + word;
  return {{"command", text}};
}

}  // namespace dissensus::server
