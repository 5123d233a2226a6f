// Searches and signals by name, in whole hunts: the same with any number of jobs.
#include <gtest/gtest.h>

#include "dissensus/plugin.h"

#include "hunt/hunting.h"
#include "hunt/parts.h"
#include "search/registry.h"

namespace dissensus::hunt {
namespace {

run::Scenario load_shipped(const std::string& name) {
  return run::load_scenario(DISSENSUS_SOURCE_DIR "/scenarios/" + name, simulated_systems());
}

HuntResult hunt_with(const run::Scenario& scenario, const std::string& search,
                     const std::string& novelty, std::size_t jobs, std::size_t runs) {
  const Registry registry = search::built_in_registry();
  HuntOptions options;
  options.search = search;
  options.novelty = novelty;
  options.seed = 5;
  options.jobs = jobs;
  options.all = true;
  options.budget.runs = runs;
  HuntParts parts = make_parts(scenario, registry, options);
  return hunt(scenario, parts, options);
}

TEST(Signals, AdaptiveHuntsAreTheSameWithAnyNumberOfJobs) {
  for (const char* name : {"xrpl/b2.toml", "vsr/faults.toml"}) {
    const run::Scenario scenario = load_shipped(name);
    const HuntResult one = hunt_with(scenario, "adaptive", "", 1, 60);
    const HuntResult three = hunt_with(scenario, "adaptive", "", 3, 60);
    EXPECT_EQ(one.progress.events, three.progress.events) << name;
    EXPECT_EQ(one.progress.states, three.progress.states) << name;
    EXPECT_EQ(one.progress.best, three.progress.best) << name;
    ASSERT_EQ(one.progress.members.size(), three.progress.members.size()) << name;
    for (const auto& [member, yield] : one.progress.members) {
      EXPECT_EQ(yield.runs, three.progress.members.at(member).runs) << name << ", " << member;
    }
    EXPECT_EQ(one.progress.equal, one.progress.repeated);
    EXPECT_GT(one.progress.repeated, 0u);
  }
}

TEST(Signals, WhatIsNewIsSeparateFromWhoSearches) {
  const run::Scenario scenario = load_shipped("vsr/delays.toml");
  EXPECT_EQ(hunt_with(scenario, "coverage", "none", 1, 20).progress.states, 0u);
  const std::uint64_t states = hunt_with(scenario, "random", "states", 1, 20).progress.states;
  const std::uint64_t heard =
      hunt_with(scenario, "random", "happens-before", 1, 20).progress.states;
  EXPECT_GT(states, 0u);
  EXPECT_GT(heard, 0u);
  EXPECT_EQ(hunt_with(scenario, "random", "both", 1, 20).progress.states, states + heard);
}

TEST(Signals, NamesUnknownNovelty) {
  const run::Scenario scenario = load_shipped("vsr/delays.toml");
  EXPECT_THROW(hunt_with(scenario, "random", "stats", 1, 1), InputError);
  EXPECT_THROW(hunt_with(scenario, "random", "model=nowhere.toml", 1, 1), InputError);
}

}  // namespace
}  // namespace dissensus::hunt
