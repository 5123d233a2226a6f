// Coverage-guided search: keeps what reached unseen states, and climbs from it.
#include "search/coverage.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dissensus/options.h"

#include "search/problems.h"
#include "search/state_set.h"

namespace dissensus::search {
namespace {

SearchContext context_of(SearchSpace space, std::uint64_t seed) {
  SearchContext context;
  context.space = std::move(space);
  context.seed = seed;
  return context;
}

/// A staircase: each further gene above 3000, from the first one on, is a new state. Random delays
/// climb a few steps; whoever builds on what was reached climbs them all.
std::vector<std::uint64_t> staircase(const Genotype& genotype) {
  std::vector<std::uint64_t> states{0};
  for (const double gene : genotype.genes) {
    if (gene <= 3000) break;
    states.push_back(states.size());
  }
  return states;
}

std::size_t climb(std::uint64_t seed, const std::string& parameters, std::size_t runs) {
  const auto search = make_coverage(context_of(delay_space(12), seed),
                                    Options::from_toml(parameters, "parameters"));
  StateMemory memory;
  for (std::size_t i = 0; i < runs; ++i) {
    const Candidate candidate = search->ask().value();
    Evaluation evaluation;
    evaluation.new_states = memory.add(staircase(candidate.genotype));
    search->tell(candidate, evaluation);
  }
  return memory.size();
}

TEST(Coverage, ClimbsWhereRandomSchedulesDoNot) {
  std::size_t guided = 0;
  std::size_t random = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    guided += climb(seed, "", 2000);
    random += climb(seed, "fresh = 1.0", 2000);
  }
  EXPECT_GE(guided, 5u * 11);
  EXPECT_LE(random, 5u * 9);
}

TEST(Coverage, SameSeedGivesTheSameSearch) {
  EXPECT_EQ(climb(9, "", 300), climb(9, "", 300));
}

/// Whatever is altered stays a point of the space.
void check_space(const SearchSpace& space) {
  const auto search = make_coverage(context_of(space, 3), Options::from_toml("", "parameters"));
  std::set<std::vector<double>> seen;
  for (int i = 0; i < 500; ++i) {
    const Candidate candidate = search->ask().value();
    const std::vector<double>& genes = candidate.genotype.genes;
    ASSERT_EQ(genes.size(), space.size());
    for (std::size_t gene = 0; gene < genes.size(); ++gene) {
      EXPECT_GE(genes[gene], space.low[gene]);
      EXPECT_LE(genes[gene], space.high[gene]);
      EXPECT_EQ(genes[gene], std::round(genes[gene]));
    }
    if (space.type == SearchSpace::Type::priority) {
      EXPECT_EQ(std::set(genes.begin(), genes.end()).size(), genes.size());
    }
    seen.insert(genes);
    Evaluation evaluation;
    evaluation.new_states = i % 3 == 0 ? 1 : 0;
    search->tell(candidate, evaluation);
  }
  EXPECT_GT(seen.size(), 300u);
}

TEST(Coverage, StaysInTheSpace) {
  SearchSpace delays = delay_space(24);
  for (std::size_t i = 0; i < 24; ++i) {
    delays.subjects[i] = {static_cast<NodeId>(i % 3), static_cast<NodeId>(3 + i % 2),
                          static_cast<MessageKind>(i / 6)};
  }
  check_space(delays);
  SearchSpace priorities = priority_space(24);
  priorities.subjects = delays.subjects;
  check_space(priorities);
}

TEST(Coverage, CorpusIsBounded) {
  const auto search =
      make_coverage(context_of(delay_space(4), 1),
                    Options::from_toml("corpus = 2\ninitial = 1\nfresh = 0.0", "p"));
  for (int i = 0; i < 200; ++i) {
    const Candidate candidate = search->ask().value();
    EXPECT_EQ(candidate.origin, i == 0 ? "random" : "coverage");
    Evaluation evaluation;
    evaluation.new_states = 5;
    search->tell(candidate, evaluation);
  }
}

TEST(Coverage, EveryParameterIsChecked) {
  EXPECT_THROW(make_coverage(context_of(delay_space(4), 1), Options::from_toml("fresh = 2.0", "p")),
               InputError);
  const Options unknown = Options::from_toml("unknown = 1", "p");
  ASSERT_EQ(coverage_searches().size(), 1u);
  coverage_searches()[0].make(context_of(delay_space(4), 1), unknown);
  EXPECT_THROW(unknown.finish(), InputError);
}

}  // namespace
}  // namespace dissensus::search
