// How programs end is seen, whoever else of them lives; and nothing that they do keeps the
// supervisor longer than it may take.
#include "host/ends.h"

#include <chrono>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/harness.h"

namespace dissensus::host {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Plan script_plan(std::chrono::milliseconds wall_time = 10s) {
  Plan plan;
  plan.machines = {{"one", ""}, {"two", ""}};
  plan.visible = {HOST_SCRIPT};
  plan.limits.wall_time = wall_time;
  plan.limits.threads = 100;
  return plan;
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

ProgramId start_script(TestNetwork& network, const std::string& script) {
  Program program;
  program.name = "n0";
  program.command = {HOST_SCRIPT};
  for (std::string& word : words_of(script)) program.command.push_back(std::move(word));
  return network.host().start(program);
}

/// How the program ended within 5 s, and who of it was lost.
std::string end_of(const std::string& script) {
  TestNetwork network(script_plan());
  const ProgramId id = start_script(network, script);
  EXPECT_TRUE(network.run_until(5s)) << script << ": " << network.host().trouble();
  const auto exit = network.exits().find(id);
  std::string text = exit == network.exits().end() ? "lives" : manner_of(exit->second);
  for (const LostProcess& lost : network.host().lost_processes()) {
    text += " " + manner_of(lost.exit);
  }
  return text;
}

TEST(Ends, TheMainProcessIsTheProgram) {
  EXPECT_EQ(end_of("helper { stay } sleep 10 exit 1"), "exit-1");
  EXPECT_EQ(end_of("helper { stay } sleep 10 abort"), "SIGABRT");
  EXPECT_EQ(end_of("helper { deaf stay } raise 11"), "SIGSEGV");
  EXPECT_EQ(end_of("helper { helper { compute } exit 0 } exit 3"), "exit-3");
  EXPECT_EQ(end_of("exit 0"), "exit-0");
}

TEST(Ends, ItIsFollowedWhereItGoesIntoTheBackground) {
  EXPECT_EQ(end_of("helper { stay } exit 0"), "lives");
  EXPECT_EQ(end_of("helper { helper { sleep 100 exit 7 } exit 0 } exit 0"), "exit-7");
  EXPECT_EQ(end_of("helper { sleep 100 abort } exit 0"), "SIGABRT");
  EXPECT_EQ(end_of("helper { sleep 100 exit 0 } exit 0"), "exit-0");
}

TEST(Ends, AHelperThatNobodyExpectedToEndIsLost) {
  EXPECT_EQ(end_of("helper { raise 11 } stay"), "lives SIGSEGV");
  EXPECT_EQ(end_of("helper { raise 11 } wait stay"), "lives SIGSEGV");
  EXPECT_EQ(end_of("helper { exit 2 } stay"), "lives exit-2");
  EXPECT_EQ(end_of("helper { helper { abort } stay } stay"), "lives SIGABRT");
  EXPECT_EQ(end_of("helper { helper { sleep 10 exit 9 } exit 0 } stay"), "lives exit-9");
}

TEST(Ends, AHelperThatWasExpectedToEndIsNot) {
  EXPECT_EQ(end_of("helper { exit 2 } wait stay"), "lives");
  EXPECT_EQ(end_of("helper { stay } kill-helper stay"), "lives");
  EXPECT_EQ(end_of("helper { exit 0 } stay"), "lives");
  EXPECT_EQ(end_of("helper { stay } sleep 10 exit 1"), "exit-1");
}

TEST(Ends, RemarksNameTheFirstOfEachKind) {
  TestNetwork network(script_plan());
  start_script(network, "helper { sleep 20 raise 11 } helper { raise 11 } helper { exit 1 } stay");
  ASSERT_TRUE(network.run_until(1s));
  const auto remarks = remarks_of(network.host().lost_processes(), 0s, [](ProgramId) { return 4; });
  ASSERT_EQ(remarks.size(), 2u);
  EXPECT_EQ(remarks[0].manner, "SIGSEGV");
  EXPECT_EQ(remarks[0].text,
            "node 4: n0 process 1 (host_script) killed by signal 11 (Segmentation fault) at "
            "0.020000 s, and no other process expected it; 1 more like this");
  EXPECT_EQ(remarks[1].manner, "exit-1");
}

// ---- ports of datagrams

TEST(Ends, PortsOfDatagramsAreFreeAgain) {
  TestNetwork network(script_plan());
  const ProgramId first = start_script(network, "bind 5000 close bind 5000 stay");
  ASSERT_TRUE(network.run_until(1s));
  EXPECT_EQ(network.output(first), "bound: done\nbound: done\n");
  const ProgramId other = start_script(network, "bind 5000");
  ASSERT_TRUE(network.run_until(2s));
  EXPECT_EQ(network.output(other), "bound: Address already in use\n");
  network.host().kill(first);
  const ProgramId second = start_script(network, "bind 5000 stay");
  ASSERT_TRUE(network.run_until(3s));
  EXPECT_EQ(network.output(second), "bound: done\n");
}

// ---- names

// The C library asks for the machine's addresses, connects sockets of both families to sort what it
// has found, and ends the program where the answers do not fit.
TEST(Names, AreFoundInEveryFamily) {
  const std::string script =
      "resolve localhost resolve one resolve two resolve 127.0.0.11 resolve ::1 resolve x resolve "
      "*";
  TestNetwork network(script_plan());
  const ProgramId id = start_script(network, script);
  ASSERT_TRUE(network.run_until(20s));
  std::string twice;  // with and without AI_ADDRCONFIG
  for (const char* const line : {"localhost: ::1 127.0.0.1\n", "one: 127.0.0.10\n",
                                 "two: 127.0.0.11\n", "127.0.0.11: 127.0.0.11\n", "::1: ::1\n",
                                 "x: Name or service not known\n", "*: 0.0.0.0 ::\n"}) {
    twice += std::string(line) + line;
  }
  EXPECT_EQ(network.output(id), twice);
  EXPECT_EQ(network.exits().at(id).code, 0);
  EXPECT_THAT(network.host().report().doubts, IsEmpty());
  TestNetwork again(script_plan());
  start_script(again, script);
  ASSERT_TRUE(again.run_until(20s));
  EXPECT_EQ(again.host().report().journal.hash(), network.host().report().journal.hash());
}

// ---- nobody waits

std::string output_of(const std::string& script, HostTime until = 5s) {
  TestNetwork network(script_plan());
  const ProgramId id = start_script(network, script);
  EXPECT_TRUE(network.run_until(until)) << script << ": " << network.host().trouble();
  EXPECT_THAT(network.host().report().doubts, IsEmpty());
  return network.output(id);
}

TEST(NobodyWaits, ForSemaphoresAndQueues) {
  EXPECT_EQ(output_of("helper { sleep 500 say later semaphore-post } semaphore-wait 0"),
            "later\nsemaphore: done\n");
  EXPECT_EQ(output_of("helper { sleep 500 say later } semaphore-wait 200"),
            "semaphore: Resource temporarily unavailable\nlater\n");
  EXPECT_EQ(output_of("helper { sleep 500 say later message-send } message-wait"),
            "later\nmessage: done\n");
  EXPECT_EQ(output_of("helper { sleep 500 say later posix-message-send } posix-message-wait"),
            "later\nposix message: done\n");
  EXPECT_EQ(output_of("helper { semaphore-wait 0 } helper { message-wait } helper { sleep 100 say "
                      "on } semaphore-wait 0"),
            "on\n");
}

TEST(NobodyWaits, ASignalEndsTheWaitForASemaphore) {
  EXPECT_EQ(end_of("helper { semaphore-wait 0 } sleep 50 kill-helper wait exit 0"), "exit-0");
}

double seconds_of_run(const std::string& script, std::chrono::milliseconds wall_time,
                      std::string& trouble) {
  const auto begin = std::chrono::steady_clock::now();
  {
    TestNetwork network(script_plan(wall_time));
    start_script(network, script);
    EXPECT_FALSE(network.run_until(5s)) << script;
    trouble = network.host().trouble();
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

TEST(NobodyWaits, LongerThanTheWallTime) {
  for (const char* const script :
       {"compute", "flood", "fork-bomb", "helper { flood } deaf compute"}) {
    std::string trouble;
    const double seconds = seconds_of_run(script, 200ms, trouble);
    EXPECT_THAT(trouble, HasSubstr("more than 0.2 s of real time")) << script;
    EXPECT_LT(seconds, 3) << script;
  }
}

TEST(NobodyWaits, InACallThatCannotBeSupervised) {
  std::string trouble;
  seconds_of_run("helper { deaf lease stay } sleep 100 open-leased", 30s, trouble);
  EXPECT_EQ(trouble,
            "n0 process 0 thread 0 waits in openat, and all others with it: this call cannot be "
            "supervised");
  const double seconds =
      seconds_of_run("helper { deaf lease stay } sleep 100 open-leased", 300ms, trouble);
  EXPECT_THAT(trouble, HasSubstr("more than 0.3 s of real time"));
  EXPECT_LT(seconds, 3);
}

}  // namespace
}  // namespace dissensus::host
