// Verbs on networks of stand-in servers: a scenario, its environment, and who is left afterwards.
#pragma once

#include <csignal>
#include <cstdlib>
#include <functional>
#include <thread>

#include <fmt/format.h>

#include "cli/command.h"

namespace dissensus::cli_test {

/// Whose servers these are: tests of other programs run at the same time.
constexpr const char* kStandInOwner = "STAND_IN_OWNER";

/// Stand-ins close a ledger about every half second at this pace.
class LiveVerbs : public testing::Test {
 protected:
  void SetUp() override {
    set("STAND_IN_TICK_MS", "40");
    set(kStandInOwner, std::to_string(getpid()));
  }
  /// Of servers of the scenarios that follow.
  void set(const std::string& name, const std::string& value) {
    environment_ += fmt::format("{}\"{}={}\"", environment_.empty() ? "" : ", ", name, value);
  }

  /// Three ledgers after the start, or a violation when none comes for some seconds.
  std::string scenario(const std::string& more = "") const {
    return R"(format = "dissensus-scenario/1"
name = "live-test"

[system]
kind = "rippled"
nodes = 4
reserve = "10"
accounts = { alice = "400", bob = "300" }

[system.servers]
)" + server_keys() +
           R"(

[[workload]]
at = "100ms"
node = 0
from = "alice"
to = "bob"
amount = 50

[network]
latency = "1ms"
order = "any"

[schedule]
type = "delay"
max_delay = "4s"

[oracle.termination]
level = "ledger"
goal = 8
bound = "4s"

[limits]
virtual_time = "30s"
)" + more;
  }
  std::string server_keys() const {
    return fmt::format("environment = [{}]\nstart_limit = \"60s\"\npause_max = \"0s\"",
                       environment_);
  }
  std::vector<std::string> words(std::vector<std::string> first,
                                 const std::vector<std::string>& more = {}) const {
    first.insert(first.end(), {"--rippled", STAND_IN_SERVER});
    first.insert(first.end(), more.begin(), more.end());
    return first;
  }

 private:
  std::string environment_;
};

/// Nothing reaches anybody.
inline constexpr std::string_view kSplit =
    R"({"format": "dissensus-schedule/1", "system": "rippled", "nodes": 4,
  "faults": [{"type": "partition", "groups": [[0, 1], [2, 3]], "from": "0s"}]})";

/// Those that commands of this program have started.
inline std::size_t stand_ins_running() {
  const std::string ours = fmt::format("{}={}", kStandInOwner, getpid());
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    std::ifstream command(entry.path() / "cmdline", std::ios::binary);
    std::string program;
    std::getline(command, program, '\0');
    if (program != STAND_IN_SERVER) continue;
    std::ifstream environment(entry.path() / "environ", std::ios::binary);
    for (std::string variable; std::getline(environment, variable, '\0');) {
      count += variable == ours ? 1 : 0;
    }
  }
  return count;
}

/// Starts a command and ends it with a signal after a while; returns its exit code, -1 for a
/// signal. `look` is called just before.
inline int run_and_signal(
    const WorkFolder& folder, const std::vector<std::string>& command, int signal,
    std::chrono::milliseconds after, const std::function<void()>& look = [] {}) {
  const pid_t child = fork();
  if (child == 0) {
    if (chdir(folder.file("").c_str()) != 0) _exit(127);
    const std::string program = tested_program();
    std::vector<char*> arguments{const_cast<char*>(program.c_str())};
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const int null = open("/dev/null", O_RDWR);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    execv(program.c_str(), arguments.data());
    _exit(127);
  }
  std::this_thread::sleep_for(after);
  look();
  kill(child, signal);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace dissensus::cli_test
