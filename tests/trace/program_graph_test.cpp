#include "trace/program_graph.h"

#include <array>

#include <gtest/gtest.h>

#include "trace/sample_traces.h"

namespace dissensus::trace {
namespace {

constexpr std::array<std::size_t, 2> kOneType{0, 0};
constexpr std::array<std::size_t, 2> kTwoTypes{0, 1};

Trace overtaken(bool in_order) {
  TraceBuilder builder(2);
  const EventId first = builder.send(0, 0, 1, 0, 1, 1, 0);
  const EventId second = builder.send(1, 0, 1, 1, 1, 1, 0);
  builder.deliver(10, in_order ? first : second);
  builder.deliver(20, in_order ? second : first);
  return builder.finish();
}

TEST(ProgramGraph, KindsOfOneTypeHaveOneLabel) {
  const LabelledGraph graph = program_graph(overtaken(true), kOneType);
  ASSERT_EQ(graph.vertices(), 2u);
  EXPECT_EQ(graph.labels[0], graph.labels[1]);
  EXPECT_EQ(graph.edges, (std::vector<LabelledGraph::Edge>{{0, 1}}));
  // Within a type the program cannot see that one message overtook another.
  EXPECT_EQ(graph, program_graph(overtaken(false), kOneType));
  EXPECT_NE(program_graph(overtaken(true), kTwoTypes), program_graph(overtaken(false), kTwoTypes));
}

TEST(ProgramGraph, EqualGraphsAreAtDistanceZero) {
  const LabelledGraph graph = program_graph(overtaken(true), kTwoTypes);
  EXPECT_EQ(program_edit_distance(graph, graph), 0);
}

// By hand: two vertices of degree 1 whose one edge leads to another label. Same label: no partner
// on either side, so e = 1 and (0 + 1/2) / 2 = 1/4 for each of the two vertices, on both sides.
TEST(ProgramGraph, EdgesToOtherLabelsCount) {
  const LabelledGraph in_order = program_graph(overtaken(true), kTwoTypes);
  const LabelledGraph reversed = program_graph(overtaken(false), kTwoTypes);
  EXPECT_DOUBLE_EQ(program_edit_distance(in_order, reversed), 4 * 0.25);
}

TEST(ProgramGraph, DistanceIsAtLeastTheDifferenceOfSizes) {
  const LabelledGraph graph = program_graph(overtaken(true), kTwoTypes);
  EXPECT_GE(program_edit_distance(graph, LabelledGraph{}), 2);
}

}  // namespace
}  // namespace dissensus::trace
