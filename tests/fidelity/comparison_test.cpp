#include "fidelity/comparison.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/file.h"
#include "experiment/files.h"
#include "fidelity/input.h"
#include "fidelity/report.h"
#include "fidelity/tables.h"
#include "report/html_check.h"
#include "statistics/holm.h"

namespace dissensus::fidelity {
namespace {

using fidelity_test::made_input;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

/// Fewer draws than a user gets: the answers here are clear.
FidelityComparison compared(const FidelityInput& input) {
  FidelityOptions options;
  options.permutation.permutations = 999;
  options.resamples = 500;
  return compare(input, options);
}

const SampleComparison& sample(const FidelityComparison& comparison, const std::string& name) {
  for (const SampleComparison& row : comparison.samples) {
    if (row.name == name) return row;
  }
  throw std::out_of_range(name);
}

TEST(Fidelity, ComparesMessages) {
  const FidelityComparison comparison = compared(made_input());
  ASSERT_EQ(comparison.messages.size(), 3u);
  const MessageComparison& requests = comparison.messages[1];
  // 20 to 24 in turn are 22 on average, by 10 decisions per run.
  EXPECT_DOUBLE_EQ(requests.per_run[1].value, 22);
  EXPECT_DOUBLE_EQ(requests.per_decision[1].value, 2.2);
  EXPECT_DOUBLE_EQ(requests.per_decision[0].value, 4.4);
  EXPECT_DOUBLE_EQ(requests.ratio.value, 2);
  ASSERT_TRUE(requests.ratio.interval);
  EXPECT_LT(requests.ratio.interval->low, 2);
  EXPECT_GT(requests.ratio.interval->high, 2);
  EXPECT_GT(requests.ratio.interval->low, 1.8);
  EXPECT_TRUE(comparison.is_difference(requests.test));

  EXPECT_FALSE(comparison.is_difference(comparison.messages[0].test));
  EXPECT_NEAR(comparison.messages[0].share[0] + requests.share[0], 1, 1e-12);
  // Nothing is tested of a kind that nobody sent.
  EXPECT_TRUE(std::isnan(comparison.messages[2].test.p));
  EXPECT_TRUE(std::isnan(comparison.messages[2].ratio.value));
}

TEST(Fidelity, ComparesTimes) {
  const FidelityComparison comparison = compared(made_input());
  const SampleComparison& interval = sample(comparison, "ledger interval");
  EXPECT_EQ(interval.values[0].size(), 45u);
  EXPECT_EQ(interval.values[1].size(), 150u);
  EXPECT_NEAR(interval.mean[1].value, 3.55, 0.01);
  EXPECT_FALSE(comparison.is_difference(interval.test));
  EXPECT_EQ(sample(comparison, "phase open").distance, 0);
  EXPECT_EQ(sample(comparison, "highest sequence per round").mean[0].value, 0.5);
  const SampleComparison& gap = sample(comparison, "longest time without a ledger");
  EXPECT_TRUE(gap.per_run);
  EXPECT_EQ(gap.values[0].size(), 15u);
}

TEST(Fidelity, ComparesOutcomes) {
  const FidelityComparison comparison = compared(made_input());
  EXPECT_EQ(comparison.outcomes[0].fail, 6u);
  EXPECT_EQ(comparison.outcomes[0].pass, 9u);
  EXPECT_EQ(comparison.outcomes[1].fail, 10u);
  EXPECT_DOUBLE_EQ(comparison.outcome_test.p, statistics::fisher_exact({6, 9, 10, 40}).p_value);
  // Fisher's test mixes the schedules; within them the opposite outcomes of one stand out.
  EXPECT_GT(comparison.outcome_test.p, 0.05);
  EXPECT_LT(comparison.schedule_test.p, 0.01);

  ASSERT_EQ(comparison.schedules.size(), 5u);
  EXPECT_EQ(comparison.schedules[0].agreement, Agreement::both_never);
  EXPECT_EQ(comparison.schedules[3].agreement, Agreement::both_always);
  EXPECT_EQ(comparison.schedules[4].agreement, Agreement::opposite);
  EXPECT_EQ(comparison.schedules[4].median_gap_s[0], 65);
  ASSERT_EQ(comparison.violations.size(), 1u);
  EXPECT_EQ(comparison.violations[0].runs, (Both<std::uint64_t>{6, 10}));
}

// The correction is over everything that is tested, and nothing else.
TEST(Fidelity, CorrectsForAllTests) {
  const FidelityComparison comparison = compared(made_input());
  std::vector<double> p_values;
  std::vector<double> adjusted;
  const auto add = [&](const FidelityTest& test) {
    if (std::isnan(test.p)) return;
    p_values.push_back(test.p);
    adjusted.push_back(test.adjusted);
  };
  for (const MessageComparison& row : comparison.messages) add(row.test);
  add(comparison.all_messages.test);
  for (const SampleComparison& row : comparison.samples) {
    add(row.test);
    add(row.distance_test);
  }
  add(comparison.outcome_test);
  add(comparison.schedule_test);
  EXPECT_EQ(p_values.size(), comparison.tests);
  EXPECT_EQ(statistics::holm_adjusted(p_values), adjusted);
}

// After an interruption only schedules that both sides ran are compared.
TEST(Fidelity, LeavesOutWhatOneSideDidNotRun) {
  FidelityInput input = made_input(1);
  input.sides[0].runs.resize(2);
  const FidelityComparison comparison = compared(input);
  EXPECT_EQ(comparison.runs[0], 2u);
  EXPECT_EQ(comparison.runs[1], 20u);
  EXPECT_EQ(comparison.runs_left_out, 30u);
  EXPECT_EQ(comparison.schedules.size(), 2u);
  // No interval from two runs, and no test where nothing failed.
  EXPECT_FALSE(comparison.messages[0].per_run[0].interval);
  EXPECT_TRUE(std::isnan(comparison.outcome_test.p));
  EXPECT_THAT(fidelity_findings(comparison),
              Contains(HasSubstr("30 runs of schedules that only one side ran are left out")));

  input.sides[0].runs.clear();
  EXPECT_FALSE(can_compare(input));
  EXPECT_TRUE(can_compare(made_input(1)));
}

// Runs without any decision, and runs that could not be judged, do not end in nonsense.
TEST(Fidelity, BearsEmptyRuns) {
  FidelityInput input = made_input();
  for (RunObservation& run : input.sides[0].runs) {
    run.decisions = 0;
    run.messages = {0, 0, 0};
    run.intervals_s.clear();
    run.outcome = oracle::Outcome::unknown;
  }
  const FidelityComparison comparison = compared(input);
  EXPECT_TRUE(std::isnan(comparison.messages[0].per_decision[0].value));
  EXPECT_TRUE(std::isnan(comparison.messages[0].test.p));
  EXPECT_TRUE(std::isnan(comparison.outcome_test.p));
  EXPECT_EQ(comparison.schedules[0].agreement, Agreement::unjudged);
  EXPECT_EQ(sample(comparison, "ledger interval").values[0].size(), 0u);
  EXPECT_THAT(to_text(fidelity_tables(comparison).front()), Not(HasSubstr("nan")));
}

// Words do not promise more than the runs can show.
TEST(Fidelity, SaysWhatFewRunsCannotShow) {
  FidelityInput one = made_input(1);
  for (FidelitySide& side : one.sides) {
    std::erase_if(side.runs, [](const RunObservation& run) { return run.place.schedule != 0; });
  }
  const FidelityComparison comparison = compared(one);
  EXPECT_NEAR(comparison.smallest_p, 1.0 / 11, 1e-12);
  const std::vector<std::string> findings = fidelity_findings(comparison);
  EXPECT_THAT(findings, Contains(HasSubstr("Nothing differs beyond chance")));
  EXPECT_THAT(findings, Contains(HasSubstr("So few runs cannot show a difference: the smallest "
                                           "p-value they allow is 0.091")));

  EXPECT_THAT(fidelity_findings(compared(made_input(1))),
              Contains(HasSubstr("With 5 live runs only large differences can show")));
  EXPECT_THAT(fidelity_findings(compared(made_input(3))),
              Not(Contains(HasSubstr("only large differences"))));
}

FidelityReport report_of(const FidelityInput& input, const FidelityComparison& comparison) {
  return {input,
          comparison,
          "Made by hand, <of> no system.",
          {{"live", "3 runs of each schedule"}, {"seed", "1"}},
          {},
          "dissensus fidelity made.toml"};
}

// The tables are compared with an approved copy: renew it, after reading what changed, from the
// file that a failure leaves in the temporary folder.
TEST(FidelityReport, TablesAreAsApproved) {
  const FidelityInput input = made_input();
  const FidelityComparison comparison = compared(input);
  const std::string markdown = fidelity_markdown(report_of(input, comparison));
  const std::string approved =
      experiment_test::read_text(std::string(DISSENSUS_SOURCE_DIR) + "/tests/fidelity/approved.md");
  if (markdown == approved) return SUCCEED();
  const std::string received =
      (std::filesystem::temp_directory_path() / "fidelity_received.md").string();
  write_file(received, markdown);
  FAIL() << "another text than approved: diff tests/fidelity/approved.md " << received;
}

TEST(FidelityReport, PageStandsAlone) {
  const FidelityInput input = made_input();
  const FidelityComparison comparison = compared(input);
  FidelityReport report = report_of(input, comparison);
  report.problems = {"it was interrupted", "3 of 15 live runs were made"};
  const std::string html = fidelity_page(report);
  EXPECT_EQ(report::html_fault(html), "");
  for (const char* const id : {"outcomes", "schedules", "violations", "messages", "mix", "times",
                               "quantiles", "method", "again"}) {
    EXPECT_THAT(html, HasSubstr(std::string("<section id=\"") + id + "\">"));
  }
  EXPECT_THAT(html, HasSubstr("Made by hand, &lt;of&gt; no system."));
  EXPECT_THAT(html, HasSubstr("3 of 15 live runs were made"));
  EXPECT_THAT(html, HasSubstr("Request per ledger (live/simulated 2.00"));
  EXPECT_THAT(html, Not(HasSubstr("href=\"http")));
  EXPECT_THAT(html, Not(HasSubstr("nan")));
}

TEST(FidelityReport, WritesFilesForPeopleAndPrograms) {
  const experiment_test::Folder folder;
  const FidelityInput input = made_input();
  const FidelityComparison comparison = compared(input);
  const std::vector<std::string> names =
      write_fidelity(folder.path(""), report_of(input, comparison));
  EXPECT_THAT(names, testing::ElementsAre("comparison.json", "tables.md", "messages.svg",
                                          "distributions.svg", "stalls.svg", "report.html"));
  const auto json =
      nlohmann::json::parse(experiment_test::read_text(folder.path("comparison.json")));
  EXPECT_EQ(json["format"], "dissensus-fidelity/1");
  EXPECT_EQ(json["complete"], true);
  EXPECT_EQ(json["messages"][1]["ratio"]["value"], 2.0);
  EXPECT_TRUE(json["messages"][2]["test"]["p"].is_null());
  EXPECT_EQ(json["outcomes"]["counts"][0]["fail"], 6);
  EXPECT_EQ(json["schedules"][4]["agreement"], "opposite");
  EXPECT_THAT(experiment_test::read_text(folder.path("messages.svg")), HasSubstr("Request"));
  EXPECT_THAT(experiment_test::read_text(folder.path("messages.svg")), Not(HasSubstr("Never")));
}

}  // namespace
}  // namespace dissensus::fidelity
