// What a recorded run shows beside pairs of messages: how it fails, what nodes had heard when they
// decided, and what they are doing at its end. Two bugs that end in the same violation differ in
// these more than in the traffic around it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "isolate/run_source.h"
#include "trace/trace.h"

namespace dissensus::isolate {

/// A violation of the run, as far as signs need it.
struct Failure {
  std::string signature;
  EventId event = 0;
  std::vector<NodeId> nodes;
};

/// Signs of what nodes had heard of a value when they decided it begin their `about` so.
inline constexpr std::string_view kEvidence = "evidence";
/// Signs of the same about the first two different decisions for one instance begin theirs so.
inline constexpr std::string_view kFirstConflict = "first conflict";

/// Signs of what a run needs in order to fail (hunt/interventions.h) begin theirs so.
inline constexpr std::string_view kIntervention = "intervention";

/// Sorted, each once. The records must be those of a trace of everything.
std::vector<Sign> signs_of(const trace::Header& header, std::span<const trace::Record> records,
                           std::span<const Failure> failures);

}  // namespace dissensus::isolate
