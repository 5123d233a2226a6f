#include "trace/graph_distance.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "trace/random_graphs.h"

namespace dissensus::trace {
namespace {

/// The definition: the cheapest of all ways to match, by trying every one.
std::size_t distance_by_trying_all(const LabelledGraph& first, const LabelledGraph& second) {
  // Places beyond the vertices of a graph stand for "none".
  const std::size_t places = first.vertices() + second.vertices();
  std::vector<std::uint32_t> partner(places);
  std::iota(partner.begin(), partner.end(), 0u);
  const auto connected = [](const LabelledGraph& graph, std::size_t from, std::size_t to) {
    return std::any_of(graph.edges.begin(), graph.edges.end(),
                       [&](const auto& edge) { return edge.from == from && edge.to == to; });
  };
  std::size_t least = edit_distance_max(first, second);
  do {
    std::size_t cost = 0;
    for (std::size_t vertex = 0; vertex < places; ++vertex) {
      const bool here = vertex < first.vertices();
      const bool there = partner[vertex] < second.vertices();
      cost += here != there ||
              (here && there && first.labels[vertex] != second.labels[partner[vertex]]);
      for (std::size_t other = 0; other < places; ++other) {
        cost +=
            connected(first, vertex, other) != connected(second, partner[vertex], partner[other]);
      }
    }
    least = std::min(least, cost);
  } while (std::next_permutation(partner.begin(), partner.end()));
  return least;
}

/// Fischer et al. 2015, word for word, vertex by vertex and edge by edge.
double hausdorff_by_definition(const LabelledGraph& first, const LabelledGraph& second) {
  struct Around {
    double in = 0;
    double out = 0;
  };
  const auto around = [](const LabelledGraph& graph, std::size_t vertex) {
    Around count;
    for (const auto& edge : graph.edges) {
      count.in += edge.to == vertex ? 1 : 0;
      count.out += edge.from == vertex ? 1 : 0;
    }
    return count;
  };
  const auto one_side = [&](const LabelledGraph& from, const LabelledGraph& to) {
    double sum = 0;
    for (std::size_t u = 0; u < from.vertices(); ++u) {
      const Around at_u = around(from, u);
      double least = 1 + (at_u.in + at_u.out) / 2;
      for (std::size_t v = 0; v < to.vertices(); ++v) {
        const Around at_v = around(to, v);
        const double relabel = from.labels[u] == to.labels[v] ? 0 : 1;
        // Edges cost nothing to exchange, so their Hausdorff cost is its lower bound.
        const double edges = std::abs(at_u.in - at_v.in) + std::abs(at_u.out - at_v.out);
        least = std::min(least, (relabel + edges / 2) / 2);
      }
      sum += least;
    }
    return sum;
  };
  const auto size_difference = [](std::size_t a, std::size_t b) {
    return std::abs(static_cast<double>(a) - static_cast<double>(b));
  };
  return std::max(one_side(first, second) + one_side(second, first),
                  size_difference(first.vertices(), second.vertices()) +
                      size_difference(first.edges.size(), second.edges.size()));
}

TEST(ExactEditDistance, OfSmallExamples) {
  const LabelledGraph empty;
  const LabelledGraph chain{{1, 2, 3}, {{0, 1}, {1, 2}}};
  EXPECT_EQ(exact_edit_distance(empty, empty), 0u);
  EXPECT_EQ(exact_edit_distance(empty, chain), 5u);
  EXPECT_EQ(exact_edit_distance(chain, empty), 5u);
  EXPECT_EQ(exact_edit_distance(chain, LabelledGraph{{1, 2, 4}, {{0, 1}, {1, 2}}}), 1u);
  EXPECT_EQ(exact_edit_distance(chain, LabelledGraph{{1, 2, 3}, {{0, 1}, {2, 1}}}), 2u);
  EXPECT_EQ(exact_edit_distance(chain, LabelledGraph{{3, 2, 1}, {{1, 0}, {2, 1}}}), 0u);
}

// A* against an independent algorithm.
TEST(ExactEditDistance, IsTheCheapestOfAllMatchings) {
  Random random(11);
  for (std::size_t round = 0; round < 400; ++round) {
    const LabelledGraph first = random_graph(3, random);
    const LabelledGraph second = random_graph(3, random);
    ASSERT_EQ(exact_edit_distance(first, second), distance_by_trying_all(first, second))
        << "round " << round;
  }
}

TEST(ExactEditDistance, IsAMetric) {
  Random random(12);
  for (std::size_t round = 0; round < 100; ++round) {
    const LabelledGraph a = random_graph(4, random);
    const LabelledGraph b = random_graph(4, random);
    const LabelledGraph c = random_graph(4, random);
    EXPECT_EQ(exact_edit_distance(a, a), 0u);
    EXPECT_EQ(exact_edit_distance(a, b), exact_edit_distance(b, a));
    EXPECT_LE(exact_edit_distance(a, c), exact_edit_distance(a, b) + exact_edit_distance(b, c));
  }
}

// The promise of both bounds and of the normalisation: 10,000 pairs of graphs of up to six
// vertices, half of the pairs unrelated and half a few edits apart.
TEST(GraphDistance, BoundsEncloseTheExactDistance) {
  Random random(13);
  std::size_t tight = 0;
  std::size_t loose = 0;
  for (std::size_t round = 0; round < 10'000; ++round) {
    const LabelledGraph first = random_graph(6, random);
    const LabelledGraph second =
        round % 2 == 0 ? random_graph(6, random) : edited(first, 1 + random.below(4), random);
    const double exact = exact_edit_distance(first, second);
    const double hausdorff = hausdorff_edit_distance(first, second);
    ASSERT_LE(hausdorff, exact) << "round " << round;
    ASSERT_GE(static_cast<double>(edit_path_cost(first, second)), exact) << "round " << round;
    ASSERT_LE(edit_path_cost(first, second), edit_distance_max(first, second));
    ASSERT_EQ(hausdorff, hausdorff_edit_distance(second, first)) << "round " << round;
    ASSERT_EQ(edit_path_cost(first, second), edit_path_cost(second, first)) << "round " << round;
    ASSERT_EQ(hausdorff_edit_distance(first, first), 0) << "round " << round;
    ASSERT_EQ(edit_path_cost(first, first), 0u) << "round " << round;
    tight += hausdorff == exact ? 1 : 0;
    loose += hausdorff < exact ? 1 : 0;
  }
  // A bound that is always 0 would pass the above.
  EXPECT_GT(tight, 1'000u);
  EXPECT_GT(loose, 1'000u);
}

// Comparing classes of vertices instead of vertices changes nothing.
TEST(HausdorffEditDistance, EqualsItsDefinition) {
  Random random(14);
  for (std::size_t round = 0; round < 300; ++round) {
    const LabelledGraph first = random_graph(20, random);
    const LabelledGraph second = random_graph(20, random);
    ASSERT_DOUBLE_EQ(hausdorff_edit_distance(first, second), hausdorff_by_definition(first, second))
        << "round " << round;
  }
}

TEST(HausdorffEditDistance, OfSmallExamples) {
  const LabelledGraph chain{{1, 2, 3}, {{0, 1}, {1, 2}}};
  EXPECT_EQ(hausdorff_edit_distance(LabelledGraph{}, LabelledGraph{}), 0);
  EXPECT_EQ(hausdorff_edit_distance(chain, LabelledGraph{}), 5);
  EXPECT_EQ(hausdorff_edit_distance(chain, LabelledGraph{{1, 2, 4}, {{0, 1}, {1, 2}}}), 1);
  EXPECT_EQ(hausdorff_edit_distance(chain, LabelledGraph{{1, 2, 3}, {{0, 1}}}), 1);
}

// The price of quadratic time: it sees labels and degrees, not who is connected with whom.
TEST(HausdorffEditDistance, DoesNotSeeAPermutationOfEdges) {
  const LabelledGraph one{{1, 1, 2, 3}, {{0, 2}, {1, 3}}};
  const LabelledGraph two{{1, 1, 2, 3}, {{0, 3}, {1, 2}}};
  const LabelledGraph chain{{1, 2, 3, 4}, {{0, 1}, {2, 3}}};
  const LabelledGraph crossed{{1, 2, 3, 4}, {{0, 3}, {2, 1}}};
  EXPECT_EQ(exact_edit_distance(one, two), 0u);
  EXPECT_EQ(exact_edit_distance(chain, crossed), 2u);  // by relabelling two vertices
  EXPECT_EQ(hausdorff_edit_distance(chain, crossed), 0);
  EXPECT_EQ(edit_path_cost(chain, crossed), 4u);
}

}  // namespace
}  // namespace dissensus::trace
