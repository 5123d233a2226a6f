// A run of servers is held, looked at, and goes on.
#include <gmock/gmock.h>

#include "cli/command.h"

namespace dissensus::cli_test {
namespace {

using testing::HasSubstr;
using testing::Not;

const char* const kShell = R"(format = "dissensus-scenario/1"
name = "shell"
[system]
kind = "server"
nodes = 2
command = ["/bin/sh", "-c", "echo begins; sleep 1; echo goes on; sleep 100"]
[[oracle.rule]]
name = "alive"
property = "crash"
check = "max(died) == 0"
[limits]
virtual_time = "5s"
)";

CommandResult run_with_input(const WorkFolder& folder, const std::string& input,
                             const std::string& words) {
  folder.write("input", input);
  return folder.run({"-c", fmt::format("cat input | {} {}", tested_program(), words)}, "/bin/sh");
}

TEST(Hold, TheEndOfInputGoesOnAndTheRunIsTheSame) {
  const WorkFolder folder;
  folder.write("shell.toml", kShell);
  const CommandResult held =
      run_with_input(folder, "threads\ncore cores\nwhat\n", "run shell.toml --hold 1s --logs");
  EXPECT_EQ(held.exit_code, 0) << held.err;
  EXPECT_THAT(held.err, HasSubstr("held at 1.00"));
  EXPECT_THAT(held.err, HasSubstr("/root/node (its folder)"));
  EXPECT_THAT(held.err, HasSubstr("waits in "));
  EXPECT_THAT(held.err, HasSubstr("'what': expected threads, look, core [FOLDER]"));
  EXPECT_THAT(held.err, HasSubstr("0 | begins\n"));
  EXPECT_THAT(held.err, HasSubstr("1 | goes on\n"));
  EXPECT_LT(held.err.find("begins"), held.err.find("held at"));
  EXPECT_THAT(held.err, HasSubstr("cores/n0."));
  std::size_t cores = 0;
  for (const auto& entry : fs::directory_iterator(folder.file("cores"))) {
    EXPECT_EQ(read_text(entry.path()).substr(0, 4), "\177ELF");
    ++cores;
  }
  EXPECT_GE(cores, 2U);
  const CommandResult free = folder.run({"run", "shell.toml"});
  const auto hash = [](const std::string& text) {
    const std::size_t at = text.find("hash ");
    return text.substr(at, 21);
  };
  EXPECT_EQ(hash(held.out), hash(free.out));
  const CommandResult again = folder.run({"replay", "runs/latest", "--json"});
  EXPECT_THAT(again.out, HasSubstr("\"repeatable\": true,\n  \"doubts\": []"));
  // Nothing was violated: it is not held.
  EXPECT_THAT(folder.run({"replay", "runs/latest", "--hold", "violation"}).err,
              Not(HasSubstr("held at")));
}

/// Nobody types anything: what goes on is the signal alone.
TEST(Hold, ASignalGoesOnAndTheRunIsTheSame) {
  const WorkFolder folder;
  folder.write("shell.toml", kShell);
  const std::string script = fmt::format(
      "mkfifo in; sleep 120 > in & holder=$!; {} run shell.toml --hold 1s < in 2> err & held=$!; "
      "for i in $(seq 300); do grep -q \"kill -USR1 $held: go on\" err && break; sleep 0.1; done; "
      "kill -0 $held && echo is held; kill -USR1 $held; wait $held; code=$?; "
      "kill $holder; exit $code",
      DISSENSUS_BINARY);
  const CommandResult held = folder.run({"-c", script}, "/bin/bash");
  EXPECT_EQ(held.exit_code, 0) << held.err << read_text(folder.file("err"));
  EXPECT_THAT(held.out, HasSubstr("is held\n"));
  EXPECT_THAT(read_text(folder.file("err")), HasSubstr("held at 1.00"));
  const CommandResult free = folder.run({"run", "shell.toml"});
  const std::size_t at = free.out.find("hash ");
  EXPECT_THAT(held.out, HasSubstr(free.out.substr(at, 21)));
}

TEST(Hold, IsForServersInVirtualTimeAndNeedsATime) {
  const WorkFolder folder;
  folder.write("shell.toml", kShell);
  const CommandResult simulated = folder.run({"run", kBuggyScenario, "--hold", "1s"});
  EXPECT_EQ(simulated.exit_code, 2);
  EXPECT_THAT(simulated.err, HasSubstr("--hold: expected nodes that are programs"));
  const CommandResult word = folder.run({"run", "shell.toml", "--hold", "soon"});
  EXPECT_EQ(word.exit_code, 2);
  EXPECT_THAT(word.err, HasSubstr("expected a time such as 12s, or violation, found 'soon'"));
  const CommandResult many = folder.run({"run", "shell.toml", "--hold", "1s", "--seed", "1..3"});
  EXPECT_EQ(many.exit_code, 2);
}

}  // namespace
}  // namespace dissensus::cli_test
