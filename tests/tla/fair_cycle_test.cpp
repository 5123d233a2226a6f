// Liveness on graphs, against a judge that knows nothing of automata or components: it writes down
// behaviours one by one and reads the formula's meaning off them.
#include <gtest/gtest.h>

#include "dissensus/random.h"

#include "amount.h"
#include "tla/liveness/judge.h"

namespace dissensus::tla {
namespace {

constexpr std::uint32_t kAtoms = 3;

/// A formula as it was meant, before any simplification.
struct Plain {
  enum class Type { atom, negation, conjunction, disjunction, always, eventually, leads_to };
  Type type = Type::atom;
  std::uint32_t atom = 0;
  std::vector<Plain> parts;
};

Plain random_plain(Random& random, int depth) {
  Plain plain;
  if (depth == 0 || random.below(5) == 0) {
    plain.atom = static_cast<std::uint32_t>(random.below(kAtoms));
    return plain;
  }
  plain.type = static_cast<Plain::Type>(1 + random.below(6));
  const bool is_binary = plain.type == Plain::Type::conjunction ||
                         plain.type == Plain::Type::disjunction ||
                         plain.type == Plain::Type::leads_to;
  for (int i = 0; i < (is_binary ? 2 : 1); ++i) {
    plain.parts.push_back(random_plain(random, depth - 1));
  }
  return plain;
}

FormulaPtr formula_of(const Plain& plain) {
  std::vector<FormulaPtr> parts;
  for (const Plain& part : plain.parts) parts.push_back(formula_of(part));
  switch (plain.type) {
    case Plain::Type::atom:
      return literal_formula(plain.atom, true);
    case Plain::Type::negation:
      return negation_of(parts[0]);
    case Plain::Type::conjunction:
      return conjunction_of(parts);
    case Plain::Type::disjunction:
      return disjunction_of(parts);
    case Plain::Type::always:
      return always_formula(parts[0]);
    case Plain::Type::eventually:
      return eventually_formula(parts[0]);
    case Plain::Type::leads_to:
      break;
  }
  return always_formula(disjunction_of({negation_of(parts[0]), eventually_formula(parts[1])}));
}

/// What the formula says of the behaviour from position `at` on. Positions from `loop` on repeat;
/// the second time round adds nothing, so looking that far is looking far enough.
bool means(const Plain& plain, const BehaviourGraph& graph, const Lasso& lasso, std::size_t at) {
  const std::size_t size = lasso.states.size();
  const auto position = [&](std::size_t i) {
    return i < size ? i : lasso.loop + (i - lasso.loop) % (size - lasso.loop);
  };
  const std::size_t end = std::max(at, size) + (size - lasso.loop);
  const auto part = [&](std::size_t index, std::size_t i) {
    return means(plain.parts[index], graph, lasso, position(i));
  };
  switch (plain.type) {
    case Plain::Type::atom:
      return is_true(graph.letters[lasso.letters[position(at)]], plain.atom);
    case Plain::Type::negation:
      return !part(0, at);
    case Plain::Type::conjunction:
      return part(0, at) && part(1, at);
    case Plain::Type::disjunction:
      return part(0, at) || part(1, at);
    case Plain::Type::always:
      for (std::size_t i = at; i < end; ++i) {
        if (!part(0, i)) return false;
      }
      return true;
    case Plain::Type::eventually:
      for (std::size_t i = at; i < end; ++i) {
        if (part(0, i)) return true;
      }
      return false;
    case Plain::Type::leads_to:
      break;
  }
  for (std::size_t i = at; i < end; ++i) {
    if (!part(0, i)) continue;
    bool is_answered = false;
    for (std::size_t j = i; j < i + end && !is_answered; ++j) is_answered = part(1, j);
    if (!is_answered) return false;
  }
  return true;
}

BehaviourGraph random_graph(Random& random) {
  BehaviourGraph graph;
  const auto size = static_cast<std::uint32_t>(1 + random.below(4));
  graph.initial.push_back(0);
  graph.first.push_back(0);
  for (std::uint32_t state = 0; state < size; ++state) {
    for (std::uint32_t target = 0; target < size; ++target) {
      if (target != state && random.below(3) != 0) continue;
      Letter letter = empty_letter(kAtoms);
      // The first atom is of the state alone, as a predicate without primes is.
      if (state % 2 == 1) set_true(letter, 0);
      for (std::uint32_t atom = 1; atom < kAtoms; ++atom) {
        if (random.below(2) == 0) set_true(letter, atom);
      }
      graph.edges.push_back({target, graph.letters.number_of(letter)});
    }
    graph.first.push_back(graph.edges.size());
  }
  return graph;
}

/// Calls `visit` for every behaviour of at most `most` steps before it repeats.
bool any_lasso(const BehaviourGraph& graph, std::size_t most, Lasso& lasso, std::uint32_t state,
               const std::function<bool(const Lasso&)>& visit) {
  if (lasso.states.size() == most) return false;
  for (const BehaviourGraph::Edge& edge : graph.edges_of(state)) {
    lasso.states.push_back(state);
    lasso.letters.push_back(edge.letter);
    for (lasso.loop = 0; lasso.loop < lasso.states.size(); ++lasso.loop) {
      if (lasso.states[lasso.loop] == edge.target && visit(lasso)) return true;
    }
    if (any_lasso(graph, most, lasso, edge.target, visit)) return true;
    lasso.states.pop_back();
    lasso.letters.pop_back();
  }
  return false;
}

void expect_is_in_graph(const BehaviourGraph& graph, const Lasso& lasso) {
  ASSERT_LT(lasso.loop, lasso.states.size());
  EXPECT_EQ(lasso.states.front(), graph.initial.front());
  for (std::size_t i = 0; i < lasso.states.size(); ++i) {
    const std::uint32_t next =
        i + 1 < lasso.states.size() ? lasso.states[i + 1] : lasso.states[lasso.loop];
    const auto edges = graph.edges_of(lasso.states[i]);
    EXPECT_TRUE(std::any_of(edges.begin(), edges.end(), [&](const BehaviourGraph::Edge& edge) {
      return edge.target == next && edge.letter == lasso.letters[i];
    }));
  }
}

/// Whatever the judge says, behaviours bear it out: its counterexample is one, and where it finds
/// none, none of the short behaviours is one either. True: it found one.
bool is_borne_out(const BehaviourGraph& graph, const Plain& fairness, const Plain& property) {
  constexpr std::size_t kLongest = 6;
  const LivenessVerdict verdict =
      judge_liveness(graph, formula_of(fairness), formula_of(property), {});
  EXPECT_EQ(verdict.limit, "");
  if (verdict.counterexample) {
    expect_is_in_graph(graph, *verdict.counterexample);
    EXPECT_TRUE(means(fairness, graph, *verdict.counterexample, 0));
    EXPECT_FALSE(means(property, graph, *verdict.counterexample, 0));
    return true;
  }
  Lasso lasso;
  EXPECT_FALSE(any_lasso(graph, kLongest, lasso, 0, [&](const Lasso& each) {
    return means(fairness, graph, each, 0) && !means(property, graph, each, 0);
  }));
  return false;
}

TEST(FairCycle, AgreesWithBehavioursWrittenDownOneByOne) {
  Random random(7);
  int violated = 0, held = 0;
  const auto rounds = static_cast<int>(test::tries(2000));
  for (int round = 0; round < rounds && !HasFailure(); ++round) {
    SCOPED_TRACE(round);
    const BehaviourGraph graph = random_graph(random);
    const Plain fairness = random_plain(random, 3);
    const Plain property = random_plain(random, 3);
    ++(is_borne_out(graph, fairness, property) ? violated : held);
  }
  EXPECT_GT(violated, rounds / 4);
  EXPECT_GT(held, rounds / 4);
}

/// Fairness of random actions: atom 0 says "possible", atoms 1 and 2 are two actions.
TEST(FairCycle, StrongFairnessAgreesWithBehavioursWrittenDownOneByOne) {
  const auto plain_atom = [](std::uint32_t number) {
    Plain plain;
    plain.atom = number;
    return plain;
  };
  const auto of = [](Plain::Type type, std::vector<Plain> parts) {
    return Plain{type, 0, std::move(parts)};
  };
  using enum Plain::Type;
  const auto strong = [&](std::uint32_t action) {
    return of(disjunction, {of(eventually, {of(always, {of(negation, {plain_atom(0)})})}),
                            of(always, {of(eventually, {plain_atom(action)})})});
  };
  const Plain fairness = of(conjunction, {strong(1), strong(2)});
  Random random(11);
  int violated = 0, held = 0;
  const auto rounds = static_cast<int>(test::tries(2000));
  for (int round = 0; round < rounds && !HasFailure(); ++round) {
    SCOPED_TRACE(round);
    const BehaviourGraph graph = random_graph(random);
    const Plain property = random_plain(random, 2);
    ++(is_borne_out(graph, fairness, property) ? violated : held);
  }
  EXPECT_GT(violated, rounds / 10);
  EXPECT_GT(held, rounds / 10);
}

// A component with several fair parts is taken apart until none is left, or one is fair.
TEST(FairCycle, LeavesOutWhatStrongFairnessForbids) {
  // 0 -> 1 -> 0, where atom 0 (possible) is true in state 1 and atom 1 (taken) never: only
  // stuttering in 0 is fair.
  BehaviourGraph graph;
  const std::uint32_t neither = graph.letters.number_of({0});
  const std::uint32_t possible = graph.letters.number_of({1});
  graph.initial = {0};
  graph.edges = {{1, neither}, {0, neither}, {0, possible}, {1, possible}};
  graph.first = {0, 2, 4};
  const FormulaPtr strong =
      disjunction_of({eventually_formula(always_formula(literal_formula(0, false))),
                      always_formula(eventually_formula(literal_formula(1, true)))});
  const FormulaPtr reaches = always_formula(eventually_formula(literal_formula(0, true)));
  const LivenessVerdict verdict = judge_liveness(graph, strong, reaches, {});
  ASSERT_TRUE(verdict.counterexample);
  EXPECT_EQ(without_stuttering(*verdict.counterexample).states, std::vector<std::uint32_t>{0});
  EXPECT_FALSE(judge_liveness(graph, strong, negation_of(reaches), {}).counterexample);
}

TEST(FairCycle, LimitsAreSaidAndNeverAVerdict) {
  BehaviourGraph graph;
  graph.letters.number_of({0});
  graph.initial = {0};
  graph.edges = {{0, 0}};
  graph.first = {0, 1};
  const FormulaPtr goes = eventually_formula(literal_formula(0, false));
  FairCycleLimits limits;
  limits.bytes = 1;
  const LivenessVerdict verdict = judge_liveness(graph, truth_formula(true), goes, limits);
  EXPECT_FALSE(verdict.counterexample);
  EXPECT_EQ(verdict.limit, "liveness needs 0 MB more");
}

TEST(Formulas, AreSimplifiedToWhatACycleCanBeAskedFor) {
  const FormulaPtr a = literal_formula(0, true), b = literal_formula(1, true);
  const FormulaPtr repeated = always_formula(eventually_formula(a));
  const FormulaPtr persistent = eventually_formula(always_formula(b));
  EXPECT_EQ(always_formula(repeated)->key, "[]<>0");
  EXPECT_EQ(eventually_formula(repeated)->key, "[]<>0");
  EXPECT_EQ(always_formula(eventually_formula(persistent))->key, "<>[]1");
  EXPECT_EQ(always_formula(disjunction_of({a, persistent}))->key, "(| <>[]1 []0)");
  EXPECT_EQ(negation_of(repeated)->key, "<>[]~0");
  std::vector<Obligations> cases;
  ASSERT_TRUE(split_into_obligations(disjunction_of({repeated, persistent}), 10, cases));
  ASSERT_EQ(cases.size(), 1u);
  EXPECT_EQ(cases[0].choices.size(), 1u);
  ASSERT_TRUE(split_into_obligations(conjunction_of({repeated, persistent}), 10, cases));
  ASSERT_EQ(cases.size(), 1u);
  EXPECT_EQ(cases[0].repeated.size(), 1u);
  EXPECT_EQ(cases[0].persistent.size(), 1u);
}

}  // namespace
}  // namespace dissensus::tla
