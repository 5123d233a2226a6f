#include "shrink/reduce.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "dissensus/digest.h"
#include "dissensus/random.h"

namespace dissensus::shrink {
namespace {

using Fails = std::function<bool(const Levels&)>;

Judge judge_of(const Fails& fails, std::size_t limit = SIZE_MAX) {
  return [fails, limit, used = std::size_t{0}](std::size_t count, const auto& make) mutable {
    Tried tried;
    while (tried.count < count && used < limit) {
      ++used;
      if (fails(make(tried.count++))) {
        tried.failing = tried.count - 1;
        return tried;
      }
    }
    tried.stopped = tried.count < count;
    return tried;
  };
}

Problem problem_of(const Levels& start) {
  Problem problem;
  problem.start = start;
  for (std::uint32_t unit = 0; unit < start.size(); ++unit) problem.bulk.push_back(unit);
  for (std::uint32_t first = 0; first + 4 <= start.size(); first += 4) {
    problem.groups.push_back({first, first + 1, first + 2, first + 3});
  }
  problem.stories = problem.groups;
  problem.smaller = [](std::size_t, std::int64_t level) { return round_values_below(level); };
  return problem;
}

/// By brute force: nothing that one removal or lowering gives fails.
void expect_minimal(const Problem& problem, const Levels& levels, const Fails& fails) {
  EXPECT_TRUE(fails(levels));
  for (std::size_t unit = 0; unit < levels.size(); ++unit) {
    if (levels[unit] == 0) continue;
    std::vector<std::int64_t> tries = problem.smaller(unit, levels[unit]);
    tries.push_back(0);
    for (const std::int64_t level : tries) {
      Levels candidate = levels;
      candidate[unit] = level;
      EXPECT_FALSE(fails(candidate)) << "unit " << unit << " at " << level;
    }
  }
}

Levels random_levels(Random& random, std::size_t size) {
  Levels levels;
  for (std::size_t i = 0; i < size; ++i) levels.push_back(random.between(0, 4'000));
  return levels;
}

// A monotone failure has one smallest answer in each of its causes; reduce finds one exactly.
TEST(Reduce, FindsTheUnitsAndTheRoundThresholdsOfAMonotoneFailure) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Random random(seed, "monotone");
    const Levels start = random_levels(random, 60);
    std::set<std::size_t> needed;
    while (needed.size() < 3) needed.insert(random.below(start.size()));
    const Fails fails = [&](const Levels& levels) {
      return std::all_of(needed.begin(), needed.end(), [&](std::size_t unit) {
        return levels[unit] >= std::min<std::int64_t>(start[unit], 730);
      });
    };
    const Problem problem = problem_of(start);
    const Reduction reduction = reduce(problem, judge_of(fails));
    EXPECT_TRUE(reduction.minimal);
    expect_minimal(problem, reduction.levels, fails);
    for (std::size_t unit = 0; unit < start.size(); ++unit) {
      const std::int64_t expected = !needed.contains(unit) ? 0
                                    : start[unit] <= 800   ? start[unit]
                                                           : 800;
      EXPECT_EQ(reduction.levels[unit], expected) << unit;
    }
  }
}

// Chaotic failures: which candidates fail is a hash, one in sixteen.
TEST(Reduce, IsMinimalWhereFailingIsNotMonotone) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed, "chaos");
    const Levels start = random_levels(random, 5 + random.below(30));
    const Fails fails = [&](const Levels& levels) {
      if (levels == start) return true;
      std::uint64_t hash = seed;
      bool any = false;
      for (const std::int64_t level : levels) {
        hash = mix64(hash, static_cast<std::uint64_t>(level));
        any = any || level > 0;
      }
      return any && hash % 16 == 0;
    };
    Problem problem = problem_of(start);
    problem.most = [](std::size_t) { return 8'000; };
    const Reduction reduction = reduce(problem, judge_of(fails));
    EXPECT_TRUE(reduction.minimal);
    expect_minimal(problem, reduction.levels, fails);
  }
}

// Where all subsets are tried the answer has as few units as any failing subset.
TEST(Reduce, OfFewUnitsTheSmallestFailingSubsetIsFound) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const std::size_t size = 8;
    Random random(seed, "few");
    std::vector<bool> table;
    for (std::size_t i = 0; i < (1U << size); ++i) table.push_back(random.chance(0.1));
    table.front() = false;
    table.back() = true;
    const auto index = [](const Levels& levels) {
      std::size_t result = 0;
      for (std::size_t i = 0; i < levels.size(); ++i) result |= (levels[i] > 0 ? 1U : 0U) << i;
      return result;
    };
    const Problem problem = problem_of(Levels(size, 1));
    const Reduction reduction =
        reduce(problem, judge_of([&](const Levels& levels) { return table[index(levels)]; }));
    // The smallest failing subset of what was left when all subsets of it were tried is the
    // result itself: no subset of the result fails.
    const std::size_t result = index(reduction.levels);
    EXPECT_TRUE(table[result]);
    for (std::size_t subset = (result - 1) & result; subset > 0; subset = (subset - 1) & result) {
      EXPECT_FALSE(table[subset]);
    }
  }
}

// A limit leaves a failing candidate, and nobody claims that it is minimal.
TEST(Reduce, StoppedByALimitItStillFailsAndIsNotCalledMinimal) {
  Random random(7, "limit");
  const Levels start = random_levels(random, 40);
  const Fails fails = [](const Levels& levels) { return levels[3] > 100 && levels[33] > 100; };
  const Problem problem = problem_of(start);
  const Reduction whole = reduce(problem, judge_of(fails));
  ASSERT_TRUE(whole.minimal);
  for (std::size_t limit = 0; limit < whole.judged; ++limit) {
    const Reduction reduction = reduce(problem, judge_of(fails, limit));
    EXPECT_FALSE(reduction.minimal) << limit;
    EXPECT_TRUE(fails(reduction.levels)) << limit;
    EXPECT_LE(reduction.judged, limit);
  }
  EXPECT_EQ(reduce(problem, judge_of(fails, whole.judged)).levels, whole.levels);
}

// No candidate is judged twice.
TEST(Reduce, RemembersWhatPassed) {
  Random random(9, "memory");
  const Levels start = random_levels(random, 30);
  std::set<Levels> seen;
  const Fails fails = [&](const Levels& levels) {
    EXPECT_TRUE(seen.insert(levels).second);
    return levels[1] > 500 && levels[2] + levels[17] > 900;
  };
  const Reduction reduction = reduce(problem_of(start), judge_of(fails));
  EXPECT_EQ(reduction.judged, seen.size());
  EXPECT_GT(reduction.known, 0u);
}

TEST(RoundValues, AreAscendingBelowTheValue) {
  EXPECT_TRUE(round_values_below(1).empty());
  EXPECT_EQ(round_values_below(50), (std::vector<std::int64_t>{1, 2, 5, 10, 20}));
  for (const std::int64_t value : {999, 4'000, 60'001, 3'600'000}) {
    const auto values = round_values_below(value);
    EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
    EXPECT_LT(values.back(), value);
    EXPECT_GE(values.back() * 3, value);
  }
}

// Where a run takes seconds: the causes are found with few runs, and nothing can be removed.
TEST(Reduce, NeedsFewRunsWhereRunsAreCostly) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Random random(seed, "frugal");
    Levels start;
    for (int unit = 0; unit < 40; ++unit) start.push_back(random.between(1, 12'000));
    Problem problem = problem_of(start);
    for (std::uint32_t unit = 1; unit < 40; unit += 2) problem.unused.push_back(unit);
    std::set<std::size_t> needed;
    while (needed.size() < 4) needed.insert(2 * random.below(20));
    const Fails fails = [&](const Levels& levels) {
      return std::all_of(needed.begin(), needed.end(),
                         [&](std::size_t unit) { return levels[unit] > 0; });
    };
    const Reduction reduction = reduce(problem, judge_of(fails), {.frugal = true});
    EXPECT_TRUE(reduction.minimal);
    EXPECT_LE(reduction.judged, 40u);
    for (std::size_t unit = 0; unit < start.size(); ++unit) {
      EXPECT_EQ(reduction.levels[unit], needed.contains(unit) ? start[unit] : 0) << unit;
    }
  }
}

}  // namespace
}  // namespace dissensus::shrink
