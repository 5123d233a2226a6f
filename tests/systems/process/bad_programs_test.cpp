// Programs that do not keep to the protocol: each is a finding or a clear error, and none makes us
// wait for ever or stays behind.
#include <chrono>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dissensus/options.h"
#include "dissensus/outside.h"

#include "systems/process/child.h"
#include "systems/process/support.h"

namespace dissensus::process {
namespace {

using ::testing::HasSubstr;

constexpr const char* kPatience = "[system.limits]\nanswer = \"300ms\"\noutput_mib = 2\n";

/// For those whose output is to be counted, however slowly a busy machine lets them write it.
constexpr const char* kMuchPatience = "[system.limits]\nanswer = \"60s\"\noutput_mib = 2\n";

/// The rule that a run with such programs breaks.
std::string broken_rule(const std::string& command, const char* patience = kPatience) {
  run::Runner runner;
  const run::RunResult result = runner.run(echo_scenario(command, patience), {}, 1);
  if (result.verdict.violations.empty()) return "none";
  EXPECT_EQ(result.verdict.outcome, oracle::Outcome::fail);
  EXPECT_EQ(result.verdict.violations.front().property, "invariant");
  return result.verdict.violations.front().rule;
}

/// A program that answers init as it should, and then does something else.
std::string after_init(const std::string& what) {
  return python(R"(
import os, sys, json, time
def say(line):
    os.write(1, (json.dumps(line) + "\n").encode())
request = json.loads(sys.stdin.readline())
say({"src": "n0", "dest": request["src"], "body": {"type": "init_ok", "in_reply_to": 1}})
say({"type": "done"})
for text in sys.stdin:
)" + what);
}

TEST(BadPrograms, ThatDoNotExistAreAnError) {
  run::Runner runner;
  const run::Scenario scenario = echo_scenario("[\"/no/such/program\"]");
  try {
    runner.run(scenario, {}, 1);
    FAIL() << "expected an error";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("/no/such/program: cannot be started"));
    EXPECT_THAT(error.what(), HasSubstr("No such file or directory"));
  }
}

TEST(BadPrograms, ThatExitAtOnceAreAFinding) {
  EXPECT_EQ(broken_rule("[\"/bin/sh\", \"-c\", \"exit 3\"]"), "exit");
}

TEST(BadPrograms, ThatExitLaterAreAFinding) {
  EXPECT_EQ(broken_rule(after_init("    sys.exit(4)")), "exit");
}

TEST(BadPrograms, ThatRaiseAreAFinding) {
  EXPECT_EQ(broken_rule(after_init("    raise ValueError")), "exit");
}

TEST(BadPrograms, ThatCrashAreAFinding) {
  EXPECT_EQ(broken_rule("[\"/bin/sh\", \"-c\", \"kill -SEGV $$\"]"), "crash");
  EXPECT_EQ(broken_rule(after_init("    os.abort()")), "crash");
}

/// Answers all that it is asked, and then does something in a process that nobody asks any more.
std::string after_the_last_line(const std::string& what) {
  return python(R"(
import os, sys, json, time, threading
def say(line):
    os.write(1, (json.dumps(line) + "\n").encode())
asked = 0
for text in sys.stdin:
    request = json.loads(text)
    body = dict(request["body"], type=request["body"]["type"] + "_ok", in_reply_to=request["body"]["msg_id"])
    say({"src": request["dest"], "dest": request["src"], "body": body})
    say({"type": "done"})
    asked += 1
    if asked == 3:
)" + what);
}

/// One client asks each of two nodes twice, after init.
std::string rule_after_the_last_line(const std::string& what) {
  run::Runner runner;
  const run::Scenario scenario = run::parse_scenario(fmt::format(R"(
format = "dissensus-scenario/1"
name = "test"
[system]
kind = "process"
command = {}
nodes = 1
learn = 0
[[system.message]]
type = "echo"
[system.workload]
kind = "echo"
clients = 1
interval = "100ms"
until = "240ms"
[limits]
virtual_time = "2s"
)",
                                                                 after_the_last_line(what)),
                                                     "test.toml", registry());
  const run::RunResult result = runner.run(scenario, {}, 1);
  return std::string(oracle::to_string(result.verdict.outcome)) + " " + first_signature(result);
}

TEST(BadPrograms, ThatEndAfterTheirLastLineAreAFinding) {
  EXPECT_EQ(rule_after_the_last_line("        pass"), "pass ");
  EXPECT_EQ(rule_after_the_last_line("        sys.exit(1)"), "fail invariant/exit");
  EXPECT_EQ(rule_after_the_last_line("        os.abort()"), "fail invariant/crash");
  EXPECT_EQ(rule_after_the_last_line("        time.sleep(0.05); os.abort()"),
            "fail invariant/crash");
  EXPECT_EQ(rule_after_the_last_line("        sum(range(3000000)); os.abort()"),
            "fail invariant/crash");
}

TEST(BadPrograms, ThatPrintNonsenseAreAFinding) {
  EXPECT_EQ(broken_rule("[\"/bin/sh\", \"-c\", \"echo hello; cat\"]"), "nonsense");
  EXPECT_EQ(broken_rule(after_init("    say([1, 2])")), "nonsense");
  EXPECT_EQ(broken_rule(after_init("    say({\"type\": \"no such report\"})")), "nonsense");
  EXPECT_EQ(broken_rule(after_init("    say({\"dest\": \"n77\", \"body\": {\"type\": \"x\"}})")),
            "nonsense");
  EXPECT_EQ(broken_rule(after_init("    say({\"dest\": \"n1\", \"body\": 3})")), "nonsense");
  EXPECT_EQ(broken_rule(
                after_init("    say({\"type\": \"set_timer\", \"timer\": \"t\", \"after\": -1})")),
            "nonsense");
}

TEST(BadPrograms, ThatNestTheirMessagesWithoutEndAreAFinding) {
  EXPECT_EQ(broken_rule(
                after_init("    os.write(1, b'{\"dest\":\"n1\",\"body\":{\"type\":\"x\",\"a\":' + "
                           "b'[' * 400000 + b']' * 400000 + b'}}\\n')")),
            "nonsense");
}

TEST(BadPrograms, ThatAreDoneWithInitWithoutAnsweringItAreAFinding) {
  EXPECT_EQ(
      broken_rule("[\"/bin/sh\", \"-c\", \"read x; echo '{\\\"type\\\":\\\"done\\\"}'; cat\"]"),
      "nonsense");
}

TEST(BadPrograms, ThatPrintWithoutEndAreAFinding) {
  EXPECT_EQ(broken_rule("[\"/usr/bin/yes\", \"{}\"]"), "nonsense");
  EXPECT_EQ(
      broken_rule("[\"/bin/sh\", \"-c\", \"exec head -c 1000000000 /dev/zero\"]", kMuchPatience),
      "flood");
  EXPECT_EQ(
      broken_rule(after_init("    while True: say({\"type\": \"log\", \"text\": \"x\" * 100000})"),
                  kMuchPatience),
      "flood");
}

TEST(BadPrograms, ThatFloodTheirLogAreNotWaitedFor) {
  EXPECT_EQ(broken_rule("[\"/bin/sh\", \"-c\", \"exec yes >&2\"]"), "silence");
}

TEST(BadPrograms, ThatNeverAnswerInitAreAFinding) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(broken_rule("[\"/bin/sleep\", \"1000\"]"), "silence");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST(BadPrograms, ThatAnswerAfterTheirTimeAreAFinding) {
  EXPECT_EQ(broken_rule(after_init("    time.sleep(1); say({\"type\": \"done\"})")), "silence");
}

TEST(BadPrograms, ThatCloseTheirOutputAndLiveOnAreAFinding) {
  EXPECT_EQ(broken_rule("[\"/bin/sh\", \"-c\", \"exec sleep 1000 >&-\"]"), "silence");
}

TEST(BadPrograms, ThatDoNotReadAreNotWaitedFor) {
  Child child({{"/bin/sleep", "1000"}, {}, {}});
  ReadLimits limits;
  limits.answer = std::chrono::milliseconds(200);
  child.begin_answer(limits);
  EXPECT_FALSE(child.write(std::string(8 << 20, 'x')));
  EXPECT_EQ(child.trouble(), Trouble::silence);
}

bool is_alive(pid_t pid) {
  return ::kill(pid, 0) == 0;
}

bool ends_soon(pid_t pid) {
  for (int times = 0; times < 500 && is_alive(pid); ++times) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return !is_alive(pid);
}

TEST(BadPrograms, EndWithTheirOwner) {
  pid_t pid = -1;
  {
    const Child child(
        {{"/bin/sh", "-c", "trap '' TERM INT HUP; while :; do sleep 1; done"}, {}, {}});
    pid = child.pid();
    ASSERT_TRUE(is_alive(pid));
  }
  EXPECT_TRUE(ends_soon(pid));
}

/// Reads a number that a program prints, which is that of a process that it started.
pid_t started_by(Child& child) {
  std::string_view line;
  child.begin_answer({});
  EXPECT_TRUE(child.read(line));
  return static_cast<pid_t>(std::stol(std::string(line)));
}

/// Prints the number of a process that is in no group and has no parent of the program's.
constexpr const char* kEscape = R"(
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() > 0:
        os._exit(0)
    os.write(1, f"{os.getpid()}\n".encode())
time.sleep(1000)
)";

TEST(BadPrograms, LeaveNoChildrenBehind) {
  for (const Launch& launch : {Launch{{"/bin/sh", "-c", "sleep 1000 & echo $!; wait"}, {}, {}},
                               Launch{{"/usr/bin/python3", "-c", kEscape}, {}, {}}}) {
    pid_t pid = -1;
    {
      Child child(launch);
      pid = started_by(child);
      ASSERT_TRUE(is_alive(pid));
    }
    EXPECT_FALSE(is_alive(pid)) << launch.command[2];
  }
}

/// Its output is still open, in the hands of what it left behind.
TEST(BadPrograms, ThatEndAndLeaveChildrenAreAFinding) {
  Child child({{"/bin/sh", "-c", "sleep 1000 & echo $!; exit 5"}, {}, {}});
  const pid_t pid = started_by(child);
  ReadLimits limits;
  limits.answer = std::chrono::milliseconds(200);
  child.begin_answer(limits);
  std::string_view line;
  EXPECT_FALSE(child.read(line));
  EXPECT_EQ(child.trouble(), Trouble::exit);
  EXPECT_EQ(child.status(), 5);
  EXPECT_TRUE(ends_soon(pid));
}

/// Also when nobody has the time to end them.
TEST(BadPrograms, EndWhenTheirOwnerIsKilled) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t owner = ::fork();
  if (owner == 0) {
    Child child({{"/usr/bin/python3", "-c", kEscape}, {}, {}});
    const pid_t pids[] = {child.pid(), started_by(child)};
    if (::write(ends[1], pids, sizeof pids) != sizeof pids) ::_exit(1);
    for (;;) ::pause();
  }
  pid_t pids[2] = {-1, -1};
  ASSERT_EQ(::read(ends[0], pids, sizeof pids), static_cast<ssize_t>(sizeof pids));
  for (const pid_t pid : pids) ASSERT_TRUE(is_alive(pid));
  ::kill(owner, SIGKILL);
  ::waitpid(owner, nullptr, 0);
  for (const pid_t pid : pids) EXPECT_TRUE(ends_soon(pid));
  ::close(ends[0]);
  ::close(ends[1]);
}

/// A program that misbehaved is not used again: the next run begins with a fresh one.
TEST(BadPrograms, DoNotSpoilTheNextRun) {
  const run::Scenario scenario = echo_scenario(after_init("    os.abort()"), kPatience);
  run::Runner runner;
  const run::RunResult first = runner.run(scenario, {}, 1);
  const run::RunResult second = runner.run(scenario, {}, 1);
  EXPECT_EQ(first.hash, second.hash);
  EXPECT_EQ(first_signature(first), first_signature(second));
}

}  // namespace
}  // namespace dissensus::process
