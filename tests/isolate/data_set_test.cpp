// The paper's tables, from the public data set beside the checkout (../shared/data/isolation), and
// what the readers say to broken copies of such a data set.
#include "isolate/data_set.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dissensus/options.h"

#include "amount.h"
#include "isolate/branches.h"
#include "isolate/cross_validation.h"
#include "isolate/isolation.h"
#include "isolate/predicate_text.h"

namespace dissensus::isolate {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const std::string kFolder = DISSENSUS_SOURCE_DIR "/../shared/data/isolation";

#define NEEDS_DATA_SET() \
  if (!is_data_set(kFolder)) GTEST_SKIP() << "needs ../shared/data/isolation, which is not here"

struct Data {
  PredicateSpace space;
  RunTable table;

  explicit Data(Mode mode)
      : space(data_set_schema(), space_options(mode, data_set_schema())), table(space) {
    DataSetSource source(kFolder);
    table = read_runs(source, space, 2);
  }
};

IsolationResult isolate_in(const Data& data, Mode mode) {
  IsolationOptions options;
  options.mode = mode;
  options.jobs = 2;
  return isolate(data.table, options);
}

/// "precision recall F1 F0.5" in per cent, as the paper prints them.
std::string row(const Scores& scores) {
  char text[64];
  std::snprintf(text, sizeof text, "%.1f %.1f %.1f %.1f", 100 * scores.precision(),
                100 * scores.recall(), 100 * scores.f1(), 100 * scores.f_half());
  return text;
}

TEST(PublicPredicates, AreAsManyAsTheReferences) {
  const Schema schema = data_set_schema();
  const PredicateSpace space(schema, space_options(Mode::reference, schema));
  EXPECT_EQ(space.base_predicates(), 4496u);
  EXPECT_EQ(space.ranked_predicates(), 3136u);
  EXPECT_EQ(space.candidates(), 15680u);
  std::vector<std::size_t> per_pair;
  for (const KindPair& pair : space.pairs()) per_pair.push_back(pair.sets.size() * 4);
  EXPECT_EQ(per_pair, (std::vector<std::size_t>{1352, 488, 488, 2168}));
}

TEST(DataSet, Table1OfThePaper) {
  NEEDS_DATA_SET();
  const std::vector<DataSetRun> runs = read_data_set_runs(kFolder).list;
  ASSERT_EQ(runs.size(), 1200u);
  std::vector<int> labels(3);
  std::vector<int> mixed(3);
  int correct = 0;
  for (const DataSetRun& run : runs) {
    correct += run.failing ? 0 : 1;
    for (std::size_t label = 0; label < 3; ++label) {
      const bool has = (run.labels >> label & 1) != 0;
      labels[label] += has ? 1 : 0;
      mixed[label] += has && (run.labels & (run.labels - 1)) != 0 ? 1 : 0;
    }
  }
  EXPECT_EQ(correct, 1055);
  EXPECT_EQ(labels, (std::vector<int>{51, 116, 2}));
  EXPECT_EQ(mixed, (std::vector<int>{22, 23, 2}));
}

TEST(DataSet, Table2OfThePaper) {
  NEEDS_DATA_SET();
  const BranchData data = read_branches(kFolder);
  const std::vector<BranchFinding> findings = isolate_branches(data, BranchMode::reference);
  ASSERT_EQ(findings.size(), 3u);
  EXPECT_EQ(branch_name(data, findings[0]),
            "BRANCH rippled/src/ripple/ledger/impl/View.cpp:655:5 is false");
  EXPECT_THAT(branch_name(data, findings[1]), HasSubstr("consensus/Consensus.h:732"));
  EXPECT_THAT(branch_name(data, findings[2]), HasSubstr("consensus/LedgerTiming.h:110"));
  EXPECT_EQ(findings[0].cluster.size(), 142u);
  EXPECT_EQ(findings[1].cluster.size(), 2u);
  EXPECT_EQ(findings[2].cluster.size(), 1u);
  const std::vector<std::string> expected{
      "34.5 96.1 50.8 39.6", "81.0 99.1 89.1 84.1", "1.4 100.0 2.8 1.8",
      "50.0 2.0 3.8 8.5",    "50.0 0.9 1.7 4.0",    "0.0 0.0 0.0 0.0",
      "100.0 2.0 3.8 9.1",   "0.0 0.0 0.0 0.0",     "0.0 0.0 0.0 0.0"};
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(row(findings[i / 3].scores[i % 3]), expected[i]) << i;
}

TEST(DataSet, Table3OfThePaper) {
  NEEDS_DATA_SET();
  const Data data(Mode::reference);
  ASSERT_EQ(data.table.runs().size(), 1200u);
  const IsolationResult result = isolate_in(data, Mode::reference);
  std::vector<std::size_t> clusters;
  for (const Finding& finding : result.findings) clusters.push_back(finding.cluster.size());
  ASSERT_EQ(clusters, (std::vector<std::size_t>{101, 21, 4, 10, 3, 3, 2, 1}));
  EXPECT_TRUE(result.unexplained.empty());
  const std::vector<std::string> names{
      "at least 2 Validation -> Validation where ledger_hash ne ledger_hash, ledger_sequence eq "
      "ledger_sequence, signing_time ne signing_time)\" > 2",
      "at least 2 Validation -> Validation where peers isdisjoint peers, ledger_sequence ne "
      "ledger_sequence, signing_time eq signing_time)\" > 3",
      "at least 3 Validation -> Validation where peers isdisjoint peers, ledger_hash eq "
      "ledger_hash, ledger_sequence ne ledger_sequence)\" > 4",
      "at least 2 Validation -> Validation where peers isdisjoint peers, ledger_sequence ne "
      "ledger_sequence, signing_time eq signing_time)\" > 2",
      "at least 2 Validation -> Proposal where peers eq peers, ledger_hash eq previous_ledger, "
      "signing_time eq close_time)\" > 1"};
  for (std::size_t i = 0; i < names.size(); ++i)
    EXPECT_THAT(reference_name(data.space, result.findings[i].candidate), HasSubstr(names[i]));
  // Incompatible, insufficient and agreement of the six predicates that the paper prints.
  const std::vector<std::string> expected{
      "9.9 19.6 13.2 11.0", "100.0 87.1 93.1 97.1", "2.0 100.0 3.9 2.5",   "100.0 41.2 58.3 77.8",
      "28.6 5.2 8.8 15.0",  "0.0 0.0 0.0 0.0",      "100.0 7.8 14.5 29.9", "100.0 3.4 6.7 15.2",
      "0.0 0.0 0.0 0.0",    "90.0 17.6 29.5 49.5",  "10.0 0.9 1.6 3.2",    "0.0 0.0 0.0 0.0",
      "66.7 3.9 7.4 15.9",  "66.7 1.7 3.4 7.8",     "0.0 0.0 0.0 0.0",     "100.0 5.9 11.1 23.8",
      "33.3 0.9 1.7 3.9",   "0.0 0.0 0.0 0.0"};
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(row(result.findings[i / 3].scores[i % 3]), expected[i]) << i;
  EXPECT_EQ(result.findings[7].rivals, 4501u) << "all of importance 0, so the first one is taken";
}

// The goals: an F1 of 95 % and 80 % with at most five predicates, on held-out runs.
TEST(DataSet, ImprovedModeFindsTheTwoCausesInHeldOutRuns) {
  NEEDS_DATA_SET();
  const Data data(Mode::improved);
  const IsolationResult result = isolate_in(data, Mode::improved);
  ASSERT_GE(result.findings.size(), 2u);
  ASSERT_LE(result.findings.size(), 5u);
  EXPECT_GE(result.findings[0].scores[1].f1(), 0.95);
  EXPECT_GE(result.findings[1].scores[0].f1(), 0.80);
  IsolationOptions options;
  options.jobs = 2;
  const CrossValidation validation =
      cross_validate(data.table, options, {test::kSanitized ? 3u : 10u, 1});
  EXPECT_GE(validation.labels[1].single.f1(), 0.95) << "insufficient support";
  EXPECT_GE(validation.labels[0].single.f1(), 0.80) << "incompatible ledger";
  for (const std::size_t length : validation.predicates) EXPECT_LE(length, 5u);
}

class BrokenDataSet : public testing::Test {
 protected:
  BrokenDataSet() {
    std::string pattern = (fs::temp_directory_path() / "dissensus-isolate-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp");
    folder_ = pattern;
    write("runs.jsonl", kRuns);
    write("messages-a.jsonl.gz", kMessages);
  }
  ~BrokenDataSet() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ + "/" + name, std::ios::binary) << content;
  }
  std::string error() const {
    try {
      DataSetSource source(folder_);
      for (isolate::Run run; source.next(run);) {
      }
    } catch (const InputError& error) {
      return std::string(error.what()).substr(folder_.size() + 1);
    }
    return "no error";
  }
  std::string error_of_messages(const std::string& inbox) const {
    write("messages-a.jsonl.gz", R"({"run":"1","hashes":["AA"],"inbox":)" + inbox + "}\n");
    return error();
  }

  static constexpr const char* kRuns =
      R"({"run":"1","config":"a","outcome":"faulty","incompatible":true,"insufficient":false,"agreement":false})"
      "\n";
  static constexpr const char* kMessages =
      R"({"run":"1","hashes":["AA"],"inbox":[[[0,1,5,0,0,-1],[1,2,0,1,0,3,9]],[],[],[],[],[],[]]})"
      "\n";
  std::string folder_;
};

TEST_F(BrokenDataSet, IsReadWhenItIsNot) {
  DataSetSource source(folder_);
  isolate::Run run;
  ASSERT_TRUE(source.next(run));
  EXPECT_TRUE(run.failing);
  EXPECT_EQ(run.labels, 1u);
  ASSERT_EQ(run.inboxes[0].entries.size(), 2u);
  EXPECT_EQ(run.inboxes[0].values, (std::vector<std::int64_t>{5, 0, 0, -1, 0, 1, 0, 3, 9}));
  EXPECT_FALSE(source.next(run));
}

TEST_F(BrokenDataSet, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(error_of_messages("[[[0,1,5,0,0]],[],[],[],[],[],[]]"),
            "messages-a.jsonl.gz:1: inbox: a Proposal with 3 fields, expected 4");
  EXPECT_EQ(error_of_messages("[[[2,1,5,0,0,0]],[],[],[],[],[],[]]"),
            "messages-a.jsonl.gz:1: inbox: kind: 2 is too large, expected at most 1");
  EXPECT_EQ(error_of_messages("[[[0,7,5,0,0,0]],[],[],[],[],[],[]]"),
            "messages-a.jsonl.gz:1: inbox: sender: 7 is too large, expected at most 6");
  EXPECT_EQ(error_of_messages("[[[0,1,\"5\",0,0,0]],[],[],[],[],[],[]]"),
            "messages-a.jsonl.gz:1: close_time: a text, expected an integer of 64 bits with sign");
  EXPECT_EQ(error_of_messages("[[[0,1,5,1,0,0]],[],[],[],[],[],[]]"),
            "messages-a.jsonl.gz:1: previous_ledger: 1, expected -1 or an index into hashes");
  EXPECT_EQ(error_of_messages("[[],[]]"), "messages-a.jsonl.gz:1: inbox: 2 boxes, expected 7");
  write("messages-a.jsonl.gz", R"({"run":"2","hashes":[],"inbox":[]})");
  EXPECT_EQ(error(), "messages-a.jsonl.gz:1: run: '2', expected a run of runs.jsonl");
  write("runs.jsonl", R"({"run":"1","config":"a","outcome":"late"})");
  EXPECT_EQ(error(), "runs.jsonl:1: outcome: 'late', expected correct or faulty");
  write("runs.jsonl", R"({"run":"1","config":"a"})");
  EXPECT_EQ(error(), "runs.jsonl:1: outcome: missing");
}

TEST_F(BrokenDataSet, BranchesWithoutSitesAreRefused) {
  write("branches.jsonl.gz", "{\"sites\":[]}\n");
  EXPECT_THROW(read_branches(folder_), InputError);
  write("branches.jsonl.gz", "{\"sites\":[\"a\"]}\n{\"run\":\"1\",\"observed\":[0]}\n");
  EXPECT_THROW(read_branches(folder_), InputError);
  write("branches.jsonl.gz", "{\"sites\":[\"a\"]}\n{\"run\":\"1\",\"observed\":[0,2]}\n");
  EXPECT_EQ(read_branches(folder_).runs.size(), 1u);
}

}  // namespace
}  // namespace dissensus::isolate
