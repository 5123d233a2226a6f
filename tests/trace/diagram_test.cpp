#include "trace/diagram.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sample_traces.h"
#include "trace/diagram_scale.h"
#include "trace/exporters.h"

namespace dissensus::trace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string svg_of(const Trace& trace, const DiagramOptions& options = {}) {
  std::ostringstream out;
  export_svg(trace, options, out);
  return out.str();
}

std::size_t count_of(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

/// Checks that elements nest and close, attributes are quoted, and no forbidden character is left.
::testing::AssertionResult is_well_formed(const std::string& xml) {
  std::vector<std::string> open;
  std::size_t at = 0;
  while (at < xml.size()) {
    if (xml[at] != '<') {
      if (xml[at] == '&' && xml.find(';', at) > at + 7) {
        return ::testing::AssertionFailure() << "bare ampersand at " << at;
      }
      if (xml[at] == '>') return ::testing::AssertionFailure() << "bare > at " << at;
      ++at;
      continue;
    }
    const std::size_t end = xml.find('>', at);
    if (end == std::string::npos) return ::testing::AssertionFailure() << "open tag at " << at;
    const std::string tag = xml.substr(at + 1, end - at - 1);
    if (count_of(tag, "\"") % 2 != 0) return ::testing::AssertionFailure() << "quotes: " << tag;
    const std::string name = tag.substr(0, tag.find_first_of(" /", 1));
    if (tag[0] == '/') {
      if (open.empty() || open.back() != tag.substr(1)) {
        return ::testing::AssertionFailure() << "closes wrongly: " << tag;
      }
      open.pop_back();
    } else if (tag[0] != '?' && tag.back() != '/') {
      open.push_back(name);
    }
    at = end + 1;
  }
  if (!open.empty()) return ::testing::AssertionFailure() << "never closed: " << open.back();
  return ::testing::AssertionSuccess();
}

TEST(SvgDiagram, IsWellFormedAndSelfContained) {
  for (const Trace& trace :
       {overtaking_trace(), busy_trace(), faulty_trace(), TraceBuilder(1).finish()}) {
    const std::string svg = svg_of(trace);
    EXPECT_TRUE(is_well_formed(svg));
    EXPECT_THAT(svg, HasSubstr("viewBox=\"0 0 "));
    EXPECT_THAT(svg, Not(HasSubstr("href")));
    EXPECT_THAT(svg, Not(HasSubstr("<script")));
    EXPECT_THAT(svg, Not(HasSubstr("nan")));
  }
}

// A disagreement must jump out: a sentence, and two colours for the two values.
TEST(SvgDiagram, ShowsADisagreement) {
  const std::string svg = svg_of(overtaking_trace());
  EXPECT_THAT(svg, HasSubstr("value 1 was decided differently: 1 by n0 n1, 2 by n2"));
  EXPECT_THAT(svg, HasSubstr("fill=\"#0072B2\" font-weight=\"bold\" stroke=\"#ffffff\""));
  EXPECT_THAT(svg, HasSubstr("fill=\"#D55E00\" font-weight=\"bold\" stroke=\"#ffffff\""));
  EXPECT_EQ(count_of(svg, ">value 1 = 1<"), 2u);
  EXPECT_EQ(count_of(svg, ">value 1 = 2<"), 1u);
  EXPECT_THAT(svg_of(busy_trace()), Not(HasSubstr("decided differently")));
}

TEST(SvgDiagram, TellsAboutEachMessageUnderTheMouse) {
  const std::string svg = svg_of(overtaking_trace());
  EXPECT_THAT(svg, HasSubstr("<title>Commit n1 to n2&#10;value=1 round=1&#10;sent 6ms (event 10)"
                             "&#10;delivered 9ms (event 12)</title>"));
}

TEST(SvgDiagram, ShowsFaults) {
  const std::string svg = svg_of(faulty_trace());
  for (const char* part : {">partition {0,1} | {2,3}<", ">faults end<", ">crash<", ">restart<",
                           ">node is down<", ">lost<", ">changed<", ">under way at the end<",
                           "&#10;lost 300ms: partition", "&#10;a further copy"}) {
    EXPECT_THAT(svg, HasSubstr(part));
  }
}

// Texts of scenarios and systems may hold anything.
TEST(SvgDiagram, EscapesNames) {
  Trace trace = overtaking_trace();
  trace.header.scenario_name = "a<b> & \"c\" \x01\xFF";
  trace.header.kinds[0] = "<Kind>";
  const std::string svg = svg_of(trace);
  EXPECT_TRUE(is_well_formed(svg));
  EXPECT_THAT(svg, HasSubstr("a&lt;b&gt; &amp; &quot;c&quot; \xEF\xBF\xBD\xEF\xBF\xBD"));
}

// More than thirteen kinds stay distinguishable: no two share colour and dashes.
TEST(SvgDiagram, DistinguishesManyKinds) {
  TraceBuilder builder(2);
  for (MessageKind kind = 2; kind < 15; ++kind) {
    builder.header().kinds.push_back("Kind" + std::to_string(kind));
    builder.header().kind_fields.push_back({});
  }
  for (MessageKind kind = 0; kind < 15; ++kind) {
    builder.deliver(kind * 10 + 5, builder.send(kind * 10, 0, 1, kind, 1, 1, 0));
  }
  const std::string svg = svg_of(builder.finish());
  std::set<std::string> styles;
  std::istringstream lines(svg);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t stroke = line.find("stroke=");
    if (line.starts_with("<line") && line.find("stroke-width=\"2.0\"") != std::string::npos) {
      styles.insert(line.substr(stroke));
    }
  }
  EXPECT_EQ(styles.size(), 15u);
}

TEST(SvgDiagram, SaysHowManyMessagesAreLeftOut) {
  DiagramOptions options;
  options.messages_max = 60;
  EXPECT_THAT(svg_of(busy_trace(), options), HasSubstr("260 of 320 messages are left out"));
  EXPECT_THAT(svg_of(busy_trace()), Not(HasSubstr("left out")));
}

TEST(SvgDiagram, LeavesOutHiddenKindsAndSaysSo) {
  DiagramOptions options;
  options.hidden_kinds = {TraceBuilder::kProposal};
  const std::string svg = svg_of(overtaking_trace(), options);
  EXPECT_THAT(svg, HasSubstr("2 messages of hidden kinds (Proposal)"));
  EXPECT_THAT(svg, Not(HasSubstr("<title>Proposal")));
}

// Thinning keeps the messages through which something was decided.
TEST(MakeDiagram, KeepsTheTellingMessages) {
  const Trace trace = busy_trace();
  DiagramOptions options;
  options.messages_max = 60;
  const Diagram diagram = make_diagram(trace, options);
  EXPECT_EQ(diagram.arrows.size(), 60u);
  EXPECT_EQ(diagram.arrows_left_out, 260u);
  std::set<EventId> shown;
  for (const Arrow& arrow : diagram.arrows) shown.insert(trace.records[arrow.end].id);
  for (const DecisionMark& mark : diagram.decisions) {
    EXPECT_TRUE(shown.contains(trace.records[mark.record].cause));
  }
}

// A very long run still gives a page that a browser opens, and the page says what it lacks; the
// disputed decision is not among what is left out.
TEST(MakeDiagram, LimitsMarksButKeepsDisputes) {
  TraceBuilder builder(2);
  for (std::int64_t step = 0; step < 6000; ++step) {
    const auto instance = static_cast<std::uint64_t>(step);
    builder.report(EventType::propose, step, 0, instance, 1, 0);
    builder.report(EventType::decide, step, 0, instance, 1, 0);
  }
  builder.report(EventType::decide, 6000, 1, 77, 2, 0);
  const Trace trace = builder.finish("fail");
  const Diagram diagram = make_diagram(trace, {});
  EXPECT_EQ(diagram.marks.size(), 4000u);
  EXPECT_EQ(diagram.decisions.size(), 4000u);
  EXPECT_EQ(diagram.marks_left_out, 4001u);
  EXPECT_TRUE(diagram.decisions[0].is_disputed);
  EXPECT_TRUE(diagram.decisions[1].is_disputed);
  const std::string svg = svg_of(trace);
  EXPECT_THAT(svg, HasSubstr("4001 marks on node lines are left out"));
  EXPECT_THAT(svg, HasSubstr(">77 = 2<"));
}

TEST(MakeDiagram, ShowsOnlyTheWindowAskedFor) {
  DiagramOptions options;
  options.from = time_of_microseconds(2'400'000);
  options.until = time_of_microseconds(3'600'000);
  const Trace trace = busy_trace();
  const Diagram diagram = make_diagram(trace, options);
  EXPECT_EQ(diagram.arrows.size(), 40u);
  EXPECT_EQ(diagram.decisions.size(), 5u);
  for (const Span& span : diagram.phases) {
    EXPECT_GE(span.from, options.from);
    EXPECT_LE(span.until, options.until);
  }
  EXPECT_TRUE(is_well_formed(svg_of(trace, options)));
}

TEST(MakeDiagram, JoinsSendsWithWhatBecameOfThem) {
  const Trace trace = faulty_trace();
  const Diagram diagram = make_diagram(trace, {});
  std::size_t copies = 0;
  std::size_t mutated = 0;
  std::array<std::size_t, 3> ends{};
  for (const Arrow& arrow : diagram.arrows) {
    copies += arrow.is_copy;
    mutated += arrow.is_mutated;
    ++ends[static_cast<std::size_t>(arrow.how)];
  }
  EXPECT_EQ(copies, 1u);
  EXPECT_EQ(mutated, 2u) << "the changed message and its copy";
  EXPECT_THAT(ends, ElementsAre(7u, 2u, 1u));
  ASSERT_EQ(diagram.partitions.size(), 1u);
  EXPECT_EQ(microseconds_of(diagram.partitions[0].until), 700'000);
  ASSERT_EQ(diagram.down.size(), 1u);
  EXPECT_FALSE(diagram.down[0].is_open);
}

std::vector<Time> moments(std::initializer_list<std::int64_t> times) {
  std::vector<Time> result;
  for (const std::int64_t time : times) result.push_back(time_of_microseconds(time));
  return result;
}

TEST(TimeScale, IsLinearWhenThingsHappenEvenly) {
  const TimeScale scale(Time{}, time_of_microseconds(100'000),
                        moments({0, 20'000, 40'000, 60'000, 80'000, 100'000}), 0, 1000);
  EXPECT_TRUE(scale.breaks().empty());
  EXPECT_DOUBLE_EQ(scale.x(time_of_microseconds(25'000)), 250);
  EXPECT_EQ(scale.title(), "time / ms");
  ASSERT_EQ(scale.ticks().size(), 11u);
  EXPECT_EQ(scale.ticks()[1].label, "10");
}

// Bursts with long pauses between them get the room; the order of times is kept.
TEST(TimeScale, ShortensLongPauses) {
  std::vector<Time> times;
  for (std::int64_t burst : {0, 10'000'000, 20'000'000}) {
    for (std::int64_t step = 0; step < 10; ++step) {
      times.push_back(time_of_microseconds(burst + step * 1000));
    }
  }
  const TimeScale scale(Time{}, times.back(), times, 0, 1000);
  EXPECT_EQ(scale.breaks().size(), 2u);
  EXPECT_GT(scale.x(time_of_microseconds(9000)), 250);
  for (std::size_t index = 1; index < times.size(); ++index) {
    EXPECT_LT(scale.x(times[index - 1]), scale.x(times[index]));
  }
  EXPECT_FALSE(scale.ticks().empty());
}

TEST(TimeScale, ChoosesUnits) {
  EXPECT_EQ(TimeScale(Time{}, Time{}, {}, 0, 100).title(), "time / µs");
  EXPECT_EQ(TimeScale(Time{}, time_of_microseconds(20'000'000), {}, 0, 100).title(), "time / s");
  const TimeScale fine(Time{}, time_of_microseconds(2'500'000), {}, 0, 1000);
  EXPECT_EQ(fine.ticks()[1].label, "0.2");
}

}  // namespace
}  // namespace dissensus::trace
