// A crash can be told by what its node does: an operation on its disk, or a message that it sends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dissensus/faults.h"
#include "dissensus/options.h"

#include "faults/scripted_system.h"
#include "faults/words.h"

namespace dissensus::faults {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

CrashFault at_message(MessageKind kind, std::uint32_t nth) {
  CrashFault crash;
  crash.node = 0;
  crash.point = CrashPoint{std::nullopt, kind, nth};
  return crash;
}

std::string crash_document(const std::string& fault) {
  return R"({"format": "dissensus-schedule/1", "system": "scripted", "nodes": 3, "faults": [)" +
         fault + "]}";
}

// In the middle of a broadcast: what it would still have sent in that step is not sent.
TEST(CrashPoint, ANodeStopsWithTheMessageThatIsNamed) {
  ScriptedRun run(
      3, with_faults({at_message(kCommit, 2)}),
      {send(5, 0, 1, kProposal, 1), send(10, 0, 1, kCommit, 2), send(10, 0, 2, kCommit, 3),
       send(10, 0, 1, kCommit, 4), send(20, 0, 1, kCommit, 5)});
  EXPECT_EQ(run.run(), (Lines{"5ms deliver Proposal#1 0>1", "10ms crash 0",
                              "10ms deliver Commit#2 0>1", "10ms deliver Commit#3 0>2"}));
}

TEST(CrashPoint, ItComesBackLikeAnyOther) {
  CrashFault crash = at_message(kCommit, 1);
  crash.restart_after = milliseconds(10);
  ScriptedRun run(
      2, with_faults({crash}),
      {send(10, 0, 1, kCommit, 1), send(15, 0, 1, kCommit, 2), send(30, 0, 1, kCommit, 3)});
  EXPECT_EQ(run.run(), (Lines{"10ms crash 0", "10ms deliver Commit#1 0>1", "20ms restart 0",
                              "30ms deliver Commit#3 0>1"}));
}

TEST(CrashPoint, WhatIsNeverDoneIsAnIdleFault) {
  ScriptedRun run(2, with_faults({at_message(kCommit, 3)}), {send(10, 0, 1, kCommit, 1)});
  run.run();
  EXPECT_EQ(run.idle_faults(), (std::vector<std::size_t>{0}));
}

TEST(CrashPoint, IsReadAndWrittenAndSaid) {
  SystemDescription description = scripted_description();
  description.nodes = NodeKind::simulated_with_disk;
  description.disks = 3;
  const std::string operation =
      R"({"type": "crash", "node": 1, "at": {"file_operation": 17}, "restart_after": "2s"})";
  const std::string message =
      R"({"type": "crash", "node": 1, "at": {"message": "Commit", "nth": 3}})";
  for (const std::string& text : {operation, message}) {
    const Schedule schedule = parse_schedule(crash_document(text), "s.json", description, 3);
    EXPECT_THAT(to_json(schedule, description, 3), HasSubstr(text));
  }
  const auto said = [&](const std::string& text) {
    return in_words(parse_schedule(crash_document(text), "s.json", description, 3), description, 3)
        .front();
  };
  EXPECT_EQ(said(operation),
            "node 1 crashes with its 17th operation on a file and restarts 2 s later");
  EXPECT_EQ(said(message), "node 1 crashes when it has sent its 3rd message Commit and stays down");
}

TEST(CrashPoint, BadOnesAreRefused) {
  const auto refusal = [](const std::string& text) {
    try {
      SystemDescription description = scripted_description();
      description.nodes = NodeKind::simulated;
      parse_schedule(crash_document(text), "s.json", description, 3);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(refusal(R"({"type": "crash", "node": 1, "at": {"nth": 3}})"),
              HasSubstr("expected either 'file_operation' or 'message'"));
  EXPECT_THAT(refusal(R"({"type": "crash", "node": 1, "at": {"message": "Comit"}})"),
              HasSubstr("Commit"));
  EXPECT_THAT(refusal(R"({"type": "crash", "node": 1, "at": {"message": "Commit", "times": 2}})"),
              HasSubstr("times"));
  EXPECT_THAT(refusal(R"({"type": "crash", "node": 1, "at": {"file_operation": 2}})"),
              HasSubstr("'crash: file_operation' is not possible"));
  EXPECT_THAT(refusal(R"({"type": "crash", "node": 1})"), HasSubstr("at"));
}

}  // namespace
}  // namespace dissensus::faults
