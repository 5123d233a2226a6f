#include "search/measurement.h"

#include <algorithm>
#include <bit>

namespace dissensus::search {

namespace {
constexpr std::uint64_t kLagMax = 3;
/// Leaves room for 1, the margin of a fork.
constexpr double kMarginBelowFork = 0.999;

/// The level whose instances say how far a node is: the demanded one, else the last final one.
Level find_progress_level(const run::Scenario& scenario) {
  if (scenario.oracle.termination) return scenario.oracle.termination->level;
  const auto& levels = scenario.system_description().levels;
  for (std::size_t level = levels.size(); level > 0; --level) {
    if (levels[level - 1].final) return static_cast<Level>(level - 1);
  }
  return 0;
}

std::size_t proposals_of(Level level) {
  return 2u * level;
}
std::size_t decisions_of(Level level) {
  return 2u * level + 1;
}
}  // namespace

Measurement::Measurement(const run::Scenario& scenario, const Wanted& wanted)
    : scenario_(scenario),
      wanted_(wanted),
      nearness_(wanted.rules ? std::span<const oracle::Rule>(scenario.oracle.rules)
                             : std::span<const oracle::Rule>(),
                scenario.waypoints, scenario.system_description(), scenario.nodes()),
      progress_level_(find_progress_level(scenario)) {
  for (const LevelDescription& level : scenario.system_description().levels) {
    single_valued_.push_back(level.agreement || level.integrity);
  }
  reset();
}

EventMask Measurement::wants() const {
  const bool messages = has_summaries() || nearness_.needs_deliveries();
  return messages ? EventMask::reports().with(EventType::deliver) : EventMask::reports();
}

void Measurement::reset(const NodeSet& byzantine, Time now) {
  nearness_.reset(byzantine);
  if (has_summaries()) {
    heard_.assign(scenario_.nodes() * scenario_.system_description().kinds.size(), 0);
  }
  const SystemDescription& description = scenario_.system_description();
  const std::size_t levels = description.levels.size();
  summary_.decisions.resize(levels);
  summary_.proposals.resize(levels);
  for (auto& reports : summary_.decisions) reports.clear();
  for (auto& reports : summary_.proposals) reports.clear();
  summary_.observed_max.assign(description.observables.size(), 0);
  summary_.nodes = scenario_.nodes();
  summary_.failed_rounds = 0;
  summary_.behind = {};
  NodeState fresh;
  fresh.behind_since = now;
  nodes_.assign(scenario_.nodes(), fresh);
  for (const NodeId node : byzantine) nodes_.at(node).correct = false;
  splits_.reset(2 * levels, scenario_.nodes());
  states_.clear();
  most_decided_ = 0;
  state_sum_ = 0;
  for (NodeState& node : nodes_) {
    if (!node.correct) continue;
    node.word = word_of(node);
    state_sum_ += node.word;
  }
  last_state_ = state_sum_;
  final_disagreement_ = false;
  demand_started_ = scenario_.oracle.termination && !scenario_.oracle.has_fault_phase;
  demand_start_ = now;
  longest_wait_ = {};
}

void Measurement::note_heard(const Event& report) {
  const std::size_t kinds = scenario_.system_description().kinds.size();
  const auto heard = heard_.begin() + static_cast<std::ptrdiff_t>(report.node * kinds);
  if (nodes_[report.node].correct) {
    const bool is_decision = report.type == EventType::decide;
    DigestBuilder summary;
    summary.add(is_decision ? 1 : 0).add(is_decision ? report.detail : report.number);
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      summary.add(
          static_cast<std::uint64_t>(std::popcount(heard[static_cast<std::ptrdiff_t>(kind)])));
    }
    states_.insert(summary.finish().low);
  }
  std::fill_n(heard, kinds, std::uint64_t{0});
}

void Measurement::on_event(const Event& event) {
  if (!nearness_.is_idle()) nearness_.on_event(event);
  if (has_summaries()) {
    if (event.type == EventType::deliver) {
      const std::size_t kinds = scenario_.system_description().kinds.size();
      heard_[event.node * kinds + event.message->kind()] |= std::uint64_t{1} << (event.peer % 64);
    } else if (event.type == EventType::decide || event.type == EventType::phase) {
      note_heard(event);
    }
  }
  switch (event.type) {
    case EventType::propose:
      summary_.proposals[event.detail].push_back(
          {event.time, event.node, event.number, event.value});
      if (single_valued_[event.detail] && nodes_[event.node].correct) {
        splits_.add(proposals_of(event.detail), event.number, event.node, event.value);
      }
      break;
    case EventType::decide:
      summary_.decisions[event.detail].push_back(
          {event.time, event.node, event.number, event.value});
      if (nodes_[event.node].correct) on_decision(event, nodes_[event.node]);
      break;
    case EventType::phase:
      enter_phase(event.number, nodes_[event.node]);
      update_state(nodes_[event.node]);
      break;
    case EventType::observe: {
      std::int64_t& most = summary_.observed_max[event.detail];
      most = std::max(most, static_cast<std::int64_t>(event.number));
      break;
    }
    case EventType::crash:
      end_wait(nodes_[event.node], event.time);
      [[fallthrough]];
    case EventType::restart:
      nodes_[event.node].down = event.type == EventType::crash;
      update_state(nodes_[event.node]);
      break;
    case EventType::phase_end:
      demand_started_ = scenario_.oracle.termination.has_value();
      demand_start_ = event.time + scenario_.oracle.heal;
      break;
    default:
      break;
  }
}

void Measurement::on_decision(const Event& event, NodeState& node) {
  const Level level = event.detail;
  if (level == progress_level_ && event.number > node.decided) {
    advance(event.number, event.time, node);
  }
  if (scenario_.oracle.termination && level == scenario_.oracle.termination->level) {
    note_progress(event, node);
  }
  if (single_valued_[level]) {
    node.rank = splits_.add(decisions_of(level), event.number, event.node, event.value);
    const LevelDescription& description = scenario_.system_description().levels[level];
    if (node.rank > 0 && description.final && description.agreement) final_disagreement_ = true;
  }
  update_state(node);
}

void Measurement::enter_phase(std::uint64_t phase, NodeState& node) {
  const std::size_t phases = scenario_.system_description().phases.size();
  const bool is_cycle = phases > 1 && phase < phases && node.phase < phases;
  if (is_cycle && node.correct && node.has_phase && phase != (node.phase + 1) % phases) {
    ++summary_.failed_rounds;
  }
  node.phase = phase;
  node.has_phase = true;
}

void Measurement::advance(std::uint64_t instance, Time now, NodeState& node) {
  end_lag(node, now);
  node.decided = instance;
  node.behind_since = now;
  if (instance <= most_decided_) return;
  // Who was level with the most advanced one falls behind now.
  for (NodeState& other : nodes_) {
    if (other.decided == most_decided_) other.behind_since = now;
  }
  most_decided_ = instance;
  for (NodeState& other : nodes_) refresh(other);
}

void Measurement::end_lag(NodeState& node, Time until) {
  if (!node.correct || node.decided >= most_decided_) return;
  summary_.behind += until - node.behind_since;
  node.behind_since = until;
}

void Measurement::note_progress(const Event& event, NodeState& node) {
  end_wait(node, event.time);
  node.last_decision = event.time;
  const auto& goal = scenario_.oracle.termination->goal;
  if (goal && event.number >= *goal) node.reached_goal = true;
}

void Measurement::end_wait(const NodeState& node, Time until) {
  if (!demand_started_ || node.down || node.reached_goal || !node.correct) return;
  longest_wait_ = std::max(longest_wait_, until - std::max(demand_start_, node.last_decision));
}

std::uint64_t Measurement::word_of(const NodeState& node) const {
  const std::uint64_t lag = std::min(most_decided_ - node.decided, kLagMax);
  return mix64(node.phase << 8 | std::uint64_t{node.rank} << 4 | lag << 1 | (node.down ? 1u : 0u),
               nodes_.size());
}

void Measurement::refresh(NodeState& node) {
  if (!node.correct) return;
  const std::uint64_t word = word_of(node);
  state_sum_ += word - node.word;
  node.word = word;
}

void Measurement::update_state(NodeState& node) {
  const std::uint64_t before = last_state_;
  refresh(node);
  last_state_ = state_sum_;
  if (last_state_ != before && has_states()) states_.insert(last_state_);
}

double Measurement::disagreement_margin() const {
  if (final_disagreement_) return 1;
  const std::vector<double> groups = splits_.second_groups();
  const auto most = static_cast<double>(std::max<std::size_t>(nodes_.size() / 2, 1));
  double sum = 0;
  double weights = 0;
  double weight = 1;
  for (std::size_t stage = 0; stage < groups.size(); ++stage) {
    const LevelDescription& level = scenario_.system_description().levels[stage / 2];
    const bool would_be_fork = stage % 2 == 1 && level.final && level.agreement;
    if (!single_valued_[stage / 2] || would_be_fork) continue;
    sum += weight * groups[stage] / most;
    weights += weight;
    weight *= 2;
  }
  return weights == 0 ? 0 : kMarginBelowFork * sum / weights;
}

const RunSummary& Measurement::summarize(const run::RunResult& result) {
  const auto& termination = scenario_.oracle.termination;
  for (NodeState& node : nodes_) {
    end_wait(node, result.end);
    end_lag(node, result.end);
  }
  summary_.failed = result.verdict.outcome == oracle::Outcome::fail;
  summary_.capped = result.ended_by == run::kDeliveryLimit;
  summary_.unknown = result.verdict.outcome == oracle::Outcome::unknown;
  summary_.violations = result.verdict.violations.size() + result.verdict.violations_left_out;
  summary_.sent = result.sent;
  summary_.duration = result.end - Time{};
  states_.sorted_into(summary_.states);
  summary_.disagreement_margin = disagreement_margin();
  summary_.history_margin = result.history_margin;
  nearness_.finish();
  summary_.rule_margins = nearness_.margins();
  summary_.waypoints_reached = nearness_.reached();
  summary_.waypoints = scenario_.waypoints.size();
  summary_.termination_margin = 0;
  if (termination && termination->bound > Duration{}) {
    summary_.termination_margin =
        std::min(1.0, static_cast<double>(longest_wait_.count()) /
                          static_cast<double>(termination->bound.count()));
  }
  return summary_;
}

RunSummary summarize(run::Runner& runner, const run::Scenario& scenario,
                     const faults::Schedule& schedule, std::uint64_t seed, run::RunResult* result) {
  Measurement measurement(scenario);
  measurement.reset(faults::byzantine_nodes(schedule.faults));
  run::RunOptions options;
  options.sinks = {&measurement};
  run::RunResult run = runner.run(scenario, schedule, seed, options);
  RunSummary summary = measurement.summarize(run);
  if (result != nullptr) *result = std::move(run);
  return summary;
}

}  // namespace dissensus::search
