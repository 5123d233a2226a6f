// Checkers against brute force: every small history is judged by the definition of what was
// promised as well, and the two must agree. DISSENSUS_SOAK=1 compares fifty times as many.
#include <cstdlib>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "history/checker.h"
#include "history/reader.h"
#include "history/transaction_generator.h"
#include "history/transaction_judge.h"

namespace dissensus::history {
namespace {

bool is_soak() {
  return std::getenv("DISSENSUS_SOAK") != nullptr;
}

/// What two judges said of the same histories.
struct Comparison {
  std::uint64_t histories = 0;
  std::uint64_t bad = 0;
  std::uint64_t missed = 0;
  std::uint64_t false_alarms = 0;
  std::uint64_t unknown = 0;
  std::string example;

  void add(const History& history, bool is_good, const Verdict& verdict) {
    ++histories;
    bad += is_good ? 0 : 1;
    const bool is_missed = !is_good && verdict.outcome == Outcome::pass;
    const bool is_false = is_good && verdict.outcome == Outcome::fail;
    unknown += verdict.outcome == Outcome::unknown ? 1 : 0;
    missed += is_missed ? 1 : 0;
    false_alarms += is_false ? 1 : 0;
    if (!(is_missed || is_false) || !example.empty()) return;
    for (const Event& event : history.events()) example += to_json_line(event) + "\n";
    for (const Finding& finding : verdict.findings) {
      example += finding.name + ": " + finding.text + "\n";
    }
  }

  void expect_agreement(std::string_view what) const {
    EXPECT_EQ(missed, 0u) << what << "\n" << example;
    EXPECT_EQ(false_alarms, 0u) << what << "\n" << example;
    fmt::print("{:<52} {:>7} histories, {:>6} bad, {} missed, {} false alarms, {} unknown\n", what,
               histories, bad, missed, false_alarms, unknown);
    // Both kinds are common, or the comparison says nothing.
    EXPECT_LT(bad, histories) << what;
  }
};

class BruteForceTransactions : public testing::TestWithParam<TransactionKind> {};

TEST_P(BruteForceTransactions, AgreeAtEveryLevel) {
  const bool is_list = GetParam() == TransactionKind::list_append;
  const std::uint64_t histories = is_soak() ? 100'000 : 2'000;
  std::vector<Comparison> comparisons(kIsolationLevels);
  for (std::uint64_t seed = 0; seed < histories; ++seed) {
    const History history = TransactionGenerator(seed, is_list).make();
    const std::vector<Operation> operations = operations_of(history);
    TransactionJudge judge(history, operations, is_list);
    for (std::size_t i = 0; i < kIsolationLevels; ++i) {
      TransactionOptions options;
      options.promised = static_cast<Isolation>(i);
      const Verdict verdict = check_transactions(history, operations, GetParam(), options);
      comparisons[i].add(history, judge.allows(options.promised), verdict);
    }
  }
  for (std::size_t i = 0; i < kIsolationLevels; ++i) {
    comparisons[i].expect_agreement(fmt::format("{} {}",
                                                is_list ? "txn-list-append" : "txn-rw-register",
                                                to_string(static_cast<Isolation>(i))));
  }
}

INSTANTIATE_TEST_SUITE_P(Both, BruteForceTransactions,
                         testing::Values(TransactionKind::list_append,
                                         TransactionKind::rw_register));

}  // namespace
}  // namespace dissensus::history
