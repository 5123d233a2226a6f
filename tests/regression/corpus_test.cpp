#include "regression/corpus.h"

#include <filesystem>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dissensus/random.h"

#include "core/file.h"
#include "run/schedule_space.h"
#include "systems/simulated/simulated.h"

namespace dissensus::regression {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

/// One late proposal makes it fail; without `fixed` in the system.
constexpr std::string_view kScenario = R"(format = "dissensus-scenario/1"
name = "overtaken"
[system]
kind = "majority"
values = [1, 1, 0]
[network]
latency = "5ms"
[schedule]
type = "delay"
max_delay = "40ms"
)";

class CorpusTest : public testing::Test {
 protected:
  void SetUp() override {
    corpus_ = testing::TempDir() + "dissensus_corpus_" +
              testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(corpus_);
    recipe_.scenario = run::parse_scenario(kScenario, "overtaken.toml", simulated_systems());
    run::Runner runner;
    for (recipe_.seed = 1;; ++recipe_.seed) {
      Random random(recipe_.seed, "schedule");
      recipe_.schedule = run::random_schedule(recipe_.scenario, random);
      if (runner.run(recipe_.scenario, recipe_.schedule, recipe_.seed).verdict.outcome ==
          oracle::Outcome::fail) {
        break;
      }
    }
  }
  void TearDown() override { fs::remove_all(corpus_); }

  CheckedEntry check(const std::string& name) {
    run::Runner runner;
    return check_entry(corpus_, name, simulated_systems(), runner);
  }
  void change(const std::string& file, const std::string& from, const std::string& to) const {
    std::string text = read_file(corpus_ + file, 1 << 20);
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    write_file(corpus_ + file, text.replace(at, from.size(), to));
  }

  std::string corpus_;
  run::Recipe recipe_;
};

TEST_F(CorpusTest, AnUnchangedSystemStillFails) {
  const Entry added = add_entry(corpus_, "one", recipe_);
  EXPECT_GT(added.acting_parts, 0u);
  EXPECT_THAT(entry_names(corpus_), ElementsAre("one"));
  const CheckedEntry checked = check("one");
  EXPECT_EQ(checked.state, State::still_fails);
  EXPECT_TRUE(checked.same_hash);
  EXPECT_FALSE(checked.is_regression());
  EXPECT_THROW(add_entry(corpus_, "one", recipe_), InputError);
}

// A system with the cure passes though the schedule still acts; later failures are regressions.
TEST_F(CorpusTest, ACureIsSeenAndItsLossIsARegression) {
  add_entry(corpus_, "one", recipe_);
  change("/one/scenario.toml", "values = [1, 1, 0]", "values = [1, 1, 0]\nfixed = true");
  EXPECT_EQ(check("one").state, State::fixed);
  set_expectation(corpus_, "one", Expectation::fixed);
  EXPECT_FALSE(check("one").is_regression());
  change("/one/scenario.toml", "fixed = true", "fixed = false");
  const CheckedEntry checked = check("one");
  EXPECT_EQ(checked.state, State::still_fails);
  EXPECT_TRUE(checked.is_regression());
}

// Messages that are faster than any delay can matter: the run passes because the fault misses.
TEST_F(CorpusTest, AScheduleThatNoLongerActsShowsNoCure) {
  const Entry added = add_entry(corpus_, "one", recipe_);
  // The same schedule with all delays gone, as if no message of these kinds were sent any more.
  faults::Schedule empty = recipe_.schedule;
  for (std::uint32_t& delay : std::get<faults::DelaySchedule>(empty.scheduler).delay_ms) delay = 0;
  write_file(corpus_ + "/one/schedule.json",
             faults::to_json(empty, recipe_.scenario.system_description(), 3));
  const CheckedEntry checked = check("one");
  EXPECT_EQ(checked.state, State::missed);
  EXPECT_TRUE(checked.is_open());
  EXPECT_THAT(checked.reason, HasSubstr(fmt::format("0 of {} parts", added.acting_parts)));
}

TEST_F(CorpusTest, WhatCannotBeReplayedSaysWhy) {
  add_entry(corpus_, "one", recipe_);
  change("/one/scenario.toml", "values", "nonsense");
  const CheckedEntry checked = check("one");
  EXPECT_EQ(checked.state, State::cannot_be_replayed);
  EXPECT_THAT(checked.reason, HasSubstr("scenario.toml:")) << "the place";
  write_file(corpus_ + "/one/entry.json", "{}");
  EXPECT_EQ(check("one").state, State::cannot_be_replayed);
  EXPECT_THROW(entry_names(corpus_ + "/nowhere"), InputError);
}

TEST_F(CorpusTest, PassingRunsAreRefused) {
  recipe_.schedule = {};
  EXPECT_THROW(add_entry(corpus_, "one", recipe_), InputError);
  EXPECT_FALSE(fs::exists(corpus_ + "/one"));
}

TEST(CorpusReports, EscapeWhatEntriesSay) {
  CheckedEntry bad;
  bad.name = "<a&b>";
  bad.expected = Expectation::fixed;
  bad.state = State::still_fails;
  bad.reason = "x < \"y\" | z\x1b[0m";
  CheckedEntry good;
  good.name = "good";
  good.state = State::fixed;
  EXPECT_EQ(to_junit({bad, good}),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuite name=\"dissensus corpus\" tests=\"2\" failures=\"1\" errors=\"0\">\n"
            "  <testcase classname=\"corpus\" name=\"&lt;a&amp;b&gt;\">\n"
            "    <failure message=\"still fails\">x &lt; &quot;y&quot; | z [0m</failure>\n"
            "  </testcase>\n"
            "  <testcase classname=\"corpus\" name=\"good\"/>\n"
            "</testsuite>\n");
  EXPECT_THAT(to_markdown({bad}),
              HasSubstr("| \\<a&b> | fixed | **regression**: still fails | x \\< "));
}

}  // namespace
}  // namespace dissensus::regression
