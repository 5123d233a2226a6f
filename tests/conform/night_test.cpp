// All night: every finding once, whatever the number of workers, and however often it is killed.
#include "conform/night.h"

#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conform/token_ring.h"
#include "conform/walkthrough.h"
#include "core/file.h"

namespace dissensus::conform {
namespace {

using test::ring_registry;
using test::RingFiles;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class NightTest : public testing::Test {
 protected:
  NightTest() : mapping_(load_mapping(files_.mapping())) {
    options_.depth = 60;
    options_.traces = 40;
  }

  static Variant with(const std::string& key) { return {{{"system." + key, "true"}}, {}, {}}; }
  std::string store() const { return files_.path("night.sqlite"); }

  /// One night; `traces` more traces in all.
  NightResult night(NightRecord& record, const Variant& variant = {}) {
    return run_night(
        mapping_, variant, ring_registry(), options_, record, [] { return true; },
        [](const NightFinding&) {});
  }
  static std::vector<std::string> signatures(const NightRecord& record) {
    std::vector<std::string> texts;
    for (const NightFinding& one : record.findings()) {
      texts.push_back(fmt::format("{} ({}) first {} in {}", one.signature, one.types,
                                  one.first_trace, one.traces));
    }
    return texts;
  }

  RingFiles files_;
  Mapping mapping_;
  NightOptions options_;
};

TEST_F(NightTest, ACorrectSystemHasNoFindingAndBothWorkflowsTookPart) {
  NightRecord record("", "");
  const NightResult result = night(record);
  EXPECT_THAT(record.findings(), IsEmpty());
  EXPECT_THAT(result.gaps, IsEmpty());
  EXPECT_GT(record.totals().run_steps, 0u);
  EXPECT_GT(record.totals().walk_steps, 0u);
  EXPECT_GT(record.totals().new_traces, 0u);
}

// The ring has few traces: they are all seen soon.
TEST_F(NightTest, EndsWhenNoNewTraceAppears) {
  options_.traces = 5'000;
  options_.patience = 10;
  NightRecord record("", "");
  EXPECT_TRUE(night(record).is_exhausted);
  EXPECT_LT(record.totals().traces, 5'000u);
  EXPECT_LT(record.totals().new_traces, record.totals().traces);
}

TEST_F(NightTest, AFindingIsKeptOnceAndTheNightGoesOn) {
  NightRecord record("", "");
  night(record, with("doubles"));
  ASSERT_FALSE(record.findings().empty());
  EXPECT_EQ(record.totals().traces, options_.traces) << "it does not end with the first finding";
  std::set<std::string> different;
  for (const NightFinding& one : record.findings()) different.insert(one.signature);
  EXPECT_EQ(different.size(), record.findings().size());
  EXPECT_THAT(record.findings().front().signature, HasSubstr("Take refused: "));
  EXPECT_THAT(record.findings().front().file, HasSubstr("dissensus-conformance/1"));
}

TEST_F(NightTest, WorkersMakeNoDifference) {
  NightRecord alone("", "");
  night(alone, with("miscounts"));
  options_.workers = 3;
  NightRecord together("", "");
  night(together, with("miscounts"));
  EXPECT_EQ(signatures(alone), signatures(together));
  EXPECT_EQ(alone.totals().new_traces, together.totals().new_traces);
  EXPECT_EQ(alone.totals().run_steps, together.totals().run_steps);
}

TEST_F(NightTest, ASecondNightGoesOnWhereTheFirstEnded) {
  NightRecord whole("", "");
  night(whole, with("miscounts"));
  const std::string identity = night_identity(mapping_, with("miscounts"), options_);
  for (const std::uint64_t until : {7u, 23u, 40u}) {
    options_.traces = until;
    NightRecord record(store(), identity);
    night(record, with("miscounts"));
    EXPECT_EQ(record.totals().traces, until);
  }
  const NightRecord kept(store(), identity);
  EXPECT_EQ(signatures(kept), signatures(whole));
  EXPECT_EQ(kept.totals().new_traces, whole.totals().new_traces);
  EXPECT_EQ(kept.findings().front().file, whole.findings().front().file);
  // Another variant, or another seed, is another night in the same store.
  options_.seed = 2;
  EXPECT_EQ(NightRecord(store(), night_identity(mapping_, {}, options_)).totals().traces, 0u);
}

// A finding of a night, as the explorer shows it.
TEST_F(NightTest, AFindingIsToldStepByStep) {
  NightRecord record("", "");
  night(record, with("doubles"));
  ASSERT_FALSE(record.findings().empty());
  const std::string path = files_.path("finding.json");
  write_file(path, record.findings().front().file);
  const Walkthrough walk = walk_through(read_finding(path), ring_registry());
  ASSERT_TRUE(walk.violation);
  ASSERT_FALSE(walk.violation->guards.empty());
  ASSERT_THAT(walk.sources, SizeIs(walk.violation->guards.size()));
  const SourceLines& source = walk.sources.front();
  ASSERT_LT(source.marked - source.first, source.lines.size());
  EXPECT_THAT(source.lines[source.marked - source.first], HasSubstr("holder = 0"));
  ASSERT_FALSE(walk.steps.empty());
  EXPECT_THAT(walk.steps.back().events.back(), HasSubstr("take(node "));
  EXPECT_THAT(walk.steps.back().actions.front(), HasSubstr("Take("));
  EXPECT_THAT(walk.steps.back().model, IsEmpty()) << "the model does not follow";
  EXPECT_FALSE(walk.steps.front().model.empty()) << "the first step changes the model";
  // All but the last steps are left out: the states before are those that they led to.
  WalkthroughLimits few;
  few.steps = 1;
  const Walkthrough end = walk_through(read_finding(path), ring_registry(), few);
  EXPECT_EQ(end.left_out + 1, walk.steps.size());
  EXPECT_NE(end.model, walk.model);
}

}  // namespace
}  // namespace dissensus::conform
