// States of a model as a measure of what is new.
#include "conform/model_states.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "run/runner.h"
#include "systems/simulated/simulated.h"

namespace dissensus::conform {
namespace {

const std::string kMapping = DISSENSUS_SOURCE_DIR "/specs/dag/mapping.toml";

std::vector<std::uint64_t> states_of(run::StateSource& source, const run::Scenario& scenario,
                                     std::uint64_t seed) {
  run::RunOptions options;
  options.sinks = {&source};
  run::Runner runner;
  source.begin(seed);
  runner.run(scenario, {}, seed, options);
  std::vector<std::uint64_t> states;
  source.end(states);
  std::sort(states.begin(), states.end());
  states.erase(std::unique(states.begin(), states.end()), states.end());
  return states;
}

TEST(ModelStates, AreThoseOfTheRunWhoeverFollowsIt) {
  const run::Scenario scenario = run::load_scenario(
      DISSENSUS_SOURCE_DIR "/scenarios/dag/conformance.toml", simulated_systems());
  const auto first = make_model_states(kMapping, scenario);
  const auto second = make_model_states(kMapping, scenario);
  const std::vector<std::uint64_t> states = states_of(*first, scenario, 1);
  EXPECT_GT(states.size(), 20u);
  // Another one that has followed other runs before.
  const std::vector<std::uint64_t> others = states_of(*second, scenario, 2);
  EXPECT_NE(states, others);
  EXPECT_EQ(states, states_of(*second, scenario, 1));
}

TEST(ModelStates, RefuseAMappingOfAnotherSystem) {
  const run::Scenario scenario =
      run::load_scenario(DISSENSUS_SOURCE_DIR "/scenarios/vsr/quiet.toml", simulated_systems());
  EXPECT_THROW(make_model_states(kMapping, scenario), InputError);
}

}  // namespace
}  // namespace dissensus::conform
