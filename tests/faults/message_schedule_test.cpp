// Schedules of single messages: what they delay, how they are written, and which are refused.
#include <gtest/gtest.h>

#include "faults/schedule.h"
#include "faults/scripted_system.h"

namespace dissensus::faults {
namespace {

using std::chrono::milliseconds;

const GeneSpace kGenes{3, 2};

MessageSchedule::Delay delay(NodeId from, NodeId to, MessageKind kind, std::uint32_t nth,
                             Duration time) {
  return {static_cast<std::uint32_t>(kGenes.index(from, to, kind)), nth, time};
}

std::string document(std::string_view messages) {
  return fmt::format(
      "{{\n\"format\": \"dissensus-schedule/1\",\n\"system\": \"scripted\",\n\"nodes\": 3,\n{}\n}}",
      messages);
}

std::string error_of(std::string_view messages) {
  try {
    parse_schedule(document(messages), "s.json", scripted_description(), 3);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(MessageSchedule, IsReadInAnyOrderAndWrittenInOne) {
  const Schedule schedule =
      parse_schedule(document(R"("messages": {"Commit": {"1>2": {"10": "40us", "2": "1s"}},
                  "Proposal": {"0>2": {"0": "0s", "3": "12.5ms"}}})"),
                     "s.json", scripted_description(), 3);
  const MessageSchedule expected{{delay(0, 2, kProposal, 3, Duration{12'500}),
                                  delay(1, 2, kCommit, 2, std::chrono::seconds(1)),
                                  delay(1, 2, kCommit, 10, Duration{40})}};
  EXPECT_EQ(std::get<MessageSchedule>(schedule.scheduler), expected);
  const std::string text = to_json(schedule, scripted_description(), 3);
  EXPECT_NE(text.find(R"("messages": {
    "Proposal": {
      "0>2": {"3": "12500us"}
    },
    "Commit": {
      "1>2": {"2": "1s", "10": "40us"}
    }
  })"),
            std::string::npos)
      << text;
  EXPECT_EQ(parse_schedule(text, "s.json", scripted_description(), 3), schedule);
}

TEST(MessageSchedule, DelaysTheMessagesItNamesAndNoOther) {
  const Schedule schedule{MessageSchedule{{delay(0, 2, kProposal, 1, milliseconds(50)),
                                           delay(0, 2, kProposal, 2, milliseconds(10))}},
                          {}};
  ScriptedRun run(
      3, schedule,
      {send(10, 0, 2, kProposal, 1), send(20, 0, 2, kProposal, 2), send(20, 0, 2, kCommit, 3),
       send(30, 0, 2, kProposal, 4), send(45, 0, 2, kProposal, 5)},
      milliseconds(1));
  EXPECT_EQ(run.run(),
            (std::vector<std::string>{"11ms deliver Proposal#1 0>2", "21ms deliver Commit#3 0>2",
                                      "41ms deliver Proposal#4 0>2", "46ms deliver Proposal#5 0>2",
                                      "71ms deliver Proposal#2 0>2"}));
}

TEST(MessageSchedule, EndOfTheFaultPhaseReleasesWhatIsHeldInTheOrderOfSending) {
  const Schedule schedule{MessageSchedule{{delay(0, 1, kProposal, 0, milliseconds(500)),
                                           delay(0, 2, kProposal, 0, milliseconds(300))}},
                          {}};
  ScriptedRun run(3, schedule,
                  {send(10, 0, 1, kProposal, 1), send(11, 0, 2, kProposal, 2), end_fault_phase(40),
                   send(50, 0, 1, kProposal, 3)});
  EXPECT_EQ(run.run(),
            (std::vector<std::string>{"40ms deliver Proposal#1 0>1", "40ms deliver Proposal#2 0>2",
                                      "50ms deliver Proposal#3 0>1"}));
}

TEST(MessageSchedule, EmptyOneIsKept) {
  const Schedule schedule{MessageSchedule{}, {}};
  EXPECT_EQ(parse_schedule(to_json(schedule, scripted_description(), 3), "s.json",
                           scripted_description(), 3),
            schedule);
}

TEST(MessageSchedule, BadOnesAreRefused) {
  EXPECT_EQ(error_of(R"("messages": {"Vote": {}})").substr(0, 25), "s.json:5: messages.Vote: ");
  EXPECT_EQ(error_of(R"("messages": {"Commit": {"*>2": {}}})"),
            "s.json:5: messages.Commit.*>2: expected a key such as '0>2'");
  EXPECT_EQ(error_of(R"("messages": {"Commit": {"1>2": {"first": "1s"}}})"),
            "s.json:5: messages.Commit.1>2.first: expected the number of a message as key, such as "
            "'0' for the first one");
  EXPECT_EQ(error_of(R"("messages": {"Commit": {"1>2": {"01": "1s"}}})"),
            "s.json:5: messages.Commit.1>2.01: expected the number of a message as key, such as "
            "'0' for the first one");
  EXPECT_NE(error_of(R"("messages": {"Commit": {"1>2": {"1": "-1s"}}})"), "accepted");
  EXPECT_EQ(error_of(R"("delays_ms": {}, "messages": {})"),
            "s.json:5: messages: expected one of 'delays_ms', 'priorities' and 'messages', found "
            "two");
}

}  // namespace
}  // namespace dissensus::faults
