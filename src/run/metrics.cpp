#include "run/metrics.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace dissensus::run {

using Json = nlohmann::ordered_json;

MetricsCollector::MetricsCollector(const SystemDescription& description, std::size_t nodes)
    : description_(description),
      kinds_(description.kinds.size()),
      levels_(description.levels.size()),
      node_phase_(nodes),
      phase_us_(nodes, std::vector<std::int64_t>(description.phases.size())),
      node_timers_(nodes),
      under_way_(nodes * nodes) {}

void MetricsCollector::add_under_way(NodeId from, NodeId to) {
  link_max_ = std::max(link_max_, ++under_way_[from * node_phase_.size() + to]);
}

void MetricsCollector::on_event(const Event& event) {
  switch (event.type) {
    case EventType::send:
      ++kinds_[event.message->kind()].sent;
      kinds_[event.message->kind()].bytes += event.message->wire_bytes();
      add_under_way(event.node, event.peer);
      break;
    case EventType::duplicate:
      add_under_way(event.node, event.peer);
      break;
    case EventType::deliver:
      ++kinds_[event.message->kind()].delivered;
      remove_under_way(event.peer, event.node);
      break;
    case EventType::drop:
      ++kinds_[event.message->kind()].dropped;
      remove_under_way(event.node, event.peer);
      break;
    case EventType::timer:
      ++node_timers_[event.node];
      break;
    case EventType::submit:
      ++submissions_;
      break;
    case EventType::propose:
      levels_[event.detail].first_proposal.try_emplace(event.number, event.time);
      break;
    case EventType::decide: {
      LevelTotals& level = levels_[event.detail];
      ++level.decisions;
      const auto proposal = level.first_proposal.find(event.number);
      if (proposal != level.first_proposal.end()) {
        level.latencies_us.push_back((event.time - proposal->second).count());
      }
      break;
    }
    case EventType::phase: {
      NodePhase& node = node_phase_[event.node];
      if (node.known) phase_us_[event.node][node.phase] += (event.time - node.since).count();
      node = {static_cast<std::uint32_t>(event.number), event.time, true};
      break;
    }
    case EventType::disk:
      ++disk_[event.detail].events;
      disk_[event.detail].bytes += event.number;
      break;
    default:
      break;
  }
}

namespace {
double share(std::uint64_t count, std::uint64_t of) {
  return of == 0 ? 0 : static_cast<double>(count) / static_cast<double>(of);
}

Json latency_json(std::vector<std::int64_t> samples) {
  if (samples.empty()) return nullptr;
  std::sort(samples.begin(), samples.end());
  std::int64_t sum = 0;
  for (const std::int64_t sample : samples) sum += sample;
  const auto at = [&samples](std::size_t percent) {
    return samples[(samples.size() - 1) * percent / 100];
  };
  return {{"count", samples.size()},
          {"mean", sum / static_cast<std::int64_t>(samples.size())},
          {"median", at(50)},
          {"p95", at(95)},
          {"max", samples.back()}};
}
}  // namespace

std::string MetricsCollector::to_json(const MetricSelection& selection,
                                      const sim::WorldCounters& counters, Time end) const {
  const double seconds = static_cast<double>(microseconds_of(end)) / 1e6;
  std::uint64_t decisions = 0;
  for (const LevelTotals& level : levels_) decisions += level.decisions;

  Json json;
  json["format"] = "dissensus-metrics/1";
  json["virtual_seconds"] = seconds;
  json["submissions"] = submissions_;
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    const std::string& name = description_.levels[i].name;
    if (selection.has(MetricGroup::decisions)) {
      json["decisions"][name] = {
          {"count", levels_[i].decisions},
          {"per_second", seconds > 0 ? static_cast<double>(levels_[i].decisions) / seconds : 0.0}};
    }
    if (selection.has(MetricGroup::latency)) {
      json["latency_us"][name] = latency_json(levels_[i].latencies_us);
    }
  }
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    const std::string& name = description_.kinds[i].name;
    messages += kinds_[i].sent;
    bytes += kinds_[i].bytes;
    if (selection.has(MetricGroup::messages)) {
      json["messages"]["by_kind"][name] = {{"sent", kinds_[i].sent},
                                           {"delivered", kinds_[i].delivered},
                                           {"dropped", kinds_[i].dropped}};
    }
    if (selection.has(MetricGroup::bytes)) json["bytes"]["by_kind"][name] = kinds_[i].bytes;
  }
  if (selection.has(MetricGroup::messages)) {
    json["messages"]["total"] = messages;
    json["messages"]["per_decision"] = share(messages, decisions);
  }
  if (selection.has(MetricGroup::bytes)) {
    json["bytes"]["total"] = bytes;
    json["bytes"]["per_decision"] = share(bytes, decisions);
  }
  if (selection.has(MetricGroup::queues)) {
    json["queues"] = {{"pending_max", counters.queue_max}, {"link_max", link_max_}};
  }
  if (selection.has(MetricGroup::timers)) {
    json["timers"] = {{"total", counters.timers}, {"by_node", node_timers_}};
  }
  if (selection.has(MetricGroup::phases)) {
    Json phases = Json::object();
    for (std::size_t phase = 0; phase < description_.phases.size(); ++phase) {
      Json by_node = Json::array();
      for (std::size_t node = 0; node < phase_us_.size(); ++node) {
        std::int64_t total = phase_us_[node][phase];
        const NodePhase& last = node_phase_[node];
        if (last.known && last.phase == phase) total += (end - last.since).count();
        by_node.push_back(total);
      }
      phases[description_.phases[phase]] = std::move(by_node);
    }
    json["phase_us_by_node"] = std::move(phases);
  }
  static constexpr std::array<std::string_view, sim::kDiskEvents> kDiskNames{
      "syncs", "written_through", "failures", "reads", "corrupted_reads", "unsynced_at_crash"};
  for (std::size_t i = 0; i < disk_.size(); ++i) {
    // Systems without disks have no such figures.
    if (disk_[i].events == 0) continue;
    json["disk"][std::string(kDiskNames[i])] = {{"count", disk_[i].events},
                                                {"bytes", disk_[i].bytes}};
  }
  return json.dump(2) + "\n";
}

}  // namespace dissensus::run
