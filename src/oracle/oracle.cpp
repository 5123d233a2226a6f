#include "oracle/oracle.h"

#include <algorithm>

#include <fmt/format.h>

#include "dissensus/options.h"

namespace dissensus::oracle {

Oracle::Oracle(const OracleConfig& config, const SystemDescription& description, std::size_t nodes)
    : config_(config), description_(description) {
  NodeState initial;
  initial.highest.assign(description.levels.size(), -1);
  initial.observed.assign(description.observables.size(), 0);
  nodes_.assign(nodes, initial);
  for (std::size_t id = 0; id < nodes; ++id) correct_.push_back(static_cast<NodeId>(id));
  instances_.resize(description.levels.size());
  rule_done_.assign(config.rules.size(), 0);
  has_rules_ = !config.rules.empty();
  for (const Rule& rule : config.rules) {
    for (const SupportQuery& query : rule.check.supports())
      supports_.emplace_back(query, description, nodes);
  }
  if (config.done) {
    for (const SupportQuery& query : config.done->supports())
      supports_.emplace_back(query, description, nodes);
  }
  if (!config.has_fault_phase) start_demand(Time{});
}

void Oracle::mark_faulty(NodeId node) {
  if (!nodes_[node].correct) return;
  nodes_[node].correct = false;
  std::erase(correct_, node);
  verdict_.faulty.insert(std::upper_bound(verdict_.faulty.begin(), verdict_.faulty.end(), node),
                         node);
  for (std::map<std::uint64_t, Instance>& level : instances_) {
    for (auto& [number, instance] : level) {
      std::erase_if(instance.decisions,
                    [node](const Decision& decision) { return decision.node == node; });
    }
  }
  for (SupportTracker& support : supports_) support.pass_over(node);
  update_goal();
}

std::int64_t Oracle::least_decided(dissensus::Level level) const {
  std::int64_t least = -1;
  bool first = true;
  for (const NodeId node : correct_) {
    const std::int64_t highest = nodes_[node].highest[level];
    if (first || highest < least) least = highest;
    first = false;
  }
  return least;
}

std::int64_t Oracle::most_decided(dissensus::Level level) const {
  std::int64_t most = -1;
  for (const NodeId node : correct_) most = std::max(most, nodes_[node].highest[level]);
  return most;
}

void Oracle::on_report(const Event& event) {
  // A node is what its first copy reports, as long as the second one does not make it a liar.
  if (event.of_twin && event.type != EventType::propose) return;
  switch (event.type) {
    case EventType::propose:
      on_proposal(event);
      break;
    case EventType::decide:
      on_decision(event);
      break;
    case EventType::observe:
      nodes_[event.node].observed[event.detail] = static_cast<std::int64_t>(event.number);
      if (has_rules_) check_rules(event.id, event.time);
      if (config_.done) done_ = done_ || holds(*config_.done);
      break;
    case EventType::crash:
      nodes_[event.node].up = false;
      update_goal();
      break;
    case EventType::restart:
      nodes_[event.node].up = true;
      for (SupportTracker& support : supports_) support.forget(event.node);
      // A node that comes back gets the whole bound again.
      nodes_[event.node].last_decision = event.time;
      update_goal();
      break;
    case EventType::broken:
      on_broken(event);
      break;
    case EventType::phase_end:
      start_demand(event.time + config_.heal);
      break;
    default:
      break;
  }
}

void Oracle::on_proposal(const Event& event) {
  if (!config_.validity || !description_.levels[event.detail].validity) return;
  std::vector<Digest>& proposed = instances_[event.detail][event.number].proposed;
  if (std::find(proposed.begin(), proposed.end(), event.value) == proposed.end()) {
    proposed.push_back(event.value);
  }
}

void Oracle::on_decision(const Event& event) {
  NodeState& node = nodes_[event.node];
  if (!node.correct) return;
  Instance& instance = instances_[event.detail][event.number];
  check_validity(event, instance);
  check_integrity(event, instance);
  check_agreement(event, instance);
  instance.decisions.push_back({event.value, event.node, event.id});
  std::int64_t& highest = node.highest[event.detail];
  highest = std::max(highest, static_cast<std::int64_t>(event.number));
  note_progress(event);
  for (SupportTracker& support : supports_) support.on_decision(event);
  if (has_rules_) check_rules(event.id, event.time);
  if (config_.done) done_ = done_ || holds(*config_.done);
}

// ---- the three safety properties

namespace {
const std::string& noun_of(const LevelDescription& level) {
  return level.noun.empty() ? level.name : level.noun;
}

Violation violation_at(const Event& event, const LevelDescription& level, std::string property,
                       std::string rule) {
  Violation violation;
  violation.property = std::move(property);
  violation.rule = std::move(rule);
  violation.level = level.name;
  violation.instance = event.number;
  violation.nodes = {event.node};
  violation.values = {event.value};
  violation.event = event.id;
  violation.time = event.time;
  return violation;
}
}  // namespace

void Oracle::check_validity(const Event& event, const Instance& instance) {
  const LevelDescription& level = description_.levels[event.detail];
  if (!config_.validity || !level.validity) return;
  if (std::find(instance.proposed.begin(), instance.proposed.end(), event.value) !=
      instance.proposed.end()) {
    return;
  }
  Violation violation = violation_at(event, level, "validity", "never-proposed");
  violation.text =
      fmt::format("node {} decided {} for {} {}, which no node had proposed", event.node,
                  value_name(level, event.value), level.name, instance_name(level, event.number));
  add_violation(std::move(violation));
}

void Oracle::check_integrity(const Event& event, const Instance& instance) {
  const LevelDescription& level = description_.levels[event.detail];
  if (!config_.integrity || !level.integrity) return;
  for (const Decision& earlier : instance.decisions) {
    if (earlier.node != event.node) continue;
    if (level.repeatable && earlier.value == event.value) continue;
    Violation violation = violation_at(event, level, "integrity", "decided-twice");
    violation.values = {earlier.value, event.value};
    violation.text = fmt::format("node {} decided {} {} twice: first {}, then {}", event.node,
                                 level.name, instance_name(level, event.number),
                                 value_name(level, earlier.value), value_name(level, event.value));
    add_violation(std::move(violation));
    return;
  }
}

void Oracle::check_agreement(const Event& event, Instance& instance) {
  const LevelDescription& level = description_.levels[event.detail];
  if (!config_.agreement || !level.agreement || instance.disagreement_reported) return;
  for (const Decision& earlier : instance.decisions) {
    if (earlier.value == event.value || earlier.node == event.node) continue;
    instance.disagreement_reported = true;
    Violation violation = violation_at(event, level, "agreement", "decided-differently");
    violation.nodes = {earlier.node, event.node};
    violation.values = {earlier.value, event.value};
    violation.text =
        fmt::format("for {} {} node {} decided {} and node {} decided {}", level.name,
                    instance_name(level, event.number), earlier.node,
                    value_name(level, earlier.value), event.node, value_name(level, event.value));
    if (level.final) {
      add_violation(std::move(violation));
    } else if (verdict_.notes.size() < config_.violations_max) {
      violation.rule = "transient-difference";
      verdict_.notes.push_back(std::move(violation));
    }
    return;
  }
}

// ---- termination

void Oracle::start_demand(Time at) {
  if (demand_start_) return;
  demand_start_ = at;
  if (config_.termination) next_deadline_ = at + config_.termination->bound;
}

Time Oracle::demand_since(const NodeState& node) const {
  // What was decided before decides about revival only by its number: catching up is no revival.
  if (config_.termination->revival) return *demand_start_;
  return std::max(*demand_start_, node.last_decision);
}

bool Oracle::owes_progress(const NodeState& node) const {
  return node.correct && node.up && !node.reached_goal && !revived_;
}

void Oracle::note_progress(const Event& event) {
  const auto& demand = config_.termination;
  if (!demand || event.detail != demand->level) return;
  NodeState& node = nodes_[event.node];
  const Duration gap = event.time - node.last_decision;
  if (gap > demand->bound && verdict_.notes.size() < config_.violations_max) {
    Violation note =
        violation_at(event, description_.levels[demand->level], "termination", "stall-recovered");
    note.text = fmt::format("node {} decided nothing for {} and then went on", event.node,
                            dissensus::to_string(gap));
    verdict_.notes.push_back(std::move(note));
  }
  node.last_decision = event.time;
  if (demand->revival) note_revival(event);
  if (demand->goal && event.number >= *demand->goal && !node.reached_goal) {
    node.reached_goal = true;
    update_goal();
  }
}

void Oracle::note_revival(const Event& event) {
  if (!demand_start_ || event.time <= *demand_start_) {
    newest_ = std::max(newest_.value_or(0), event.number);
  } else if (!newest_ || event.number > *newest_) {
    revived_ = true;
    goal_reached_ = true;
  }
}

void Oracle::update_goal() {
  if (revived_ || !config_.termination || !config_.termination->goal) return;
  bool any = false;
  for (const NodeState& node : nodes_) {
    if (owes_progress(node)) {
      goal_reached_ = false;
      return;
    }
    any = any || (node.correct && node.reached_goal);
  }
  goal_reached_ = any;
}

void Oracle::check_deadlines(Time now, EventId event) {
  const TerminationDemand& demand = *config_.termination;
  next_deadline_ = Time::max();
  std::vector<NodeId> late;
  for (std::size_t id = 0; id < nodes_.size(); ++id) {
    NodeState& node = nodes_[id];
    if (!owes_progress(node)) continue;
    const Time deadline = demand_since(node) + demand.bound;
    if (now > deadline) {
      late.push_back(static_cast<NodeId>(id));
    } else {
      next_deadline_ = std::min(next_deadline_, deadline);
    }
  }
  if (late.empty()) {
    // Everybody is done or down; a restart brings the demand back.
    if (next_deadline_ == Time::max()) next_deadline_ = now + demand.bound;
    return;
  }
  report_late(std::move(late), now, event);
}

void Oracle::report_late(std::vector<NodeId> late, Time now, EventId event) {
  const TerminationDemand& demand = *config_.termination;
  next_deadline_ = Time::max();  // one violation tells it all
  Violation violation;
  violation.property = "termination";
  violation.rule = demand.revival ? "dead" : "no-progress";
  const LevelDescription& level = description_.levels[demand.level];
  violation.level = level.name;
  violation.instance = static_cast<std::uint64_t>(nodes_[late.front()].highest[demand.level] + 1);
  violation.event = event;
  violation.time = now;
  violation.text = fmt::format("{} {} {} no {} within {}", late.size() == 1 ? "node" : "nodes",
                               fmt::join(late, ", "), level.verb, noun_of(level),
                               dissensus::to_string(demand.bound));
  if (demand.revival) {
    violation.text = fmt::format("no node {} a new {} within {} after the faults", level.verb,
                                 noun_of(level), dissensus::to_string(demand.bound));
  }
  violation.nodes = std::move(late);
  add_violation(std::move(violation));
}

// ---- invariants of the system

void Oracle::on_broken(const Event& event) {
  if (!nodes_[event.node].correct) return;
  if (event.detail < config_.ignored_invariants.size() && config_.ignored_invariants[event.detail])
    return;
  const InvariantDescription& invariant = description_.invariants.at(event.detail);
  Violation violation;
  violation.property = "invariant";
  violation.rule = invariant.name;
  violation.instance = event.number;
  violation.nodes = {event.node};
  violation.event = event.id;
  violation.time = event.time;
  violation.text = fmt::format("node {}: {} ({})", event.node, invariant.text, event.number);
  add_violation(std::move(violation));
}

// ---- rules

bool Oracle::holds(const Expression& expression) const {
  const auto value_of = [this](const Quantity& quantity, NodeId node) {
    const NodeState& state = nodes_[node];
    return quantity.source == Quantity::Source::observable ? state.observed[quantity.index]
                                                           : state.highest[quantity.index];
  };
  return expression.evaluate(correct_, value_of,
                             [this](const auto& query) { return answer(query); }) != 0;
}

namespace {
/// How often each value was decided last by the members of a group.
std::vector<std::pair<Digest, std::int64_t>> tally(
    const std::vector<std::pair<NodeId, Digest>>& last, const std::vector<NodeId>& group) {
  std::vector<std::pair<Digest, std::int64_t>> result;
  for (const auto& entry : last) {
    if (std::find(group.begin(), group.end(), entry.first) == group.end()) continue;
    const auto same = std::find_if(result.begin(), result.end(), [&entry](const auto& counted) {
      return counted.first == entry.second;
    });
    if (same == result.end()) {
      result.emplace_back(entry.second, 1);
    } else {
      ++same->second;
    }
  }
  return result;
}
}  // namespace

std::int64_t Oracle::answer(const SupportQuery& query) const {
  const auto tracker =
      std::find_if(supports_.begin(), supports_.end(),
                   [&](const SupportTracker& support) { return &support.query() == &query; });
  return tracker->least();
}

std::int64_t Oracle::answer(const SplitQuery& query) const {
  std::int64_t widest = 0;
  for (const auto& [number, instance] : instances_[query.level]) {
    std::vector<std::pair<NodeId, Digest>> last;
    for (const Decision& decision : instance.decisions) {
      std::erase_if(last, [&](const auto& entry) { return entry.first == decision.node; });
      last.emplace_back(decision.node, decision.value);
    }
    const auto first = tally(last, query.first);
    const auto second = tally(last, query.second);
    for (const auto& [one, one_count] : first) {
      for (const auto& [other, other_count] : second) {
        if (one != other) widest = std::max(widest, std::min(one_count, other_count));
      }
    }
  }
  return widest;
}

namespace {
Violation rule_violation(const Rule& rule, EventId event, Time time, std::string_view what) {
  Violation violation;
  violation.property = rule.property;
  violation.rule = rule.name;
  violation.event = event;
  violation.time = time;
  violation.text = fmt::format("rule '{}' {}: {}", rule.name, what, rule.check.text());
  return violation;
}

bool judged_last(const Rule& rule) {
  return rule.when == Rule::When::end || rule.when == Rule::When::over;
}
}  // namespace

void Oracle::check_rules(EventId event, Time time) {
  for (std::size_t i = 0; i < config_.rules.size(); ++i) {
    const Rule& rule = config_.rules[i];
    if (judged_last(rule) || rule_done_[i] != 0) continue;
    const bool true_now = holds(rule.check);
    if (rule.when == Rule::When::eventually) {
      rule_done_[i] = true_now ? 1 : 0;
    } else if (!true_now) {
      rule_done_[i] = 1;
      add_violation(rule_violation(rule, event, time, "was broken"));
    }
  }
}

// ---- the verdict

void Oracle::add_violation(Violation violation) {
  if (verdict_.violations.size() < config_.violations_max) {
    verdict_.violations.push_back(std::move(violation));
  } else {
    ++uncounted_;
  }
}

namespace {
/// Why what was not seen cannot be judged.
std::string reason_of_early(const RunEnd& end) {
  return "the run was cut by " + (end.cut_by.empty() ? "a " + end.reason : end.cut_by);
}
}  // namespace

/// What must hold throughout a run, and held until it was cut.
void Oracle::judge_throughout(std::string property, const RunEnd& end) {
  PropertyVerdict judged{std::move(property), Outcome::pass, ""};
  if (!end.cut_by.empty()) {
    judged.outcome = Outcome::unknown;
    judged.reason = reason_of_early(end);
  }
  verdict_.properties.push_back(std::move(judged));
}

void Oracle::judge_rules(const RunEnd& end) {
  for (std::size_t i = 0; i < config_.rules.size(); ++i) {
    const Rule& rule = config_.rules[i];
    PropertyVerdict judged{rule.property + "/" + rule.name, Outcome::pass, ""};
    if (rule.when == Rule::When::always && rule_done_[i] == 0) {
      judge_throughout(std::move(judged.property), end);
      continue;
    }
    // Where a run was cut tells nothing of how it would have ended, whatever holds there.
    const bool is_open =
        rule.when == Rule::When::end || (rule.when == Rule::When::eventually && rule_done_[i] == 0);
    if (rule.when == Rule::When::always) {
      judged.outcome = Outcome::fail;
      judged.reason = "was broken";
    } else if (is_open && end.is_early()) {
      judged.outcome = Outcome::unknown;
      judged.reason = reason_of_early(end);
    } else if (judged_last(rule) ? !holds(rule.check) : is_open) {
      judged.outcome = Outcome::fail;
      judged.reason = "does not hold";
      add_violation(rule_violation(rule, 0, end.time, "does not hold at the end"));
    }
    verdict_.properties.push_back(std::move(judged));
  }
}

void Oracle::judge_termination(const RunEnd& end) {
  if (!config_.termination) return;
  const TerminationDemand& demand = *config_.termination;
  const auto failed =
      std::find_if(verdict_.violations.begin(), verdict_.violations.end(), [](const Violation& v) {
        return v.property == "termination" && (v.rule == "no-progress" || v.rule == "dead");
      });
  PropertyVerdict judged{"termination", Outcome::pass, ""};
  std::vector<NodeId> waiting;
  for (std::size_t id = 0; id < nodes_.size(); ++id) {
    if (owes_progress(nodes_[id])) waiting.push_back(static_cast<NodeId>(id));
  }
  if (failed != verdict_.violations.end()) {
    judged = {"termination", Outcome::fail, failed->text};
  } else if (done_ || revived_ || (demand.goal && waiting.empty() && goal_reached_)) {
    // every correct node that is up got there
  } else if (end.quiet && !waiting.empty()) {
    Violation violation;
    violation.property = "termination";
    violation.rule = demand.revival ? "dead" : "stuck";
    const LevelDescription& level = description_.levels[demand.level];
    violation.level = level.name;
    violation.instance = demand.goal.value_or(0);
    violation.time = end.time;
    violation.text =
        demand.revival
            ? fmt::format("nothing is left to happen, and no node {} a new {} after the faults",
                          level.verb, noun_of(level))
            : fmt::format("nothing is left to happen, and {} {} never {} {} {}",
                          waiting.size() == 1 ? "node" : "nodes", fmt::join(waiting, ", "),
                          level.verb, noun_of(level), violation.instance);
    violation.nodes = waiting;
    judged = {"termination", Outcome::fail, violation.text};
    if (demand.goal || demand.revival) {
      add_violation(std::move(violation));
    } else {
      judged = {"termination", Outcome::unknown, "the run ended by itself before the bound"};
    }
  } else if (demand.goal || end.is_early() || !demand_start_ ||
             end.time < *demand_start_ + demand.bound) {
    judged = {"termination", Outcome::unknown,
              "the run ended (" + end.reason + ") before the demand could be judged"};
  }
  verdict_.properties.push_back(std::move(judged));
}

/// Levels whose decisions were announced, and of which there was none.
void Oracle::judge_silence() {
  std::vector<std::string> silent;
  for (std::size_t level = 0; level < description_.levels.size(); ++level) {
    const LevelDescription& its = description_.levels[level];
    const bool is_judged = (config_.agreement && its.agreement) ||
                           (config_.validity && its.validity) ||
                           (config_.integrity && its.integrity);
    const bool is_silent =
        std::none_of(nodes_.begin(), nodes_.end(),
                     [level](const NodeState& node) { return node.highest[level] >= 0; });
    if (its.is_expected && is_judged && is_silent) silent.push_back(its.name);
  }
  if (silent.empty()) return;
  add_unjudged(verdict_, fmt::format("no node decided anything ({})", fmt::join(silent, ", ")));
}

Verdict Oracle::finish(const RunEnd& end) {
  if (end.time > next_deadline_) check_deadlines(end.time, 0);
  verdict_.cut_by = end.cut_by;
  const auto judge_safety = [this, &end](bool wanted, const std::string& property) {
    if (!wanted) return;
    const auto broken = std::find_if(
        verdict_.violations.begin(), verdict_.violations.end(),
        [&property](const Violation& violation) { return violation.property == property; });
    if (broken == verdict_.violations.end()) return judge_throughout(property, end);
    verdict_.properties.push_back({property, Outcome::fail, broken->text});
  };
  judge_safety(config_.agreement, "agreement");
  judge_safety(config_.validity, "validity");
  judge_safety(config_.integrity, "integrity");
  judge_safety(!description_.invariants.empty(), "invariant");
  judge_termination(end);
  judge_rules(end);
  judge_silence();

  verdict_.outcome = end.cut_by.empty() ? Outcome::pass : Outcome::unknown;
  for (const PropertyVerdict& property : verdict_.properties) {
    if (property.outcome == Outcome::fail) {
      verdict_.outcome = Outcome::fail;
      break;
    }
    if (property.outcome == Outcome::unknown) verdict_.outcome = Outcome::unknown;
  }
  if (!verdict_.violations.empty()) verdict_.outcome = Outcome::fail;
  verdict_.violations_left_out = uncounted_;
  return std::move(verdict_);
}

}  // namespace dissensus::oracle
