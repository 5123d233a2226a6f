// Reports say what was found: words, numbers, overlaps; and they survive hostile names.
#include "isolate/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "isolate/data_set.h"
#include "isolate/overlap_figure.h"
#include "isolate/predicate_text.h"
#include "isolate/sample_runs.h"

namespace dissensus::isolate {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Data {
  PredicateSpace space;
  RunTable table;
  IsolationResult result;

  Data() : space(vote_schema(3), space_options(Mode::improved, vote_schema(3))), table(space) {
    std::vector<isolate::Run> runs;
    for (std::size_t i = 0; i < 60; ++i) {
      Run run = empty_run("<run " + std::to_string(i) + ">", i < 20, 3);
      run.labels = run.failing ? 1 : 0;
      if (run.failing) run.symptom = i < 15 ? "agreement" : "termination";
      run.link = i == 0 ? "runs/first" : "";
      for (std::size_t node = 0; node < 3; ++node) {
        add_message(run, node, 0, 1, {1, 5});
        add_message(run, node, 0, 2, {1, run.failing ? 6 : 5});
      }
      runs.push_back(run);
    }
    ListSource source(vote_schema(3), runs);
    table = read_runs(source, space, 1);
    result = isolate(table, IsolationOptions{});
  }
};

TEST(Report, JsonHasClustersAndScores) {
  const Data data;
  Report report{"votes", data.table, data.result};
  report.validation = cross_validate(data.table, IsolationOptions{}, {5, 1});
  const auto json = nlohmann::json::parse(json_report(report));
  EXPECT_EQ(json["runs"], 60);
  EXPECT_EQ(json["failing"], 20);
  EXPECT_EQ(json["mode"], "improved");
  ASSERT_EQ(json["findings"].size(), 1u);
  EXPECT_EQ(json["findings"][0]["cluster"].size(), 20u);
  EXPECT_EQ(json["findings"][0]["labels"]["split"]["f1"], 1.0);
  EXPECT_EQ(json["findings"][0]["representative"], "<run 0>");
  EXPECT_EQ(json["cross_validation"]["labels"]["split"]["single"]["true_positive"], 20);
}

TEST(Report, TextNamesThePredicateAndItsRuns) {
  const Data data;
  const std::string text = text_report({"votes", data.table, data.result});
  EXPECT_THAT(text, HasSubstr("20 of 60 runs fail"));
  EXPECT_THAT(text, HasSubstr("explains 20 failing runs; holds in 20 failing and 0 successful"));
  EXPECT_THAT(text, HasSubstr("split"));
}

TEST(Report, ACauseSaysHowItsRunsFail) {
  const Data data;
  Report report{"votes", data.table, data.result};
  report.separation = Separation{};
  Cause cause;
  for (std::size_t run = 0; run < 18; ++run) cause.runs.push_back(run);
  report.separation->causes = {cause};
  EXPECT_THAT(text_report(report), HasSubstr("15 of 18: It fails with agreement.\n"
                                             "   3 of 18: It fails with termination.\n"));
  EXPECT_THAT(html_report(report), HasSubstr("<li>3 of 18: It fails with termination.</li>"));
  const auto json = nlohmann::json::parse(json_report(report));
  EXPECT_EQ(json["causes"]["list"][0]["ways_of_failing"][0]["runs"], 15);
}

TEST(Report, HtmlShowsThePictureAndEscapesNames) {
  const Data data;
  Report report{"<votes>", data.table, data.result};
  report.picture = [](const RunSummary& run) { return "<svg><!--" + run.link + "--></svg>"; };
  const std::string html = html_report(report);
  EXPECT_THAT(html, HasSubstr("&lt;run 0&gt;"));
  EXPECT_THAT(html, Not(HasSubstr("<run 0>")));
  EXPECT_THAT(html, HasSubstr("<svg><!--runs/first--></svg>"));
  EXPECT_THAT(html, HasSubstr("<a href=\"runs/first\">"));
  EXPECT_THAT(html, HasSubstr("&lt;votes&gt;"));
  // A phone shows it at its size, and a dark screen stays dark.
  EXPECT_THAT(html, HasSubstr("name=\"viewport\" content=\"width=device-width"));
  EXPECT_THAT(html, HasSubstr("prefers-color-scheme:dark"));
}

TEST(OverlapFigure, CountsCombinations) {
  const std::string svg = overlap_figure({{"P1", {0, 1, 2}}, {"P2", {2, 3}}}, {0, 1, 2, 3, 4}, 3);
  EXPECT_THAT(svg, HasSubstr(">P1 (3)<"));
  EXPECT_THAT(svg, HasSubstr("class=\"count\">2<")) << "0 and 1 are in P1 alone";
  EXPECT_THAT(svg, HasSubstr("1 more combinations with 1 runs not shown"));
}

TEST(PredicateText, SaysThePapersFirstPredicateInWords) {
  const Schema schema = data_set_schema();
  const PredicateSpace space(schema, space_options(Mode::reference, schema));
  // senders, consensus_hash, flags, ledger_hash, ledger_sequence, signing_time
  const std::size_t set = find_set(
      space.pairs()[3], {{3, Operator::different}, {4, Operator::equal}, {5, Operator::different}});
  const Candidate candidate{bit_of(space, 3, 2, set), 2};
  EXPECT_EQ(
      words(space, candidate),
      "At least 3 nodes of one group received the same Validation from 2 or more senders, then "
      "a Validation with another ledger hash, the same ledger sequence and another signing "
      "time.");
  EXPECT_EQ(notation(space, candidate),
            "2 x Validation -> Validation, more than 2 nodes: ledger_hash(l) != ledger_hash(r), "
            "ledger_sequence(l) = ledger_sequence(r), signing_time(l) != signing_time(r)");
}

// Names of any length are read in full, and the drawing says what it is.
TEST(OverlapFigure, LeavesRoomForTheLongestName) {
  const std::string name(60, 'w');
  const std::string svg = overlap_figure({{name, {0}}}, {0}, 3);
  const std::size_t at = svg.find("class=\"name\"");
  const std::size_t x = svg.rfind("x=\"", at);
  EXPECT_GE(std::stoi(svg.substr(x + 3)), 60 * 8);
  EXPECT_THAT(svg, testing::HasSubstr("aria-label=\"Overlap of the predicates\""));
}

}  // namespace
}  // namespace dissensus::isolate
