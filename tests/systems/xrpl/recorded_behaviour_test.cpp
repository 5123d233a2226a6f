// Behaviour that the reference leaves open and recorded servers decided
// (docs/results/xrpl-fidelity.md).
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "run/recording.h"
#include "run/runner.h"
#include "run/scenario.h"
#include "systems/simulated/simulated.h"
#include "trace/trace.h"

namespace dissensus::xrpl {
namespace {

struct Recorded {
  run::Scenario scenario;
  std::vector<trace::Record> records;
};

Recorded record(const std::string& system, const std::string& workload, const std::string& until) {
  Recorded result{
      run::parse_scenario(
          fmt::format("format = \"dissensus-scenario/1\"\nname = \"recorded\"\n"
                      "[system]\nkind = \"xrpl\"\nfirst_close = \"0s\"\n{}\n{}\n"
                      "[network]\nlatency = \"10ms\"\n[limits]\nvirtual_time = \"{}\"\n",
                      system, workload, until),
          "recorded.toml", simulated_systems()),
      {}};
  run::Runner runner;
  result.records = runner.run(result.scenario, {}, 1, run::with_trace()).records;
  return result;
}

std::string payment(int node, const std::string& at, int sequence) {
  return fmt::format(
      "[[workload]]\nat = \"{}\"\nnode = {}\nfrom = \"alice\"\nto = \"bob\"\namount = 1\n"
      "sequence = {}\n",
      at, node, sequence);
}

/// When node 1 first sent the payment with this sequence on; -1 for never.
double relayed_by_node_1(const Recorded& run, std::uint64_t sequence) {
  const SystemDescription& description = run.scenario.system_description();
  const MessageKind kind = description.find_kind("Transaction");
  for (const trace::Record& record : run.records) {
    if (record.type != EventType::send || record.kind != kind || record.node != 1) continue;
    constexpr std::size_t kSequenceField = 3;
    if (std::get<std::uint64_t>(record.fields[kSequenceField]) != sequence) continue;
    return static_cast<double>(microseconds_of(record.time)) / 1e6;
  }
  return -1;
}

const std::string kSystem =
    "accounts = { alice = \"1000\", bob = \"1000\" }\nheartbeat_phases = [500, 500, 500, 500, 500]";

// A payment whose predecessor is missing is held, and goes on as soon as the predecessor arrives.
TEST(RecordedBehaviour, AHeldPaymentFollowsItsPredecessor) {
  const Recorded run = record(kSystem, payment(1, "600ms", 1) + payment(0, "1200ms", 0), "3s");
  EXPECT_NEAR(relayed_by_node_1(run, 2), 1.21, 0.005);
}

// It is tried at one close only (3.5 s here): a predecessor that arrives after that finds nothing
// held, and the payment returns with the next open ledger (5.5 s).
TEST(RecordedBehaviour, AHeldPaymentIsForgottenAtTheClose) {
  const Recorded run = record(kSystem, payment(1, "2800ms", 1) + payment(0, "4200ms", 0), "8s");
  EXPECT_NEAR(relayed_by_node_1(run, 2), 5.5, 0.05);
}

std::vector<double> round_lengths(const std::string& lateness) {
  const Recorded run =
      record(kSystem + "\nheartbeat_lateness = \"" + lateness + "\"\n", "", "200s");
  std::vector<double> lengths;
  double before = -1;
  for (const trace::Record& record : run.records) {
    if (record.type != EventType::phase || record.number != 1 || record.node != 0) continue;
    const double now = static_cast<double>(microseconds_of(record.time)) / 1e6;
    if (before >= 0) lengths.push_back(now - before);
    before = now;
  }
  return lengths;
}

// Heartbeats are armed again after processing, so a round of three takes a little more than 3 s.
TEST(RecordedBehaviour, HeartbeatsComeLate) {
  const std::vector<double> exact = round_lengths("0s");
  ASSERT_GE(exact.size(), 60u);
  for (const double length : exact) EXPECT_DOUBLE_EQ(std::round(length * 1e6) / 1e6, 3.0);
  double sum = 0;
  const std::vector<double> late = round_lengths("1300us");
  for (const double length : late) {
    EXPECT_GT(length, 3.0);
    EXPECT_LT(length, 3.05);
    sum += length;
  }
  EXPECT_NEAR(sum / static_cast<double>(late.size()), 3.0039, 0.001);
}

}  // namespace
}  // namespace dissensus::xrpl
