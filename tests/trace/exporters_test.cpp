#include "trace/exporters.h"

#include <map>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "sample_traces.h"
#include "trace/dependence.h"

namespace dissensus::trace {
namespace {

using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::json;

template <class Export>
std::string exported(Export function, const Trace& trace) {
  std::ostringstream out;
  function(trace, out);
  return out.str();
}

void dot_of_all(const Trace& trace, std::ostream& out) {
  export_dot(trace, out);
}

TEST(JsonExport, IsOneDocumentWithAllRecords) {
  const Json document = Json::parse(exported(export_json, faulty_trace()));
  EXPECT_EQ(document["header"]["nodes"], 4);
  EXPECT_EQ(document["header"]["kinds"][1]["name"], "Commit");
  EXPECT_EQ(document["events"].size(), faulty_trace().records.size());
  EXPECT_EQ(document["events"][5]["f"]["value"], 5);
  EXPECT_EQ(document["footer"]["outcome"], "pass");
}

TEST(JsonExport, OfAnEmptyTraceIsWellFormed) {
  EXPECT_TRUE(Json::parse(exported(export_json, TraceBuilder(1).finish()))["events"].empty());
}

/// Edges as pairs of event ids.
std::set<std::pair<EventId, EventId>> edges_of(const Trace& trace) {
  const DependenceGraph graph = dependence_graph(trace);
  std::set<std::pair<EventId, EventId>> edges;
  for (const Dependence& edge : graph.edges) {
    edges.insert({trace.records[graph.deliveries[edge.from]].id,
                  trace.records[graph.deliveries[edge.to]].id});
  }
  EXPECT_EQ(edges.size(), graph.edges.size());
  return edges;
}

// a: 0 -> 1. Handling a, node 1 sends b to 2 and c to 2; handling b, node 2 sends d to 1. Node 2
// receives b before c: a -> c follows from a -> b -> c and is left out.
TEST(DependenceGraph, LeavesOutWhatFollowsFromOtherEdges) {
  TraceBuilder builder(3);
  const EventId start = builder.add(EventType::start, 0, 0).id;
  const EventId a = builder.deliver(10, builder.send(0, 0, 1, 0, 1, 1, start));
  const EventId send_b = builder.send(10, 1, 2, 0, 1, 1, a);
  const EventId send_c = builder.send(10, 1, 2, 1, 1, 1, a);
  const EventId b = builder.deliver(20, send_b);
  const EventId send_d = builder.send(20, 2, 1, 1, 1, 1, b);
  const EventId c = builder.deliver(25, send_c);
  const EventId d = builder.deliver(30, send_d);
  EXPECT_EQ(edges_of(builder.finish()),
            (std::set<std::pair<EventId, EventId>>{{a, b}, {b, c}, {b, d}}));
}

// A message that a timer sends depends on the delivery during which the timer was set.
TEST(DependenceGraph, FollowsTimersToTheDeliveryThatSetThem) {
  TraceBuilder builder(2);
  const EventId first = builder.deliver(10, builder.send(0, 0, 1, 0, 1, 1, 0));
  const EventId timer = builder.add(EventType::timer, 20, 1, first).id;
  const EventId second = builder.deliver(30, builder.send(20, 1, 0, 0, 1, 1, timer));
  EXPECT_EQ(edges_of(builder.finish()), (std::set<std::pair<EventId, EventId>>{{first, second}}));
}

/// All dependences, by the plain definition: receiver order and causes, closed transitively.
std::vector<std::vector<bool>> closure(
    std::size_t size, const std::vector<std::pair<std::size_t, std::size_t>>& edges) {
  std::vector<std::vector<bool>> reach(size, std::vector<bool>(size));
  for (const auto& [from, to] : edges) reach[from][to] = true;
  for (std::size_t via = 0; via < size; ++via) {
    for (std::size_t from = 0; from < size; ++from) {
      for (std::size_t to = 0; to < size; ++to) {
        if (reach[from][via] && reach[via][to]) reach[from][to] = true;
      }
    }
  }
  return reach;
}

// On random traces: same order as the plain definition, and no edge too many.
TEST(DependenceGraph, IsTheTransitiveReductionOfThePlainDefinition) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Random random(seed);
    TraceBuilder builder(4);
    std::vector<EventId> pending;
    std::vector<EventId> deliveries;
    std::map<EventId, EventId> origin_of_send;
    for (int step = 0; step < 60; ++step) {
      if (pending.empty() || random.chance(0.5)) {
        const EventId cause = deliveries.empty() ? 0 : deliveries[random.below(deliveries.size())];
        const auto from = static_cast<NodeId>(random.below(4));
        const auto to = static_cast<NodeId>((from + 1 + random.below(3)) % 4);
        pending.push_back(builder.send(step, from, to, 0, 1, 1, cause));
        origin_of_send[pending.back()] = cause;
      } else {
        const auto pick = static_cast<std::ptrdiff_t>(random.below(pending.size()));
        deliveries.push_back(builder.deliver(step, pending[static_cast<std::size_t>(pick)]));
        pending.erase(pending.begin() + pick);
      }
    }
    const Trace trace = builder.finish();
    std::map<EventId, std::size_t> vertex;
    for (std::size_t index = 0; index < deliveries.size(); ++index)
      vertex[deliveries[index]] = index;
    std::vector<std::pair<std::size_t, std::size_t>> plain;
    for (std::size_t to = 0; to < deliveries.size(); ++to) {
      const Record& later = trace.records[deliveries[to] - 1];
      if (const EventId origin = origin_of_send[later.cause]; origin != 0) {
        plain.push_back({vertex[origin], to});
      }
      for (std::size_t from = 0; from < to; ++from) {
        if (trace.records[deliveries[from] - 1].node == later.node) plain.push_back({from, to});
      }
    }
    const DependenceGraph graph = dependence_graph(trace);
    std::vector<std::pair<std::size_t, std::size_t>> reduced;
    for (const Dependence& edge : graph.edges) reduced.push_back({edge.from, edge.to});
    const auto expected = closure(deliveries.size(), plain);
    EXPECT_EQ(closure(deliveries.size(), reduced), expected) << "seed " << seed;
    for (const auto& [from, to] : reduced) {
      for (std::size_t via = 0; via < deliveries.size(); ++via) {
        EXPECT_FALSE(expected[from][via] && expected[via][to]) << "seed " << seed;
      }
    }
  }
}

TEST(DotExport, KeepsTheLastDeliveriesOfMany) {
  const Trace trace = faulty_trace();
  std::ostringstream all;
  export_dot(trace, all);
  EXPECT_THAT(all.str(), Not(HasSubstr("The last")));
  std::ostringstream cut;
  export_dot(trace, cut, 1);
  EXPECT_THAT(cut.str(), HasSubstr("// The last 1 of "));
  EXPECT_LT(cut.str().size(), all.str().size());
  EXPECT_THAT(cut.str(), Not(HasSubstr("->")));
}

TEST(DotExport, NamesDeliveriesByReceiverKindAndSender) {
  const std::string dot = exported(dot_of_all, overtaking_trace());
  EXPECT_THAT(dot, HasSubstr("digraph dependence {"));
  EXPECT_THAT(dot, HasSubstr("subgraph cluster_n2 {"));
  EXPECT_THAT(dot, HasSubstr("e12 [label=\"n2: Commit from 1\""));
  EXPECT_THAT(dot, HasSubstr("e8 -> e12;"));
  EXPECT_THAT(dot, HasSubstr("e12 -> e19 [style=dashed"));
}

/// Host and clock of each event, in the order of the log.
std::vector<std::pair<std::string, Json>> shiviz_events(const std::string& log) {
  std::istringstream in(log);
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(line, R"((?<event>.*)\n(?<host>\S*) (?<clock>{.*}))");
  std::getline(in, line);
  EXPECT_EQ(line, "");
  std::vector<std::pair<std::string, Json>> events;
  while (std::getline(in, line) && std::getline(in, line)) {
    const std::size_t space = line.find(' ');
    events.push_back({line.substr(0, space), Json::parse(line.substr(space + 1))});
  }
  return events;
}

TEST(ShivizExport, GivesTheVectorClocksOfASmallTrace) {
  TraceBuilder builder(3);
  const EventId start = builder.add(EventType::start, 0, 0).id;
  const EventId send = builder.send(0, 0, 1, 0, 1, 1, start);
  builder.add(EventType::start, 1, 1);
  const EventId received = builder.deliver(5, send);
  const EventId answer = builder.send(5, 1, 2, 1, 1, 1, received);
  builder.drop(6, builder.send(5, 1, 0, 1, 1, 1, received), DropReason::loss);
  builder.deliver(9, answer);
  const std::vector<std::pair<std::string, Json>> expected{
      {"n0", {{"n0", 1}}},
      {"n0", {{"n0", 2}}},
      {"n1", {{"n1", 1}}},
      {"n1", {{"n0", 2}, {"n1", 2}}},
      {"n1", {{"n0", 2}, {"n1", 3}}},
      {"n1", {{"n0", 2}, {"n1", 4}}},
      {"n2", {{"n0", 2}, {"n1", 3}, {"n2", 1}}}};
  EXPECT_EQ(shiviz_events(exported(export_shiviz, builder.finish())), expected);
}

// ShiViz refuses logs in which a host's own count does not go up by exactly one per event.
TEST(ShivizExport, CountsEachHostsEventsWithoutGaps) {
  std::map<std::string, int> last;
  for (const auto& [host, clock] : shiviz_events(exported(export_shiviz, busy_trace()))) {
    ASSERT_EQ(clock[host], ++last[host]);
  }
  EXPECT_EQ(last.size(), 5u);
}

TEST(ShivizExport, KeepsLogTextsOnOneLine) {
  TraceBuilder builder(1);
  builder.add(EventType::log, 0, 0).text = "two\nlines";
  EXPECT_THAT(exported(export_shiviz, builder.finish()),
              HasSubstr("0s two lines\nn0 {\"n0\":1}\n"));
}

TEST(PerfettoExport, HasATrackPerNodeAndAFlowPerDeliveredMessage) {
  const Json document = Json::parse(exported(export_perfetto, faulty_trace()));
  std::map<std::string, int> count;
  std::set<std::string> tracks;
  std::set<std::string> names;
  std::set<int> started;
  for (const Json& event : document["traceEvents"]) {
    const std::string phase = event["ph"];
    ++count[phase];
    if (event["name"] == "thread_name") tracks.insert(event["args"]["name"]);
    names.insert(event["name"].get<std::string>());
    if (phase == "s") started.insert(event["id"].get<int>());
    if (phase == "f") {
      EXPECT_TRUE(started.contains(event["id"].get<int>()));
    }
  }
  EXPECT_EQ(tracks, (std::set<std::string>{"world", "node 0", "node 1", "node 2", "node 3"}));
  EXPECT_EQ(count["s"], 6);
  EXPECT_EQ(count["f"], 7) << "the message with a copy arrives twice";
  EXPECT_TRUE(names.contains("decides value 1 = 5"));
  EXPECT_TRUE(names.contains("crashes"));
  EXPECT_TRUE(names.contains("down"));
  EXPECT_TRUE(names.contains("partition {0,1} | {2,3}"));
}

// Phases are slices that end where the next one begins.
TEST(PerfettoExport, ShowsPhasesAsSlices) {
  TraceBuilder builder(1);
  builder.report(EventType::phase, 10, 0, 0, 0, 0);
  builder.report(EventType::phase, 30, 0, 1, 0, 0);
  builder.add(EventType::timer, 50, 0);
  std::map<std::string, std::pair<int, int>> slices;
  const Json document = Json::parse(exported(export_perfetto, builder.finish()));
  for (const Json& event : document["traceEvents"]) {
    if (event["ph"] == "X" && event["cat"] == "phase") {
      slices[event["name"]] = {event["ts"].get<int>(), event["dur"].get<int>()};
    }
  }
  EXPECT_EQ(slices, (std::map<std::string, std::pair<int, int>>{{"open", {10, 20}},
                                                                {"establish", {30, 20}}}));
}

}  // namespace
}  // namespace dissensus::trace
