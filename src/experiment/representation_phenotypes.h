// Phenotypes of the representation study: what a schedule makes of a run, and how far two such runs
// lie apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dissensus/digest.h"

#include "run/runner.h"
#include "trace/graph_distance.h"

namespace dissensus::experiment {

/// What differs between two runs of one schedule: chance, as on a live network.
struct Noise {
  std::string name;
  /// Added to the spread of every link's latency.
  Duration jitter{};
  /// True: the system starts in the same state (heartbeat phases, clocks) and only what happens
  /// from then on is left to chance. False: the start is left to chance too.
  bool same_start = false;
};

/// A run as a graph with labels (sender, receiver, kind), and with contents in the labels too.
struct Phenotype {
  trace::LabelledGraph events;
  trace::LabelledGraph contents;
  trace::LabelledGraph program;  ///< as DiscoTest's program draws it
  trace::GraphProfile events_profile;
  trace::GraphProfile contents_profile;
  std::uint64_t hash = 0;              ///< of the run with its times
  Digest identity{};                   ///< equal exactly for equal `contents`
  EventId started = 0;                 ///< the event with which the last node started
  std::vector<double> payload_shares;  ///< relative frequency per message type
};

struct PhenotypeRequest {
  const faults::Schedule* schedule = nullptr;
  std::uint64_t seed = 0;
  std::optional<std::uint64_t> then_seed;  ///< where randomness comes from after event `started`
  EventId started = 0;
};
/// Throws InputError where the run does not fit into limits.trace_bytes.
Phenotype make_phenotype(run::Runner& runner, const run::Scenario& scenario,
                         const PhenotypeRequest& request);

/// Of a trace recorded with everything.
Phenotype phenotype_of(const trace::Trace& trace, const SystemDescription& description,
                       std::uint64_t hash);

/// The scenario with wider latencies.
run::Scenario with_jitter(run::Scenario scenario, Duration jitter);

/// Distances are normalised by max(|N_x|, |N_y|) + |E_x| + |E_y|.
struct PairDistance {
  double hausdorff = 0;          ///< lower bound of the edit distance
  double edit_path = 0;          ///< upper bound of the edit distance
  double hausdorff_content = 0;  ///< with contents in the labels
  /// As if no label of one run occurred in the other: with signatures or times in the labels.
  double hausdorff_disjoint = 0;
  double program = 0;          ///< graph and distance of DiscoTest's program
  double hausdorff_edits = 0;  ///< not normalised
  bool same_run = false;       ///< to the microsecond: the change had no effect at all
  bool same_trace = false;     ///< same events, contents and dependencies
};
PairDistance distance_between(const Phenotype& first, const Phenotype& second);

void append(std::vector<double>& sample, const std::vector<double>& more);

/// Distances of many pairs, one element per pair.
struct PairSample {
  std::vector<double> hausdorff;
  std::vector<double> edit_path;
  std::vector<double> hausdorff_content;
  std::vector<double> hausdorff_disjoint;
  std::vector<double> program;
  std::vector<double> hausdorff_edits;
  std::size_t same_run = 0;
  std::size_t same_trace = 0;

  void add(const PairDistance& distance);
  void add(const PairSample& others);
  std::size_t pairs() const { return hausdorff.size(); }
};

}  // namespace dissensus::experiment
