#include "fidelity/observation.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

namespace dissensus::fidelity {
namespace {

/// The sequence of a proposal by which a node leaves the round.
constexpr std::uint64_t kBowOut = 0xFFFFFFFF;

double seconds_of(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

template <class List, class Matches>
std::size_t find_index(const List& list, const Matches& matches) {
  const auto place = std::find_if(list.begin(), list.end(), matches);
  return place == list.end() ? kNoField : static_cast<std::size_t>(place - list.begin());
}

std::size_t find_field(const PayloadDescription& payload, std::string_view name) {
  return find_index(payload.fields, [&](const FieldDescription& f) { return f.name == name; });
}

/// The time that nodes spend without a decision of the level.
class DecisionTimes {
 public:
  DecisionTimes(std::size_t nodes, const std::vector<NodeId>& faulty) : nodes_(nodes) {
    for (const NodeId node : faulty) nodes_[node].is_correct = false;
  }

  void on_decision(NodeId id, Time time) {
    NodeTimes& node = nodes_[id];
    ++decisions_;
    if (node.last) intervals_s_.push_back(seconds_of(time - *node.last));
    end_gap(node, time);
    node.last = time;
    node.waits_since = time;
  }
  /// A node that is down owes nothing.
  void on_crash(NodeId id, Time time) {
    NodeTimes& node = nodes_[id];
    end_gap(node, time);
    node.waits_since.reset();
    node.last.reset();
  }
  void on_restart(NodeId id, Time time) { nodes_[id].waits_since = time; }

  void finish(Time end, RunObservation& observation) {
    for (NodeTimes& node : nodes_) end_gap(node, end);
    observation.decisions = static_cast<double>(decisions_) / static_cast<double>(nodes_.size());
    observation.intervals_s = std::move(intervals_s_);
    observation.longest_gap_s = seconds_of(longest_gap_);
  }

 private:
  struct NodeTimes {
    bool is_correct = true;
    std::optional<Time> waits_since = Time{};
    std::optional<Time> last;  ///< decision
  };
  void end_gap(const NodeTimes& node, Time time) {
    if (!node.is_correct || !node.waits_since) return;
    longest_gap_ = std::max(longest_gap_, time - *node.waits_since);
  }

  std::vector<NodeTimes> nodes_;
  std::uint64_t decisions_ = 0;
  std::vector<double> intervals_s_;
  Duration longest_gap_{};
};

/// The proposals of each author, round by round. Only an author's own messages count, not those
/// that others pass on, and a proposal that goes to many peers counts once.
class Proposals {
 public:
  explicit Proposals(const FidelityMeasures& measures) : measures_(measures) {}

  void on_send(const trace::Record& record) {
    const auto number = [&](std::size_t field) {
      const auto* value = std::get_if<std::uint64_t>(&record.fields[field]);
      return value != nullptr ? *value : kBowOut;
    };
    const std::uint64_t sequence = number(measures_.sequence_field);
    if (number(measures_.author_field) != record.node || sequence == kBowOut) return;
    std::vector<Round>& rounds = rounds_[record.node];
    const FieldValue& key = record.fields[measures_.round_field];
    auto round = std::find_if(rounds.begin(), rounds.end(),
                              [&](const Round& known) { return known.key == key; });
    if (round == rounds.end()) round = rounds.insert(rounds.end(), Round{key, {}});
    round->sequences.insert(sequence);
  }

  void finish(RunObservation& observation) const {
    for (const auto& [author, rounds] : rounds_) {
      for (std::size_t i = 1; i < rounds.size(); ++i) {
        const std::set<std::uint64_t>& sequences = rounds[i].sequences;
        observation.round_proposals.push_back(static_cast<double>(sequences.size()));
        observation.round_sequences.push_back(static_cast<double>(*sequences.rbegin()));
      }
    }
  }

 private:
  struct Round {
    FieldValue key;
    std::set<std::uint64_t> sequences;
  };
  const FidelityMeasures& measures_;
  std::map<NodeId, std::vector<Round>> rounds_;  ///< in the order of their beginning
};

class Phases {
 public:
  Phases(std::size_t nodes, std::size_t phases) : nodes_(nodes), lengths_s_(phases) {}

  void on_phase(const trace::Record& record) {
    NodePhase& node = nodes_[record.node];
    if (node.began) lengths_s_[node.phase].push_back(seconds_of(record.time - *node.began));
    // The first report of a node may come in the middle of a phase.
    node.began = node.seen ? std::optional(record.time) : std::nullopt;
    node.seen = true;
    node.phase = record.number;
  }
  void on_crash(NodeId id) { nodes_[id] = {}; }
  void finish(RunObservation& observation) { observation.phases_s = std::move(lengths_s_); }

 private:
  struct NodePhase {
    bool seen = false;
    std::optional<Time> began;
    std::size_t phase = 0;
  };
  std::vector<NodePhase> nodes_;
  std::vector<std::vector<double>> lengths_s_;
};

std::vector<std::string> signatures_of(const oracle::Verdict& verdict) {
  std::set<std::string> signatures;
  for (const oracle::Violation& violation : verdict.violations) {
    signatures.insert(violation.signature());
  }
  return {signatures.begin(), signatures.end()};
}

}  // namespace

FidelityMeasures::FidelityMeasures(const run::Scenario& scenario) {
  const SystemDescription& description = scenario.system_description();
  for (const KindDescription& kind : description.kinds) kinds.push_back(kind.name);
  phases = description.phases;
  if (const auto& termination = scenario.oracle.termination) {
    level = termination->level;
    bound_s = seconds_of(termination->bound);
  } else {
    const std::size_t ledger = find_index(
        description.levels, [](const LevelDescription& l) { return l.name == "ledger"; });
    level = ledger == kNoField ? Level{0} : static_cast<Level>(ledger);
  }
  if (level < description.levels.size()) level_name = description.levels[level].name;
  proposal_payload = find_index(description.payloads,
                                [](const PayloadDescription& p) { return p.name == "ProposeSet"; });
  if (proposal_payload == kNoField) return;
  const PayloadDescription& payload = description.payloads[proposal_payload];
  sequence_field = find_field(payload, "propose_seq");
  round_field = find_field(payload, "previous_ledger");
  author_field = payload.author;
  has_proposals = sequence_field != kNoField && round_field != kNoField && author_field != kNoField;
}

std::uint64_t RunObservation::all_messages() const {
  return std::accumulate(messages.begin(), messages.end(), std::uint64_t{0});
}

RunObservation observe(const run::RunResult& result, const FidelityMeasures& measures,
                       const SystemDescription& description, std::size_t nodes,
                       const RunPlace& place) {
  RunObservation observation;
  observation.place = place;
  observation.outcome = result.verdict.outcome;
  observation.signatures = signatures_of(result.verdict);
  observation.ended_by = result.ended_by;
  observation.seconds = seconds_of(result.end - Time{});
  observation.cut = result.records_cut;
  observation.messages.assign(measures.kinds.size(), 0);
  DecisionTimes decisions(nodes, result.verdict.faulty);
  Proposals proposals(measures);
  Phases phases(nodes, measures.phases.size());
  for (const trace::Record& record : result.records) {
    switch (record.type) {
      case EventType::send:
        ++observation.messages[record.kind];
        if (measures.has_proposals &&
            description.kinds[record.kind].payload == measures.proposal_payload) {
          proposals.on_send(record);
        }
        break;
      case EventType::decide:
        if (record.detail == measures.level) decisions.on_decision(record.node, record.time);
        break;
      case EventType::phase:
        if (record.number < measures.phases.size()) phases.on_phase(record);
        break;
      case EventType::crash:
        decisions.on_crash(record.node, record.time);
        phases.on_crash(record.node);
        break;
      case EventType::restart:
        decisions.on_restart(record.node, record.time);
        break;
      default:
        break;
    }
  }
  decisions.finish(result.end, observation);
  proposals.finish(observation);
  phases.finish(observation);
  return observation;
}

std::string to_json_line(const RunObservation& observation, const FidelityMeasures& measures,
                         std::string_view side) {
  nlohmann::ordered_json json;
  json["side"] = side;
  json["schedule"] = observation.place.schedule;
  json["repetition"] = observation.place.repetition;
  json["seed"] = observation.place.seed;
  json["outcome"] = oracle::to_string(observation.outcome);
  json["violations"] = observation.signatures;
  json["ended_by"] = observation.ended_by;
  json["seconds"] = observation.seconds;
  if (observation.cut) json["cut"] = true;
  nlohmann::ordered_json messages = nlohmann::ordered_json::object();
  for (std::size_t kind = 0; kind < measures.kinds.size(); ++kind) {
    messages[measures.kinds[kind]] = observation.messages[kind];
  }
  json["messages"] = std::move(messages);
  json["decisions_per_node"] = observation.decisions;
  json["intervals_s"] = observation.intervals_s;
  json["longest_gap_s"] = observation.longest_gap_s;
  if (measures.has_proposals) {
    json["round_proposals"] = observation.round_proposals;
    json["round_sequences"] = observation.round_sequences;
  }
  nlohmann::ordered_json phases = nlohmann::ordered_json::object();
  for (std::size_t phase = 0; phase < measures.phases.size(); ++phase) {
    phases[measures.phases[phase]] = observation.phases_s[phase];
  }
  json["phases_s"] = std::move(phases);
  return json.dump();
}

}  // namespace dissensus::fidelity
