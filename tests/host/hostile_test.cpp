// Programs that try to do harm are contained, and nothing outlives the supervisor.
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/harness.h"

namespace dissensus::host {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

Plan plan_of() {
  Plan plan;
  plan.machines = {{"one", ""}, {"two", ""}};
  plan.visible = {HOST_HOSTILE, HOST_SUBJECT};
  plan.limits.stop_time = 500ms;
  return plan;
}

ProgramId start(TestNetwork& network, MachineId machine, std::vector<std::string> words,
                const char* path = HOST_HOSTILE) {
  Program program;
  program.machine = machine;
  program.name = words.front();
  program.command = {path};
  program.command.insert(program.command.end(), words.begin(), words.end());
  return network.host().start(program);
}

TEST(Hostile, AForkBombMeetsTheLimit) {
  Plan plan = plan_of();
  plan.limits.threads = 40;
  TestNetwork network(plan);
  const ProgramId id = start(network, 0, {"fork-bomb"});
  ASSERT_TRUE(network.run_until(1s));
  EXPECT_THAT(network.output(id), HasSubstr("no more"));
  EXPECT_THAT(network.host().report().notes, Contains(HasSubstr("more than 40 threads")));
  network.host().kill(id);
  EXPECT_TRUE(network.host().threads().empty());
}

TEST(Hostile, ADiskThatIsFilledIsFull) {
  Plan plan = plan_of();
  plan.limits.folder_bytes = 64 << 20;
  TestNetwork network(plan);
  const ProgramId id = start(network, 0, {"fill-disk"});
  ASSERT_TRUE(network.run_until(1s));
  EXPECT_THAT(
      network.output(id),
      ::testing::MatchesRegex("[4-6][0-9] MiB, then (No space left on device|File too large)\n"));
}

TEST(Hostile, TheNetworkIsOurs) {
  TestNetwork network(plan_of());
  const ProgramId id = start(network, 0, {"network"});
  ASSERT_TRUE(network.run_until(10s));
  EXPECT_THAT(network.output(id), HasSubstr("8.8.8.8: Network is unreachable"));
  for (const char* success : {"CONNECTED", "SENT", "OPEN"}) {
    EXPECT_THAT(network.output(id), Not(HasSubstr(success)));
  }
}

TEST(Hostile, AFolderIsAllThatIsSeen) {
  const std::string secret = ::testing::TempDir() + "/host_secret";
  std::ofstream(secret) << "secret";
  TestNetwork network(plan_of());
  const ProgramId other = start(network, 1, {"tcp-server"}, HOST_SUBJECT);
  const ProgramId id = start(network, 0, {"escape", secret});
  ASSERT_TRUE(network.run_until(10s));
  const std::string output = network.output(id);
  EXPECT_THAT(output, HasSubstr("setuid"));
  EXPECT_THAT(output, HasSubstr(secret + ": No such file or directory"));
  EXPECT_THAT(output, Not(HasSubstr("OPENED"))) << output;
  EXPECT_THAT(output, Not(HasSubstr("DONE"))) << output;
  EXPECT_TRUE(network.host().is_running(other));
}

TEST(Hostile, OutputIsCut) {
  Plan plan = plan_of();
  plan.limits.output_bytes = 1 << 20;
  TestNetwork network(plan);
  const ProgramId id = start(network, 0, {"output", "200"});
  ASSERT_TRUE(network.run_until(1s));
  EXPECT_EQ(network.output(id).size(), 1U << 20);
  EXPECT_EQ(network.exits().at(id).code, 0);
  EXPECT_THAT(network.host().report().notes, Contains(HasSubstr("the rest is not kept")));
}

TEST(Hostile, MemoryEnds) {
  Plan plan = plan_of();
  plan.limits.memory_bytes = 256 << 20;
  TestNetwork network(plan);
  const ProgramId id = start(network, 0, {"memory"});
  ASSERT_TRUE(network.run_until(1s)) << network.host().trouble();
  EXPECT_THAT(network.output(id), HasSubstr("pieces, then Cannot allocate memory"));
}

TEST(Hostile, WhoIgnoresSignalsIsKilled) {
  TestNetwork network(plan_of());
  const ProgramId id = start(network, 0, {"deaf"});
  ASSERT_TRUE(network.run_until(1s));
  network.host().signal(id, SIGTERM);
  ASSERT_TRUE(network.run_until(2s));
  EXPECT_TRUE(network.host().is_running(id));
  network.host().kill(id);
  EXPECT_FALSE(network.host().is_running(id));
}

// The kernel reports it once the others are waited for.
TEST(Hostile, AFirstThreadThatDiesOfASignalTakesTheOthersAlong) {
  TestNetwork network(plan_of());
  const ProgramId id = start(network, 0, {"crash-among-threads"});
  ASSERT_TRUE(network.run_until(1s));
  EXPECT_EQ(network.exits().at(id).signal, SIGSEGV);
}

TEST(Hostile, EndlessComputationIsDoubted) {
  Plan plan = plan_of();
  plan.limits.wall_time = 3s;
  TestNetwork network(plan);
  start(network, 0, {"compute"});
  EXPECT_FALSE(network.run_until(10s));
  EXPECT_THAT(network.host().trouble(), HasSubstr("more than 3 s of real time"));
  EXPECT_THAT(network.host().report().doubts, Contains(HasSubstr("without a call")));
}

std::vector<pid_t> own_children() {
  std::vector<pid_t> children;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream file(task.path() / "children");
    for (pid_t child = 0; file >> child;) children.push_back(child);
  }
  return children;
}

// The kernel tells of the end of a first thread only after all others were reaped: a supervisor
// that waits for the first one would wait for ever.
TEST(Hostile, ASandboxThatIsKilledFromOutsideEndsTheRun) {
  Plan plan = plan_of();
  plan.limits.stop_time = 20s;
  TestNetwork network(plan);
  start(network, 0, {"compute-with-threads"});
  const std::vector<pid_t> keepers = own_children();
  ASSERT_EQ(keepers.size(), 1u);
  std::thread killer([&] {
    std::this_thread::sleep_for(300ms);
    ::kill(keepers.front(), SIGTERM);  // means us, not the keeper
    std::this_thread::sleep_for(100ms);
    ::kill(keepers.front(), SIGKILL);
  });
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(network.run_until(10s));
  const auto took = std::chrono::steady_clock::now() - begin;
  killer.join();
  EXPECT_GE(took, 390ms);
  EXPECT_LT(took, 10s);
  EXPECT_THAT(network.host().trouble(), HasSubstr("ended from outside"));
}

/// Processes of this machine whose command line has this word.
std::size_t count_processes(const std::string& word) {
  std::size_t count = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    std::ifstream file(entry.path() / "cmdline");
    std::string line;
    std::getline(file, line);
    if (line.find(word) != line.npos) ++count;
  }
  return count;
}

std::size_t count_mounts() {
  std::ifstream file("/proc/mounts");
  std::size_t count = 0;
  for (std::string line; std::getline(file, line);) ++count;
  return count;
}

std::set<std::string> namespaces_of(const std::filesystem::path& process) {
  std::set<std::string> names;
  for (const char* const kind : {"user", "pid", "mnt", "net", "ipc", "uts"}) {
    std::error_code error;
    const auto name = std::filesystem::read_symlink(process / "ns" / kind, error);
    if (!error) names.insert(name.string());
  }
  return names;
}

/// Those in which programs with this word run, and we do not.
std::set<std::string> namespaces_with(const std::string& word) {
  std::set<std::string> names;
  const std::set<std::string> ours = namespaces_of("/proc/self");
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    std::ifstream file(entry.path() / "cmdline");
    std::string line;
    std::getline(file, line);
    if (line.find(word) != line.npos) names.merge(namespaces_of(entry.path()));
  }
  for (const std::string& name : ours) names.erase(name);
  return names;
}

/// When a process began, in clock ticks since the machine did; 0: it is no more.
std::uint64_t start_of(const std::filesystem::path& process) {
  std::ifstream file(process / "stat");
  std::string text;
  std::getline(file, text);
  // The name in brackets may have anything in it; the time is the 20th field behind it.
  std::istringstream fields(text.substr(std::min(text.size(), text.rfind(')') + 1)));
  std::string field;
  for (int i = 0; i < 20; ++i) fields >> field;
  return std::strtoull(field.c_str(), nullptr, 10);
}

std::uint64_t now_in_ticks() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  const auto ticks = static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
  return static_cast<std::uint64_t>(now.tv_sec) * ticks +
         static_cast<std::uint64_t>(now.tv_nsec) * ticks / 1'000'000'000;
}

/// How many processes of the machine that have begun by then are in one of them. Names of
/// namespaces that are gone are given to new ones, which other programs beside this test may make.
std::size_t count_inside(const std::set<std::string>& namespaces, std::uint64_t begun_by) {
  std::size_t count = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    if (start_of(entry.path()) > begun_by) continue;
    for (const std::string& name : namespaces_of(entry.path())) {
      if (!namespaces.contains(name)) continue;
      ++count;
      break;
    }
  }
  return count;
}

// HOST_KILLS=100 makes it as many.
TEST(Hostile, NothingOutlivesAKilledSupervisor) {
  const char* wanted = std::getenv("HOST_KILLS");
  const int kills = wanted != nullptr ? std::atoi(wanted) : 5;
  const std::size_t mounts = count_mounts();
  // Where a temporary file of ours would be.
  const std::string folder = testing::TempDir() + "killed-supervisor";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  std::size_t most_namespaces = 0;
  for (int i = 0; i < kills; ++i) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t supervisor = fork();
    if (supervisor == 0) {
      dup2(ends[1], 1);
      setenv("TMPDIR", folder.c_str(), 1);
      if (chdir(folder.c_str()) != 0) _exit(1);
      execl(RUN_IN_HOST, RUN_IN_HOST, "1000000", HOST_HOSTILE, i % 2 == 0 ? "restless" : "compute",
            nullptr);
      _exit(1);
    }
    close(ends[1]);
    char byte = 0;
    ASSERT_EQ(read(ends[0], &byte, 1), 1);  // it says that the program was started
    std::this_thread::sleep_for(std::chrono::milliseconds(1 + i * 7 % 60));
    const std::set<std::string> namespaces = namespaces_with("host_hostile");
    most_namespaces = std::max(most_namespaces, namespaces.size());
    ::kill(supervisor, SIGKILL);
    const std::uint64_t killed = now_in_ticks();
    int status = 0;
    waitpid(supervisor, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "it was still running";
    close(ends[0]);
    std::size_t left = 1;
    for (int tries = 0; tries < 200 && left != 0; ++tries) {
      left = count_processes("host_hostile") + count_inside(namespaces, killed);
      if (left != 0) std::this_thread::sleep_for(10ms);
    }
    ASSERT_EQ(left, 0U) << "after kill " << i;
  }
  EXPECT_EQ(count_mounts(), mounts);
  EXPECT_GE(most_namespaces, 6U) << "they were looked at";
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace dissensus::host
