// Recorded executions are read as their README documents them, and repeated as they began.
#include "recorded_cases.h"

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <zlib.h>

#include "dissensus/options.h"

#include "simulated_case.h"

namespace dissensus::studies {
namespace {

using nlohmann::json;

json delays() {
  json all = json::array();
  for (int from = 0; from < 5; ++from) {
    json row = json::array();
    for (int to = 0; to < 5; ++to) {
      if (from == to) {
        row.push_back(nullptr);
        continue;
      }
      json kinds = json::array();
      for (int kind = 0; kind < 13; ++kind) kinds.push_back(from * 1000 + to * 100 + kind);
      row.push_back(kinds);
    }
    all.push_back(row);
  }
  return all;
}

json recorded_case() {
  json object{{"id", "b-1"},          {"group", "b"},       {"version", "1.7.2"},
              {"variant", "same"},    {"reserveXRP", 200},  {"t0epoch", 1794709011752},
              {"outcome", "settled"}, {"duration", 9050.0}, {"duration_settled", 9000.0},
              {"maxProposeSeq", 2},   {"bowoutsOwn", 8},    {"delays", delays()}};
  object["accounts"]["fund"] = {290000100, 210000100, 210000100};
  object["recovery"] = {{"recovered", true}, {"ms", 4600.0}};
  object["relay"]["lateness_ms"]["p99"] = 2.5;
  object["agreement2"] = json::array();
  object["builtDiffer"] = json::array({1});
  object["counts"] = {{"GetLedger", 7}, {"other3", 5}};
  const std::string hashes[] = {"CC000000", "AA000000", "DD000000", "BB000000"};
  for (int node = 0; node < 4; ++node) {
    object["submissions"].push_back({{"t", 2000.0 + node},
                                     {"hash", hashes[node]},
                                     {"prelim", node == 3 ? "tefPAST_SEQ" : "tesSUCCESS"}});
  }
  for (int node = 0; node < 5; ++node) {
    object["phases"].push_back(json::parse(
        R"([[-3100,"establish"],[-1100,"accepted"],[-100,"establish"],[1900,"accepted"],
            [1901,"open"],[2900,"establish"],[5900,"accepted"],[9900,"establish"]])"));
    object["validated"].push_back(json::parse(R"([{"t":-500},{"t":2500},{"t":6500},{"t":9500}])"));
    object["results"].push_back({nullptr, "tesSUCCESS", nullptr, "tecUNFUNDED_PAYMENT"});
  }
  return object;
}

class RecordedFolder : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "recorded-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    std::filesystem::create_directories(folder_ + "/messages");
    std::filesystem::create_directories(folder_ + "/logs");
    write("cases.jsonl.gz", recorded_case().dump() + "\n");
    write("rounds.jsonl.gz",
          R"({"case":"b-1","t":3000,"prev":"P","set":"A","fail":"no"}
{"case":"b-1","t":3500,"prev":"P","set":"B","fail":"yes"}
)");
    write("messages/b-1.jsonl.gz",
          R"({"ph":0,"kind":"ProposeSet0","seq":0,"prev":"P","sg":1,"from":1}
{"ph":0,"kind":"ProposeSet2","seq":2,"prev":"P","sg":1,"from":1}
{"ph":0,"kind":"ProposeSet3","seq":3,"prev":"P","sg":1,"from":2}
{"ph":0,"kind":"GetLedger","it":3}
{"ph":1,"kind":"GetLedger","it":3}
)");
    write("logs/b-1.txt.gz",
          "3000.1 n1 TransactionAcquire:WRN Failed to acquire TX set AB\n"
          "9500.0 n1 TransactionAcquire:WRN Failed to acquire TX set AB\n");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) const {
    const gzFile file = gzopen((folder_ + "/" + name).c_str(), "wb");
    ASSERT_NE(file, nullptr);
    EXPECT_EQ(gzwrite(file, text.data(), static_cast<unsigned>(text.size())),
              static_cast<int>(text.size()));
    EXPECT_EQ(gzclose(file), Z_OK);
  }
  RecordedCase read() const {
    RecordedCases cases(folder_);
    RecordedCase recorded;
    EXPECT_TRUE(cases.next(recorded));
    RecordedCase none;
    EXPECT_FALSE(cases.next(none));
    return recorded;
  }
  std::string folder_;
};

TEST_F(RecordedFolder, DelaysBecomeGenes) {
  const RecordedCase recorded = read();
  const auto& schedule = std::get<faults::DelaySchedule>(recorded.schedule.scheduler);
  const faults::GeneSpace genes{5, 13};
  ASSERT_EQ(schedule.delay_ms.size(), 260u);
  EXPECT_EQ(schedule.delay_ms[genes.index(3, 1, 11)], 3111u);
  EXPECT_EQ(schedule.delay_ms[genes.index(0, 4, 0)], 400u);
}

TEST_F(RecordedFolder, MetricsAreThoseOfTheWindow) {
  const CaseMetrics metrics = read().metrics;
  EXPECT_EQ(metrics.outcome, CaseOutcome::settled);
  EXPECT_DOUBLE_EQ(metrics.window_s, 9);
  // Per node: -0.5 to 2.5 s and 2.5 to 6.5 s; the ledger at 9.5 s lies behind the end.
  ASSERT_EQ(metrics.intervals_s.size(), 10u);
  EXPECT_DOUBLE_EQ(metrics.intervals_s[0], 3);
  EXPECT_DOUBLE_EQ(metrics.intervals_s[1], 4);
  // The phase that began before the window does not count.
  ASSERT_EQ(metrics.establish_s.size(), 5u);
  EXPECT_DOUBLE_EQ(metrics.establish_s[0], 3);
  ASSERT_EQ(metrics.open_s.size(), 5u);
  EXPECT_DOUBLE_EQ(metrics.open_s[0], 1);
  EXPECT_EQ(metrics.bow_outs, 2u);
  EXPECT_EQ(metrics.not_applied, 1u);
  EXPECT_EQ(metrics.succeeded, 1u);
  EXPECT_EQ(metrics.claimed, 1u);
  EXPECT_TRUE(metrics.built_differ);
  EXPECT_EQ(metrics.message_count(), 7u);
  EXPECT_EQ(metrics.requests[3], 1u);
  EXPECT_EQ(metrics.failed_acquisitions, 1u);
  EXPECT_EQ(metrics.round_propose_seq, std::vector<double>{2});
}

TEST_F(RecordedFolder, ARoundThatMovedOnDeclaresNothing) {
  EXPECT_FALSE(read().metrics.sets_differ);
  write("rounds.jsonl.gz",
        R"({"case":"b-1","t":3000,"prev":"P","set":"A","fail":"no"}
{"case":"b-1","t":3500,"prev":"P","set":"B","fail":"no"}
)");
  EXPECT_TRUE(read().metrics.sets_differ);
}

TEST_F(RecordedFolder, RepetitionBeginsLikeTheRecordedNetwork) {
  const RecordedCase recorded = read();
  const RepeatedCase repeated = repeat(recorded);
  // The start of a run is a whole second of the network clock, and lies two rounds back.
  const auto warm_up_ms = repeated.warm_up.count() / 1000;
  EXPECT_EQ((recorded.start_epoch_ms - warm_up_ms) % 1000, 0);
  EXPECT_GE(warm_up_ms, 6100);
  for (const std::int64_t heartbeat : repeated.setup.heartbeat_ms) {
    EXPECT_EQ(heartbeat, -100 + warm_up_ms - 6000);
    EXPECT_GE(heartbeat, 0);
  }
  EXPECT_EQ(make_scenario(repeated.setup).nodes(), 5u);
}

TEST_F(RecordedFolder, DamageIsReportedWithFileAndLine) {
  json damaged = recorded_case();
  damaged.erase("phases");
  write("cases.jsonl.gz", damaged.dump() + "\n");
  try {
    read();
    FAIL() << "accepted a case without phases";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("cases.jsonl.gz:1: case:"), std::string::npos);
  }
}

TEST(RecordedCasesTest, AbsenceIsNoticed) {
  EXPECT_FALSE(has_recorded_cases("/nowhere"));
}

}  // namespace
}  // namespace dissensus::studies
