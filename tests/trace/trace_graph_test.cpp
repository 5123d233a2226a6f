#include "trace/trace_graph.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "trace/sample_traces.h"

namespace dissensus::trace {
namespace {

using Edges = std::vector<LabelledGraph::Edge>;

std::uint64_t label(MessageKind kind, NodeId from, NodeId to) {
  return std::uint64_t{kind} << 32 | std::uint64_t{from} << 16 | to;
}

/// Node 0 proposes to 1 and 2; node 1 hears it first or last of its two proposals.
Trace two_proposals(bool node_0_first, std::uint64_t value = 5) {
  TraceBuilder builder(3);
  const EventId from_0 = builder.send(0, 0, 1, 0, value, 1, 0);
  const EventId from_2 = builder.send(0, 2, 1, 0, value, 1, 0);
  builder.deliver(10, node_0_first ? from_0 : from_2);
  builder.deliver(20, node_0_first ? from_2 : from_0);
  return builder.finish();
}

// Vertices are numbered by receiver, so that equal traces have equal graphs.
TEST(TraceGraph, HasAVertexPerDeliveryAndItsDependencies) {
  TraceBuilder builder(3);
  const EventId a = builder.deliver(10, builder.send(0, 0, 1, 0, 1, 1, 0));
  const EventId send_b = builder.send(10, 1, 2, 1, 1, 1, a);
  const EventId send_c = builder.send(10, 1, 0, 1, 1, 1, a);
  builder.deliver(20, send_b);
  builder.deliver(30, send_c);
  const LabelledGraph graph = trace_graph(builder.finish());
  EXPECT_EQ(graph.labels,
            (std::vector<std::uint64_t>{label(1, 1, 0), label(0, 0, 1), label(1, 1, 2)}));
  EXPECT_EQ(graph.edges, (Edges{{1, 0}, {1, 2}}));
}

// Thesis 2.3.1: a trace is a class of schedules that differ in the order of independent events.
TEST(TraceGraph, IsTheSameForAnotherOrderOfIndependentEvents) {
  const auto two_receivers = [](bool node_1_first) {
    TraceBuilder builder(3);
    const EventId to_1 = builder.send(0, 0, 1, 0, 1, 1, 0);
    const EventId to_2 = builder.send(0, 0, 2, 0, 1, 1, 0);
    builder.deliver(10, node_1_first ? to_1 : to_2);
    builder.deliver(20, node_1_first ? to_2 : to_1);
    return trace_graph(builder.finish());
  };
  EXPECT_EQ(two_receivers(true), two_receivers(false));
  EXPECT_NE(trace_graph(two_proposals(true)), trace_graph(two_proposals(false)));
}

TEST(TraceGraph, LabelsTellContentsApartWhenAsked) {
  const TraceGraphOptions content{.label = EventLabel::content};
  EXPECT_EQ(trace_graph(two_proposals(true, 5)), trace_graph(two_proposals(true, 6)));
  EXPECT_NE(trace_graph(two_proposals(true, 5), content),
            trace_graph(two_proposals(true, 6), content));
  EXPECT_EQ(trace_graph(two_proposals(true, 5), content),
            trace_graph(two_proposals(true, 5), content));
}

// A timer's sending depends, for one who sees messages only, on all that its node received.
TEST(TraceGraph, ProgramOrderReachesThroughTimers) {
  TraceBuilder builder(2);
  builder.deliver(10, builder.send(0, 0, 1, 0, 1, 1, 0));
  const EventId timer = builder.add(EventType::timer, 20, 1).id;
  builder.deliver(30, builder.send(20, 1, 0, 1, 1, 1, timer));
  const Trace trace = builder.finish();
  EXPECT_EQ(trace_graph(trace).edges, (Edges{{1, 0}}));
  EXPECT_TRUE(trace_graph(trace, {.causality = Causality::recorded}).edges.empty());
}

// Node 1 sends twice to node 2 because of one message: that the second depends on it follows from
// the first. Only direct edges say it once more.
TEST(TraceGraph, DirectEdgesKeepWhatFollowsFromOthers) {
  TraceBuilder builder(3);
  const EventId cause = builder.deliver(10, builder.send(0, 0, 1, 0, 1, 1, 0));
  const EventId first = builder.send(10, 1, 2, 0, 1, 1, cause);
  const EventId second = builder.send(10, 1, 2, 1, 1, 1, cause);
  builder.deliver(20, first);
  builder.deliver(30, second);
  const Trace trace = builder.finish();
  EXPECT_EQ(trace_graph(trace).edges, (Edges{{0, 1}, {0, 2}, {1, 2}}));
  EXPECT_EQ(trace_graph(trace, {.edge_set = EdgeSet::reduced}).edges, (Edges{{0, 1}, {1, 2}}));
}

TEST(TraceGraph, HasAtMostTwoEdgesPerVertex) {
  const Trace trace = busy_trace();
  for (const Causality causality : {Causality::recorded, Causality::program_order}) {
    const LabelledGraph graph = trace_graph(trace, {.causality = causality});
    EXPECT_GT(graph.edges.size(), graph.vertices() / 2);
    EXPECT_LE(graph.edges.size(), 2 * graph.vertices());
    EXPECT_TRUE(std::is_sorted(graph.edges.begin(), graph.edges.end()));
  }
}

/// Who is reached from whom.
std::vector<std::vector<bool>> closure(const LabelledGraph& graph) {
  const std::size_t size = graph.vertices();
  std::vector<std::vector<bool>> reached(size, std::vector<bool>(size));
  for (const LabelledGraph::Edge& edge : graph.edges) reached[edge.from][edge.to] = true;
  for (std::size_t via = 0; via < size; ++via) {
    for (std::size_t from = 0; from < size; ++from) {
      if (!reached[from][via]) continue;
      for (std::size_t to = 0; to < size; ++to) {
        if (reached[via][to]) reached[from][to] = true;
      }
    }
  }
  return reached;
}

// Direct and reduced edges describe one order.
TEST(TraceGraph, EdgeSetsDescribeTheSameOrder) {
  for (const Trace& trace : {overtaking_trace(), busy_trace(), faulty_trace()}) {
    for (const Causality causality : {Causality::recorded, Causality::program_order}) {
      EXPECT_EQ(
          closure(trace_graph(trace, {.causality = causality})),
          closure(trace_graph(trace, {.causality = causality, .edge_set = EdgeSet::reduced})));
    }
  }
}

TEST(TraceGraph, OfAnEmptyTraceIsEmpty) {
  EXPECT_EQ(trace_graph(TraceBuilder(3).finish()), LabelledGraph{});
}

}  // namespace
}  // namespace dissensus::trace
