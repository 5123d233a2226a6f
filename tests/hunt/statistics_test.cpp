// What a person sees of a hunt: a few lines that fit the terminal, and the same figures as JSON.
#include "hunt/statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "hunt/hunting.h"

namespace dissensus::hunt {
namespace {

using testing::HasSubstr;

class Statistics : public testing::Test {
 protected:
  Statistics() {
    options_.search = "portfolio";
    options_.budget = parse_budget("180runs");
    progress_.runs = 30;
    progress_.known = 10;
    progress_.virtual_time = std::chrono::minutes(90);
    progress_.failed = 3;
    progress_.repeated = 2;
    progress_.equal = 2;
    progress_.best = {-12.5};
    progress_.members["nsga2"] = {12, 1, 40, 2};
    progress_.members["pct"] = {18, 2, 4, 0};
    progress_.origins["sbx+gaussian"] = {30, 3, 44, 2};
    Finding finding;
    finding.signature = "agreement/decided-differently/" + std::string(100, 'x');
    finding.item = 7;
    finding.count = 3;
    progress_.findings.push_back(finding);
  }
  HuntSnapshot snapshot() const { return {progress_, options_, names_, "scenario", 2.0}; }

  HuntProgress progress_;
  HuntOptions options_;
  std::vector<std::string> names_{"time"};
};

TEST_F(Statistics, ThePanelFitsTheTerminal) {
  for (const std::size_t width : {20u, 79u, 200u}) {
    for (const std::string& line : panel_lines(snapshot(), width)) EXPECT_LE(line.size(), width);
  }
  const std::vector<std::string> lines = panel_lines(snapshot(), 79);
  EXPECT_LE(lines.size(), 20u);
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  for (const char* part :
       {"30, 10/s, 1.50 virtual hours", "150 of 180 runs left", "time -12.5", "100 % of 2 runs",
        "3 x agreement/decided-differently/", "nsga2", "sbx+gaussian", "Ctrl-C stops"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  EXPECT_LT(text.find("  pct"), text.find("  nsga2")) << "the best yield comes first";
}

TEST_F(Statistics, InstabilityIsLoud) {
  progress_.equal = 1;
  EXPECT_THAT(progress_line(snapshot()), HasSubstr("ONLY 1 of 2 runs made twice were equal"));
}

TEST_F(Statistics, TheFileHasTheSameFigures) {
  const auto json = nlohmann::json::parse(statistics_json(snapshot()));
  EXPECT_EQ(json["evaluations"], 30);
  EXPECT_EQ(json["from_store"], 10);
  EXPECT_EQ(json["runs_per_second"], 10);
  EXPECT_EQ(json["virtual_seconds"], 5400);
  EXPECT_EQ(json["best"]["time"], -12.5);
  EXPECT_EQ(json["stability"]["equal"], 2);
  EXPECT_EQ(json["findings"][0]["count"], 3);
  EXPECT_EQ(json["members"]["pct"]["failures"], 2);
  EXPECT_EQ(json["origins"]["sbx+gaussian"]["new_states"], 44);
}

TEST_F(Statistics, WhatIsLeftOfEachKindOfBudget) {
  options_.budget = parse_budget("2h-virtual");
  EXPECT_THAT(progress_line(snapshot()), HasSubstr("0.50 of 2.00 virtual hours left"));
  options_.budget = parse_budget("30s");
  EXPECT_THAT(progress_line(snapshot()), HasSubstr("28 of 30 s left"));
}

}  // namespace
}  // namespace dissensus::hunt
