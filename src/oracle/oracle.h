// The oracle: agreement, validity, integrity and bounded termination, each written once over what
// nodes propose and decide, plus the scenario's own rules. Observes a run; changes nothing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dissensus/description.h"

#include "core/event.h"
#include "oracle/config.h"
#include "oracle/support.h"
#include "oracle/verdict.h"

namespace dissensus::oracle {

/// How a run ended, as far as the verdict depends on it.
struct RunEnd {
  Time time{};
  bool quiet = false;     ///< nothing was left to happen
  bool violated = false;  ///< a violation ended it
  /// What cut it before its end (Verdict::cut_by).
  std::string cut_by = {};
  std::string reason = {};  ///< what ended it

  /// What had not happened yet might have.
  bool is_early() const { return violated || !cut_by.empty(); }
};

class Oracle {
 public:
  /// `config` and `description` must outlive the oracle.
  Oracle(const OracleConfig& config, const SystemDescription& description, std::size_t nodes);

  /// Excludes a node from the correct ones, with all that it decided: it lies from now on. What the
  /// run showed before stands: until then nobody had lied.
  void mark_faulty(NodeId node);

  void on_event(const Event& event) {
    if (event.time > next_deadline_) check_deadlines(event.time, event.id);
    if (event.type >= EventType::propose) {
      on_report(event);
    } else if (event.type == EventType::deliver && !supports_.empty()) {
      for (SupportTracker& support : supports_) support.on_delivery(event);
    }
  }

  bool violated() const { return !verdict_.violations.empty() || uncounted_ > 0; }
  /// True once every correct node that is up has decided the goal, or the scenario's test case is
  /// done; false where there is neither.
  bool goal_reached() const { return goal_reached_ || done_; }
  /// Highest decided instance of a level over the correct nodes: the least and the most advanced.
  /// -1 where a node has decided nothing.
  std::int64_t least_decided(dissensus::Level level) const;
  std::int64_t most_decided(dissensus::Level level) const;

  Verdict finish(const RunEnd& end);

 private:
  struct Decision {
    Digest value;
    NodeId node;
    EventId event;
  };
  struct Instance {
    std::vector<Digest> proposed;
    std::vector<Decision> decisions;  ///< of correct nodes
    bool disagreement_reported = false;
  };
  struct NodeState {
    bool correct = true;
    bool up = true;
    bool reached_goal = false;
    Time last_decision{};               ///< on the termination level
    std::vector<std::int64_t> highest;  ///< by level
    std::vector<std::int64_t> observed;
  };

  void on_report(const Event& event);
  void on_proposal(const Event& event);
  void on_decision(const Event& event);
  void note_progress(const Event& event);
  void check_validity(const Event& event, const Instance& instance);
  void check_integrity(const Event& event, const Instance& instance);
  void check_agreement(const Event& event, Instance& instance);
  void check_rules(EventId event, Time time);
  void on_broken(const Event& event);
  void check_deadlines(Time now, EventId event);
  void report_late(std::vector<NodeId> late, Time now, EventId event);
  void update_goal();
  void note_revival(const Event& event);
  void start_demand(Time at);
  Time demand_since(const NodeState& node) const;
  bool owes_progress(const NodeState& node) const;
  bool holds(const Expression& expression) const;
  std::int64_t answer(const SplitQuery& query) const;
  std::int64_t answer(const SupportQuery& query) const;
  void add_violation(Violation violation);
  void judge_termination(const RunEnd& end);
  void judge_throughout(std::string property, const RunEnd& end);
  void judge_rules(const RunEnd& end);
  void judge_silence();

  const OracleConfig& config_;
  const SystemDescription& description_;
  std::vector<NodeState> nodes_;
  std::vector<NodeId> correct_;
  std::vector<std::map<std::uint64_t, Instance>> instances_;  ///< by level
  std::vector<SupportTracker> supports_;                      ///< one per query of a rule
  std::vector<char> rule_done_;  ///< violated (always) or satisfied (eventually)
  Verdict verdict_;
  std::size_t uncounted_ = 0;
  std::optional<Time> demand_start_;
  Time next_deadline_ = Time::max();
  std::optional<std::uint64_t> newest_;  ///< highest instance decided before progress is demanded
  bool revived_ = false;
  bool goal_reached_ = false;
  bool done_ = false;
  bool has_rules_ = false;
};

}  // namespace dissensus::oracle
