// Comparisons with known answers, made of observations by hand.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fidelity/comparison.h"

namespace dissensus::fidelity_test {

/// Three kinds, two phases, five schedules; three live and ten simulated runs of each. Live runs
/// are like simulated ones but for twice the requests, and schedule "random-4" fails live only.
inline fidelity::FidelityInput made_input(std::size_t live_repeats = 3) {
  fidelity::FidelityInput input;
  input.scenario = "made";
  input.measures.kinds = {"Proposal", "Request", "Never"};
  input.measures.phases = {"open", "establish"};
  input.measures.level_name = "ledger";
  input.measures.bound_s = 65;
  input.measures.has_proposals = true;
  input.schedules = {"none", "random-1", "random-2", "random-3", "random-4"};
  input.sides[0].name = "live";
  input.sides[1].name = "simulated";
  for (std::size_t side = 0; side < 2; ++side) {
    const std::size_t repeats = side == 0 ? live_repeats : 10;
    for (std::size_t i = 0; i < repeats * 5; ++i) {
      fidelity::RunObservation run;
      run.place = {i % 5, i / 5, i};
      const bool fails = run.place.schedule == 3 || (run.place.schedule == 4 && side == 0);
      run.outcome = fails ? oracle::Outcome::fail : oracle::Outcome::pass;
      if (fails) run.signatures = {"termination/no-progress/ledger"};
      run.ended_by = fails ? "violation" : "goal";
      const auto noise = static_cast<double>((i * 7 + side) % 4);  // 0 to 3, alike on both sides
      run.seconds = 40 + noise;
      run.decisions = 10;
      const std::uint64_t requests = 20 + (i * 3) % 5;
      run.messages = {1000 + 10 * ((i * 7 + side) % 4), side == 0 ? 2 * requests : requests, 0};
      run.intervals_s = {3 + noise / 10, 4, 3.5};
      run.longest_gap_s = fails ? 65 : 4 + noise;
      run.round_proposals = {1, 2};
      run.round_sequences = {0, 1};
      run.phases_s = {{2, 2.1}, {1.5}};
      input.sides[side].runs.push_back(std::move(run));
    }
  }
  return input;
}

}  // namespace dissensus::fidelity_test
