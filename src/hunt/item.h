// The result of one item of a hunt: what the search is told, what the statistics count, and what
// the store keeps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dissensus/search.h"
#include "dissensus/time.h"

#include "oracle/verdict.h"

namespace dissensus::hunt {

/// Whether a repetition gave the same trace hash.
enum class Stability : std::uint8_t { not_checked, equal, different };

struct ItemRecord {
  std::uint64_t number = 0;  ///< counts from 0 in the order of asking
  std::uint64_t seed = 0;    ///< of the run; of several, the first that failed
  std::uint64_t hash = 0;
  std::string schedule;  ///< schedule_codec.h; empty in a hunt without store
  oracle::Outcome outcome = oracle::Outcome::unknown;
  std::string signature;  ///< of the first violation
  std::uint64_t violations = 0;
  std::vector<double> objectives;
  double disagreement_margin = 0;
  double termination_margin = 0;
  std::vector<std::uint64_t> new_states;  ///< that no earlier item had reached, ascending
  Duration virtual_time{};                ///< sum over repeats
  std::uint64_t events = 0;
  std::string member;
  std::string origin;
  Stability stability = Stability::not_checked;
};

Evaluation to_evaluation(const ItemRecord& item);

}  // namespace dissensus::hunt
