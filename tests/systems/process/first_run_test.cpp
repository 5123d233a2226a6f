// What fails without any fault is a mistake in how programs were started, or fails without any
// fault: in either case nobody needs to search for it.
#include "hunt/first_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dissensus/options.h"
#include "dissensus/outside.h"
#include "dissensus/programs.h"

#include "systems/process/support.h"

namespace dissensus::process {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

enum class Kind { nothing, outside, input };

/// What the first run says: an error's text, or what fails.
std::pair<Kind, std::string> first_run(const std::string& command, const std::string& more = "") {
  const run::Scenario scenario = echo_scenario(command, more);
  try {
    return {Kind::nothing, hunt::try_without_faults(scenario, 1).violation};
  } catch (const InputError& error) {
    return {Kind::input, error.what()};
  } catch (const OutsideError& error) {
    return {Kind::outside, error.what()};
  }
}

/// A program that answers init, and then what `each` says for each line.
std::string answering(const std::string& each) {
  return python(R"(
import json, sys
def say(line):
    print(json.dumps(line), flush=True)
for text in sys.stdin:
    line = json.loads(text)
    body = line.get("body", {})
    if body.get("type") == "init":
        say({"src": "n0", "dest": line["src"], "body": {"type": "init_ok", "in_reply_to": 1}})
    else:
)" + each + R"(
    say({"type": "done"})
)");
}

constexpr const char* kEcho =
    "        say({'src': line['dest'], 'dest': line['src'], 'body': {'type': 'echo_ok', 'echo': "
    "body['echo'], 'in_reply_to': body['msg_id']}})";

TEST(FirstRun, OfProgramsThatWorkSaysNothing) {
  EXPECT_EQ(first_run(answering(kEcho)), std::pair(Kind::nothing, std::string()));
}

TEST(FirstRun, AProgramThatRaisesAtItsStartIsTroubleWithTheLastLineOfItsErrors) {
  for (const std::string clock : {"told", "virtual"}) {
    const auto [kind, text] =
        first_run(python("raise ValueError('no such table')"), "clock = \"" + clock + "\"\n");
    EXPECT_EQ(kind, Kind::outside) << clock;
    EXPECT_THAT(text, HasSubstr("node 0 ends before it has begun")) << clock;
    EXPECT_THAT(text, HasSubstr("ValueError: no such table")) << clock;
    EXPECT_EQ(text.find('\n'), text.npos) << clock;
  }
  const auto [kind, text] = first_run("[\"/usr/bin/python3\", \"/no/such/node.py\"]");
  EXPECT_EQ(kind, Kind::outside);
  EXPECT_THAT(text, HasSubstr("can't open file '/no/such/node.py'"));
}

TEST(FirstRun, AProgramThatDoesNotExistIsAMistakeOfTheScenario) {
  EXPECT_EQ(first_run("[\"/no/such/program\"]").first, Kind::input);
  const auto [kind, text] = first_run("[\"/no/such/program\"]", "clock = \"virtual\"\n");
  EXPECT_EQ(kind, Kind::input);
  EXPECT_THAT(text, HasSubstr("/no/such/program"));
}

TEST(FirstRun, WhatNobodyDeclaredIsNamed) {
  for (const auto& [line, name] :
       {std::pair{"{'type': 'phase', 'phase': 'leader'}",
                  "'leader' is not declared (system.phases)"},
        std::pair{"{'type': 'observe', 'name': 'load', 'value': 1}", "'load' is not declared"},
        std::pair{"{'type': 'decide', 'level': 'log', 'instance': 1, 'value': 1}",
                  "'log' is not declared"}}) {
    const auto [kind, text] = first_run(answering(std::string("        say(") + line + ")"));
    EXPECT_EQ(kind, Kind::input) << name;
    EXPECT_THAT(text, HasSubstr(name));
    EXPECT_EQ(text.find('\n'), text.npos);
  }
}

// A program that is asked something and fails, or decides wrongly, is a finding, if an easy one.
TEST(FirstRun, WhatFailsLaterIsAFindingWithoutAnyFault) {
  const auto raised = first_run(answering("        raise ValueError"));
  EXPECT_EQ(raised.first, Kind::nothing);
  EXPECT_THAT(raised.second, HasSubstr("ended by itself"));
  const auto apart =
      first_run(answering(std::string(kEcho) +
                          "\n        say({'type': 'propose', 'instance': 1, 'value': "
                          "int(line['dest'][1])})\n        say({'type': 'decide', 'instance': 1, "
                          "'value': int(line['dest'][1])})"));
  EXPECT_EQ(apart.first, Kind::nothing);
  EXPECT_THAT(apart.second, HasSubstr("decided"));
}

TEST(Programs, ThatAreMissingAreNamed) {
  const auto missing = [](const std::string& command, const std::string& more = "") {
    const run::Scenario scenario = echo_scenario(command, more + "learn = 0\n");
    return dynamic_cast<const UsesPrograms&>(*scenario.system).missing_programs();
  };
  EXPECT_THAT(missing("[\"python3\"]"), IsEmpty());
  EXPECT_THAT(missing("[\"/usr/bin/python3\"]", "clock = \"virtual\"\n"), IsEmpty());
  for (const std::string command :
       {"/no/such/program", "no-such-program", "/usr/bin", "/etc/passwd"}) {
    EXPECT_THAT(missing("[\"" + command + "\"]"),
                ::testing::ElementsAre("system.command: " + command + ": no such program"));
  }
}

}  // namespace
}  // namespace dissensus::process
