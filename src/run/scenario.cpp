#include "run/scenario.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "core/file.h"
#include "core/suggestion.h"
#include "core/toml_text.h"
#include "faults/kinds.h"
#include "faults/release_rate.h"
#include "run/scenario_file.h"
#include "run/session_runs.h"

namespace dissensus::run {

namespace {

/// Reads one scenario; a member per table of the file.
class ScenarioReader {
 public:
  ScenarioReader(std::string_view text, const std::string& name, const SystemRegistry& systems)
      : document_(Options::from_toml(text, name)), systems_(systems) {
    scenario_.path = name;
    scenario_.text = std::string(text);
  }

  Scenario read() {
    read_heading();
    read_system();
    read_network();
    read_clocks();
    read_disk();
    read_workload();
    read_space();
    read_phases();
    read_oracle();
    read_waypoints();
    read_metrics();
    read_limits();
    if (document_.has("session")) {
      scenario_.session = read_session(document_.table("session"), scenario_);
    }
    scenario_.hunt_budget = document_.table("hunt").text("budget", "");
    document_.finish();
    return std::move(scenario_);
  }

 private:
  void read_heading();
  void read_system();
  void read_network();
  void read_link_model(const Options& options, sim::LinkModel& model);
  sim::Latency read_latency(const OptionValue& value);
  void read_clocks();
  void read_disk();
  NodeId read_place(const Options& table) const;
  void read_workload();
  void read_space();
  void read_phases();
  void read_oracle();
  void read_waypoints();
  void read_termination(const Options& options);
  void read_invariants(const OptionValue& list);
  void read_rule(const Options& options);
  void read_history(const Options& options);
  void read_metrics();
  void read_limits();

  NodeId read_node(const OptionValue& value) const {
    return static_cast<NodeId>(
        value.integer(0, static_cast<std::int64_t>(scenario_.plan.nodes) - 1));
  }
  const SystemDescription& description() const { return scenario_.system->description(); }
  Level read_level(const OptionValue& value) const;
  std::vector<OptionValue> per_node(const OptionValue& value) const;

  Options document_;
  const SystemRegistry& systems_;
  Scenario scenario_;
};

void ScenarioReader::read_heading() {
  if (!document_.has("format")) {
    document_.fail("format", fmt::format("missing, expected format = \"{}\"", kScenarioFormat));
  }
  const OptionValue format = document_.at("format");
  if (format.text() != kScenarioFormat) {
    format.fail(fmt::format("expected \"{}\", found \"{}\"", kScenarioFormat, format.text()));
  }
  scenario_.name = document_.at("name").text();
  const bool plain =
      !scenario_.name.empty() &&
      std::all_of(scenario_.name.begin(), scenario_.name.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.';
      });
  if (!plain || scenario_.name.front() == '.' || scenario_.name.size() > 80) {
    document_.fail(
        "name", "expected 1 to 80 letters, digits, '-' or '.', since folders are named after it");
  }
  scenario_.description = document_.text("description", "");
}

void ScenarioReader::read_system() {
  const Options options = document_.at("system").table();
  const OptionValue kind = options.at("kind");
  const SystemEntry* entry = systems_.find(kind.text());
  if (entry == nullptr) {
    std::vector<std::string> known;
    for (const SystemEntry& candidate : systems_.entries()) known.push_back(candidate.name);
    kind.fail(fmt::format("no such system '{}'{} (known: {})", kind.text(),
                          suggestion(kind.text(), known), fmt::join(known, ", ")));
  }
  scenario_.system = entry->make(options);
  scenario_.plan.nodes = scenario_.system->node_count();
  for (std::size_t id = 0; id < scenario_.plan.nodes; ++id) {
    scenario_.plan.peers.push_back(scenario_.system->links_of(static_cast<NodeId>(id)));
  }
}

sim::Latency ScenarioReader::read_latency(const OptionValue& value) {
  using Kind = sim::Latency::Kind;
  sim::Latency latency;
  if (value.is_text()) {
    latency.a = value.duration();
    latency.max = std::max(latency.max, latency.a);
    return latency;
  }
  const Options options = value.table();
  static constexpr std::pair<std::string_view, Kind> kKinds[] = {
      {"uniform", Kind::uniform}, {"normal", Kind::normal}, {"exponential", Kind::exponential}};
  std::size_t given = 0;
  for (const auto& [name, kind] : kKinds) {
    const auto found = options.find(name);
    if (!found) continue;
    ++given;
    const std::vector<OptionValue> parts = found->list();
    if (parts.size() != 2) found->fail("expected two durations");
    latency.kind = kind;
    latency.a = parts[0].duration();
    latency.b = parts[1].duration();
    if (kind == Kind::uniform && latency.b < latency.a) found->fail("expected [minimum, maximum]");
  }
  if (given != 1) {
    value.fail(
        "expected a duration or one of { uniform = [min, max] }, { normal = [mean, deviation] }, "
        "{ exponential = [offset, mean] }");
  }
  latency.max = options.duration("max", std::max(latency.max, std::max(latency.a, latency.b)));
  return latency;
}

void ScenarioReader::read_link_model(const Options& options, sim::LinkModel& model) {
  if (const auto latency = options.find("latency")) model.latency = read_latency(*latency);
  static constexpr std::string_view kOrders[] = {"fifo", "any"};
  model.fifo = options.choice("order", kOrders, model.fifo ? 0 : 1) == 0;
  model.loss = options.number("loss", model.loss, 0, 1);
  model.duplicate = options.number("duplicate", model.duplicate, 0, 1);
  model.buffer =
      static_cast<std::uint32_t>(options.integer("buffer", model.buffer, 0, 1'000'000'000));
}

void ScenarioReader::read_network() {
  const Options options = document_.table("network");
  sim::LinkModel common;
  read_link_model(options, common);
  sim::WorldPlan& plan = scenario_.plan;
  plan.models.push_back(common);
  plan.link_model.assign(plan.nodes * plan.nodes, 0);
  for (const Options& link : options.tables("link")) {
    if (plan.models.size() > 60'000) link.fail("too many links with a model of their own");
    sim::LinkModel model = common;
    read_link_model(link, model);
    const auto index = static_cast<std::uint16_t>(plan.models.size());
    plan.models.push_back(model);
    const auto from = link.find("from");
    const auto to = link.find("to");
    for (std::size_t a = 0; a < plan.nodes; ++a) {
      for (std::size_t b = 0; b < plan.nodes; ++b) {
        if ((!from || read_node(*from) == a) && (!to || read_node(*to) == b)) {
          plan.link_model[a * plan.nodes + b] = index;
        }
      }
    }
  }
}

std::vector<OptionValue> ScenarioReader::per_node(const OptionValue& value) const {
  std::vector<OptionValue> values = value.list();
  if (values.size() != scenario_.plan.nodes) {
    value.fail(fmt::format("expected one value per node ({}), found {}", scenario_.plan.nodes,
                           values.size()));
  }
  return values;
}

void ScenarioReader::read_clocks() {
  const Options options = document_.table("clocks");
  sim::WorldPlan& plan = scenario_.plan;
  const auto offsets = options.find("offset");
  const auto drifts = options.find("drift_ppm");
  if (const auto obstacle = faults::obstacle_to_clocks(description())) {
    if (offsets) offsets->fail(obstacle->text);
    if (drifts) drifts->fail(obstacle->text);
  }
  if (offsets || drifts) plan.skew.resize(plan.nodes);
  if (offsets) {
    const auto values = per_node(*offsets);
    for (std::size_t i = 0; i < values.size(); ++i) plan.skew[i].offset = values[i].duration(true);
  }
  if (drifts) {
    const auto values = per_node(*drifts);
    for (std::size_t i = 0; i < values.size(); ++i) {
      plan.skew[i].drift_ppm = static_cast<std::int32_t>(values[i].integer(-500'000, 500'000));
    }
  }
  if (const auto starts = options.find("start")) {
    for (const OptionValue& value : per_node(*starts))
      plan.start.push_back(Time{} + value.duration());
  }
}

void ScenarioReader::read_disk() {
  const Options options = document_.table("disk");
  sim::DiskModel& disk = scenario_.plan.disk;
  if (const auto write = options.find("write")) disk.write = read_latency(*write);
  if (const auto sync = options.find("sync")) disk.sync = read_latency(*sync);
  disk.sector = static_cast<std::uint32_t>(options.integer("sector", disk.sector, 1, 1 << 20));
  disk.keep_all = options.number("keep_unsynced", disk.keep_all, 0, 1);
  disk.lose_all = options.number("lose_unsynced", disk.lose_all, 0, 1);
  if (disk.keep_all + disk.lose_all > 1 + 1e-9) {
    options.fail("expected keep_unsynced and lose_unsynced that add up to 1 at most");
  }
  disk.torn = options.boolean("torn", disk.torn);
  disk.corrupt_reads = options.number("corrupt_reads", 0, 0, 1);
}

/// Clients' machines come after all others: files need not know how many these are.
NodeId ScenarioReader::read_place(const Options& table) const {
  const auto client = table.find("client");
  if (!client) return read_node(table.at("node"));
  if (table.has("node")) table.fail("client", "expected node or client, not both");
  const auto clients = static_cast<std::int64_t>(scenario_.system->traits().bystanders);
  if (clients == 0) client->fail("this system has no machines for clients");
  return static_cast<NodeId>(scenario_.exposed_nodes()) +
         static_cast<NodeId>(client->integer(0, clients - 1));
}

void ScenarioReader::read_workload() {
  sim::WorldPlan& plan = scenario_.plan;
  for (const Options& table : document_.tables("workload")) {
    sim::Submission submission;
    submission.at = Time{} + table.at("at").duration();
    submission.node = read_place(table);
    submission.request = scenario_.system->make_request(table);
    plan.submissions.push_back(std::move(submission));
  }
  std::stable_sort(plan.submissions.begin(), plan.submissions.end(),
                   [](const auto& a, const auto& b) { return a.at < b.at; });
}

void ScenarioReader::read_space() {
  const Options options = document_.table("schedule");
  ScheduleSpace& space = scenario_.space;
  static constexpr std::string_view kTypes[] = {"none", "delay", "priority", "faults"};
  space.type = static_cast<ScheduleSpace::Type>(
      options.choice("type", kTypes, options.has("byzantine") || options.has("faults") ? 3 : 0));
  space.max_delay = options.duration("max_delay", space.max_delay);
  if (space.max_delay > std::chrono::milliseconds(faults::kDelayMsMax)) {
    options.fail("max_delay", "expected at most 1h");
  }
  if (const auto kinds = options.find("kinds")) {
    for (const OptionValue& value : kinds->list()) {
      const MessageKind kind = description().find_kind(value.text());
      if (kind == kNoKind) {
        std::vector<std::string> known;
        for (const KindDescription& candidate : description().kinds)
          known.push_back(candidate.name);
        value.fail(fmt::format("no such message kind '{}'{} (known: {})", value.text(),
                               suggestion(value.text(), known), fmt::join(known, ", ")));
      }
      space.kinds.push_back(kind);
    }
  } else {
    for (std::size_t i = 0; i < description().kinds.size(); ++i) {
      space.kinds.push_back(static_cast<MessageKind>(i));
    }
  }
  space.rate = faults::read_rate(options.table("rate"));
  if (options.has("faults")) {
    space.faults = faults::read_fault_space(options.table("faults"), description(),
                                            scenario_.nodes(), scenario_.exposed_nodes());
  }
  if (const auto liars = options.find("byzantine")) {
    if (!space.faults.liars.empty()) liars->fail("expected these keys in schedule.faults.liars");
    space.faults.liars = faults::read_liars(liars->table(), description(), scenario_.nodes());
  }
}

Level ScenarioReader::read_level(const OptionValue& value) const {
  const std::string name = value.text();
  std::vector<std::string> known;
  for (std::size_t i = 0; i < description().levels.size(); ++i) {
    known.push_back(description().levels[i].name);
    if (known.back() == name) return static_cast<Level>(i);
  }
  value.fail(fmt::format("no such decision level '{}'{} (known: {})", name, suggestion(name, known),
                         fmt::join(known, ", ")));
}

void ScenarioReader::read_phases() {
  if (!document_.has("phases")) return;
  const Options options = document_.table("phases");
  FaultPhase phase;
  const OptionValue faults = options.at("faults");
  if (faults.is_text()) {
    phase.until = faults.duration();
  } else {
    const Options table = faults.table();
    if (const auto until = table.find("until")) phase.until = until->duration();
    if (const auto all = table.find("all")) phase.all = static_cast<std::uint64_t>(all->integer(0));
    if (const auto any = table.find("any")) phase.any = static_cast<std::uint64_t>(any->integer(0));
    if (phase.all || phase.any) phase.level = read_level(table.at("level"));
    if (!phase.until && !phase.all && !phase.any) {
      faults.fail("expected a duration or a table with until, all or any");
    }
  }
  scenario_.fault_phase = phase;
  if (phase.until) scenario_.plan.fault_phase_end = Time{} + *phase.until;
  scenario_.oracle.has_fault_phase = true;
  scenario_.oracle.heal = options.duration("heal", Duration{});
}

void ScenarioReader::read_invariants(const OptionValue& list) {
  std::vector<std::string> known;
  for (const InvariantDescription& invariant : description().invariants)
    known.push_back(invariant.name);
  std::vector<bool>& ignored = scenario_.oracle.ignored_invariants;
  ignored.assign(known.size(), true);
  for (const OptionValue& value : list.list()) {
    const auto found = std::find(known.begin(), known.end(), value.text());
    if (found == known.end()) {
      value.fail(fmt::format("no such invariant '{}'{} (known: {})", value.text(),
                             suggestion(value.text(), known), fmt::join(known, ", ")));
    }
    ignored[static_cast<std::size_t>(found - known.begin())] = false;
  }
}

void ScenarioReader::read_termination(const Options& options) {
  oracle::TerminationDemand demand;
  demand.level = read_level(options.at("level"));
  demand.bound = options.at("bound").duration();
  if (demand.bound <= Duration{}) options.fail("bound", "expected a duration above zero");
  if (const auto goal = options.find("goal"))
    demand.goal = static_cast<std::uint64_t>(goal->integer(0));
  static constexpr std::string_view kDemands[] = {"progress", "revival"};
  demand.revival = options.choice("demand", kDemands, 0) == 1;
  scenario_.oracle.termination = demand;
}

void ScenarioReader::read_rule(const Options& options) {
  oracle::Rule rule;
  rule.name = options.at("name").text();
  rule.property = options.text("property", "rule");
  static constexpr std::string_view kMoments[] = {"always", "end", "eventually", "over"};
  rule.when = static_cast<oracle::Rule::When>(options.choice("when", kMoments, 0));
  const OptionValue check = options.at("check");
  rule.check = oracle::Expression::parse(check.text(), description(), check, scenario_.plan.nodes);
  scenario_.oracle.rules.push_back(std::move(rule));
}

void ScenarioReader::read_history(const Options& options) {
  HistoryDemand demand;
  std::vector<std::string_view> models;
  for (const history::CheckerDescription& checker : history::checkers()) {
    models.push_back(checker.name);
  }
  demand.model = models[options.at("model").choice(models)];
  const std::string level = options.text("level", "strict-serializable");
  const auto isolation = history::isolation_named(level);
  if (!isolation) {
    options.fail("level", fmt::format("no isolation level '{}'{} (known: {})", level,
                                      suggestion(level, history::isolation_names()),
                                      fmt::join(history::isolation_names(), ", ")));
  }
  demand.options.promised = *isolation;
  demand.options.failed_cas_compares = options.boolean("failed_cas_compares", false);
  if (const auto initial = options.find("initial")) {
    demand.options.initial = history::Value::integer(initial->integer());
  }
  if (const auto availability = options.find("availability")) {
    demand.availability = availability->number(0, 1);
  }
  // A search makes many runs: one history may not take as long as a thousand of them.
  demand.options.limits.steps =
      static_cast<std::uint64_t>(options.integer("steps", 100'000'000, 1));
  demand.options.limits.memory_bytes =
      static_cast<std::size_t>(options.integer("memory_mib", 512, 1, 1 << 20)) << 20;
  scenario_.history = std::move(demand);
}

void ScenarioReader::read_oracle() {
  const Options options = document_.table("oracle");
  oracle::OracleConfig& config = scenario_.oracle;
  config.agreement = options.boolean("agreement", true);
  config.validity = options.boolean("validity", true);
  config.integrity = options.boolean("integrity", true);
  scenario_.stop_on_violation = options.boolean("stop_on_violation", true);
  if (const auto invariants = options.find("invariants")) read_invariants(*invariants);
  if (options.has("history")) read_history(options.table("history"));
  if (options.has("termination")) read_termination(options.table("termination"));
  if (const auto done = options.find("done")) {
    config.done =
        oracle::Expression::parse(done->text(), description(), *done, scenario_.plan.nodes);
  }
  std::set<std::string> names;
  for (const Options& rule : options.tables("rule")) {
    read_rule(rule);
    if (!names.insert(config.rules.back().name).second)
      rule.fail("name", "another rule has this name");
  }
}

void ScenarioReader::read_waypoints() {
  for (const Options& options : document_.tables("waypoint")) {
    oracle::Waypoint waypoint;
    waypoint.name = options.at("name").text();
    const OptionValue reach = options.at("reach");
    waypoint.reach =
        oracle::Expression::parse(reach.text(), description(), reach, scenario_.plan.nodes);
    scenario_.waypoints.push_back(std::move(waypoint));
  }
}

void ScenarioReader::read_metrics() {
  const Options options = document_.table("metrics");
  const auto include = options.find("include");
  if (!include) return;
  scenario_.metrics.included.fill(false);
  for (const OptionValue& value : include->list()) {
    scenario_.metrics.included[value.choice(kMetricGroupNames)] = true;
  }
}

void ScenarioReader::read_limits() {
  const Options options = document_.table("limits");
  RunLimits& limits = scenario_.plan.limits;
  limits.virtual_time = options.duration("virtual_time", limits.virtual_time);
  scenario_.has_end = options.find("virtual_time").has_value();
  if (limits.virtual_time > kVirtualTimeMax) options.fail("virtual_time", "expected at most 8760h");
  limits.events =
      static_cast<std::uint64_t>(options.integer("events", static_cast<std::int64_t>(limits.events),
                                                 1, static_cast<std::int64_t>(kEventsMax)));
  limits.queue = static_cast<std::size_t>(
      options.integer("queue", static_cast<std::int64_t>(limits.queue), 1, 100'000'000));
  limits.trace_bytes = static_cast<std::uint64_t>(
      options.integer("trace_bytes", static_cast<std::int64_t>(limits.trace_bytes), 0));
  limits.deliveries = static_cast<std::uint64_t>(
      options.integer("deliveries", 0, 0, static_cast<std::int64_t>(kEventsMax)));
  const auto at_least = [&options](std::string_view key, std::uint64_t fallback,
                                   std::int64_t least) {
    return static_cast<std::uint64_t>(
        options.integer(key, static_cast<std::int64_t>(fallback), least));
  };
  limits.instant = at_least("instant", limits.instant, 1000);
  limits.memory_bytes = at_least("memory_bytes", limits.memory_bytes, 1 << 20);
  const auto time = [&options](std::string_view key, Duration fallback) {
    const Duration value = options.duration(key, fallback);
    if (value < std::chrono::milliseconds(100)) options.fail(key, "expected at least 100ms");
    return value;
  };
  limits.call = time("call", limits.call);
  limits.run = time("run", limits.run);
}

}  // namespace

Scenario parse_scenario(std::string_view text, std::string name, const SystemRegistry& systems) {
  if (text.size() > kScenarioBytesMax) {
    throw InputError(
        fmt::format("{}: too large, expected at most {} bytes", name, kScenarioBytesMax));
  }
  return ScenarioReader(text, name, systems).read();
}

Scenario simulated_twin(const Scenario& scenario, const SystemRegistry& systems) {
  const SystemTraits traits = scenario.system->traits();
  if (traits.twin.empty()) {
    throw InputError(fmt::format("{}: no system simulates \"{}\"", scenario.path,
                                 scenario.system_description().name));
  }
  TomlText text(scenario.text, scenario.path);
  text.set("system.kind", '"' + traits.twin + '"');
  text.remove("session");
  for (const std::string& key : traits.twin_lacks) text.remove("system." + key);
  return parse_scenario(text.text(), scenario.path, systems);
}

Scenario load_scenario(const std::string& path, const SystemRegistry& systems) {
  return parse_scenario(read_scenario(path), path, systems);
}

faults::Schedule load_schedule(const std::string& path, const Scenario& scenario) {
  const std::string text = read_file(path, kScheduleBytesMax);
  return faults::parse_schedule(text, path, scenario.system_description(), scenario.nodes());
}

}  // namespace dissensus::run
