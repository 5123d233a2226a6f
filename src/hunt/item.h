// The result of one item of a hunt: what the search is told, what the statistics count, and what
// the store keeps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dissensus/search.h"
#include "dissensus/time.h"

#include "core/describe.h"
#include "oracle/verdict.h"

namespace dissensus::hunt {

/// Whether a repetition gave the same trace hash.
enum class Stability : std::uint8_t { not_checked, equal, different };
constexpr Stability last_of(Stability) {
  return Stability::different;
}

/// What of a run can be told without knowing other runs.
struct RunFacts {
  std::uint64_t number = 0;  ///< counts from 0 in the order of asking
  std::uint64_t seed = 0;    ///< of the run; of several, the first that failed
  std::uint64_t hash = 0;
  oracle::Outcome outcome = oracle::Outcome::unknown;
  std::string signature;  ///< of the first violation
  std::uint64_t violations = 0;
  std::vector<double> objectives;
  double disagreement_margin = 0;
  double termination_margin = 0;
  Duration virtual_time{};  ///< sum over repeats
  std::uint64_t events = 0;
  Stability stability = Stability::not_checked;
};
template <class Visit>
constexpr void fields_of(const RunFacts*, const Visit& visit) {
  visit("number", &RunFacts::number);
  visit("seed", &RunFacts::seed);
  visit("hash", &RunFacts::hash, Form::fixed);
  visit("outcome", &RunFacts::outcome);
  visit("signature", &RunFacts::signature);
  visit("violations", &RunFacts::violations);
  visit("objectives", &RunFacts::objectives);
  visit("disagreement_margin", &RunFacts::disagreement_margin);
  visit("termination_margin", &RunFacts::termination_margin);
  visit("virtual_us", &RunFacts::virtual_time);
  visit("events", &RunFacts::events);
  visit("stability", &RunFacts::stability);
}

struct ItemRecord : RunFacts {
  std::vector<std::uint64_t> new_states;  ///< that no earlier item had reached, ascending
  std::string schedule;  ///< faults/schedule_bytes.h; empty in a hunt without store
  std::string member;
  std::string origin;
};
template <class Visit>
constexpr void fields_of(const ItemRecord*, const Visit& visit) {
  fields_of(static_cast<const RunFacts*>(nullptr), visit);
  visit("new_states", &ItemRecord::new_states, Form::fixed);
  visit("schedule", &ItemRecord::schedule);
  visit("member", &ItemRecord::member);
  visit("origin", &ItemRecord::origin);
}

Evaluation to_evaluation(const ItemRecord& item);

}  // namespace dissensus::hunt
