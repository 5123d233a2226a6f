// What a fidelity comparison keeps of one run: a few counts and samples, read off its records as
// soon as it is over, so that hundreds of runs fit into memory and into a file of lines.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dissensus/description.h"

#include "oracle/verdict.h"
#include "run/runner.h"
#include "run/scenario.h"
#include "trace/trace.h"

namespace dissensus::fidelity {

inline constexpr std::string_view kFidelityFormat = "dissensus-fidelity/1";

/// What is measured of the runs of a scenario, by the names of its system's description.
struct FidelityMeasures {
  std::vector<std::string> kinds;
  std::vector<std::string> phases;
  Level level = 0;             ///< whose decisions are timed: that of termination
  std::string level_name;      ///< "ledger"
  double bound_s = 0;          ///< of termination; 0: the scenario demands none
  bool has_proposals = false;  ///< numbered proposals of rounds exist
  std::size_t proposal_payload = kNoField;
  std::size_t sequence_field = kNoField;
  std::size_t round_field = kNoField;
  std::size_t author_field = kNoField;

  /// The level is that of the scenario's termination, else the one called "ledger", else the first.
  explicit FidelityMeasures(const run::Scenario& scenario);
  FidelityMeasures() = default;
};

/// Which run it was. Schedules and repetitions count from 0.
struct RunPlace {
  std::size_t schedule = 0;
  std::size_t repetition = 0;
  std::uint64_t seed = 0;
};

struct RunObservation {
  RunPlace place;
  oracle::Outcome outcome = oracle::Outcome::unknown;
  std::vector<std::string> signatures;  ///< of the violations, each once, ascending
  std::string ended_by;
  double seconds = 0;
  bool cut = false;                     ///< records are missing: all counts are lower bounds
  std::vector<std::uint64_t> messages;  ///< sent, by kind
  double decisions = 0;                 ///< of the level, per node
  std::vector<double> intervals_s;      ///< from one decision of a node to its next
  /// Longest time that a correct node which was up went without a decision, beginning and end of
  /// the run included.
  double longest_gap_s = 0;
  std::vector<double> round_proposals;        ///< different ones, per round and author
  std::vector<double> round_sequences;        ///< the highest, per round and author
  std::vector<std::vector<double>> phases_s;  ///< lengths by phase

  std::uint64_t all_messages() const;
};

/// The records must be of detail `everything`. An author's first round and a node's first phase
/// began at an unknown time before a live run did; they are left out on every side.
RunObservation observe(const run::RunResult& result, const FidelityMeasures& measures,
                       const SystemDescription& description, std::size_t nodes,
                       const RunPlace& place);

/// One line of observations.jsonl, without its end (docs/formats/fidelity.md).
std::string to_json_line(const RunObservation& observation, const FidelityMeasures& measures,
                         std::string_view side);

}  // namespace dissensus::fidelity
