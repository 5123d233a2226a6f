// Why one run fails where another passes: where they part, and how what parts them leads to the
// violation. By causality and not by time (docs/formats/diff.md).
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "oracle/verdict.h"
#include "trace/trace.h"

namespace dissensus::diff {

/// Something that came to a node and what it did about it, in words.
struct Moment {
  NodeId node = kNoNode;
  Time time{};
  EventId event = 0;
  std::string came;                  ///< "Commit from n1, sent at 0.3s"
  std::vector<std::string> did;      ///< "decides value 3 = 7", "sends Commit to n2"
  std::vector<std::string> instead;  ///< what it did in the passing run, where the same came
  std::vector<std::string> log;      ///< what the node said
  EventId send = 0;                  ///< of the message that came
};

/// Where the runs part first: until here all nodes concerned had been told the same.
struct Divergence {
  NodeId node = kNoNode;
  std::optional<Moment> failing;  ///< what came next there; none: nothing more
  std::optional<Moment> passing;
  /// What became of each other's message: "in the failing run it comes 2.1s later".
  std::string fate_of_expected;
  std::string fate_of_other;
  /// Fields that differ where both are the same kind of message: "ledger: 923f12 -> 7206aa".
  std::vector<std::string> contents;
};

/// A node at the end of a run that makes no progress.
struct Waiting {
  NodeId node = kNoNode;
  Time since{};         ///< its last progress
  std::string state;    ///< "round 4, phase establish", "down"
  std::string asked;    ///< whom it has told what since
  std::string heard;    ///< what it has been told since
  std::string missing;  ///< what came next in the passing run
};

struct Difference {
  std::size_t equal = 0;  ///< steps of the failing run that the passing one has, too
  std::size_t failing_only = 0;
  std::size_t passing_only = 0;
  std::optional<Divergence> first;
  std::vector<Moment> chain;     ///< from there to the violation
  std::size_t left_out = 0;      ///< of the chain's middle
  std::size_t left_out_at = 0;   ///< before this one
  std::vector<Waiting> waiting;  ///< for violations of termination
  std::set<EventId> sends;       ///< of the failing run: messages that the above speaks of
  Time from{};                   ///< of the failing run: the time that the above speaks of
  Time until{};
};

Difference compare(const trace::Trace& failing, const oracle::Violation& violation,
                   const trace::Trace& passing);

/// For people, a line each.
std::vector<std::string> in_words(const Difference& difference, const oracle::Violation& violation);
/// `dissensus-diff/1`.
std::string to_json(const Difference& difference, const oracle::Violation& violation);

}  // namespace dissensus::diff
