// Validators seen from outside: one step per message that goes to everybody, what may have been
// received and what surely was, and recordings.
#include "systems/xrpl/outside/steps.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "dissensus/options.h"

#include "systems/xrpl/outside/recording.h"

namespace dissensus::xrpl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class OutsideStepsTest : public testing::Test {
 protected:
  OutsideStepsTest()
      : folder_(std::filesystem::temp_directory_path() /
                ("dissensus-outside-" + std::to_string(getpid()))),
        files_(folder_.string(), 2),
        outside_(files_) {}
  ~OutsideStepsTest() override { std::filesystem::remove_all(folder_); }

  /// Without the line that names the format.
  std::vector<std::string> lines(NodeId node, const std::string& with = "") const {
    std::ifstream file(folder_ / ("node-" + std::to_string(node) + ".jsonl"));
    std::vector<std::string> found;
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
      if (line.find(with) != std::string::npos) found.push_back(line);
    }
    return found;
  }
  static OutsideMessage accepted(NodeId origin, const std::string& ledger, std::uint64_t seq) {
    OutsideMessage message;
    message.type = OutsideMessage::Type::status;
    message.origin = origin;
    message.ledger = ledger;
    message.previous = "parent";
    message.number = seq;
    message.event = 2;
    return message;
  }
  static OutsideMessage proposal(NodeId origin, std::uint64_t number) {
    OutsideMessage message;
    message.type = OutsideMessage::Type::proposal;
    message.origin = origin;
    message.ledger = "L";
    message.set = "S";
    message.number = number;
    return message;
  }

  std::filesystem::path folder_;
  trace::NodeLogFiles files_;
  OutsideSteps outside_;
};

TEST_F(OutsideStepsTest, AMessageToEverybodyIsOneStep) {
  outside_.sent(1, 10, 0, accepted(0, "L", 7));
  outside_.sent(1, 11, 0, accepted(0, "L", 7));
  outside_.sent(2, 12, 0, proposal(0, 0));
  outside_.sent(2, 13, 0, proposal(0, 0));
  outside_.sent(2, 14, 0, proposal(1, 0));  // passed on
  EXPECT_THAT(lines(0, "step"), ElementsAre(HasSubstr("begin"), HasSubstr("propose")));
  EXPECT_THAT(lines(0, "sends"), testing::SizeIs(5));
}

// The same proposal on the next link, after the node was first seen, is no new one.
TEST_F(OutsideStepsTest, WhatWasSaidBeforeANodeIsWatchedIsNoStep) {
  outside_.sent(1, 10, 0, proposal(0, 1));
  outside_.sent(1, 11, 0, accepted(0, "M", 8));
  outside_.sent(1, 12, 0, proposal(0, 1));
  EXPECT_THAT(lines(0, "step"), ElementsAre(HasSubstr("begin")));
}

TEST_F(OutsideStepsTest, APositionMayBeCountedThenMustBeAndGrowsOld) {
  outside_.delivered(1, 10, 1, proposal(0, 0));
  outside_.delivered(1.1, 11, 1, proposal(0, 0));  // again, by a detour
  EXPECT_THAT(lines(1, "step"), ElementsAre(HasSubstr("hear-proposal")));
  outside_.pass(2);
  EXPECT_THAT(lines(1, "step"),
              ElementsAre(HasSubstr("hear-proposal"), HasSubstr("count-proposal")));
  outside_.pass(21);
  EXPECT_THAT(lines(1, "step").back(), HasSubstr("forget-proposal"));
}

TEST_F(OutsideStepsTest, ABowOutHasNoNumber) {
  outside_.sent(1, 10, 0, accepted(0, "L", 7));
  outside_.sent(2, 11, 0, proposal(0, 0xFFFFFFFF));
  outside_.delivered(3, 11, 1, proposal(0, 0xFFFFFFFF));
  EXPECT_THAT(lines(0, "bow-out"), testing::SizeIs(1));
  EXPECT_THAT(lines(1, "hear-bow-out"), testing::SizeIs(1));
}

TEST_F(OutsideStepsTest, ARecordingBecomesLogs) {
  const std::string messages = (folder_ / "messages.jsonl").string();
  std::ofstream(messages)
      << R"({"a": 1, "f": 5, "from": 0, "to": 1, "kind": "StatusChange", "ev": 2, "seq": 7, "h": "B", "prev": "A"})"
      << "\n"
      << R"({"a": 2, "f": null, "from": 0, "to": 1, "kind": "Validation", "sg": 0, "h": "B", "seq": 7, "full": 1})"
      << "\n";
  const std::string cases = (folder_ / "cases.jsonl").string();
  std::ofstream(cases) << R"({"id": "x", "validated": [[{"t": 9, "seq": 7, "hash": "B"}], []]})"
                       << "\n";
  replay_recording(messages, cases, "x", outside_);
  EXPECT_THAT(lines(0, "step"),
              ElementsAre(HasSubstr("begin"), HasSubstr("sign"), HasSubstr("validated")));
  EXPECT_THAT(lines(1), ElementsAre(Not(HasSubstr("step"))));
  EXPECT_THROW(replay_recording(messages, cases, "y", outside_), InputError);
  std::ofstream(messages) << "{\"a\": 1}\n";
  EXPECT_THROW(replay_recording(messages, "", "", outside_), InputError);
}

}  // namespace
}  // namespace dissensus::xrpl
