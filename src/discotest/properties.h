// What DiscoTest's program checks in a test case, over the messages that were delivered during it
// and the ledgers that servers reported as validated. docs/results/programs.md compares this with
// the thesis's text.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "dissensus/digest.h"
#include "dissensus/ids.h"
#include "dissensus/time.h"

#include "core/event.h"

namespace dissensus::discotest {

/// Names of what a test case showed. "program/..." are accepted as findings of a bug by the
/// program's own rules, "sign/..." are the properties by themselves.
inline constexpr std::string_view kProgramB1 = "program/B1";  ///< A1 and an old proposal was logged
inline constexpr std::string_view kProgramB2 = "program/B2";  ///< A2
inline constexpr std::string_view kProgramB3 = "program/B3";  ///< termination, and sequence >= 4
inline constexpr std::string_view kAgreement1 = "sign/agreement-1";
inline constexpr std::string_view kAgreement2 = "sign/agreement-2";
inline constexpr std::string_view kTermination = "sign/termination";
inline constexpr std::string_view kOldProposal = "sign/old-proposal";
inline constexpr std::string_view kDoubleSpend = "sign/double-spend";

/// Listens to one network; which system it is follows from its description.
class Properties {
 public:
  /// `keeps_sequence`: the highest sequence number of a proposal is that of the whole run, because
  /// only the harness of the proposal fitness clears it.
  Properties(const SystemDescription& description, std::size_t nodes, bool keeps_sequence);

  void begin_case(Time now);
  void on_event(const Event& event);
  /// Since the last call; a silence of 65 s, and again after every further 65 s.
  bool take_silence(Time now);
  /// A2 by now: two nodes validated different ledgers of one sequence during the case.
  bool has_fork() const;
  /// What the case has shown, at its end.
  std::vector<std::string> judge() const;
  /// What a silence shows.
  std::vector<std::string> judge_silence() const;

  // The case so far.
  std::uint64_t deliveries() const { return deliveries_; }
  const std::vector<std::uint64_t>& delivered() const { return delivered_; }  ///< by kind
  std::uint32_t highest_sequence() const { return case_sequence_; }
  std::size_t bow_outs() const { return bow_outs_.size(); }  ///< each once, however often relayed
  // The run so far.
  std::int64_t validated(NodeId node) const { return validated_[node]; }  ///< client transactions
  std::uint64_t validated_seq(NodeId node) const { return validated_seq_[node]; }
  std::uint64_t newest_round() const { return newest_round_; }

 private:
  void on_delivery(const Event& event);
  void on_decision(const Event& event);
  void on_observation(const Event& event);

  bool keeps_sequence_;
  std::size_t ledger_level_ = 0;
  std::size_t validated_observable_ = 0;
  std::size_t regressions_observable_ = 0;
  // Of the case.
  std::uint64_t deliveries_ = 0;
  std::vector<std::uint64_t> delivered_;
  std::uint32_t case_sequence_ = 0;
  std::set<Digest> bow_outs_;
  bool old_proposal_ = false;
  /// By sequence: the last accepted ledger that a node's status told of, and what it validated.
  std::map<std::uint64_t, std::map<NodeId, Digest>> accepted_;
  std::map<std::uint64_t, std::map<NodeId, Digest>> ledgers_;
  // Of the run.
  std::uint32_t run_sequence_ = 0;
  Time last_validated_{};
  Time last_silence_{};
  std::vector<std::int64_t> validated_;
  std::vector<std::uint64_t> validated_seq_;
  std::uint64_t newest_round_ = 0;
};

}  // namespace dissensus::discotest
