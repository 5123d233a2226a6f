#include "systems/process/settings.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "systems/process/workload.h"

namespace dissensus::process {

namespace {

constexpr std::size_t kProgramsMax = 100;
constexpr std::array<std::string_view, 4> kServices{"lin-kv", "seq-kv", "lww-kv", "lin-tso"};
constexpr std::array<std::string_view, 10> kWorkloads{
    "echo",       "unique-ids", "broadcast",       "g-set",           "g-counter",
    "pn-counter", "lin-kv",     "txn-list-append", "txn-rw-register", "kafka"};
constexpr std::array<std::string_view, 3> kTopologies{"grid", "line", "total"};

std::vector<std::string> read_texts(const Options& options, std::string_view key) {
  std::vector<std::string> result;
  if (const auto list = options.find(key)) {
    for (const OptionValue& value : list->list()) result.push_back(value.text());
  }
  return result;
}

SemanticType read_semantic_type(const OptionValue& value) {
  std::vector<std::string_view> words;
  for (auto type = SemanticType::boolean; type <= SemanticType::text;
       type = static_cast<SemanticType>(static_cast<int>(type) + 1)) {
    words.push_back(to_string(type));
  }
  return static_cast<SemanticType>(value.choice(words));
}

void read_messages(const Options& options, Settings& settings) {
  for (const Options& table : options.tables("message")) {
    DeclaredMessage message{table.at("type").text(), {}};
    if (const auto fields = table.find("fields")) {
      for (const OptionValue& value : fields->list()) {
        const Options field = value.table();
        message.fields.push_back(
            {field.at("name").text(), read_semantic_type(field.at("type")), true});
      }
    }
    settings.messages.push_back(std::move(message));
  }
}

void read_reports(const Options& options, Settings& settings) {
  for (const Options& table : options.tables("level")) {
    settings.levels.push_back({.name = table.at("name").text(),
                               .final = table.boolean("final", true),
                               .agreement = table.boolean("agreement", true),
                               .integrity = table.boolean("integrity", true),
                               .validity = table.boolean("validity", true),
                               .repeatable = table.boolean("repeatable", false),
                               .is_expected = true});
  }
  settings.phases = read_texts(options, "phases");
  for (const std::string& anchor : read_texts(options, "anchors")) {
    const auto found = std::find(settings.phases.begin(), settings.phases.end(), anchor);
    if (found == settings.phases.end()) {
      options.fail("anchors", fmt::format("expected some of the phases, found '{}'", anchor));
    }
    settings.anchors.push_back(static_cast<std::uint32_t>(found - settings.phases.begin()));
  }
  settings.observables = read_texts(options, "observables");
  for (const Options& table : options.tables("step")) {
    settings.steps.push_back({table.at("name").text(), read_texts(table, "arguments")});
  }
  for (const Options& table : options.tables("invariant")) {
    settings.invariants.push_back({table.at("name").text(), table.at("text").text()});
  }
}

void read_workload(const Options& options, Settings& settings) {
  WorkloadSettings workload;
  workload.kind = static_cast<WorkloadKind>(options.at("kind").choice(kWorkloads));
  workload.clients = static_cast<std::size_t>(
      options.integer("clients", static_cast<std::int64_t>(settings.nodes), 1, kProgramsMax));
  workload.interval = options.duration("interval", workload.interval);
  workload.timeout = options.duration("timeout", workload.timeout);
  workload.until = options.duration("until", workload.until);
  workload.final_at = options.duration("final_at", workload.until + std::chrono::seconds(3));
  if (workload.interval <= Duration{} || workload.timeout <= Duration{}) {
    options.fail("expected an interval and a timeout above zero");
  }
  workload.any_node = options.boolean("any_node", false);
  workload.keys = static_cast<std::uint64_t>(options.integer("keys", 3, 1, 1'000'000));
  workload.reads = options.number("reads", workload.reads, 0, 1);
  workload.compare_and_set = options.number("compare_and_set", workload.compare_and_set, 0, 1);
  workload.operations_max = static_cast<std::uint64_t>(options.integer("operations", 4, 1, 1000));
  workload.topology = static_cast<Topology>(options.choice("topology", kTopologies, 0));
  settings.workload = workload;
}

void read_limits(const Options& options, Settings& settings) {
  const auto answer = options.duration("answer", Duration(settings.limits.answer));
  settings.limits.answer = std::chrono::ceil<std::chrono::milliseconds>(answer);
  if (answer <= Duration{}) options.fail("answer", "expected a duration above zero");
  settings.limits.line_bytes =
      static_cast<std::size_t>(options.integer("line_kib", 1024, 1, 1 << 20)) << 10;
  settings.limits.answer_bytes =
      static_cast<std::size_t>(options.integer("output_mib", 16, 1, 1 << 14)) << 20;
  settings.host.limits.memory_bytes =
      static_cast<std::uint64_t>(options.integer("memory_mib", 4096, 16, 1 << 20)) << 20;
  settings.host.limits.output_bytes = settings.limits.answer_bytes;
  settings.host.limits.wall_time = std::chrono::ceil<std::chrono::milliseconds>(
      options.duration("wall_time", std::chrono::minutes(10)));
  if (settings.host.limits.wall_time.count() <= 0) {
    options.fail("wall_time", "expected a duration above zero");
  }
}

Clock read_clock(const Options& options) {
  static constexpr std::array<std::string_view, 2> kClocks{"told", "virtual"};
  if (options.has("mode")) {
    options.fail("mode",
                 "expected clock in its place: \"told\", or \"virtual\" for unmodified programs");
  }
  return static_cast<Clock>(options.choice("clock", kClocks, 0));
}

}  // namespace

std::string_view name_of(ServiceKind kind) {
  return kServices[static_cast<std::size_t>(kind)];
}

Settings read_settings(const Options& options) {
  Settings settings;
  settings.clock = read_clock(options);
  settings.nodes = static_cast<std::size_t>(
      options.at("nodes").integer(1, static_cast<std::int64_t>(kProgramsMax)));
  options.at("command");  // must be there
  settings.launch.command = read_texts(options, "command");
  if (settings.launch.command.empty() || settings.launch.command.front().empty()) {
    options.fail("command", "expected a program and its arguments");
  }
  settings.launch.environment = read_texts(options, "environment");
  settings.launch.folder = options.text("folder", "");
  if (const auto services = options.find("services")) {
    for (const OptionValue& value : services->list()) {
      settings.services.push_back(static_cast<ServiceKind>(value.choice(kServices)));
    }
  }
  read_messages(options, settings);
  // Supervised programs take seconds for a run.
  const std::int64_t runs = settings.clock == Clock::told ? 2 : 0;
  settings.learn = static_cast<std::uint64_t>(options.integer("learn", runs, 0, 100));
  read_reports(options, settings);
  settings.time_scale = options.duration("time_scale", Duration{});
  if (options.has("workload")) read_workload(options.table("workload"), settings);
  settings.host.visible = read_texts(options, "visible");
  settings.host.sleep_min = options.duration("sleep_min", Duration{});
  settings.keep = read_texts(options, "keep");
  if (!settings.keep.empty() && settings.clock == Clock::told) {
    options.fail("keep", "nodes have folders of their own with clock = \"virtual\" only");
  }
  read_limits(options.table("limits"), settings);
  return settings;
}

std::string node_name(const Settings& settings, NodeId id) {
  std::size_t number = id;
  if (number < settings.nodes) return fmt::format("n{}", number);
  number -= settings.nodes;
  if (number < settings.clients()) return fmt::format("c{}", number);
  return std::string(name_of(settings.services.at(number - settings.clients())));
}

NodeId node_named(const Settings& settings, std::string_view name) {
  for (std::size_t i = 0; i < settings.services.size(); ++i) {
    if (name == name_of(settings.services[i])) {
      return static_cast<NodeId>(settings.nodes + settings.clients() + i);
    }
  }
  std::size_t number = 0;
  if (name.size() < 2) return kNoNode;
  const auto result = std::from_chars(name.data() + 1, name.data() + name.size(), number);
  if (result.ec != std::errc{} || result.ptr != name.data() + name.size()) return kNoNode;
  if (name.front() == 'n' && number < settings.nodes) return static_cast<NodeId>(number);
  if (name.front() == 'c' && number < settings.clients()) {
    return static_cast<NodeId>(settings.nodes + number);
  }
  return kNoNode;
}

std::vector<InvariantDescription> program_invariants() {
  using About = InvariantDescription::About;
  return {{"exit", "the program ended by itself, see the log of the node; its exit code",
           About::end_of_program},
          {"crash", "the program was ended by a signal; its number", About::end_of_program},
          {"nonsense", "the program wrote what is not of the protocol; the number of its line",
           About::understanding},
          {"flood", "the program wrote more than limits.line_kib or limits.output_mib; its lines",
           About::end_of_program},
          {"silence", "the program was not done within limits.answer; its lines so far",
           About::end_of_program}};
}

}  // namespace dissensus::process
