// What a space-time diagram shows: the parts of a trace, picked and joined, before any drawing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trace/exporters.h"
#include "trace/trace.h"

namespace dissensus::trace {

/// A message from its send to where it ended.
struct Arrow {
  enum class End : std::uint8_t { delivered, dropped, under_way };
  std::size_t send = 0;  ///< index of the record
  std::size_t end = 0;   ///< index of the record that ended it; that of the send if under way
  End how = End::under_way;
  bool is_copy = false;
  bool is_mutated = false;
  Time sent{};
  Time ended{};
  bool is_marked = false;
};

struct DecisionMark {
  std::size_t record = 0;
  /// 0 for the value decided first in this instance, 1 for the first different one, ...
  std::size_t variant = 0;
  bool is_disputed = false;  ///< some node decided this instance differently
};

/// A stretch of time, of one node or (partitions) of all.
struct Span {
  Time from{};
  Time until{};
  NodeId node = kNoNode;
  std::uint64_t phase = 0;
  std::string text{};
  bool is_open = false;  ///< still going on at the end of the diagram
};

struct Diagram {
  Time from{};
  Time until{};
  std::vector<MessageKind> kinds;  ///< all kinds of the trace, ascending, whether drawn or not
  std::vector<Arrow> arrows;       ///< in order of sending
  std::size_t arrows_left_out = 0;
  std::size_t arrows_hidden = 0;  ///< because of their kind
  std::vector<DecisionMark> decisions;
  std::vector<std::size_t> marks;  ///< records: proposals, submissions, rounds
  /// Decisions, marks and phases beyond what a page can show; disputed decisions stay longest.
  std::size_t marks_left_out = 0;
  std::vector<Span> down;
  std::vector<Span> phases;
  std::vector<Span> partitions;
  std::optional<Time> faults_end;
  std::vector<std::string> disputes;  ///< one sentence per instance decided differently
};

Diagram make_diagram(const Trace& trace, const DiagramOptions& options);

}  // namespace dissensus::trace
